"""Pictures show the right data, readably, and appear whole or not at all."""

from functools import cache

import numpy as np
import pettingzoo
import pytest
from matplotlib.figure import Figure

from agents import (
    GradientBandit,
    OptimalAgent,
    QLearning,
    WinLossRatio,
)
from agents.metrics import TrainingMeasurements, TrainingRecorder
from agents.plots import heatmaps, policy_heatmap, training_curves
from agents.training import train
from nim_envs import make_game
from nim_envs.errors import SearchTooLargeError
from nim_envs.render.style import save_figure
from nim_envs.scoring import optimality
from tests.legible import check_legible

ROW = ("subtraction", {"heaps": (17,), "subtraction_set": (1, 2, 3), "misere": True})
SETTINGS = {
    "addition 3 10": ("addition", {"k": 3, "n": 10}, GradientBandit),
    "row of 17": (*ROW, WinLossRatio),
    "one heap": ("nim", {"heaps": (25,), "start": "uniform"}, QLearning),
    "two heaps": ("nim", {"heaps": (6, 9), "start": "uniform"}, WinLossRatio),
    "misere 1-3-5-7": ("misere_nim", {"heaps": (1, 3, 5, 7), "start": "uniform"}, QLearning),
}


@cache
def trained(name, games=600, every=100):
    """An environment, what was learned in it, and what was measured on the way."""
    game, arguments, make = SETTINGS[name]
    env = pettingzoo.make("aec", f"nim_envs/{game}-v0", **arguments)
    agent = make.for_env(env)
    recorder = TrainingRecorder(agent, env.game, every=every)
    log = train(env, agent, games, seed=0, progress=False, after_game=recorder, after_every=every)
    return env.game, agent, recorder.measurements(log)


def axes_of(figure):
    return {axes.get_label(): axes for axes in figure.axes}


def panels(figure):
    """The heatmaps of a figure, each with the states that its title names."""
    for label, axes in axes_of(figure).items():
        if label != "<colorbar>":
            yield tuple(int(name) for name in label.split(", ") if name.isdigit()), axes


def cells(figure):
    """The numbers shown, by state of each part and by move if there is one part."""
    shown = {}
    for states, axes in panels(figure):
        (image,) = axes.get_images()
        assert axes.patch.get_hatch()  # of the other cells
        for cell, number in np.ndenumerate(np.ma.filled(image.get_array(), np.nan)):
            if not np.isnan(number):
                shown[(*states, *cell)] = number
    return shown


def marked(figure, label):
    """The cells with a mark."""
    return {
        (*states, int(row), int(column))
        for states, axes in panels(figure)
        for line in axes.get_lines()
        if line.get_label() == label
        for row, column in zip(line.get_ydata(), line.get_xdata(), strict=True)
    }


# From few large cells to many small ones, with one component, two and four.
@pytest.mark.parametrize(
    "name",
    [
        "addition 3 10",
        pytest.param("one heap", marks=pytest.mark.exhaustive),
        pytest.param("two heaps", marks=pytest.mark.exhaustive),
        "misere 1-3-5-7",
    ],
)
def test_every_picture_is_legible(name):
    game, agent, measured = trained(name)
    check_legible(training_curves(measured, f"a run of {name}"))
    for figure in heatmaps(agent, game, f"what was learned of {name}").values():
        check_legible(figure)


def test_training_curves_show_what_was_measured():
    _, _, measured = trained("addition 3 10", games=250)
    axes = axes_of(training_curves(measured))
    assert list(axes) == [
        "win rate", "game length", "first-seat advantage", "entropy", "optimality"
    ]  # fmt: skip
    shown = {
        name: {line.get_label(): line.get_xydata() for line in panel.get_lines()}
        for name, panel in axes.items()
    }
    games = measured.games.tolist()
    for seat, player in enumerate(("player_0", "player_1")):
        assert shown["win rate"][player].tolist() == [
            [game, 100 * rate] for game, rate in zip(games, measured.win_rates[seat], strict=True)
        ]
        assert shown["entropy"][player][:, 1].tolist() == measured.entropies[seat].tolist()
    for name, array in (
        ("game length", measured.lengths),
        ("first-seat advantage", measured.first_seat_advantage),
        ("optimality", measured.optimality["all"]),
    ):
        assert any(
            data.shape == (3, 2) and data[:, 1].tolist() == array.tolist()
            for data in shown[name].values()
        )


