"""The learners by name: a row each, for the command line, benchmarks, tests and the manual."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.base import Learner
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
from agents.tabular.learner import TabularLearner


@dataclass(frozen=True)
class Row:
    """A learner with the arguments that it is benchmarked with.

    Attributes:
        learner: its class.
        arguments: of its constructor, over the defaults.
        one_for_each_seat: whether each seat has a learner of its own, not one table for both.
    """

    learner: type[TabularLearner]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    one_for_each_seat: bool = False

    def make(self, env: Any, **arguments: Any) -> tuple[Learner, ...]:
        """Return new learners for ``env``: one for both seats, or one for each.

        Args:
            env: see :meth:`agents.tabular.learner.TabularLearner.for_env`.
            arguments: over those of the row.
        """
        return tuple(
            self.learner.for_env(env, **{**self.arguments, **arguments})
            for _ in range(2 if self.one_for_each_seat else 1)
        )


LEARNERS: dict[str, Row] = {
    "q-learning": Row(QLearning),
    "gradient-bandit": Row(GradientBandit, one_for_each_seat=True),
    "q-learning-own-turn": Row(QLearning, {"bootstrap": "own_turn", "learning_rate": 0.3}),
    "q-learning-opponent-max": Row(
        QLearning, {"bootstrap": "opponent_max", "learning_rate": 0.3, "discount": 0.95}
    ),
    "double-q-learning": Row(DoubleQLearning),
    "sarsa": Row(SARSA, {"learning_rate": 0.2}),
    "expected-sarsa": Row(ExpectedSARSA, {"learning_rate": 0.2}),
    "watkins-q-lambda": Row(WatkinsQLambda),
    "monte-carlo-es": Row(MonteCarloES, {"epsilon": 0.2}),
    "win-loss-ratio": Row(WinLossRatio),
    "real-time-dynamic-programming": Row(RealTimeDynamicProgramming),
    "sampled-afterstate-td": Row(SampledAfterstateTD),
    "actor-critic": Row(ActorCritic),
    "natural-policy-gradient": Row(NaturalPolicyGradient),
}
"""Every learner by its name on the command line; adding a learner is adding a row."""
