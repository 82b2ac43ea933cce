"""The benchmark scripts run at a tiny setting and report what they measured."""

from __future__ import annotations

import csv
import sys

import pytest

import agents.cli.main as agents_main
import benchmarks.__main__ as catalogue
import benchmarks.studies.alphazero.__main__ as deep
import nim_envs
import nim_envs.cli.main as nim_envs_main
from benchmarks import batched, optimality, report, throughput
from benchmarks.timing import Batch, Rate, missing_modules
from nim_envs import make_game


def test_optimality_writes_what_it_prints(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(
        optimality.GAMES,
        "addition-3-10",
        optimality.GameSetting("addition", {"k": 3, "n": 10}, 3_000, 3_000),
    )
    arguments = [
        "--boards", "addition-3-10", "--learners", "q-learning", "optimal", "random",
        "--seeds", "2", "--jobs", "1", "--output", str(tmp_path / "out"),
    ]  # fmt: skip
    optimality.main(arguments)
    printed = capsys.readouterr().out
    with (tmp_path / "out" / "optimality.csv").open(encoding="utf-8") as file:
        rows = {row["learner"]: row for row in csv.DictReader(file)}
    assert {name: float(row["optimality %"]) for name, row in rows.items()} == {
        "random": pytest.approx(100 / 3),
        "optimal": 100.0,
        "q-learning": 100.0,
    }
    assert rows["q-learning"]["games"] == "3000"
    assert all(float(row["random %"]) == pytest.approx(100 / 3) for row in rows.values())
    assert rows["random"]["blunders"] == rows["random"]["of"].replace("8", "8.0")
    for name in rows:
        assert name in printed
        assert name in (tmp_path / "out" / "optimality.md").read_text(encoding="utf-8")
    with (tmp_path / "out" / "runs.csv").open(encoding="utf-8") as file:
        runs = list(csv.DictReader(file))
    assert sorted(run["seed"] for run in runs if run["learner"] == "q-learning") == ["0", "1"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "optimality.csv", "optimality.md", "runs.csv",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--boards", "chess"], ["chess", "addition-3-10", "nim-10-10-10"]),
        (["--learners", "oracle"], ["oracle", "q-learning", "gradient-bandit"]),
        (["--seeds", "0"], ["0", "x>=1"]),
        (["--seeds", "1", "2"], ["2"]),
        (["--jobs", "many"], ["'many'", "integer"]),
        (["--backend", "cloud"], ["'cloud'", "local", "ray"]),
        (["--fast"], ["--fast"]),
        (["--boards"], ["at least 1", "addition-3-10"]),
        (["--output", __file__], [__file__]),
        (["--output", f"{__file__}/results"], [f"{__file__}/results"]),
    ],
)
def test_bad_options_are_refused_with_what_is_allowed(arguments, named, capsys):
    with pytest.raises(SystemExit) as caught:
        optimality.main(arguments)
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert all(name in error for name in named)


@pytest.mark.parametrize(
    "program",
    [nim_envs_main.run, agents_main.run, catalogue.main, optimality.main],
    ids=["nim_envs", "agents", "benchmarks", "optimality"],
)
def test_every_program_says_its_version(program, capsys):
    assert not program(["--version"])
    assert capsys.readouterr().out == f"nim_envs {nim_envs.__version__}\n"


def test_a_benchmark_that_may_be_meant_is_named(capsys):
    with pytest.raises(SystemExit):
        catalogue.main(["optimalty"])
    assert "did you mean 'optimality'?" in capsys.readouterr().err


def test_help_explains_every_option(capsys):
    for main in (optimality.main, throughput.main, deep.main):
        main(["--help"])
        shown = capsys.readouterr().out
        assert all(option in shown for option in ("--quick", f"results/{main.name}"))


def test_a_missing_library_is_named_with_how_to_install_it(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "benchmarks.ray_tasks", raising=False)
    monkeypatch.setitem(sys.modules, "sb3_contrib", None)
    for main, arguments, package, wanted in (
        (optimality.main, ["--backend", "ray"], "ray", "ray"),
        (deep.main, [], "sb3_contrib", "sb3"),
    ):
        with pytest.raises(SystemExit) as caught:
            main(["--quick", *arguments, "--output", str(tmp_path)])
        assert caught.value.code == 2
        error = capsys.readouterr().err
        assert error.endswith(f' needs {package}: python -m pip install "nim-envs[{wanted}]"\n')
    assert not list(tmp_path.iterdir())


