"""Search players for deterministic zero-sum AEC environments with perfect information."""

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium.utils import EzPickle

from agents.games import game_of
from agents.loop import Env
from nim_envs.typing import Array, MaskArray
from nim_envs.validation import checked_integer

UNCOPIED = ("screen", "clock", "window", "board_image", "action_spaces", "observation_spaces")
"""Attributes that a copy shares: for drawing, which cannot be copied, and spaces."""

Evaluation = Callable[[Env, str], float]
"""Estimates an agent's reward at the end of the game from an environment and the agent's name."""


def copy_env(env: Env) -> Env:
    """Return a copy of the game in progress, without wrappers and without drawing.

    PettingZoo's classic games derive from ``EzPickle``, so ``copy.deepcopy`` constructs them anew
    and loses the position. Their attributes are copied instead.
    """
    base: Any = env.unwrapped
    # deepcopy takes what its memo holds as copied already, and so leaves these as they are.
    memo = {id(value): value for name, value in vars(base).items() if name in UNCOPIED}
    if isinstance(base, EzPickle):
        twin: Any = object.__new__(type(base))
        vars(twin).update(copy.deepcopy(vars(base), memo))
    else:
        twin = copy.deepcopy(base, memo)
    if getattr(twin, "render_mode", None) is not None:
        twin.render_mode = None
    return twin  # type: ignore[no-any-return]


class AlphaBetaAgent:
    """Minimax that skips lines which cannot change the value; its values are those of minimax.

    It uses the rules through the environment: it copies the game in progress and plays on in
    the copies. Rewards before the end of the game must be 0.

    Args:
        env: environment of the game that is played, the same object or a wrapper around it; its
            observations have an ``"action_mask"``.
        depth: number of moves to look ahead; ``None``: to the end of the game.
        evaluate: estimates the value of a position at the depth limit; ``None``: 0.

    Raises:
        ValueError: ``depth`` is below 1.

    References:
        D. E. Knuth & R. W. Moore, "An analysis of alpha-beta pruning", *Artificial
        Intelligence* 6 (1975).
    """

    unscorable = "it searches from the position that its own environment is at"
    prunes = True

    def __init__(
        self, env: Env, *, depth: int | None = None, evaluate: Evaluation | None = None
    ) -> None:
        self.env = env
        self.depth = None if depth is None else checked_integer("depth", depth, minimum=1)
        self.evaluate = evaluate or (lambda env, agent: 0.0)

    def __repr__(self) -> str:
        """Return the search depth and the environment."""
        return f"{type(self).__name__}({self.env}, depth {self.depth})"

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return one of the best actions, all equally likely.

        Raises:
            ValueError: the environment is at another position than the one observed.
        """
        env = self.env.unwrapped
        seen: Any = env.observe(env.agent_selection)
        if not np.array_equal(seen["observation"], observation):
            raise ValueError("the environment that this agent searches is not at this position")
        best = self.best_actions(env)
        return best[int(rng.random() * len(best))]

    def best_actions(self, env: Env) -> list[int]:
        """Return all actions of the largest value for the agent to move, ascending."""
        return self._search(env)[1]

    def value(self, env: Env) -> float:
        """Return the value of the position for the agent to move, by search to ``depth``."""
        return self._search(env)[0]

    def _search(self, env: Env) -> tuple[float, list[int]]:
        """Value for the agent to move, and all actions that reach it."""
        best, actions = -math.inf, []
        depth = math.inf if self.depth is None else self.depth
        for action in _legal(env):
            # The window begins just below the best value, so that equal values are exact.
            low = float(np.nextafter(best, -np.inf))
            value = self._value_after(env, action, depth, low, math.inf)
            if value > best:
                best, actions = value, [action]
            elif value == best:
                actions.append(action)
        return best, actions

    def _value_after(self, env: Env, action: int, depth: float, low: float, high: float) -> float:
        """Value of ``action`` for the agent that takes it."""
        mover = env.agent_selection
        after = copy_env(env)
        after.step(action)
        if after.terminations[mover] or after.truncations[mover]:
            return float(after.rewards[mover])
        if depth <= 1:
            return self.evaluate(after, mover)
        if after.agent_selection == mover:
            return self._value(after, depth - 1, low, high)
        return -self._value(after, depth - 1, -high, -low)

    def _value(self, env: Env, depth: float, low: float, high: float) -> float:
        """Value for the agent to move; it needs to be exact only within ``low..high``."""
        best = -math.inf
        for action in _legal(env):
            window = (max(low, best), high) if self.prunes else (-math.inf, math.inf)
            best = max(best, self._value_after(env, action, depth, *window))
            if self.prunes and best >= high:
                break
        return best


class MinimaxAgent(AlphaBetaAgent):
    """Plain minimax: searches every line of play.

    Arguments and errors: :class:`AlphaBetaAgent`.

    References:
        C. E. Shannon, "Programming a computer for playing chess", *Philosophical Magazine* 41
        (1950).
    """

    prunes = False


class OutcomeSearchAgent(MinimaxAgent):
    """Minimax to the end of the game, with a table of the values of all positions searched.

    A position is identified by the observation of the agent to move, which must hold the whole
    state of the game.

    Args:
        env: as for :class:`AlphaBetaAgent`.

    Attributes:
        values: value of every position searched so far, by observation and agent.
    """

    def __init__(self, env: Env) -> None:
        super().__init__(env)
        if (game := game_of(env)) is not None:
            game.check_ends(type(self).__name__)
        self.values: dict[tuple[str, bytes], float] = {}

    def _value(self, env: Env, depth: float, low: float, high: float) -> float:
        seen: Any = env.observe(env.agent_selection)
        key = env.agent_selection, np.asarray(seen["observation"]).tobytes()
        if key not in self.values:
            self.values[key] = super()._value(env, math.inf, low, high)
        return self.values[key]


def _legal(env: Env) -> list[int]:
    """Return the legal actions."""
    seen: Any = env.observe(env.agent_selection)
    return [*map(int, np.flatnonzero(seen["action_mask"]))]
