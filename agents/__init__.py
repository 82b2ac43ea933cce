"""Learners and players for turn-based games, written against the standard API."""

from agents.base import Agent, Learner, Policy, Transition
from agents.learners.afterstate import AfterstateTD
from agents.learners.double_q_learning import DoubleQLearning
from agents.learners.gradient_bandit import GradientBandit
from agents.learners.monte_carlo import MonteCarloES
from agents.learners.q_learning import QLearning
from agents.learners.sarsa import SARSA, ExpectedSARSA
from agents.learners.softmax_critic import ActorCritic, NaturalPolicyGradient
from agents.learners.win_loss_ratio import WinLossRatio
from agents.players.optimal import EpsilonOptimalAgent, OptimalAgent
from agents.players.random_agent import RandomAgent
from agents.players.search import AlphaBetaAgent, MinimaxAgent, OutcomeSearchAgent
from agents.tabular.shaping import NimSumShaping
from agents.tabular.symmetry import HeapSymmetry

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
