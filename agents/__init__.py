"""Learners and players for turn-based games, written against the standard API."""

from agents.base import Agent, Learner, Policy, Transition
from agents.gradient_bandit import GradientBandit
from agents.optimal import EpsilonOptimalAgent, OptimalAgent
from agents.q_learning import QLearning
from agents.random_agent import RandomAgent

__all__ = [
    "Agent",
    "EpsilonOptimalAgent",
    "GradientBandit",
    "Learner",
    "OptimalAgent",
    "Policy",
    "QLearning",
    "RandomAgent",
    "Transition",
]
