"""``check_env`` and ``check_game``: right ones pass, and faulty ones are told where and why."""

import re
from dataclasses import replace

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.vector import SyncVectorEnv
from gymnasium.wrappers import TimeLimit
from pettingzoo.utils import wrappers

from nim_envs import GameEnv, VersusEnv, check_env, check_game, game_from_moves, make_game
from nim_envs.errors import ConformanceError
from nim_envs.solution import Solution
from tests.nim_envs import check_environments as environments
from tests.nim_envs.check_environments import Countdown, PlainNim, coins_of, countdown, nim
from tests.outcome_games import dominoes, tic_tac_toe


def classic_tic_tac_toe(*, mended):
    """PettingZoo's; its mask at the end of a game is not empty."""
    from pettingzoo.classic.tictactoe import tictactoe

    class Mended(tictactoe.raw_env):
        def observe(self, agent):
            seen = super().observe(agent)
            if any(self.terminations.values()):
                seen["action_mask"][:] = 0
            return seen

    return wrappers.AssertOutOfBoundsWrapper(Mended() if mended else tictactoe.raw_env())


def cells_of(seen):
    """Cells 0, 1 and 2 of planes of the player to move and of the other one."""
    mine, others = seen["observation"].reshape(9, 2).T
    first = mine.sum() == others.sum()
    return mine * (1 if first else 2) + others * (2 if first else 1)


def lasting():
    """A game that an agent can take 20 moves over."""
    return make_game("subtraction", heaps=(20,), subtraction_set=(1, 2))


