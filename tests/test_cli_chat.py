"""``rag chat`` as a script meets it through a pipe, and as a person does at a terminal."""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from rag.embed.minilm import MiniLM
from rag.retrieve.lexical import write_bm25
from rag.store.ingest import ingest
from tests.commands import Result, runner
from tests.fakes import Notes, batch, paper
from tests.servers import Scripted, eventually, stalls

ROOT = Path(__file__).parent.parent
Chat = Callable[..., Result]


def environment(**more: str) -> dict[str, str]:
    """Ours without settings, and a terminal that is not asked where its cursor is."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("RAG_", "OPENAI_"))}
    own = {"PYTHONPATH": str(ROOT), "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
    return {**clean, **own, **more}


@pytest.fixture
def store(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "store"))


@pytest.fixture
def chat(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    store: Path,
    tmp_path: Path,
) -> Chat:
    """Run a conversation with the lines given on stdin."""
    run = runner(capsys, monkeypatch, tmp_path)

    def talk(lines: str, *options: str) -> Result:
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        return run("chat", "--store", store, *options)

    return talk


def test_papers_that_come_between_two_questions_are_found(
    chat: Chat, store: Path, minilm: MiniLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "We present MarmotCast, which predicts the winter sleep of marmots from snow depth."
    new = batch([paper("m1", text, file="/data/new.jsonl")], file="/data/new.jsonl")

    class Lines(io.StringIO):
        def __next__(self) -> str:
            line = super().__next__()
            if line == "/why\n":
                ingest(store, [new], minilm, write_bm25, Notes())
            return line

    monkeypatch.setattr(io, "StringIO", Lines)
    done = chat("What is MarmotCast?\n/why\nWhat is MarmotCast?\n")
    assert done.out.count("predicts the winter sleep") == 1


def test_the_last_answer_is_explained(chat: Chat) -> None:
    done = chat("/why\nWhat is TideNet?\n/why\n")
    assert "Nothing has been asked yet" in done.err
    assert "The question calls it by its name." in done.out
    with_json = chat("What is TideNet?\n/why\n", "--json")
    assert len(with_json.lines) == 1 and "by its name" in with_json.err


def test_questions_on_stdin_are_answered_on_stdout_and_the_rest_is_on_stderr(
    chat: Chat, store: Path, tmp_path: Path
) -> None:
    done = chat(
        "What is LemmaLoom?\n\nHow many goals does it close?\n/sources\n/paper 1\n/good\n"
        "/nonsense\n/save talk.md\n/save talk.md\n/save! talk.md\n/export bib\n"
        "/export bib ~/p/nowhere.bib\n"
        "/paper 7\n/paper x\n/save\n/export pdf\n/help\n/new\n/bad\n/quit\nWhat is TideNet?\n"
    )
    assert done.status == 0
    assert "It closes 38 % of the goals" in done.out
    assert "[1] LemmaLoom\n" in done.out
    assert "a.jsonl, line 1\n    “It closes" in done.out
    assert "handle: LemmaLoom" in done.out
    assert "@misc{lemmaloom," in done.out
    assert "/export bib FILE" in done.out
    assert "TideNet" not in done.out
    assert "→ How many goals does LemmaLoom close?\n" in done.err
    for error in (
        "There is no command /nonsense.",
        "talk.md is there already.",
        "~/p/nowhere.bib cannot be written",
        "There is no source 7, only 1 to 1.",
        "/paper needs the number of a source.",
        "/save needs the name of a file.",
        "Papers are exported as bib.",
        "Nothing has been asked yet.",
    ):
        assert f"error: {error}" in done.err
    assert done.err.count("written to talk.md") == 2
    assert "Traceback" not in done.err
    assert "## 2. How many goals does it close?" in (tmp_path / "talk.md").read_text()
    assert json.loads((store / "feedback.jsonl").read_text())["verdict"] == "good"
    assert not (store / "chat_history").exists()


def test_small_talk_gets_a_hint_and_is_no_turn(chat: Chat, tmp_path: Path) -> None:
    said = "hi\nHello there!\nWhat is LemmaLoom?\nThanks a lot!\nok, thanks\nwhat can you do?\n"
    done = chat(f"{said}How many goals does it close?\n/save talk.md\n", "--json")
    assert [answer["question"][:8] for answer in done.lines] == ["What is ", "How many"]
    assert done.err.count("/help shows what else can be done") == 5
    assert "## 3." not in (tmp_path / "talk.md").read_text()


@pytest.mark.parametrize("word", ["exit", "Quit", "bye!", "/bye", "/quit"])
def test_a_word_is_enough_to_leave(chat: Chat, word: str) -> None:
    done = chat(f"{word}\nWhat is TideNet?\n")
    assert (done.status, done.out) == (0, "")


def test_odd_commands_are_told_and_a_remark_is_kept(chat: Chat, store: Path) -> None:
    done = chat(f"What is LemmaLoom?\n/paper {'9' * 5_000}\n/bad too long\n/good  on reflection \n")
    assert "error: /paper needs the number of a source." in done.err
    rows = list(map(json.loads, (store / "feedback.jsonl").read_text().splitlines()))
    assert [(r["verdict"], r["remark"]) for r in rows] == [
        ("bad", "too long"),
        ("good", "on reflection"),
    ]


def test_json_is_one_answer_a_line_and_an_error_in_its_place(chat: Chat) -> None:
    done = chat(f"What is LemmaLoom?\n/sources\n{'a' * 30_000}\nAnd why?\n/x\n", "--json")
    first, error, last = done.lines
    assert done.status == 0
    assert first["outcome"] == "answered"
    assert error["error"]["type"] == "QuestionError"
    assert last["standalone_question"] == "What is LemmaLoom, and why?"
    assert "LemmaLoom" in done.err


def test_where_every_question_fails_so_does_the_command(chat: Chat) -> None:
    assert chat("?!\n...\n").status == 1
    assert chat("?!\nWhat is TideNet?\n").status == 0
    assert chat("").status == 0
    assert chat("/nonsense\n").status == 0


def test_quiet_leaves_errors_only(chat: Chat) -> None:
    done = chat("What is LemmaLoom?\nAnd why?\n/new\n/x\n", "-q")
    assert done.err.startswith("error: There is no command /x.")


def test_control_characters_and_bad_bytes_are_tamed(store: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "rag", "chat", "--store", str(store)]
    lines = b"What is LemmaLoom \x1b[2J \xff?\nAnd \x1b[31m why is it so?\n/\x1b[2J\n"
    done = subprocess.run(
        command, input=lines, capture_output=True, cwd=tmp_path, env=environment(), timeout=60
    )
    assert done.returncode == 0
    assert b"LemmaLoom" in done.stdout
    assert b"\x1b" not in done.stdout + done.stderr


def test_no_index_is_told_before_anything_is_asked(chat: Chat, store: Path) -> None:
    shutil.rmtree(store)
    done = chat("What is LemmaLoom?\n")
    assert done.status == 1
    assert "rag ingest" in done.err


def test_interrupted_in_a_pipe_it_ends_with_130(store: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "rag", "chat", "--store", str(store)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment(),
    ) as process:
        assert process.stdin and process.stdout
        process.stdin.write(b"What is LemmaLoom?\n")
        process.stdin.flush()
        assert b"LemmaLoom" in process.stdout.readline()  # so it answers before the pipe is closed
        assert interrupted(process) == 130


def interrupted(process: subprocess.Popen[bytes]) -> int:
    """The status after Ctrl-C, again and again as a person would: one that comes just before
    Python goes to read is only seen when something has been read."""
    for _ in range(20):
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            return process.wait(1)
    raise AssertionError("it does not end")


# --- at a terminal -------------------------------------------------------------------------------


class Typist:
    """A person at a terminal: types, and reads what comes."""

    def __init__(self, *command: str, cwd: Path, **variables: str) -> None:
        self._screen, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 90, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "rag", *command],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=cwd,
            env=environment(**variables),
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self._rest = ""

    def type(self, text: str) -> None:
        os.write(self._screen, text.encode())

    def read(self, wanted: str, seconds: float = 30.0) -> str:
        """What comes up to ``wanted``, escapes left out; the rest is kept for the next."""
        seen, end = self._rest, time.monotonic() + seconds
        while wanted not in seen:
            ready, _, _ = select.select([self._screen], [], [], end - time.monotonic())
            if not ready:
                pytest.fail(f"{wanted!r} did not come, but {seen!r}")
            try:
                piece = os.read(self._screen, 4096).decode(errors="replace")
            except OSError:  # what ran here has ended
                pytest.fail(f"{wanted!r} did not come, but {seen!r}")
            seen += re.sub(r"\x1b(\[[0-9;?]*[a-zA-Z]|[=>()]\w?)", "", piece)
        seen, found, self._rest = seen.partition(wanted)
        return seen + found

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._screen)


@pytest.fixture
def typist(store: Path, tmp_path: Path) -> Iterator[Callable[..., Typist]]:
    opened: list[Typist] = []

    def start(*options: str, **variables: str) -> Typist:
        command = ("chat", "--store", str(store), *options)
        opened.append(Typist(*command, cwd=tmp_path, **variables))
        opened[-1].read(">")
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def test_lines_are_edited_kept_and_recalled(typist: Callable[..., Typist], store: Path) -> None:
    first = typist()
    first.type("What is LemmaLomX\x7f\x7fom?\r")  # two backspaces
    first.read("library")
    first.read(">")
    first.type("half a question\x03")  # Ctrl-C empties the line
    first.type("How many goals does it close?\r")
    first.read("→ How many goals does LemmaLoom close?")
    first.read(">")
    first.type("\x04")  # Ctrl-D
    assert first.process.wait(10) == 0

    file = store / "chat_history"
    assert file.stat().st_mode & 0o777 == 0o600
    assert "half a question" not in file.read_text()
    second = typist()
    second.type("\x1b[A\x1b[A\r")  # up, twice
    second.read("[1] LemmaLoom")
    second.read(">")
    second.type("\x03")  # on an empty line
    second.read("Ctrl-C again leaves")
    second.read(">")
    second.type("What is TideNet?\r")
    second.read("[1] TideNet")
    second.read(">")
    second.type("\x03")
    second.read("Ctrl-C again leaves")
    second.read(">")
    second.type("\x03")
    assert second.process.wait(10) == 0


def test_ctrl_c_stops_an_answer_and_not_the_conversation(
    typist: Callable[..., Typist], tmp_path: Path
) -> None:
    with Scripted("TideNet fills gaps.", faults=[stalls(60)]) as server:
        person = typist("--model", "scripted", "--base-url", server.url, RAG_API_KEY="sk-none")
        person.type("What is TideNet?\r")
        assert eventually(lambda: bool(server.bodies), 20)
        person.type("\x03")
        person.read("stopped")
        person.read(">")
        person.type("/save talk.md\r")
        person.read("Nothing has been asked yet.")
        person.read(">")
        person.type("/quit\r")
        assert person.process.wait(10) == 0
    assert not (tmp_path / "talk.md").exists()


def test_a_history_that_cannot_be_kept_is_no_obstacle(
    typist: Callable[..., Typist], store: Path
) -> None:
    (store / "chat_history").mkdir()
    person = typist("-q")
    person.type("What is LemmaLoom?\r")
    person.read("[1] LemmaLoom")
    person.read(">")
    person.type("\x04")
    assert person.process.wait(10) == 0