def test_the_deep_report_says_by_how_much_the_best_network_is_above_or_below_the_table():
    def row(board, learner, encoding, percent):
        return [
            board,
            learner,
            encoding,
            "self-play",
            3,
            100,
            1.0,
            percent,
            0,
            100,
            9.0,
            1,
            50,
            None,
        ]

    rows = [
        row("small", "q-learning", "integer", 90.0),
        row("small", "maskable-ppo", "one_hot", 80.0),
        row("small", "maskable-ppo", "binary", 97.5),
        row("large", "q-learning", "integer", 70.0),
        row("large", "maskable-ppo", "one_hot", 64.0),
        row("other", "random", "-", 64.0),
        row("equal", "q-learning", "integer", 100.0),
        row("equal", "maskable-ppo", "one_hot", 100.0),
    ]
    small, large, equal = deep.verdicts(rows)
    assert small.startswith("small: the best of maskable-ppo (binary, self-play) has 97.5 %")
    assert "7.5 points above the 90.0 %" in small
    assert "6.0 points below the 70.0 %" in large
    assert "the same as the 100.0 %" in equal


def test_deep_tasks_are_each_encoding_in_self_play_and_one_against_each_opponent():
    tasks = deep.tasks_of(["five-heaps"], seeds=2)
    trained = [(task.encoding, task.opponent) for task in tasks if task.learner == "maskable-ppo"]
    assert len(trained) == 2 * (4 + 3)
    assert {encoding for encoding, opponent in trained if opponent == "optimal"} == {
        deep.MAIN_ENCODING
    }
    full = deep.tasks_of(["five-heaps"], seeds=1, full=True)
    assert sum(task.learner == "maskable-ppo" for task in full) == 4 * 4
    # The published recipe and the tutorial's program are for three heaps.
    assert not {task.learner for task in full} & {*deep.RECIPES, *deep.FROM_SCRATCH}
    chosen = deep.tasks_of(seeds=2, learners=["ppo-from-scratch"])
    assert [task.learner for task in chosen[::2]] == list(deep.FROM_SCRATCH)
    assert len(chosen) == 2 * len(deep.FROM_SCRATCH)
    published = deep.tasks_of(["alphazero-5"], seeds=2)
    networks = deep.ALPHAZERO_BOARDS["alphazero-5"]
    assert [task.learner for task in published if task.learner in deep.ALPHAZERO] == [
        name for name in networks for _ in range(2)
    ]
    others = {"random", "q-learning", deep.UNTRAINED}
    assert {task.learner for task in published} == {*others, *networks}
    equal = deep.tasks_of(["nim-4-4-9"], seeds=5)
    assert [(task.learner, task.encoding) for task in equal if task.seed == 4] == [
        ("q-learning", "integer"),
        ("alphazero, mlp", "binary"),
        ("alphazero, mlp, symmetry", "binary"),
    ]
    everything = deep.tasks_of()
    assert len(set(everything)) == len(everything)
    assert {task.seed for task in everything if task.learner == "published"} == {0, 1, 2}


def test_the_deep_report_names_what_was_published_of_alphazero():
    rows = [
        ["alphazero-6", learner, "-", "self-play", 3, 100, 1.0, percent, 0, 100, 9.9, 1, 50, None]
        for learner, percent in (("random", 9.9), ("alphazero, mlp", 21.2))
    ]
    (line,) = deep.verdicts(rows)
    assert line == (
        "alphazero-6: published of AlphaZero 15.6 %, at best 43.2 % in one of its checkpoints; "
        "here random 9.9 %, alphazero, mlp 21.2 %"
    )
    assert deep.verdicts(rows[:1]) == []


@pytest.mark.parametrize(
    ("percents", "games"),
    [([], None), ([100], 0), ([50, 100, 99, 100, 100], 3), ([100, 50], None), ([100] * 3, 0)],
)
def test_a_deep_learner_is_done_at_the_first_score_that_is_kept(percents, games):
    curve = tuple(enumerate(percents))
    run = deep.Run("b", "l", "e", "o", 0, 9, 0, 1.0, 100.0, 25.0, 0, 50, curve)
    assert run.games_to_sustained == games
    other = deep.Run("b", "l", "e", "o", 1, 9, 0, 1.0, 99.0, 25.0, 1, 50, ((0, 99.0),))
    assert deep.summary([run])[0][-1] == games
    assert deep.summary([run, other])[0][-1] is None


