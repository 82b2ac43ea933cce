"""Learners and players for turn-based games, written against the standard API."""

from agents.afterstate import AfterstateTD
from agents.base import Agent, Learner, Policy, Transition
from agents.double_q import DoubleQLearning
from agents.gradient_bandit import GradientBandit
from agents.monte_carlo import MonteCarloES
from agents.optimal import EpsilonOptimalAgent, OptimalAgent
from agents.q_learning import QLearning
from agents.random_agent import RandomAgent
from agents.sarsa import SARSA, ExpectedSARSA
from agents.search import AlphaBetaAgent, MinimaxAgent, OutcomeSearchAgent
from agents.shaping import NimSumShaping
from agents.softmax_critic import ActorCritic, NaturalPolicyGradient
from agents.symmetry import HeapSymmetry
from agents.win_loss_ratio import WinLossRatio

__all__ = [
    "SARSA",
    "ActorCritic",
    "AfterstateTD",
    "Agent",
    "AlphaBetaAgent",
    "DoubleQLearning",
    "EpsilonOptimalAgent",
    "ExpectedSARSA",
    "GradientBandit",
    "HeapSymmetry",
    "Learner",
    "MinimaxAgent",
    "MonteCarloES",
    "NaturalPolicyGradient",
    "NimSumShaping",
    "OptimalAgent",
    "OutcomeSearchAgent",
    "Policy",
    "QLearning",
    "RandomAgent",
    "Transition",
    "WinLossRatio",
]
