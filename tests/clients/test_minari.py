"""The tutorial on datasets writes games with Minari, and reads them back."""

import gc

import pytest

from tests.docs.blocks import TUTORIALS, with_outputs


# Minari warns of fields that are left out, and leaves a folder to the garbage collector.
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::ResourceWarning")
def test_the_tutorial_prints_what_it_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))
    names = {"__name__": "__main__"}
    text = (TUTORIALS / "minari.md").read_text(encoding="utf-8")
    assert with_outputs(text, names) == text
    episodes = names["episodes"]
    assert len(episodes) == 200
    for episode in episodes:
        kept = episode.infos["kept_win"][1:]
        assert episode.rewards[-1] == 1 if kept.all() else episode.rewards[-1] in (-1, 1)
    names.clear()
    gc.collect()
