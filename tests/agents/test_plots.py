"""Pictures show the right data, readably, and appear whole or not at all."""

from __future__ import annotations

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


def playable(game):
    graph = game.board
    rows = np.flatnonzero(~graph.ends)
    positions = graph.positions(rows)
    return positions, graph.mask(rows), game.solution.winning_mask(positions)


def axes_of(figure):
    return {axes.get_label(): axes for axes in figure.axes}


def cells(axes):
    """The numbers shown, NaN in hatched cells."""
    (image,) = axes.get_images()
    assert axes.patch.get_hatch()
    return np.ma.filled(image.get_array(), np.nan)


def marked(axes, label):
    """The cells with a mark, as (row, column)."""
    lines = [line for line in axes.get_lines() if line.get_label() == label]
    return {
        (int(row), int(column))
        for line in lines
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


@pytest.mark.parametrize("name", ["addition 3 10", "row of 17"])
def test_heatmaps_of_one_component_show_each_move_and_mark_those_that_win(name):
    game, agent, _ = trained(name)
    positions, masks, winning = playable(game)
    figures, greedy = heatmaps(agent, game), agent.greedy()
    truths = {
        "values": greedy.action_values(positions, masks),
        "probabilities": agent.action_probabilities(positions, masks),
        "greedy": greedy.action_probabilities(positions, masks),
    }
    assert list(figures) == list(truths)
    for picture, truth in truths.items():
        axes = figures[picture].axes[0]
        shown = {
            (row, column): number
            for (row, column), number in np.ndenumerate(cells(axes))
            if not np.isnan(number)
        }
        assert shown == {
            (game.board.state(tuple(position)), action): truth[place, action]
            for place, position in enumerate(positions.tolist())
            for action in np.flatnonzero(masks[place]).tolist()
        }
        assert marked(axes, "winning move") == {
            (game.board.state(tuple(position)), action)
            for place, position in enumerate(positions.tolist())
            for action in np.flatnonzero(winning[place]).tolist()
        }


@pytest.mark.parametrize("name", ["two heaps", "misere 1-3-5-7"])
def test_heatmaps_of_more_components_are_slices_that_mark_blunders_and_p_positions(name):
    game, agent, _ = trained(name, games=150)
    positions, masks, winning = playable(game)
    figures = heatmaps(agent, game)
    assert list(figures) == ["values", "probabilities", "greedy"]
    greedy = agent.greedy()
    blunders = {tuple(position) for position in optimality(greedy, game).blunders.tolist()}
    lost = {tuple(position) for position in positions[~winning.any(axis=1)].tolist()}
    assert blunders
    assert lost
    truths = {
        "values": greedy.action_values(positions, masks).max(axis=1),
        "probabilities": (agent.action_probabilities(positions, masks) * winning).sum(axis=1),
        "greedy": (greedy.action_probabilities(positions, masks) * winning).sum(axis=1),
    }
    for picture, truth in truths.items():
        shown, found_blunders, found_lost = {}, set(), set()
        for axes in figures[picture].axes:
            if axes.get_label() == "<colorbar>":
                continue
            states = tuple(int(name) for name in axes.get_label().split(", ") if name.isdigit())
            for cell, number in np.ndenumerate(cells(axes)):
                if not np.isnan(number):
                    shown[(*states, *cell)] = number
            found_blunders |= {(*states, *cell) for cell in marked(axes, "blunder")}
            found_lost |= {(*states, *cell) for cell in marked(axes, "P-position")}
        expected = {
            tuple(position): value
            for position, value in zip(positions.tolist(), truth.tolist(), strict=True)
            if picture == "values" or tuple(position) not in lost
        }
        assert shown == expected
        assert found_lost == lost
        if picture == "greedy":
            assert found_blunders == blunders
    # The two largest heaps are the axes; every other combination has a panel.
    panels = int(np.prod(sorted(part.num_positions for part in game.parts)[:-2], dtype=int))
    assert len(figures["greedy"].axes) == panels + 1


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


def test_a_picture_is_saved_by_its_suffix_the_same_every_time(tmp_path):
    game = make_game("nim", heaps=(3,))
    figures = {
        directory: policy_heatmap(OptimalAgent(game), game, "three") for directory in ("one", "two")
    }
    for name, start in (("a.png", b"\x89PNG"), ("deep/a.svg", b"<?xml"), ("A.PDF", b"%PDF")):
        for directory, figure in figures.items():
            save_figure(figure, tmp_path / directory / name)
        first, second = ((tmp_path / d / name).read_bytes() for d in figures)
        assert first.startswith(start)
        assert first == second, name
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == ["A.PDF", "a.png", "deep"]


def test_a_failed_drawing_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.png"
    save_figure(Figure(), path)
    before = path.read_bytes()

    def fail(self, *arguments, **named):
        raise RuntimeError("out of ink")

    monkeypatch.setattr(Figure, "savefig", fail)
    with pytest.raises(RuntimeError, match="ink"):
        save_figure(Figure(), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


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