def test_throughput_counts_moves_and_names_who_is_missing(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(
        throughput,
        "ENVIRONMENTS",
        {
            throughput.BASE: throughput.ENVIRONMENTS[throughput.BASE],
            "elsewhere": throughput.random_play(throughput.tictactoe, modules=("no_such_module",)),
            "training": throughput.ENVIRONMENTS["training loop, q-learning, nim 3-4-5"],
        },
    )
    arguments = ["--quick", "--rounds", "1", "--output", str(tmp_path)]
    throughput.main([*arguments, "--parts", "turn-based"])
    printed = capsys.readouterr().out
    assert "missing: elsewhere: not installed: no_such_module" in printed
    text = (tmp_path / "throughput.md").read_text(encoding="utf-8")
    assert "no_such_module" in text
    with (tmp_path / "throughput.csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows[1][0] == throughput.BASE
    assert float(rows[1][-1]) == 1.0
    assert [row[0] for row in rows[1:]] == [throughput.BASE, "training"]
    assert all(float(row[1]) > 0 for row in rows[1:])


def test_batches_are_compared_each_at_its_best_size(tmp_path, capsys, monkeypatch):
    def pretended(size):
        # Twice as fast at ten games as at one, and a thousandth of the moves of any real one.
        return lambda seconds: Rate(steps=10.0 * size, moves=5.0 * size)

    monkeypatch.setattr(
        batched,
        "BATCHES",
        {
            batched.BASE: Batch(batched.our_batch("nim"), (8, 64)),
            "pretended": Batch(pretended, (1, 10)),
            "elsewhere": Batch(pretended, (1,), modules=("no_such_module",)),
        },
    )
    monkeypatch.setattr(batched, "BOARD_BATCHES", {"kayles 7": Batch(pretended, (1, 10))})
    arguments = ["--rounds", "1", "--parts", "batched", "--output", str(tmp_path)]
    throughput.main([*arguments, "--quick"])
    with (tmp_path / "batched.csv").open(encoding="utf-8") as file:
        assert [row["at a time"] for row in csv.DictReader(file)] == ["8", "1"]
    capsys.readouterr()
    throughput.main(arguments)
    assert "missing: elsewhere: not installed: no_such_module" in capsys.readouterr().out
    with (tmp_path / "batched.csv").open(encoding="utf-8") as file:
        rows = {(row["batch"], row["at a time"]): row for row in csv.DictReader(file)}
    assert float(rows["pretended", "10"]["steps/s (median)"]) == 100
    base = rows[batched.BASE, "64"]
    # Every game's last step is followed by one that only begins the next.
    assert 0.5 < float(base["moves/s (median)"]) / float(base["steps/s (median)"]) < 0.95
    with (tmp_path / "batched_ratios.csv").open(encoding="utf-8") as file:
        ratios = {row[0]: row[1:] for row in list(csv.reader(file))[1:]}
    assert [float(ratio) for ratio in ratios[batched.BASE][1:]] == [1, 1, 1]
    assert ratios["pretended"][0] == "10"
    assert float(ratios["pretended"][1]) == pytest.approx(
        float(rows[batched.BASE, ratios[batched.BASE][0]]["moves/s (median)"]) / 50, rel=1e-3
    )
    with (tmp_path / "batched_boards.csv").open(encoding="utf-8") as file:
        boards = [list(row.values())[:4] for row in csv.DictReader(file)]
    kayles = str(make_game("kayles", heaps=(7,)).rules.num_actions)
    assert boards == [["kayles 7", kayles, "1", "10"], ["kayles 7", kayles, "10", "100"]]
    assert not (tmp_path / "throughput.csv").exists()


def test_the_slowdown_by_optimal_opponents_is_a_ratio_within_each_round():
    rates = {
        ("nim 3-4-5, random opponent", 8): [Rate(6, 5), Rate(9, 7)],
        ("nim 3-4-5, optimal opponent", 8): [Rate(2, 1), Rate(6, 5)],
        ("nim 3-4-5", 8): [Rate(9, 9), Rate(9, 9)],
    }
    assert batched.opponent_rows(rates) == [["nim 3-4-5", 8, "2.25"]]


# JAX bears no forks in its process, so what needs it is tested in tests/clients/jax.
@pytest.mark.parametrize(
    "name", [name for name, batch in batched.BATCHES.items() if "jax" not in batch.modules]
)
def test_every_batch_that_is_installed_runs(name):
    batch = batched.BATCHES[name]
    if missing_modules(batch.modules):
        pytest.skip(f"{batch.modules} are not all installed")
    rate = batch.make(4)(0.01)
    assert rate.steps >= rate.moves > 0


def failing(_):
    raise OSError("disk full")


def test_a_file_appears_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "deep" / "report.md"
    report.write_text(path, "first\n")
    with pytest.raises(UnicodeEncodeError):
        report.write_text(path, "second \ud800")
    with monkeypatch.context() as broken:
        broken.setattr("nim_envs.files.os.fsync", failing)
        with pytest.raises(OSError, match="disk full"):
            report.write_text(path, "third\n")
    assert path.read_text(encoding="utf-8") == "first\n"
    assert [entry.name for entry in path.parent.iterdir()] == ["report.md"]
