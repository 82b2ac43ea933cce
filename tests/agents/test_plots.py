"""Pictures show the right data, readably, and appear whole or not at all."""

from __future__ import annotations

from functools import cache

import matplotlib as mpl
import numpy as np
import pettingzoo
import pytest
from matplotlib.collections import PolyCollection, QuadMesh
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from agents import (
    EpsilonOptimalAgent,
    GradientBandit,
    OptimalAgent,
    QLearning,
    RealTimeDynamicProgramming,
    WinLossRatio,
)
from agents.evaluation import LearningCurve
from agents.plots import (
    heatmaps,
    learning_curves,
    policy_heatmap,
    training_curves,
    value_heatmap,
    winning_heatmap,
)
from agents.training import TrainingLog, train
from agents.training.metrics import TrainingMeasurements, TrainingRecorder
from nim_envs import make_game
from nim_envs.errors import SearchTooLargeError
from nim_envs.render.style import save_figure
from nim_envs.scoring import optimality
from tests.legible import check_legible
from tests.pairwise import in_turn

ROW = ("subtraction", {"heaps": (17,), "subtraction_set": (1, 2, 3), "misere": True})
SETTINGS = {
    "addition 3 10": ("addition", {"k": 3, "n": 10}, GradientBandit),
    "addition 10 100": ("addition", {"k": 10, "n": 100}, GradientBandit),
    "row of 17": (*ROW, WinLossRatio),
    "one heap": ("nim", {"heaps": (25,), "start": "uniform"}, QLearning),
    "two heaps": ("nim", {"heaps": (6, 9), "start": "uniform"}, WinLossRatio),
    "3-4-5": ("nim", {"heaps": (3, 4, 5), "start": "uniform"}, GradientBandit),
    "four heaps": ("nim", {"heaps": (2, 2, 2, 2), "start": "uniform"}, QLearning),
    "misere 1-3-5-7": ("misere_nim", {"heaps": (1, 3, 5, 7), "start": "uniform"}, QLearning),
}


@cache
def trained(name, games=600, every=100):
    """An environment, what was learned in it, and what was measured on the way."""
    game, arguments, make = SETTINGS[name]
    env = pettingzoo.make("aec", f"nim_envs/{game}-v0", **arguments)
    agent = make(env.observation_space("player_0"), env.action_space("player_0"))
    recorder = TrainingRecorder(agent, env.game, every=every)
    log = train(env, agent, games, seed=0, progress=False, after_game=recorder, after_every=every)
    return env.game, agent, recorder.measurements(log)


def playable(game):
    positions = game.rules.lattice()
    positions = positions[~game.rules.is_terminal(positions)]
    return positions, game.rules.action_mask(positions), game.solution.winning_mask(positions)


def axes_of(figure):
    return {axes.get_label(): axes for axes in figure.axes}


def cells(axes):
    (mesh,) = [found for found in axes.collections if isinstance(found, QuadMesh)]
    return mesh.get_array()


def marked(axes, label):
    """The cells with a mark, as (row, column)."""
    lines = [line for line in axes.get_lines() if line.get_label() == label]
    return {
        (int(row), int(column))
        for line in lines
        for row, column in zip(line.get_ydata(), line.get_xdata(), strict=True)
    }


def hatched(axes):
    """The hatched cells, as (row, column)."""
    (squares,) = [found for found in axes.collections if isinstance(found, PolyCollection)]
    assert squares.get_hatch()
    return {
        (int(path.vertices[:, 1].max()), int(path.vertices[:, 0].max()))
        for path in squares.get_paths()
    }


def where(mask):
    return {(int(row), int(column)) for row, column in np.argwhere(mask)}


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
    uniform = shown["entropy"]["log of the number of legal moves"]
    assert uniform[:, 1].tolist() == pytest.approx([np.log(3)] * 3)
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


def test_each_seat_has_its_own_line_of_legal_moves_where_they_differ():
    _, _, measured = trained("3-4-5")
    (entropy,) = [a for a in training_curves(measured).axes if a.get_label() == "entropy"]
    labels = [line.get_label() for line in entropy.get_lines()]
    assert labels[2:] == [
        f"log of the number of legal moves, {player}" for player in ("player_0", "player_1")
    ]
    for line, uniform in zip(entropy.get_lines()[2:], measured.uniform_entropies, strict=True):
        assert line.get_ydata().tolist() == uniform.tolist()


def curve(percent, games=(10, 20, 30), slow=1.0):
    log = TrainingLog(np.zeros(30, dtype=np.int8), np.zeros(30, dtype=np.int32), 1.0)
    return LearningCurve(np.array(games), slow * np.array(games) / 10, np.array(percent), log)


