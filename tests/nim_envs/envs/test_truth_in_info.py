"""The truth in the infos, against exhaustive search, in lock-step between two environments.

The batched one agrees with that of one seat, as tests of that say.
"""

import numpy as np
import pytest

from nim_envs import GameEnv, make_game
from nim_envs.envs.versus import VersusEnv
from nim_envs.errors import SearchTooLargeError
from nim_envs.game import PLAYERS
from tests.games import ALL
from tests.looped import in_one_test

SILENT = {"winning": False, "kept_win": False}


class Referee:
    """Says what is true of a move, by a search of its own over the moves of the game."""

    def __init__(self, game):
        self.game, self.known = game, {}

    def wins(self, position):
        if position not in self.known:
            after = [position for _, position in self.game.moves(position)]
            self.known[position] = (
                any(not self.wins(each) for each in after) if after else self.game.misere
            )
        return self.known[position]

    def truth(self, position, action):
        here = tuple(position.tolist())
        after = dict(self.game.moves(here)).get(action)
        won = self.wins(here)
        return {"winning": won, "kept_win": won and after is not None and not self.wins(after)}


def any_action(mask, rng):
    """Mostly a legal action."""
    if rng.random() < 0.9:
        return int(rng.choice(np.flatnonzero(mask)))
    return int(rng.integers(len(mask)))


@in_one_test("case", ALL)
def test_environments_tell_the_truth_about_every_move(case):
    game = make_game(case[0], **case[1])
    referee = Referee(game)
    aec = GameEnv(game, truth_in_info=True)
    single = VersusEnv(game, opponent=None, truth_in_info=True)
    rng = np.random.default_rng(0)
    said = set()
    starts = game.start_positions()
    for start in starts[:: max(1, len(starts) // 8)]:
        options = {"start": tuple(start.tolist())}
        aec.reset(options=options)
        _, info = single.reset(options=options)
        assert aec.infos == dict.fromkeys(PLAYERS, SILENT)
        assert {key: info[key] for key in SILENT} == SILENT
        told = dict.fromkeys(PLAYERS, SILENT)
        ended = False
        while not ended:
            mover = aec.agent_selection
            position = aec.position
            action = any_action(info["action_mask"], rng)
            expected = referee.truth(position, action)
            said.add(tuple(expected.values()))
            aec.step(action)
            _, _, ended, _, info = single.step(action)
            told[mover] = expected
            # The entries of the other player's last move stay.
            assert aec.infos == told
            assert {key: info[key] for key in SILENT} == expected
            assert type(info["kept_win"]) is type(aec.infos[mover]["winning"]) is bool
    assert said <= {(True, True), (True, False), (False, False)}


def test_an_unsolvable_game_is_refused_when_it_is_made():
    bars = (("chomp", {"rows": 6, "columns": 6}),) * 4
    large = make_game("sum", games=bars, misere=True)  # no theorem, and too many positions
    for cls in (GameEnv, VersusEnv):
        cls(large)
        with pytest.raises(SearchTooLargeError):
            cls(large, truth_in_info=True)