def test_panels_are_drawn_only_for_measured_quantities():
    one, unknown = np.ones(1), np.full((2, 1), np.nan)
    measured = TrainingMeasurements(
        np.array([500]), np.full((2, 1), 0.5), one, unknown, unknown, {}
    )
    figure = training_curves(measured)
    assert list(axes_of(figure)) == ["win rate", "game length", "first-seat advantage"]
    check_legible(figure)
    empty = np.empty((2, 0))
    nothing = TrainingMeasurements(
        np.empty(0, dtype=np.int64), empty, np.empty(0), empty, empty, {}
    )
    with pytest.raises(ValueError, match="no games"):
        training_curves(nothing)


@pytest.mark.parametrize("name", ["addition 3 10", "row of 17", "two heaps", "misere 1-3-5-7"])
def test_heatmaps_show_moves_or_positions_and_mark_those_that_win_lose_or_blunder(name):
    game, agent, _ = trained(name, games=150)
    positions = np.array([at for at in game.positions().tolist() if not game.is_over(at)])
    masks, winning = game.mask(positions), game.solution.winning_mask(positions)
    figures, greedy = heatmaps(agent, game), agent.greedy()
    numbers = {
        "values": greedy.action_values(positions, masks),
        "probabilities": agent.action_probabilities(positions, masks),
        "greedy": greedy.action_probabilities(positions, masks),
    }
    assert list(figures) == list(numbers)
    if len(game.parts) == 1:
        moves = np.argwhere(masks)
        for picture, truth in numbers.items():
            assert cells(figures[picture]) == {
                (game.board.state(tuple(positions[row])), action): truth[row, action]
                for row, action in moves.tolist()
            }
            assert marked(figures[picture], "winning move") == {
                (game.board.state(tuple(positions[row])), action)
                for row, action in np.argwhere(winning).tolist()
            }
        return
    lost = {tuple(at) for at in positions[~winning.any(axis=1)].tolist()}
    for picture, truth in numbers.items():
        best = truth.max(axis=1) if picture == "values" else (truth * winning).sum(axis=1)
        assert cells(figures[picture]) == {
            tuple(at): number
            for at, number in zip(positions.tolist(), best, strict=True)
            if picture == "values" or tuple(at) not in lost
        }
        assert marked(figures[picture], "P-position") == lost
    blunders = set(map(tuple, optimality(greedy, game).blunders.tolist()))
    assert marked(figures["greedy"], "blunder") == blunders != set()
    # The two largest heaps are the axes; every other combination has a panel, beside the scale.
    count = int(np.prod(sorted(part.num_positions for part in game.parts)[:-2], dtype=int))
    assert len(figures["greedy"].axes) == count + 1


def test_boards_that_cannot_be_drawn_are_refused():
    def game(name, **arguments):
        return pettingzoo.make("aec", f"nim_envs/{name}-v0", **arguments).game

    many = game("nim", heaps=(1, 3, 5, 7, 9, 11))
    with pytest.raises(SearchTooLargeError, match="384 panels"):
        heatmaps(OptimalAgent(many), many)
    with pytest.raises(SearchTooLargeError, match="551 by 550"):
        heatmaps(OptimalAgent(many), game("nim", heaps=(550,)))
    with pytest.raises(TypeError, match="action_probabilities"):
        heatmaps(object(), many)


def test_a_picture_is_saved_by_its_suffix_the_same_every_time_and_whole(tmp_path, monkeypatch):
    game = make_game("nim", heaps=(3,))
    for name, start in (("a.png", b"\x89PNG"), ("deep/a.svg", b"<?xml"), ("A.PDF", b"%PDF")):
        contents = []
        for folder in ("one", "two"):
            save_figure(policy_heatmap(OptimalAgent(game), game, "three"), tmp_path / folder / name)
            contents.append((tmp_path / folder / name).read_bytes())
        assert contents[0].startswith(start)
        assert contents[0] == contents[1], name

    def fail(self, *arguments, **named):
        raise RuntimeError("out of ink")

    monkeypatch.setattr(Figure, "savefig", fail)
    before = (tmp_path / "one" / "a.png").read_bytes()
    with pytest.raises(RuntimeError, match="ink"):
        save_figure(Figure(), tmp_path / "one" / "a.png")
    assert (tmp_path / "one" / "a.png").read_bytes() == before
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == ["A.PDF", "a.png", "deep"]


def test_no_display_is_needed_and_pyplot_is_left_alone(forks):
    code = (
        "import sys\n"
        "from agents import OptimalAgent\n"
        "from agents.plots import heatmaps\n"
        "import agents.plots\n"
        "from nim_envs import make_game\n"
        "game = make_game('nim', heaps=(5,))\n"
        "heatmaps(OptimalAgent(game), game)\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    assert forks.output(code) == ["False"]