def test_learning_curves_are_means_with_bands_from_lowest_to_highest():
    group = [curve([10.0, 50.0, 100.0]), curve([30.0, 60.0, 100.0], slow=3.0)]
    figure = learning_curves({"a": group, "b": [curve([0.0, 5.0, 9.0])]}, random_percent=25.0)
    games, seconds = figure.axes
    assert games.get_lines()[0].get_xydata().tolist() == [[10, 20], [20, 55], [30, 100]]
    assert seconds.get_lines()[0].get_xydata().tolist() == [[2, 20], [4, 55], [6, 100]]
    band = games.collections[0].get_paths()[0].vertices
    at_ten = sorted(set(band[band[:, 0] == 10][:, 1]))
    assert at_ten == [10, 30]
    assert games.get_lines()[-1].get_ydata()[0] == 25
    check_legible(figure)
    logarithmic = learning_curves({"a": group}, logarithmic=True)
    assert {axes.get_xscale() for axes in logarithmic.axes} == {"log"}
    check_legible(logarithmic)


@pytest.mark.parametrize(
    ("games", "slow"),
    in_turn([(1_000, 2_000), (5, 6), (1, 1_000, 10**9), (7,)], [1.0, 1e-3, 3e-5, 1e6]),
    ids=str,
)
def test_logarithmic_axes_have_ticks_that_can_be_read(games, slow):
    names = ["real-time-dynamic-programming-symmetric", *(f"learner {n}" for n in range(9))]
    curves = {
        name: [curve(np.linspace(number, 90, len(games)), games, slow * (1 + number / 9))]
        for number, name in enumerate(names)
    }
    figure = learning_curves(curves, "a title", logarithmic=True)
    check_legible(figure)
    for axes in figure.axes:
        low, high = axes.get_xlim()
        assert sum(low <= tick <= high for tick in axes.get_xticks()) >= (len(games) > 1)


def test_many_learners_are_told_apart_without_colours():
    figure = learning_curves({f"learner {n}": [curve([n, n, n])] for n in range(30)}, "thirty")
    lines = figure.axes[0].get_lines()
    looks = {(str(line._unscaled_dash_pattern), line.get_marker()) for line in lines}
    assert len(looks) == 30
    check_legible(figure)


def test_curves_that_do_not_belong_together_are_refused():
    with pytest.raises(ValueError, match="different"):
        learning_curves({"a": [curve([1, 2, 3]), curve([1, 2, 3], games=(1, 2, 3))]})
    for none in ({}, {"a": []}):
        with pytest.raises(ValueError, match="at least one curve"):
            learning_curves(none)


@pytest.mark.parametrize("name", ["addition 3 10", "addition 10 100", "row of 17", "one heap"])
def test_a_heatmap_of_one_component_shows_values_probabilities_and_winning_moves(name):
    game, agent, _ = trained(name)
    positions, masks, winning = playable(game)
    axes = axes_of(policy_heatmap(agent, game))
    greedy = agent.greedy()
    for label, truth in (
        ("values", greedy.action_values(positions, masks)),
        ("probabilities", agent.action_probabilities(positions, masks)),
        ("policy", greedy.action_probabilities(positions, masks)),
    ):
        shown = cells(axes[label])
        assert (np.ma.getmaskarray(shown) == (masks == 0)).all()
        assert (shown.data[masks == 1] == truth[masks == 1]).all()
        assert hatched(axes[label]) == where(masks == 0)
        (triangles,) = [
            line.get_ydata() for line in axes[label].get_lines() if "P-pos" in line.get_label()
        ] or [np.empty(0)]
        assert triangles.tolist() == np.flatnonzero(~winning.any(axis=1)).tolist()
    assert marked(axes["policy"], "winning move") == where(winning)
    first = axes["values"]
    rows, labels = first.get_yticks(), [text.get_text() for text in first.get_yticklabels()]
    assert len(rows) >= 5
    assert positions[rows, 0].tolist() == [int(label) for label in labels]


def test_large_cells_hold_their_numbers():
    game, agent, _ = trained("addition 3 10")
    positions, masks, _ = playable(game)
    axes = axes_of(policy_heatmap(agent, game))
    shown = {(t.get_position()[1], t.get_position()[0]): t for t in axes["probabilities"].texts}
    chances = agent.action_probabilities(positions, masks)
    assert {cell: text.get_text() for cell, text in shown.items()} == {
        cell: f"{chance:.2f}" for cell, chance in np.ndenumerate(chances)
    }
    # Written light on dark and dark on light.
    low, high = (
        shown[np.unravel_index(at, chances.shape)] for at in (chances.argmin(), chances.argmax())
    )
    assert (low.get_color(), high.get_color()) == ("white", "black")


def test_a_player_that_does_not_learn_has_one_panel():
    game, _, _ = trained("row of 17", games=1)
    positions, masks, _ = playable(game)
    agent = EpsilonOptimalAgent(game, 0.3)
    axes = axes_of(policy_heatmap(agent, game))
    assert set(axes) == {"policy", "<colorbar>"}
    shown = cells(axes["policy"])
    assert (shown.filled(0) == agent.action_probabilities(positions, masks)).all()


