"""The benchmark of random play in JAX."""

import csv
from dataclasses import replace

import jax.numpy as jnp
import numpy as np

from benchmarks import rollouts, throughput


def test_random_play_in_jax_is_timed_beside_the_games_of_pgx(tmp_path, monkeypatch):
    batches = {
        name: replace(rollouts.ROLLOUTS[name], sizes=(4, 64))
        for name in ("nim 3-4-5", "pgx tic-tac-toe")
    }
    monkeypatch.setitem(throughput.PARTS, "jax", replace(throughput.PARTS["jax"], batches=batches))
    monkeypatch.setattr(rollouts, "STEPS_IN_ALL", 512)
    arguments = ["--rounds", "1", "--parts", "jax", "--output", str(tmp_path)]
    throughput.main.main([*arguments, "--quick"], standalone_mode=False)
    with (tmp_path / "jax.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["at a time"] for row in rows] == ["4", "4"]
    assert all(float(row["moves/s (median)"]) > 0 for row in rows)
    with (tmp_path / "jax_ratios.csv").open(encoding="utf-8") as file:
        assert float(next(csv.DictReader(file))["first one's moves/s over its"]) == 1
    report = (tmp_path / "throughput.md").read_text(encoding="utf-8")
    assert f"- Device: {rollouts.device()}." in report


def test_every_legal_action_is_as_likely_in_random_play_in_jax():
    masks = np.array([[1, 0, 1, 1], [0, 0, 0, 1], [1, 1, 1, 1]], dtype=np.bool_)
    for mask in masks:
        legal = np.flatnonzero(mask)
        uniform = (np.arange(12) + 0.5) / 12
        actions = rollouts.kth_legal(jnp.asarray(np.tile(mask, (12, 1))), uniform)
        assert actions.tolist() == np.repeat(legal, 12 // len(legal)).tolist()
