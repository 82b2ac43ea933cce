"""Minari loads the datasets of known mistakes, and recovers their environment."""

from __future__ import annotations

import itertools

import minari
import numpy as np
import pytest

from benchmarks.datasets.__main__ import main
from benchmarks.report import read_csv


def nim_sum(heaps):
    return int(np.bitwise_xor.reduce(np.asarray(heaps)))


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    output = tmp_path_factory.mktemp("datasets")
    main(["--quick", "--games", "40", "--jobs", "1", "--output", str(output)])
    return output


@pytest.fixture
def dataset(results, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(results / "minari"))
    assert len(minari.list_local_datasets()) == 4
    return minari.load_dataset("nim_envs/nim-3-4-5-mistakes-20-v0")


def test_games_are_legal_and_mistakes_are_counted_by_the_theorem_of_nim(dataset):
    decisions = mistakes = moves = 0
    for episode in dataset.iterate_episodes():
        boards = episode.observations["observation"].tolist()
        masks = episode.observations["action_mask"]
        assert boards[0] == [3, 4, 5]
        assert boards[-1] == [0, 0, 0]
        assert episode.rewards.tolist() == [0.0] * (len(boards) - 2) + [1.0]
        assert episode.terminations.tolist() == [False] * (len(boards) - 2) + [True]
        for step, (before, after) in enumerate(itertools.pairwise(boards)):
            assert sum(one != other for one, other in zip(before, after, strict=True)) == 1
            assert all(one >= other for one, other in zip(before, after, strict=True))
            assert masks[step][episode.actions[step]]
            wins, kept = nim_sum(before) != 0, nim_sum(after) == 0
            assert episode.infos["winning"][step + 1] == wins
            assert episode.infos["kept_win"][step + 1] == (wins and kept)
            # On one heap of one object every move wins.
            decisions += wins and sum(before) > 1
            mistakes += wins and not kept
            moves += 1
    metadata = dataset.storage.metadata
    assert (metadata["num_decisions"], metadata["num_mistakes"]) == (decisions, mistakes)
    assert metadata["num_moves"] == moves == dataset.total_steps
    assert (metadata["mistake_rate"], metadata["seed"], metadata["start"]) == (0.2, 0, "fixed")
    # Five standard deviations of a binomial share.
    assert abs(mistakes / decisions - 0.2) < 5 * np.sqrt(0.2 * 0.8 / decisions)


def test_the_environment_is_recovered_and_plays_the_games_again(dataset):
    env = dataset.recover_environment()
    for episode in itertools.islice(dataset.iterate_episodes(), 5):
        observation, _ = env.reset()
        for step, action in enumerate(episode.actions):
            recorded = episode.observations["observation"][step]
            assert observation["observation"].tolist() == recorded.tolist()
            observation, reward, over, _, _ = env.step(action)
            assert (reward, over) == (episode.rewards[step], episode.terminations[step])


def test_the_table_holds_what_the_metadata_say(results, dataset):
    rows = {row["mistake rate %"]: row for row in read_csv(results / "datasets.csv")}
    assert [float(rate) for rate in rows] == [0, 5, 20, 50]
    row = rows["20.0"]
    assert int(row["mistakes"]) == dataset.storage.metadata["num_mistakes"]
    share = dataset.storage.metadata["optimal_share"]
    assert float(row["optimal moves %"]) == pytest.approx(100 * share)
    assert float(rows["0.0"]["optimal moves %"]) == 100
    page = (results / "datasets.md").read_text(encoding="utf-8")
    assert 'minari.load_dataset("nim_envs/nim-3-4-5-mistakes-0-v0")' in page
