"""The learners by name, one row each, for the command line, benchmarks, tests and the manual."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import Any

from agents.base import Learner, Trainable
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
from agents.tables import TableLearner


@dataclass(frozen=True)
class RegisteredLearner:
    """A learner, with the arguments that the benchmarks use."""

    learner: type[TableLearner]
    arguments: Mapping[str, Any] = field(default_factory=dict)  # in place of defaults
    one_for_each_seat: bool = False  # whether each seat has its own; if not, one plays both

    @property
    def update_rule(self) -> Callable[..., Any]:
        """The function by which it learns; its docstring begins with the update as a formula."""
        return self.learner.learn or self.learner.learn_episode  # type: ignore[return-value]

    @property
    def formula(self) -> str:
        """The update as a formula."""
        return (inspect.getdoc(self.update_rule) or "").partition("\n")[0]

    @property
    def knows(self) -> str:
        """Source of its knowledge besides rewards, in words."""
        return "the rules" if self.learner.uses_rules else "what it observes"

    def make(self, env: Any, **arguments: Any) -> tuple[Learner, ...]:
        """Return new learners for ``env``: one for both seats, or one for each."""
        return tuple(
            self.learner.for_env(env, **{**self.arguments, **arguments})
            for _ in range(2 if self.one_for_each_seat else 1)
        )


LEARNERS: dict[str, RegisteredLearner] = {
    "q-learning": RegisteredLearner(QLearning),
    "gradient-bandit": RegisteredLearner(GradientBandit, one_for_each_seat=True),
    "q-learning-own-turn": RegisteredLearner(
        QLearning, {"bootstrap": "own_turn", "learning_rate": 0.3}
    ),
    "q-learning-opponent-max": RegisteredLearner(
        QLearning, {"bootstrap": "opponent_max", "learning_rate": 0.3, "discount": 0.95}
    ),
    "double-q-learning": RegisteredLearner(DoubleQLearning),
    "sarsa": RegisteredLearner(SARSA, {"learning_rate": 0.2}),
    "expected-sarsa": RegisteredLearner(ExpectedSARSA, {"learning_rate": 0.2}),
    "watkins-q-lambda": RegisteredLearner(WatkinsQLambda),
    "monte-carlo-es": RegisteredLearner(MonteCarloES, {"epsilon": 0.2}),
    "win-loss-ratio": RegisteredLearner(WinLossRatio),
    "real-time-dynamic-programming": RegisteredLearner(RealTimeDynamicProgramming),
    "sampled-afterstate-td": RegisteredLearner(SampledAfterstateTD),
    "actor-critic": RegisteredLearner(ActorCritic),
    "natural-policy-gradient": RegisteredLearner(NaturalPolicyGradient),
}
"""Every learner by its name on the command line; adding a learner is adding a row."""


GENERALISING = {
    "column-automaton": "agents.research.column_automata.learner:ColumnAutomatonLearner",
    "signed-products": "agents.research.signed_products.learner:SignedProducts",
    "quotient": "agents.research.quotients.learner:QuotientLearner",
}
"""The learners that choose their own games and play unseen boards, by name; imported when used."""


def learner_class(name: str) -> Any:
    """Return the class of a learner by its name; one that chooses its games is imported now."""
    if name in LEARNERS:
        return LEARNERS[name].learner
    return resolve_name(GENERALISING[name])


def new_learner(name: str, env: Any, **arguments: Any) -> Trainable:
    """Return a new learner for ``env``, for both seats."""
    defaults = LEARNERS[name].arguments if name in LEARNERS else {}
    learner: Trainable = learner_class(name).for_env(env, **{**defaults, **arguments})
    return learner
