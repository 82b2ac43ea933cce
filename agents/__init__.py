"""Learners and players for turn-based games, written against the standard API.

Each name is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nim_envs.optional import needed

needed("numba", "agents", "all")

if TYPE_CHECKING:
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
    from agents.learners.q_learning import QLearning
    from agents.learners.real_time_dynamic_programming import RealTimeDynamicProgramming
    from agents.learners.sampled_afterstate_td import SampledAfterstateTD
    from agents.learners.sarsa import SARSA
    from agents.learners.watkins_q_lambda import WatkinsQLambda
    from agents.learners.win_loss_ratio import WinLossRatio
    from agents.players import EpsilonOptimalAgent, HumanAgent, OptimalAgent, RandomAgent
    from agents.research.column_automata.learner import ColumnAutomatonLearner
    from agents.research.quotients.learner import QuotientLearner
    from agents.research.signed_products.learner import SignedProducts
    from agents.search import AlphaBetaAgent, MinimaxAgent, OutcomeSearchAgent
    from agents.storage import load, save
    from agents.tabular.learner import TabularLearner
    from agents.tabular.replay import Replay
    from agents.tabular.schedules import Decay
    from agents.training import Opponents, train
else:
    _MODULES = {
        "ActorCritic": "agents.learners.actor_critic",
        "Agent": "agents.base",
        "AlphaBetaAgent": "agents.search",
        "ColumnAutomatonLearner": "agents.research.column_automata.learner",
        "Decay": "agents.tabular.schedules",
        "DoubleQLearning": "agents.learners.double_q_learning",
        "EpsilonOptimalAgent": "agents.players",
        "ExpectedSARSA": "agents.learners.expected_sarsa",
        "GameChoosingLearner": "agents.base",
        "GameLearner": "agents.base",
        "GradientBandit": "agents.learners.gradient_bandit",
        "HumanAgent": "agents.players",
        "HypothesisError": "agents.base",
        "Learner": "agents.base",
        "MinimaxAgent": "agents.search",
        "MonteCarloES": "agents.learners.monte_carlo",
        "NaturalPolicyGradient": "agents.learners.natural_policy_gradient",
        "Opponents": "agents.training",
        "OptimalAgent": "agents.players",
        "OutcomeSearchAgent": "agents.search",
        "Policy": "agents.base",
        "QLearning": "agents.learners.q_learning",
        "QuotientLearner": "agents.research.quotients.learner",
        "RandomAgent": "agents.players",
        "RealTimeDynamicProgramming": "agents.learners.real_time_dynamic_programming",
        "Replay": "agents.tabular.replay",
        "SARSA": "agents.learners.sarsa",
        "SampledAfterstateTD": "agents.learners.sampled_afterstate_td",
        "SignedProducts": "agents.research.signed_products.learner",
        "TabularLearner": "agents.tabular.learner",
        "Trainable": "agents.base",
        "Transition": "agents.base",
        "WatkinsQLambda": "agents.learners.watkins_q_lambda",
        "WinLossRatio": "agents.learners.win_loss_ratio",
        "load": "agents.storage",
        "save": "agents.storage",
        "train": "agents.training",
    }

    def __getattr__(name: str) -> Any:
        """Import a name when it is first used (PEP 562)."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_MODULES[name]), name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *_MODULES})


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
    "TabularLearner",
    "Trainable",
    "Transition",
    "WatkinsQLambda",
    "WinLossRatio",
    "load",
    "save",
    "train",
]
