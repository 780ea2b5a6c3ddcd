"""One writer at a time, whatever becomes of it."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from rag.errors import StoreLocked, StoreUnwritable
from rag.store.lock import write_lock, writer
from tests.fakes import Notes, batch, papers, put, started

HOLDER = """
import sys
from pathlib import Path
from rag.store.lock import write_lock

with write_lock(Path(sys.argv[1]), wait=True, note=print):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def held(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock of ``tmp_path`` / "s" until its stdin is closed."""
    with started(HOLDER, tmp_path / "s") as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def locked_out(store: Path) -> StoreLocked:
    with pytest.raises(StoreLocked) as caught:
        put(store, batch(papers(1)), wait=False)
    return caught.value


def test_second_writer_without_wait_is_refused(held: subprocess.Popen[str], tmp_path: Path) -> None:
    error = locked_out(tmp_path / "s")
    assert error.message.startswith(f"Process {held.pid} (since ")


def test_refused_writer_is_told_how_to_wait(held: subprocess.Popen[str], tmp_path: Path) -> None:
    assert "without --no-wait" in locked_out(tmp_path / "s").fix


def test_second_writer_waits_for_the_first(held: subprocess.Popen[str], tmp_path: Path) -> None:
    waiting = Thread(target=put, args=(tmp_path / "s", batch(papers(1))))
    waiting.start()
    time.sleep(0.3)
    assert waiting.is_alive()
    assert not (tmp_path / "s" / "manifest.json").exists()
    assert held.stdin
    held.stdin.close()
    waiting.join(60)
    assert (tmp_path / "s" / "manifest.json").exists()


def test_waiting_writer_says_whom_it_waits_for(held: subprocess.Popen[str], tmp_path: Path) -> None:
    notes = Notes()

    def let_go(text: str) -> None:
        notes.note(text)
        held.kill()

    with write_lock(tmp_path / "s", wait=True, note=let_go):
        pass
    assert f"process {held.pid}" in notes.notes[0]


def test_lock_is_free_after_the_holder_was_killed(
    held: subprocess.Popen[str], tmp_path: Path
) -> None:
    held.kill()
    held.wait()
    assert put(tmp_path / "s", batch(papers(1)), wait=False).added == 1


def test_lock_is_free_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), write_lock(tmp_path, wait=False, note=print):
        raise ZeroDivisionError
    assert writer(tmp_path) is None


def test_writer_is_known_while_it_writes(held: subprocess.Popen[str], tmp_path: Path) -> None:
    assert str(writer(tmp_path / "s")).startswith(f"process {held.pid} (since ")


def test_writer_that_was_killed_is_nobody(held: subprocess.Popen[str], tmp_path: Path) -> None:
    held.kill()
    held.wait()
    assert (tmp_path / "s" / "writer.json").exists()
    assert writer(tmp_path / "s") is None


def test_asking_for_the_writer_makes_no_folder(tmp_path: Path) -> None:
    assert writer(tmp_path / "s") is None
    assert not (tmp_path / "s").exists()


def test_nobody_is_named_after_the_lock_was_released(tmp_path: Path) -> None:
    with write_lock(tmp_path, wait=False, note=print):
        pass
    assert not (tmp_path / "writer.json").exists()


def test_file_in_the_place_of_a_parent_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(StoreUnwritable, match="is a file"),
        write_lock(tmp_path / "file" / "s", wait=False, note=print),
    ):
        pass


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_lock_in_a_folder_without_write_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with (
        pytest.raises(StoreUnwritable, match="Permission denied"),
        write_lock(tmp_path, wait=False, note=print),
    ):
        pass
