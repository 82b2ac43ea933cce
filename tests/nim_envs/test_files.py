"""Files appear whole or not at all, with the right mode, and nothing is left beside them."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from nim_envs.files import (
    check_writable,
    going_on_without,
    replacing,
    write_atomically,
    write_somewhere,
)

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


@pytest.fixture
def unwritable(tmp_path):
    """The path of a file that not even root can write: there is a file in place of its folder."""
    (tmp_path / "file").touch()
    return tmp_path / "file" / "learner.zip"


def test_what_cannot_be_written_is_written_elsewhere_and_named(unwritable, tmp_path, monkeypatch):
    here, temporary = tmp_path / "here", tmp_path / "temporary"
    here.mkdir()
    temporary.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    with pytest.warns(RuntimeWarning, match=r"learner\.zip cannot be written \(") as said:
        path = write_somewhere(unwritable, b"learned")
    assert str(path) in str(said[0].message)
    assert (path.parent, path.suffix, path.read_bytes()) == (here, ".zip", b"learned")
    with pytest.warns(RuntimeWarning, match="instead"):
        assert write_somewhere(unwritable, b"other") != path
    assert path.read_bytes() == b"learned"
    shutil.rmtree(here)
    with pytest.warns(RuntimeWarning, match="instead"):
        path = write_somewhere(unwritable, b"learned")
    assert (path.parent, path.read_bytes()) == (temporary, b"learned")
    shutil.rmtree(temporary)
    with pytest.raises(FileExistsError):
        write_somewhere(unwritable, b"learned")


def test_a_full_disk_leaves_no_half_file(tmp_path, monkeypatch):
    def full(number):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_somewhere(tmp_path / "learner.zip", b"learned")
    assert list(tmp_path.rglob("*")) == [tmp_path / "here"]
    monkeypatch.undo()
    assert write_somewhere(tmp_path / "learner.zip", b"learned") == tmp_path / "learner.zip"


def test_a_file_is_checked_before_the_work_and_nothing_is_left(unwritable, tmp_path, monkeypatch):
    check_writable(tmp_path / "new" / "learner.zip")
    (tmp_path / "old.zip").write_bytes(b"before")
    check_writable(tmp_path / "old.zip")
    check_writable("/dev/null")
    assert (tmp_path / "old.zip").read_bytes() == b"before"
    assert list((tmp_path / "new").iterdir()) == []
    with pytest.raises(OSError, match="file"):
        check_writable(unwritable)
    with pytest.raises(IsADirectoryError):
        check_writable(tmp_path)
    for number, refused in ((errno.ENOSPC, False), (errno.EROFS, True)):

        def failing(*arguments, number=number):
            raise OSError(number, os.strerror(number))

        with monkeypatch.context() as patch:
            patch.setattr(os, "open", failing)
            if refused:
                with pytest.raises(OSError, match="Read-only"):
                    check_writable(tmp_path / "learner.zip")
            else:
                check_writable(tmp_path / "learner.zip")


def test_work_goes_on_without_a_file_that_cannot_be_written(unwritable):
    with (
        pytest.warns(RuntimeWarning, match=r"learner\.zip cannot be written .* training goes on"),
        going_on_without(unwritable, "training"),
    ):
        write_atomically(unwritable, b"")
    with pytest.raises(ZeroDivisionError), going_on_without(unwritable, "training"):
        write_atomically(unwritable, b"" * (1 // 0))


def test_a_device_is_written_into_and_stays(tmp_path):
    before = os.stat("/dev/null")
    link = tmp_path / "link"
    link.symlink_to("/dev/null")
    for path in ("/dev/null", link):
        write_atomically(path, b"nothing")
    after = os.stat("/dev/null")
    assert stat.S_ISCHR(after.st_mode)
    assert (after.st_ino, after.st_rdev) == (before.st_ino, before.st_rdev)
    assert list(tmp_path.iterdir()) == [link]
    with pytest.raises(OSError, match="No space left"):
        write_atomically("/dev/full", b"nothing")


def test_a_pipe_is_written_into_whole(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(ZeroDivisionError), replacing(pipe) as file:
            file.write(b"half" * (1 // 0))
        write_atomically(pipe, b"whole")
        assert os.read(reader, 100) == b"whole"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


def test_the_standard_output_can_be_a_pipe():
    code = "from nim_envs.files import write_atomically; write_atomically('/dev/stdout', b'whole')"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"whole", b"")


def test_a_socket_is_refused_and_stays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the names of sockets are short
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
        for write in (check_writable, lambda path: write_atomically(path, b"")):
            with pytest.raises(OSError, match="neither a file nor a pipe"):
                write(tmp_path / "socket")
        assert stat.S_ISSOCK(os.stat("socket").st_mode)
    assert [path.name for path in tmp_path.iterdir()] == ["socket"]
