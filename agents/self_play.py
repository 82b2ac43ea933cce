"""Self-play of table learners in one compiled loop, with the tables of the step-by-step loop."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np

from agents.base import Agent
from agents.compiling import compiled, inlined
from agents.rows import Moves
from agents.tables import Episode, TableLearner, Turn
from nim_envs import GameEnv
from nim_envs.typing import FloatArray, Int32Array, IntArray, ValueArray

PLAIN = "integer", None, None
"""Encoding, limit and render mode of environments whose games are compiled."""


class Board(NamedTuple):
    """A game as arrays, with a row for each position."""

    moves: Moves
    after: Int32Array  # (rows, actions): row after each action
    end_values: ValueArray  # (rows,): value of positions without moves to the player to move


class Block(NamedTuple):
    """A block of games: how they start, and buffers for how they end."""

    starts: IntArray  # (games,): row of each start
    # (learners, games + 1): each learner's epsilon now, and after each further game it finishes.
    epsilons: FloatArray
    by_seat: IntArray  # (learners, 2): games that each learner has finished in each seat
    winners: ValueArray  # (games,): seat that won each, -1 for a draw
    lengths: Int32Array  # (games,): number of moves
    turns: Episode  # buffers of the game in progress, (2, longest) by seat


@inlined
def nothing(*_: Any) -> None:
    """Stand in for a function that a learner does not have."""


@functools.cache
def self_play_loop(learner: type[TableLearner], two: bool) -> Callable[..., None]:
    """Return the compiled loop of games of a learner against itself, or of two of its class."""
    choose, learn, begin = learner.choose, learner.learn or nothing, learner.begin or nothing
    learn_from_game = learner.learn_episode or nothing
    records, begins_at_random = learner.learn_episode is not None, learner.begins_at_random

    @inlined
    def learn_from_turn(state: Any, board: Board, block: Block, turn: Turn, number: int) -> None:
        """Learn from a turn, the seat's ``number``-th from 0, and from its game if it has ended."""
        learn(state, board.moves, turn)
        if records:
            seat, turns = turn.seat, number + 1
            rows, actions, rewards = block.turns
            rows[seat, number] = turn.row
            actions[seat, number] = turn.action
            rewards[seat, number] = turn.reward + turn.reply_reward
            if turn.ended:
                own = Episode(rows[seat, :turns], actions[seat, :turns], rewards[seat, :turns])
                learn_from_game(state, board.moves, own)

    def play_games(
        states: tuple[Any, Any], board: Board, block: Block, rng: np.random.Generator
    ) -> None:
        """Play a block of games with the turns of :func:`agents.loop.play_and_learn`."""
        moves, after, by_seat = board.moves, board.after, block.by_seat
        epsilons = block.epsilons
        before = max(by_seat[0, 0], by_seat[0, 1]), max(by_seat[-1, 0], by_seat[-1, 1])
        for game in range(len(block.starts)):
            row = block.starts[game]
            earlier_row, earlier_action = row, 0
            number = 0
            over = False
            reward = 0.0
            begin(states[0])
            begin(states[1])
            while not over:
                seat = number % 2
                who = seat if two else 0
                games = max(by_seat[who, 0], by_seat[who, 1])
                epsilon = epsilons[who, games - before[who]]
                legal = moves.legal[row, : moves.counts[row]]
                exploration = 1.0 if begins_at_random and number == who else epsilon
                action = choose(states[who], row, legal, exploration, rng.random())
                next_row = 0 + after[row, action]
                number += 1
                over = moves.counts[next_row] == 0
                # At the end of a game the last mover's turn is completed first, then the other's.
                if over:
                    reward = 0.0 - board.end_values[next_row]  # a draw is 0, not -0
                    turn = Turn(
                        seat, row, action, reward, next_row, 0.0, next_row, True, False,
                        epsilon, games,
                    )  # fmt: skip
                    learn_from_turn(states[who], board, block, turn, (number - 1) // 2)
                    by_seat[who, seat] += 1
                if number > 1:  # the move answered the opponent's earlier turn
                    who = 1 - seat if two else 0
                    games = max(by_seat[who, 0], by_seat[who, 1])
                    answered = Turn(
                        1 - seat, earlier_row, earlier_action, 0.0, row, -reward, next_row, over,
                        False, epsilons[who, games - before[who]], games,
                    )  # fmt: skip
                    learn_from_turn(states[who], board, block, answered, number // 2 - 1)
                    if over:
                        by_seat[who, 1 - seat] += 1
                earlier_row, earlier_action, row = row, action, next_row
            block.winners[game] = -1
            if reward != 0.0:
                block.winners[game] = seat if reward > 0.0 else 1 - seat
            block.lengths[game] = number

    # In a file of its class, as the type of the state is an attribute of that.
    play_games.__qualname__ = f"{learner.__module__}.{learner.__qualname__}"
    return compiled(play_games, choose, learn_from_turn, begin)


class SelfPlay:
    """Games of table learners in compiled code; the first begins at the position of ``env``."""

    def __init__(
        self, env: GameEnv, pair: tuple[TableLearner, TableLearner], options: dict[str, Any] | None
    ) -> None:
        rows: Any = pair[0].rows
        self._env, self._options, self._graph = env, options, rows.graph
        explorations = dict.fromkeys(learner.exploration for learner in pair)
        self._explorations = [*explorations]
        self._play_games = self_play_loop(type(pair[0]), len(explorations) == 2)
        self._states = pair[0].state, pair[1].state
        self._board = Board(rows.moves, rows.graph.after, rows.end_values)
        longest = 1
        if pair[0].learn_episode is not None:
            longest = (int(rows.graph.longest_play.max()) + 1) // 2
        rewards = np.zeros((2, longest))
        self._turns = Episode(rewards.astype(np.int64), rewards.astype(np.int64), rewards)
        self._is_first = False
        nothing_played = np.empty(0, np.int8), np.empty(0, np.int32)
        self.play(np.random.default_rng(0), *nothing_played)  # which compiles the loop
        self._is_first = True

    def play(self, rng: np.random.Generator, winners: ValueArray, lengths: Int32Array) -> None:
        """Play a game for each entry of ``winners`` and ``lengths``, which it writes."""
        starts = self._env.next_starts(len(winners) - self._is_first, self._options)
        if self._is_first:
            starts = np.concatenate([self._env.position[np.newaxis], starts])
        self._is_first = False
        by_seat = np.array([each.games_by_seat for each in self._explorations])
        epsilons = np.stack([each.next_epsilons(len(winners)) for each in self._explorations])
        rows = self._graph.index.rows(starts)
        block = Block(rows, epsilons, by_seat, winners, lengths, self._turns)
        self._play_games(self._states, self._board, block, rng)
        for exploration, games in zip(self._explorations, by_seat.tolist(), strict=True):
            exploration.set_games(games)


def compiled_self_play(
    env: Any, pair: tuple[Agent, Agent], options: dict[str, Any] | None
) -> SelfPlay | None:
    """Return the compiled games of a run, or ``None`` if it has to be played step by step.

    They are for one table learner, or two of a class and of equal kinds of arrays, in environments
    of ``nim_envs`` without wrappers, limits or pictures, whose observations are positions.
    """
    first, second = pair
    if type(env) is not GameEnv or (env.encoding.name, env.max_cycles, env.render_mode) != PLAIN:
        return None
    if not isinstance(first, TableLearner) or not isinstance(second, TableLearner):
        return None
    if type(first) is not type(second) or not first.fits(env.game) or not second.fits(env.game):
        return None
    kinds = [str(numba.typeof(each.state)) for each in pair]  # type: ignore
    return SelfPlay(env, (first, second), options) if kinds[0] == kinds[1] else None
