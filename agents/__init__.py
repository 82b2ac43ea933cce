"""Learners and players for turn-based games, written against the standard API."""

from nim_envs.interrupts import stop_without_traceback
from nim_envs.optional import needed

stop_without_traceback()  # before what takes time to import
needed("numba", "agents", "all")

# isort: split
from agents.base import (
    Agent,
    GameLearner,
    HypothesisError,
    Learner,
    Policy,
    Trainable,
    Transition,
)
from agents.generalising.base import GameChoosingLearner
from agents.generalising.column_automata.learner import ColumnAutomatonLearner
from agents.generalising.quotients.learner import QuotientLearner
from agents.generalising.signed_products.learner import SignedProducts
from agents.learners.actor_critic import ActorCritic
from agents.learners.double_q_learning import DoubleQLearning
from agents.learners.expected_sarsa import ExpectedSARSA
from agents.learners.gradient_bandit import GradientBandit
from agents.learners.monte_carlo import MonteCarloES
from agents.learners.natural_policy_gradient import NaturalPolicyGradient
from agents.learners.q_learning import QLearning
from agents.learners.real_time_dynamic_programming import RealTimeDynamicProgramming
from agents.learners.sampled_afterstate_td import SampledAfterstateTD
from agents.learners.sarsa import SARSA
from agents.learners.watkins_q_lambda import WatkinsQLambda
from agents.learners.win_loss_ratio import WinLossRatio
from agents.players.optimal import EpsilonOptimalAgent, OptimalAgent
from agents.players.random_agent import RandomAgent
from agents.players.search import AlphaBetaAgent, MinimaxAgent, OutcomeSearchAgent
from agents.tabular.heap_symmetry import HeapSymmetry
from agents.tabular.shaping import NimSumShaping

__all__ = [
    "SARSA",
    "ActorCritic",
    "Agent",
    "AlphaBetaAgent",
    "ColumnAutomatonLearner",
    "DoubleQLearning",
    "EpsilonOptimalAgent",
    "ExpectedSARSA",
    "GameChoosingLearner",
    "GameLearner",
    "GradientBandit",
    "HeapSymmetry",
    "HypothesisError",
    "Learner",
    "MinimaxAgent",
    "MonteCarloES",
    "NaturalPolicyGradient",
    "NimSumShaping",
    "OptimalAgent",
    "OutcomeSearchAgent",
    "Policy",
    "QLearning",
    "QuotientLearner",
    "RandomAgent",
    "RealTimeDynamicProgramming",
    "SampledAfterstateTD",
    "SignedProducts",
    "Trainable",
    "Transition",
    "WatkinsQLambda",
    "WinLossRatio",
]
