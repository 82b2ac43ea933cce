"""A step of the batched environment in one compiled function.

A batch is divided into blocks of games. Each phase of a step is a few tight loops over the games
``first`` to ``last - 1`` of a block. A game has random numbers of its own, so what happens in it
depends neither on the other games nor on the blocks.

A loop over games either looks something up in a table or computes without a branch. The compiler
vectorises the second kind; a branch on the state of a game would be mispredicted.
"""

from __future__ import annotations

import numpy as np

from nim_envs.compilation import compiled
from nim_envs.envs.vector.action_choice import random_replies, winning_replies
from nim_envs.envs.vector.games import (
    AGENT,
    BLOCK,
    NEW_GAME,
    NOBODY,
    OPPONENT,
    FlagArray,
    Games,
    Results,
    Settings,
    Starts,
)
from nim_envs.envs.vector.moves import move
from nim_envs.envs.vector.new_games import begin, replace_finished
from nim_envs.envs.vector.outputs import write_observations, write_results
from nim_envs.envs.vector.tables import Tables
from nim_envs.envs.vector.winning import Winning
from nim_envs.typing import IntArray, WordArray

OPENINGS_IN_ONE_CALL = 64
"""Most openings, games that the opponent's first move ends, in a row in one call."""


@compiled(inner=True)
def count_due(due: FlagArray, event: np.uint8, first: int, last: int) -> int:
    """Return the number of games where ``event``, such as ``NEW_GAME``, is due."""
    count = 0
    for i in range(first, last):
        count += due[i] == event
    return count


@compiled
def play(
    tables: Tables,
    winning: Winning,
    starts: Starts,
    games: Games,
    settings: Settings,
    mover: np.uint8,
    actions: IntArray,
    begins: bool,
    results: Results,
    rows: WordArray,
) -> int:
    """Run the requested phases of a step, in all games.

    They are one compiled function, because a function that several compiled functions call is
    compiled again for each of them.

    Args:
        tables: rules of the games.
        winning: winning actions, for a compiled opponent that plays optimally.
        starts: start positions of new games.
        games: games in progress, changed.
        settings: settings of the environment.
        mover: mover of ``actions``: ``AGENT``, before whose move finished games are marked for
            replacement; ``OPPONENT``, one in Python; or ``NOBODY``.
        actions: moves of the mover, int64 ``(games,)``.
        begins: whether new games begin where they are due and the compiled opponent replies.
        results: written, unless empty.
        rows: observations ``(games, words)``, written, unless empty.

    Returns:
        Number of games where it is not the agent's turn yet: they wait for the reply of an opponent
        in Python or for a prepared start, or the opponent's first move ended
        :data:`OPENINGS_IN_ONE_CALL` games in a row. If there are any, the observations written are
        out of date.
    """
    waiting, size = 0, len(games.outcomes)
    for here in range(0, size, BLOCK):
        end = min(here + BLOCK, size)
        if mover == AGENT:
            replace_finished(games, here, end)
        if mover != NOBODY:
            move(tables, games, settings, actions[here:end], mover, here, end)
        if begins:
            for _ in range(OPENINGS_IN_ONE_CALL):
                begin(starts, games, settings, here, end)
                if settings.replies_in_python or not settings.has_opponent:
                    break
                replies, rng = random_replies(tables, games, here, end)
                if settings.epsilon < 1.0:
                    winning_replies(
                        tables, winning, games, settings.epsilon, rng, replies, here, end
                    )
                move(tables, games, settings, replies, OPPONENT, here, end)
                if count_due(games.due, NEW_GAME, here, end) == 0:
                    break
            if settings.has_opponent:
                waiting += end - here - count_due(games.due, AGENT, here, end)
        if len(results[0]) > 0:
            write_results(games, settings, results, here, end)
        if len(rows) > 0:
            write_observations(tables, games.states, games.outcomes, rows, here, end)
    return waiting
