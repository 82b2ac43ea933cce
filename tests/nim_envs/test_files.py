"""Files appear whole or not at all, with the right mode, and nothing is left beside them."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from nim_envs.files import replacing, write_atomically

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes, links and locks of POSIX")


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=[0o022, 0o077, 0o002], ids=oct)
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def test_a_new_file_obeys_the_umask_and_another_keeps_its_mode(tmp_path, umask):
    path = tmp_path / "folder" / "file"
    write_atomically(path, b"one")
    assert mode(path) == 0o666 & ~umask
    for kept in (0o600, 0o664, 0o444):
        path.chmod(kept)
        write_atomically(path, b"two")
        assert (mode(path), path.read_bytes()) == (kept, b"two")


def test_nobody_else_can_read_the_replacement_of_a_private_file(tmp_path):
    path = tmp_path / "file"
    path.touch(0o600)
    with replacing(path):
        (temporary,) = set(tmp_path.iterdir()) - {path}
        assert mode(temporary) == 0o600


def test_a_symbolic_link_stays_and_what_it_points_to_is_written(tmp_path):
    (tmp_path / "far").mkdir()
    target, link, chain = tmp_path / "far" / "target", tmp_path / "link", tmp_path / "chain"
    link.symlink_to(target)
    chain.symlink_to("link")
    for content in (b"new", b"replaced"):  # at first the link leads nowhere
        write_atomically(chain, content)
        assert target.read_bytes() == content
        assert not target.is_symlink()
    assert (link.is_symlink(), chain.is_symlink()) == (True, True)
    assert sorted(tmp_path.rglob("*")) == sorted([target.parent, target, link, chain])


def test_a_link_to_itself_is_an_error(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(link)
    with pytest.raises(OSError, match="link") as error:
        write_atomically(link, b"")
    assert error.value.errno == errno.ELOOP
    assert link.is_symlink()


WRITER = """
import sys, time
from nim_envs.files import replacing
with replacing(sys.argv[1]) as file:
    file.write(b"half")
    print("writing", flush=True)
    time.sleep(100)
"""


def test_temporary_files_of_a_killed_process_are_removed(tmp_path):
    path, neighbour = tmp_path / "file", tmp_path / "file.0123456789abcdef.tmp.zip"
    neighbour.write_bytes(b"mine")
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], cwd=ROOT, stdout=subprocess.PIPE
    )
    try:
        assert writer.stdout.readline() == b"writing\n"
        write_atomically(path, b"while it lives")
        write_atomically(tmp_path / "fil", b"of another name")
        assert len(list(tmp_path.iterdir())) == 4
    finally:
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
    write_atomically(tmp_path / "fil", b"of another name")
    assert len(list(tmp_path.iterdir())) == 4
    write_atomically(path, b"whole")
    assert path.read_bytes() == b"whole"
    assert sorted(tmp_path.iterdir()) == sorted([path, neighbour, tmp_path / "fil"])


def test_two_writers_at_once_do_not_disturb_each_other(tmp_path):
    path = tmp_path / "file"
    with replacing(path) as one:
        one.write(b"one")
        with replacing(path) as other:
            other.write(b"other")
        assert path.read_bytes() == b"other"
    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_what_was_there(tmp_path):
    path = tmp_path / "file"
    write_atomically(path, b"before")
    with pytest.raises(ZeroDivisionError), replacing(path) as file:
        file.write(b"half" * (1 // 0))
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]
