"""Learners and players for turn-based games, written against the standard API."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nim_envs.optional import needed

needed("numba", "agents", "all")

from agents.base import (  # noqa: E402 - what is missing is named first
    Agent,
    GameChoosingLearner,
    GameLearner,
    HypothesisError,
    Learner,
    Policy,
    Trainable,
    Transition,
)
from agents.learners.actor_critic import ActorCritic  # noqa: E402
from agents.learners.double_q_learning import DoubleQLearning  # noqa: E402
from agents.learners.expected_sarsa import ExpectedSARSA  # noqa: E402
from agents.learners.gradient_bandit import GradientBandit  # noqa: E402
from agents.learners.monte_carlo import MonteCarloES  # noqa: E402
from agents.learners.natural_policy_gradient import NaturalPolicyGradient  # noqa: E402
from agents.learners.q_learning import QLearning  # noqa: E402
from agents.learners.real_time_dynamic_programming import (  # noqa: E402
    RealTimeDynamicProgramming,
)
from agents.learners.sampled_afterstate_td import SampledAfterstateTD  # noqa: E402
from agents.learners.sarsa import SARSA  # noqa: E402
from agents.learners.watkins_q_lambda import WatkinsQLambda  # noqa: E402
from agents.learners.win_loss_ratio import WinLossRatio  # noqa: E402
from agents.opponents import Opponents  # noqa: E402
from agents.players import EpsilonOptimalAgent, HumanAgent, OptimalAgent, RandomAgent  # noqa: E402
from agents.replay import Replay  # noqa: E402
from agents.schedules import Decay  # noqa: E402
from agents.search import AlphaBetaAgent, MinimaxAgent, OutcomeSearchAgent  # noqa: E402
from agents.storage import load, save  # noqa: E402
from agents.tables import TableLearner  # noqa: E402
from agents.training import train  # noqa: E402

if TYPE_CHECKING:
    from agents.research.column_automata.learner import ColumnAutomatonLearner
    from agents.research.quotients.learner import QuotientLearner
    from agents.research.signed_products.learner import SignedProducts
else:
    _RESEARCH = {
        "ColumnAutomatonLearner": "agents.research.column_automata.learner",
        "QuotientLearner": "agents.research.quotients.learner",
        "SignedProducts": "agents.research.signed_products.learner",
    }

    def __getattr__(name: str) -> Any:
        """Import a learner of ``agents.research`` when it is first used (PEP 562)."""
        if name not in _RESEARCH:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_RESEARCH[name]), name)


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
