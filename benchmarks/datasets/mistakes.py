"""Games in which a player errs with an exact probability, recorded step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from nim_envs import Game
from nim_envs.caches import LimitedCache
from nim_envs.envs.versus import VersusEnv
from nim_envs.registration import gymnasium_id
from nim_envs.typing import IntArray

MOST_POSITIONS = 1 << 16
"""Most positions whose moves are stored."""

INFOS = ("winning", "kept_win")
"""Parts of the infos that are recorded: the truth about the move that led there."""


class Moves(NamedTuple):
    """The legal moves at a position.

    Attributes:
        keeping: those that keep the win; none where the player to move has lost.
        losing: the other legal moves.
    """

    keeping: IntArray
    losing: IntArray

    @property
    def is_decision(self) -> bool:
        """Whether a mistake is possible: the player to move can win, and can lose it."""
        return bool(len(self.keeping) and len(self.losing))


class ErringPlayer:
    """A player of both seats that throws a win away with a fixed probability.

    Wherever the player to move can keep or lose a win, it makes a mistake with this probability,
    independently at each position, and draws evenly among the mistakes or among the moves that
    keep the win; elsewhere among all legal moves.

    Args:
        game: a game without draws.
        rate: probability of a mistake.
    """

    def __init__(self, game: Game, rate: float) -> None:
        self.game = game
        self.rate = rate
        self._moves: LimitedCache[bytes, Moves] = LimitedCache(MOST_POSITIONS)

    def moves(self, position: IntArray) -> Moves:
        """Return the legal moves at a position, ``(components,)``."""
        return self._moves.get_or_create(position.tobytes(), lambda: self._moves_at(position))

    def _moves_at(self, position: IntArray) -> Moves:
        legal = np.flatnonzero(self.game.rules.action_mask(position))
        keeping = np.asarray(self.game.solution.keeping_actions(position))
        return Moves(keeping, np.setdiff1d(legal, keeping))

    def action(self, position: IntArray, rng: np.random.Generator) -> int:
        """Return the move at a position."""
        moves = self.moves(position)
        if not moves.is_decision:
            return int(rng.choice(np.concatenate(moves)))
        return int(rng.choice(moves.losing if rng.random() < self.rate else moves.keeping))


@dataclass
class Episode:
    """One game, both seats: what Gymnasium's environment in self-play returned.

    Attributes:
        observations: of each step and of the end; a dictionary of ``"observation"``,
            ``(steps + 1, ...)``, and ``"action_mask"``, int8 ``(steps + 1, actions)``.
        actions: int64 ``(steps,)``.
        rewards: of the player who made the move, float64 ``(steps,)``.
        infos: see :data:`INFOS`, each ``(steps + 1,)``.
    """

    observations: dict[str, Any]
    actions: IntArray
    rewards: Any
    infos: dict[str, Any]


class Counts(NamedTuple):
    """Moves of a dataset.

    Attributes:
        games: number of games.
        moves: number of moves.
        winning: moves at positions that the player to move can win.
        decisions: those of them at which a mistake is possible.
        mistakes: moves that lost the win.
    """

    games: int
    moves: int
    winning: int
    decisions: int
    mistakes: int

    @property
    def optimal_share(self) -> float:
        """Share of the moves at winning positions that keep the win; NaN if there is none."""
        return 1 - self.mistakes / self.winning if self.winning else float("nan")


def make_env(name: str, arguments: dict[str, Any]) -> gymnasium.Env[Any, Any]:
    """Return the environment of a registered game, in self-play, with the truth in its infos."""
    return gymnasium.make(gymnasium_id(name), opponent=None, truth_in_info=True, **arguments)


def play(
    env: gymnasium.Env[Any, Any], rate: float, games: int, seed: int
) -> tuple[list[Episode], Counts]:
    """Play games whose players err with the same probability.

    Args:
        env: see :func:`make_env`.
        rate: probability of a mistake, where one is possible.
        games: number of games.
        seed: seeds starts and moves.

    Returns:
        The games, and the counts of their moves.
    """
    base = env.unwrapped
    assert isinstance(base, VersusEnv)
    player, rng = ErringPlayer(base.game, rate), np.random.default_rng(seed)
    episodes, decisions = [], 0
    for game in range(games):
        observation, info = env.reset(seed=seed if game == 0 else None)
        seen, infos, actions, rewards, over = [observation], [info], [], [], False
        while not over:
            decisions += player.moves(base.position).is_decision
            actions.append(player.action(base.position, rng))
            observation, reward, over, _, info = env.step(actions[-1])
            seen.append(observation)
            infos.append(info)
            rewards.append(float(reward))
        episodes.append(
            Episode(
                {key: np.stack([each[key] for each in seen]) for key in observation},
                np.array(actions, dtype=np.int64),
                np.array(rewards),
                {key: np.array([each[key] for each in infos]) for key in INFOS},
            )
        )
    winning = sum(int(each.infos["winning"].sum()) for each in episodes)
    keeping = sum(int(each.infos["kept_win"].sum()) for each in episodes)
    moves = sum(len(each.actions) for each in episodes)
    return episodes, Counts(games, moves, winning, decisions, winning - keeping)
