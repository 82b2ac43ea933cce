"""Learners and players for turn-based games, written against the standard API."""

from nim_envs.interrupts import stop_without_traceback

stop_without_traceback()  # before what takes time to import

# isort: split
from typing import Any

from agents.base import (
    Agent,
    GameChoosingLearner,
    GameLearner,
    HypothesisError,
    Learner,
    Policy,
    Trainable,
    Transition,
)
from agents.learners.actor_critic import ActorCritic
from agents.learners.column_automaton import ColumnAutomatonLearner
from agents.learners.double_q_learning import DoubleQLearning
from agents.learners.expected_sarsa import ExpectedSARSA
from agents.learners.gradient_bandit import GradientBandit
from agents.learners.monte_carlo import MonteCarloES
from agents.learners.natural_policy_gradient import NaturalPolicyGradient
from agents.learners.q_learning import QLearning
from agents.learners.quotient_learner import QuotientLearner
from agents.learners.real_time_dynamic_programming import RealTimeDynamicProgramming
from agents.learners.sampled_afterstate_td import SampledAfterstateTD
from agents.learners.sarsa import SARSA
from agents.learners.signed_products import SignedProducts
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


def __getattr__(name: str) -> Any:
    """Say which learner may be meant by a name of the first version."""
    if name == "AfterstateTD":
        # `from agents import …` shows the message of an ImportError, and not of an AttributeError.
        raise ImportError(
            "AfterstateTD of the first version looks at all options by the rules and is now "
            "RealTimeDynamicProgramming; the sampled afterstate TD of Sutton & Barto, section 6.8, "
            "is SampledAfterstateTD"
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
