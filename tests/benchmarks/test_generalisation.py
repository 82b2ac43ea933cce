"""The benchmark on unseen boards: its parts, and a run at a tiny setting."""

import pytest
from click.testing import CliRunner

from agents import OptimalAgent, RandomAgent
from benchmarks.report import read_csv
from benchmarks.studies.generalisation import __main__ as generalisation
from benchmarks.studies.generalisation.experiments import EXPERIMENTS
from benchmarks.studies.generalisation.tables import KnownOrRandom
from nim_envs import make_game
from tests.tables import all_positions

LEARNED = make_game("nim", heaps=(1, 3, 2))


def test_a_table_is_used_on_the_positions_that_it_holds_in_any_order():
    game = make_game("nim", heaps=(4, 4, 4, 4))
    policy = KnownOrRandom(OptimalAgent(LEARNED), LEARNED, game)
    positions, all_masks = all_positions(game)
    every, masks = positions[1:], all_masks[1:]
    chances = policy.action_probabilities(every, masks)
    random = RandomAgent().action_probabilities(every, masks)
    truth = OptimalAgent(game).action_probabilities(every, masks)
    for position, here, at_random, best in zip(every, chances, random, truth, strict=True):
        heaps = sorted(position[position > 0].tolist(), reverse=True)
        known = len(heaps) <= 3 and all(h <= m for h, m in zip(heaps, (3, 2, 1), strict=False))
        expected = best if known and game.solution.is_winning(position) else at_random
        assert here == pytest.approx(expected), position


def test_it_writes_what_it_prints(tmp_path):
    words = [
        "--experiments", "take-3", "--learners", "q-learning,random", "--seeds", "2", "--quick",
        "--jobs", "1", "--output", str(tmp_path),
    ]  # fmt: skip
    printed = CliRunner().invoke(generalisation.main, words, catch_exceptions=False).stdout
    rows = read_csv(tmp_path / "generalisation.csv")
    boards = ["as learned", *EXPERIMENTS["take-3"].held_out]
    assert [(row["learner"], row["seed"]) for row in rows] == [
        *(("q-learning", seed) for seed in "01" for _ in boards),
        *(("random", "0") for _ in boards),
    ]
    for row in rows:
        if row["learner"] == "random":
            assert row["optimality %"] == row["random %"]
        if row["board"] != "as learned":
            assert float(row["low"]) <= float(row["optimality %"]) <= float(row["high"])
    report = (tmp_path / "generalisation.md").read_text(encoding="utf-8")
    for board in boards:
        assert board in printed
        assert board in report
    assert (tmp_path / "generalisation.png").exists()