def test_ratios_are_on_a_logarithmic_scale_and_values_on_a_plain_one():
    game, agent, _ = trained("row of 17", games=3_000)
    ratios = axes_of(policy_heatmap(agent, game))["values"].collections[0]
    assert isinstance(ratios.norm, LogNorm)
    game, agent, _ = trained("one heap")
    values = axes_of(policy_heatmap(agent, game))["values"].collections[0]
    assert not isinstance(values.norm, LogNorm)


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
        shown, found_blunders, found_lost, empty = {}, set(), set(), set()
        for axes in figures[picture].axes:
            if axes.get_label() == "<colorbar>":
                continue
            states = tuple(int(part) for part in axes.get_label().split(",") if part)
            array = cells(axes)
            for row, column in np.ndindex(array.shape):
                if not np.ma.getmaskarray(array)[row, column]:
                    shown[(*states, row, column)] = array[row, column]
            found_blunders |= {(*states, *cell) for cell in marked(axes, "blunder")}
            found_lost |= {(*states, *cell) for cell in marked(axes, "P-position")}
            empty |= {(*states, *cell) for cell in hatched(axes)}
        expected = {
            tuple(position): value
            for position, value in zip(positions.tolist(), truth.tolist(), strict=True)
            if picture == "values" or tuple(position) not in lost
        }
        assert shown == expected
        assert found_lost == lost
        assert empty == {(0,) * len(game.rules.components)}
        if picture == "greedy":
            assert found_blunders == blunders
    # The two largest heaps are the axes; every other combination has a panel.
    panels = int(np.prod(sorted(game.rules.shape)[:-2], dtype=int))
    assert len(figures["greedy"].axes) == panels + 1


def test_heatmaps_of_heaps_that_split_show_what_occurs_on_one_screen():
    game = make_game("kayles", heaps=(5,))
    positions, _, winning = playable(game)
    figure = heatmaps(OptimalAgent(game), game)["greedy"]
    width, height = figure.get_size_inches()
    assert width <= 14
    assert height <= 12
    panels = [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]
    assert {tuple(map(int, axes.get_label().split(","))) for axes in panels} == {
        tuple(position[:-2]) for position in positions.tolist()
    }
    shown = sum(int((~np.ma.getmaskarray(cells(axes))).sum()) for axes in panels)
    assert shown == winning.any(axis=1).sum()
    assert sum(len(hatched(axes)) for axes in panels) == 1  # nothing is left
    check_legible(figure)


def test_learners_that_use_the_rules_have_heatmaps_too():
    game, _, _ = trained("3-4-5", games=1)
    agent = RealTimeDynamicProgramming(game)
    assert list(heatmaps(agent, game)) == ["values", "probabilities", "greedy"]
    assert list(heatmaps(OptimalAgent(game), game)) == ["greedy"]


def test_boards_that_cannot_be_drawn_are_refused():
    def game(name, **arguments):
        return pettingzoo.make("aec", f"nim_envs/{name}-v0", **arguments).game

    long = game("addition", k=2, n=1_000)
    with pytest.raises(SearchTooLargeError, match="1003"):
        policy_heatmap(OptimalAgent(long), long)
    many = game("nim", heaps=(1, 3, 5, 7, 9, 11))
    with pytest.raises(SearchTooLargeError, match="384 panels"):
        heatmaps(OptimalAgent(many), many)
    wide = game("nim", heaps=(500, 500))
    with pytest.raises(SearchTooLargeError, match="501"):
        winning_heatmap(OptimalAgent(wide), wide)
    one, three = game("nim", heaps=(3,)), game("nim", heaps=(3, 4, 5))
    with pytest.raises(ValueError, match="3"):
        policy_heatmap(OptimalAgent(three), three)
    for draw in (winning_heatmap, value_heatmap):
        with pytest.raises(ValueError, match="one"):
            draw(OptimalAgent(one), one)
    with pytest.raises(TypeError, match="action_probabilities"):
        heatmaps(object(), one)


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


def test_another_suffix_is_refused_and_leaves_no_file(tmp_path):
    figure = Figure()
    for name in ("a.gif", "a", "a.png.txt"):
        with pytest.raises(ValueError, match=r"\.png, \.svg, \.pdf") as refused:
            save_figure(figure, tmp_path / "new" / name)
        assert repr(name) in str(refused.value)
    assert list(tmp_path.iterdir()) == []


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


def test_the_users_matplotlib_settings_are_neither_used_nor_changed():
    game, _, _ = trained("row of 17", games=1)
    with mpl.rc_context({"font.size": 33, "axes.facecolor": "black"}):
        figure = policy_heatmap(OptimalAgent(game), game, "the row of 17")
        assert mpl.rcParams["font.size"] == 33
        assert {axes.get_facecolor()[:3] for axes in figure.axes} == {(1, 1, 1)}
        assert figure.axes[0].xaxis.label.get_fontsize() == 9


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
