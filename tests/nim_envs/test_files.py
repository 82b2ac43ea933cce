"""Files appear whole or not at all, and nothing is left beside them."""

import pytest

from nim_envs.files import check_writable, replacing, write_atomically


def test_a_file_is_written_with_its_directory_and_replaced(tmp_path):
    path = tmp_path / "folder" / "file"
    check_writable(path)
    for content in (b"one", b"two"):
        write_atomically(path, content)
        assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def test_a_failure_leaves_what_was_there(tmp_path):
    path = tmp_path / "file"
    write_atomically(path, b"before")
    with pytest.raises(ZeroDivisionError), replacing(path) as file:
        file.write(b"half" * (1 // 0))
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("path", [".", "/dev/null", "file/learner.zip"])
@pytest.mark.parametrize("write", [check_writable, lambda path: write_atomically(path, b"")])
def test_what_is_no_file_is_refused(path, write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=r"not a file|exists|directory"):
        write(path)
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
