"""Learners and players for turn-based games, written against the standard API."""

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from nim_envs.optional import needed

needed("numba", "agents", "all")

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
from agents.learners.double_q_learning import DoubleQLearning
from agents.learners.expected_sarsa import ExpectedSARSA
from agents.learners.gradient_bandit import GradientBandit
from agents.learners.monte_carlo import MonteCarloES
from agents.learners.natural_policy_gradient import NaturalPolicyGradient
from agents.learners.q_learning import QLearning, Replay
from agents.learners.real_time_dynamic_programming import RealTimeDynamicProgramming
from agents.learners.sampled_afterstate_td import SampledAfterstateTD
from agents.learners.sarsa import SARSA
from agents.learners.watkins_q_lambda import WatkinsQLambda
from agents.learners.win_loss_ratio import WinLossRatio
from agents.opponents import Opponents
from agents.players import EpsilonOptimalAgent, HumanAgent, OptimalAgent, RandomAgent
from agents.registry import GENERALISING
from agents.schedules import Decay
from agents.search import AlphaBetaAgent, MinimaxAgent, OutcomeSearchAgent
from agents.storage import load, save
from agents.tables import TableLearner
from agents.training import train

if TYPE_CHECKING:
    from agents.research.column_automata.learner import ColumnAutomatonLearner
    from agents.research.quotients.learner import QuotientLearner
    from agents.research.signed_products.learner import SignedProducts
else:
    _RESEARCH = {path.partition(":")[2]: path for path in GENERALISING.values()}

    def __getattr__(name: str) -> Any:
        """Import a learner of ``agents.research`` when it is first used (PEP 562)."""
        if name not in _RESEARCH:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return resolve_name(_RESEARCH[name])

    def __dir__() -> list[str]:
        return sorted({*globals(), *_RESEARCH})


__all__ = [
    "SARSA",
    "ActorCritic",
    "Agent",
    "AlphaBetaAgent",
    "ColumnAutomatonLearner",
    "Decay",
    "DoubleQLearning",
    "EpsilonOptimalAgent",
    "ExpectedSARSA",
    "GameChoosingLearner",
    "GameLearner",
    "GradientBandit",
    "HumanAgent",
    "HypothesisError",
    "Learner",
    "MinimaxAgent",
    "MonteCarloES",
    "NaturalPolicyGradient",
    "Opponents",
    "OptimalAgent",
    "OutcomeSearchAgent",
    "Policy",
    "QLearning",
    "QuotientLearner",
    "RandomAgent",
    "RealTimeDynamicProgramming",
    "Replay",
    "SampledAfterstateTD",
    "SignedProducts",
    "TableLearner",
    "Trainable",
    "Transition",
    "WatkinsQLambda",
    "WinLossRatio",
    "load",
    "save",
    "train",
]