RIGHT = {
    "turn-based": lambda: (GameEnv(nim()),),
    "turn-based, options": lambda: (
        GameEnv(lasting(), max_cycles=4, illegal_move="raise", truth_in_info=True),
    ),
    "turn-based, forced passes": lambda: (GameEnv(dominoes().game),),
    "turn-based, wrapped": lambda: (
        pettingzoo.make("aec", "nim_envs/kayles-v0", heaps=(5, 4), start="uniform"),
    ),
    "turn-based, one-hot": lambda: (
        GameEnv(make_game("wythoff", queens=((4, 4),)), encoding="one_hot"),
        None,
        lambda seen: seen["observation"].reshape(2, 5).argmax(axis=1),
    ),
    "self-play": lambda: (VersusEnv(nim(misere=True), opponent=None, max_cycles=3),),
    "versus, random seat": lambda: (
        VersusEnv(nim(start="uniform"), opponent="random", seat="random", max_cycles=2),
    ),
    "versus, wrapped": lambda: (
        TimeLimit(gymnasium.make("nim_envs/Nim-v0", opponent=0.5, mask_in_observation=False), 3),
    ),
    "versus, one step": lambda: (TimeLimit(VersusEnv(nim(), opponent="random"), 1),),
    "versus, one move each": lambda: (
        VersusEnv(lasting(), opponent="random", seat=1, max_cycles=1, illegal_move="raise"),
    ),
    "a stranger's AECEnv, misère": lambda: (PlainNim(misere=True), nim(misere=True)),
    "a stranger's Gymnasium environment": lambda: (Countdown(), countdown(), coins_of),
    "PettingZoo's tic-tac-toe": lambda: (
        classic_tic_tac_toe(mended=True),
        tic_tac_toe().game,
        cells_of,
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_environments_pass(name, capsys, recwarn):
    env, game, position_of = (*RIGHT[name](), None, None)[:3]
    check_env(env, game, position_of=position_of)
    assert capsys.readouterr().out == ""
    assert not recwarn.list


FAULTY = {
    # From scratch: the arguments of the environment, and what was expected.
    "WinnerPays": ((), "the reward 1, found -1"),
    "NobodyWins": ((), "the reward 1, found 0"),
    "IllegalMoveWins": ((), r"a loss, reward and terminated \(-1, True\), found \(1, True\)"),
    "EndsWithOneLeft": ((), "the reward 0, found 1"),
    "LastRewardLost": ((), r"last\(\) the rewards .*1.*, found .*0"),
    "MaskOfTheOther": ((), r"mask of the actions \[\], found \[0, 1"),
    "LiveObservation": ((), r"array to stay \[3, 4, 5\], found \["),
    "CachedMask": ((), "mask of the actions"),
    "MovesTwice": ((), "agent to move player_., found player_"),
    "OneIsLeft": ((), "the terminations .*True, .*True.*, found .*False"),
    "SmallerStart": ((), r"a start of Game\(nim.*, found \(3, 4, 4\)"),
    "SeesBeforeTheReply": ((), r"the opponent's move to \[.*\], found \("),
    "UnseededOpponent": ((), r"the position, as the same seed gave before, \(.\,\), found"),
    "CrashesAtTheEdge": ((), "no error, found IndexError"),
    # Of this package.
    "MaskWrongOnce": (
        (nim(start="uniform"),),
        r"mask of the actions \[0, 5, 6, .*\], found \[0, 1",
    ),
    "ObservesFloats": ((nim(),), "an observation in Dict.*, found"),
    "TruncatesLate": ((lasting(),), r"terminated and truncated \(False, True\), found"),
    "ForgivesOneAction": ((nim(),), "illegal action 9 .* expected "),
    "MisreadsNumPyIntegers": ((nim(),), "the position .*, found "),
}


@pytest.mark.parametrize("name", FAULTY)
def test_a_faulty_environment_is_told_where_it_is_wrong(name):
    arguments, expected = FAULTY[name]
    env = getattr(environments, name)(*arguments)
    game, position_of = None, None
    if isinstance(env, PlainNim):
        game = nim(misere=env.misere)
    elif isinstance(env, Countdown):
        game, position_of = countdown(), coins_of
    with pytest.raises(ConformanceError) as caught:
        check_env(env, game, position_of=position_of)
    told = str(caught.value)
    assert re.match(r"seed \d+.*, (reset|move \d+, .*action -?\d+ at \(.*\)): expected ", told)
    assert re.search(expected, told), told
    assert "\n" not in told or name == "ObservesFloats"


def test_faults_of_options_and_wrappers_are_told():
    with pytest.raises(ConformanceError, match=r"mask of the actions \[0.*\], found \[\]"):
        check_env(environments.NoMaskWhereTruncated(lasting(), max_cycles=2))
    with pytest.raises(ConformanceError, match=r"move 1, action .* at \(3, 4, 5\): expected"):
        check_env(environments.ReversedActions(VersusEnv(nim(), opponent=None)))
    with pytest.raises(ConformanceError, match=r"mask of the actions \[\], found"):
        check_env(classic_tic_tac_toe(mended=False), tic_tac_toe().game, position_of=cells_of)
    with pytest.raises(ConformanceError, match=r"rewards with the sum 0, found -1"):
        check_env(wrappers.TerminateIllegalWrapper(GameEnv(nim()), illegal_reward=-1))


def test_the_librarys_own_tests_are_a_part():
    class NewSpaces(GameEnv):
        def action_space(self, agent):
            return gymnasium.spaces.Discrete(super().action_space(agent).n)

    class NoGenerator(Countdown):
        def reset(self, *, seed=None, options=None):
            self.rng = np.random.default_rng(seed)
            self.coins = 10
            return self.seen(), {}

        def opponents_move(self):
            return int(self.rng.integers(min(2, self.coins))) + 1

    with pytest.raises(ConformanceError, match=r"library's own test.*exact same space object"):
        check_env(NewSpaces(nim()))
    with pytest.raises(ConformanceError, match="library's own test"):
        check_env(NoGenerator(), countdown(), position_of=coins_of)


def test_what_cannot_be_checked_is_refused():
    with pytest.raises(TypeError, match="no batch"):
        check_env(SyncVectorEnv([lambda: VersusEnv(nim())]))
    with pytest.raises(TypeError, match=r"no attribute game.*pass game="):
        check_env(PlainNim())
    with pytest.raises(ConformanceError, match=r"a position that .*position_of= shows, found"):
        check_env(GameEnv(nim(), encoding="one_hot"))


def test_the_environment_is_left_as_it_is():
    env = GameEnv(nim())
    env.reset(seed=1)
    env.step(0)
    check_env(env)
    assert env.position.tolist() == [2, 4, 5]


# Games


@pytest.mark.parametrize(
    "game",
    [
        make_game("kayles", heaps=(5, 3), misere=True),
        make_game("fibonacci_nim"),
        make_game("nim", heaps=(2, 3), start="p_position"),
        tic_tac_toe().game,
        dominoes().game,
    ],
    ids=str,
)
def test_right_games_pass(game):
    check_game(game)


def test_a_draw_that_is_taken_for_a_loss_is_found():
    game = tic_tac_toe().game
    values = game.solution.table.copy()
    values[np.flatnonzero((values == 0) & game.board.ends)[0]] = -1
    wrong = replace(game)
    vars(wrong)["solution"] = Solution(game.board, "hearsay", values.__getitem__)
    with pytest.raises(ConformanceError, match=r"of hearsay at .* the value 0, found -1"):
        check_game(wrong)


def at_2_1(right):
    """A method of solutions that takes (2, 1) for lost."""

    def value(self, positions):
        values = np.array(right(self, positions))
        values[(np.asarray(positions) == (2, 1)).all(axis=-1)] = -1
        return values

    return value


@pytest.mark.parametrize(
    ("owner", "method", "wrong", "message"),
    [
        ("solution", "value", at_2_1, r"of Bouton.* at \(2, 1\) the value 1, found -1"),
        (
            "solution",
            "keeping_actions",
            lambda right: lambda *arguments: right(*arguments)[:0],
            r"at \(\d, \d\) the actions that keep the value \[\d.*\], found \[\]",
        ),
        ("game", "actions", lambda right: lambda *_: [], r"at \(2, 3\) .* the moves \[\], found"),
        ("game", "is_over", lambda right: lambda *_: False, r"at \(0, 0\) is_over True, found"),
    ],
)
def test_wrong_answers_are_told_at_their_position(owner, method, wrong, message, monkeypatch):
    game = make_game("nim", heaps=(2, 3))
    kind = type(game if owner == "game" else game.solution)
    monkeypatch.setattr(kind, method, wrong(getattr(kind, method)))
    with pytest.raises(ConformanceError, match=message):
        check_game(game)


def test_a_cycle_is_found(monkeypatch):
    game = game_from_moves("loop", (1,), lambda position: [(0, (0,))] if position[0] else [])
    monkeypatch.setattr(type(game), "moves", lambda self, position: [(0, (1 - position[0],))])
    monkeypatch.setattr(type(game), "actions", lambda self, position: [0])
    monkeypatch.setattr(type(game), "play", lambda self, position, action: (1 - position[0],))
    monkeypatch.setattr(type(game), "is_over", lambda self, position: False)
    with pytest.raises(ConformanceError, match=r"expected play to end, found a cycle through \("):
        check_game(game)


def test_only_games_are_checked():
    with pytest.raises(TypeError, match=r"takes a nim_envs\.Game"):
        check_game(GameEnv(nim()))
