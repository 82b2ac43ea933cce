"""The suite as a dataset: every position, with the verdicts on all its moves."""

from __future__ import annotations

from functools import partial

import pyarrow.parquet as pq

from nim_envs.cli.main import run
from nim_envs.text import prompt, verdict
from nim_envs.text.exam import Suite

ONLY = ("nim-3-4-5", "misere-4-5-6-disguised", "kayles", "octal-b", "graph-c", "number")


def test_every_row_is_a_position_with_its_verdicts(tmp_path, monkeypatch):
    monkeypatch.setattr("nim_envs.text.exam.export.Suite", partial(Suite, only=ONLY))
    words = ["text", "exam", "export", "--seed", "0", "--seed", "7", "--output", str(tmp_path)]
    assert run(words) == 0
    for seed in (0, 7):
        suite = Suite(seed, only=ONLY)
        rows = pq.read_table(tmp_path / "data" / f"seed_{seed}.parquet").to_pylist()
        assert [row["id"] for row in rows] == list(suite.items)
        for row, (setting, item) in zip(rows[::9], list(suite.items.values())[::9], strict=True):
            assert row["prompt"] == prompt(
                setting.language, item.position, "sentences", answer="tag"
            )
            assert row["prompt"].startswith(row["rules"])
            assert (row["split"], row["value"], row["band"]) == (f"seed_{seed}", 1, item.band)
            assert len(row["moves"]) == row["legal"]
            for move in row["moves"]:
                truth = verdict(setting.language, item.position, move["move"])
                assert (truth.kind, list(truth.after)) == (move["verdict"], move["after"])
            assert sum(move["verdict"] == "kept_win" for move in row["moves"]) == row["winning"]
