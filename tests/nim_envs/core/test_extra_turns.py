"""Moves after which the same player moves again, against plain recursion."""

import pickle

import numpy as np
import pytest

from nim_envs import GameEnv, VersusEnv, check_env, check_game, game_from_moves, sum_of
from nim_envs.cli.solve import show_solution
from nim_envs.errors import InvalidGameError, InvalidPositionError
from nim_envs.text import TextGame


class RandomGame:
    """Positions 0 to 19; moves go down, and some of them give an extra turn."""

    def __init__(self, seed, end):
        rng = np.random.default_rng(seed)
        self.end, self.moves_at, self.values = end, {0: []}, {0: end}
        for here in range(1, 20):
            targets = rng.choice(here, size=rng.integers(0, min(here, 3) + 1), replace=False)
            again = rng.random(len(targets)) < 0.4
            self.moves_at[here] = [*zip(targets.tolist(), again.tolist(), strict=True)]
        self.moves_at[20] = [(19, True), (18, False), (17, False), (16, True)]
        self.results = rng.integers(-1, 2, size=21).tolist()

    def outcome(self, position):
        return self.results[position[0]] if self.end is None else self.end

    def value(self, here):
        """Return the value to the player to move, who is the same one after an extra turn."""
        after = [(1 if again else -1) * self.value(to) for to, again in self.moves_at[here]]
        return max(after, default=self.outcome((here,)))

    def moves(self, position):
        return [
            (f"to {to}", (to,), True) if again else (f"to {to}", [to])
            for to, again in self.moves_at[position[0]]
        ]

    def moves_of_arrays(self, positions):
        moves = [
            (row, f"to {to}", (to,), again)
            for row, (here,) in enumerate(positions.tolist())
            for to, again in self.moves_at[here]
        ]
        rows, labels, after, again = zip(*moves, strict=True) if moves else ([],) * 4
        return np.array(rows), np.array(labels), np.array(after), np.array(again)


@pytest.mark.parametrize("end", [-1, 1, None], ids=["normal", "misere", "outcome"])
@pytest.mark.parametrize("seed", range(10))
def test_every_value_is_that_of_recursion(seed, end):
    plain = RandomGame(seed, end)
    arguments = {"outcome": plain.outcome} if end is None else {"misere": end == 1}
    game = game_from_moves("random", (20,), plain.moves, **arguments)
    positions = game.positions()
    here, passing = positions.T
    assert 0 < passing.sum() < len(passing)
    values = np.array([plain.value(each) for each in here.tolist()])
    assert game.solution.value(positions).tolist() == np.where(passing, -values, values).tolist()
    for place, is_pass in positions.tolist():
        labels = [game.describe(action) for action, _ in game.moves((place, is_pass))]
        if is_pass:
            assert labels == ["pass"]
            assert game.play((place, 1), game.num_actions - 1) == (place, 0)
        else:
            expected = [f"to {to}" for to, _ in plain.moves_at[place]]
            assert sorted(labels) == sorted(expected)
            assert {after for _, after in game.moves((place,))} == {
                (to, int(again)) for to, again in plain.moves_at[place]
            }
    if end is None:
        arguments["outcome"] = lambda ends: np.array([plain.results[p] for (p,) in ends.tolist()])
    again = game_from_moves("random", (20,), plain.moves_of_arrays, vectorized=True, **arguments)
    assert again == game == pickle.loads(pickle.dumps(game))
    check_game(game)


def two_or_three(position):
    """Take one, or two and move again."""
    (left,) = position
    if left:
        yield "one", (left - 1,)
    if left > 1:
        yield "two", (left - 2,), np.True_


def test_positions_without_the_last_coordinate_have_no_pass_due(capsys):
    game = game_from_moves("twice", (7,), two_or_three, describe=str.upper)
    assert game.start == (7, 0)
    assert game.moves((7,)) == game.moves((7, 0)) == [(0, (6, 0)), (1, (5, 1))]
    assert game.moves((5, 1)) == [(2, (5, 0))]
    assert [*map(game.describe, range(3))] == ["ONE", "TWO", "pass"]
    assert game.describe_move(1, (7,)) == "TWO"
    assert (
        game.solution.value([[3], [4]]).tolist() == game.solution.value([[3, 0], [4, 0]]).tolist()
    )
    assert game.solution.winning_actions((3,)).tolist() == [0, 1]
    assert game.solution.is_losing((2,))  # whoever takes two has to move again, and cannot
    env = GameEnv(game)
    env.reset(options={"start": (3,)})
    assert env.position.tolist() == [3, 0]
    env.reset(options={"start": [(3,), (2, 1)]})
    assert game_from_moves("twice", (7,), two_or_three, starts=(4,)).start_positions().tolist() == [
        [4, 0]
    ]
    with pytest.raises(InvalidPositionError, match="2 integers"):
        game.moves((3, 0, 0))
    with pytest.raises(InvalidPositionError, match=r"\(6, 1\) is no position"):
        game.moves((6, 1))
    show_solution(game, (7,))
    assert "position       7 0\n" in capsys.readouterr().out


def test_environments_and_text_have_the_pass():
    game = game_from_moves("twice", (7,), two_or_three)
    check_env(GameEnv(game))
    versus = VersusEnv(game, opponent="random", seat=0)
    versus.reset(seed=0)
    observation, *_ = versus.step(1)  # the opponent passes
    assert observation["observation"].tolist() == [5, 0]
    play = TextGame(game, opponent="random", seat=0)
    play.reset(seed=0)
    turn = play.reply("two")
    assert turn.opponent_move == "pass"


def test_a_game_without_an_extra_turn_has_no_pass_and_actions_do_not_list_it():
    game = game_from_moves("twice", (7,), two_or_three, actions=["two", "one"])
    assert game.parts[0].labels == ["two", "one", "pass"]
    game = game_from_moves("once", (3,), lambda p: [("one", (p[0] - 1,), False)] * (p[0] > 0))
    assert game.start == (3,)
    assert game.num_actions == 1


@pytest.mark.parametrize(
    ("move", "message"),
    [
        (("one", (0,), 1), r"a third element, True, says that the same player moves again"),
        (("one", (0,), True, 0), r"must give pairs of a label"),
        (("Pass", (0,), True), r"the label 'Pass' is that of the forced pass"),
    ],
)
def test_refusals_name_the_move(move, message):
    with pytest.raises(InvalidGameError, match=message):
        game_from_moves("wrong", (1,), lambda position: [move] * position[0])


def test_arrays_of_extra_turns_are_checked():
    def moves(positions):
        rows = np.flatnonzero(positions[:, 0])
        return rows, rows, positions[rows] - 1, rows

    with pytest.raises(
        InvalidGameError, match=r"moves again, booleans \(moves,\), not .*, int64 \(1,\)$"
    ):
        game_from_moves("wrong", (1,), moves, vectorized=True)


def test_a_game_with_extra_turns_is_no_part_of_a_sum():
    game = game_from_moves("twice", (7,), two_or_three)
    with pytest.raises(InvalidGameError, match="with extra turns is no part of a sum"):
        sum_of([game, game])
