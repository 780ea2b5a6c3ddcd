"""Replies that are kept."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rag.endpoint import Endpoint
from rag.models import Message, Model, cache
from rag.models.cache import Cached
from rag.models.openai import connect
from rag.types import Usage
from tests.fakes import started
from tests.servers import Llama, Scripted

HELLO = [Message("user", "Say hello.")]
PLACE = "http://here"


def cached(server: Scripted, folder: Path, place: str = PLACE, **how: object) -> Model:
    return Cached(connect(Endpoint("", server.url)), folder, place, **how)  # type: ignore[arg-type]


def test_a_question_asked_again_is_free_and_its_answer_the_same(tmp_path: Path) -> None:
    with Scripted("first answer", "second answer") as server:
        first = cached(server, tmp_path).reply(HELLO, 9)
        heard: list[str] = []
        again = cached(server, tmp_path).reply(HELLO, 9, heard.append)
    assert again.text == "".join(heard) == first.text == "first answer"
    assert again.finished
    assert first.usage.input_tokens > 0
    assert again.usage == Usage()
    assert len(server.bodies) == 1


def test_a_streamed_answer_is_kept_too(tmp_path: Path) -> None:
    heard: list[str] = []
    with Scripted("first answer", "second answer") as server:
        model = cached(server, tmp_path)
        model.reply(HELLO, 9, heard.append)
        assert model.reply(HELLO, 9).text == "".join(heard) == "first answer"


def test_what_differs_is_asked(tmp_path: Path) -> None:
    with Scripted("a", "b", "c", "d", "e") as server:
        texts = [
            cached(server, tmp_path).reply(HELLO, 9).text,
            cached(server, tmp_path).reply(HELLO, 8).text,
            cached(server, tmp_path).reply([Message("system", "Say hello.")], 9).text,
            cached(server, tmp_path, "http://there").reply(HELLO, 9).text,
            cached(server, tmp_path).reply([Message("user", "Say hello!")], 9).text,
        ]
        assert texts == list("abcde")
        assert cached(server, tmp_path).reply(HELLO, 9).text == "a"


@pytest.mark.parametrize("damage", ["", "{", "[]", "{}", '{"text": 3}', "\udcff", "[" * 9999])
def test_a_damaged_reply_is_asked_for_anew(tmp_path: Path, damage: str) -> None:
    with Scripted("a", "b") as server:
        cached(server, tmp_path).reply(HELLO, 9)
        (file,) = tmp_path.iterdir()
        file.write_text(damage, errors="surrogateescape")
        assert cached(server, tmp_path).reply(HELLO, 9).text == "b"
        assert cached(server, tmp_path).reply(HELLO, 9).text == "b"


def test_what_was_cut_off_or_empty_is_not_kept(tmp_path: Path) -> None:
    with Scripted("and then", finish="length") as server:
        assert not cached(server, tmp_path).reply(HELLO, 9).finished
    with Scripted("") as server:
        cached(server, tmp_path).reply(HELLO, 9)
    assert not list(tmp_path.iterdir())


def test_what_broke_off_is_not_kept(tmp_path: Path) -> None:
    def leave(text: str) -> None:
        raise KeyboardInterrupt

    with Scripted("one two three") as server, pytest.raises(KeyboardInterrupt):
        cached(server, tmp_path).reply(HELLO, 9, leave)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_costs_one_note(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    notes: list[str] = []
    with Scripted("a", "b") as server:
        model = cached(server, tmp_path / "file" / "responses", note=notes.append)
        assert [model.reply(HELLO, 9).text for _ in range(2)] == ["a", "b"]
    assert len(notes) == 1
    assert "not kept" in notes[0]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_still_read(tmp_path: Path) -> None:
    with Scripted("a", "b") as server:
        cached(server, tmp_path).reply(HELLO, 9)
        tmp_path.chmod(0o500)
        assert cached(server, tmp_path).reply(HELLO, 9).text == "a"
        tmp_path.chmod(0o700)


def test_only_the_newest_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "KEPT", 3)
    with Scripted(*"abcdef") as server:
        for n in range(5):
            cached(server, tmp_path).reply([Message("user", str(n))], 9)
            for file in tmp_path.iterdir():  # each a second older than the next
                os.utime(file, (file.stat().st_atime, file.stat().st_mtime - 1))
        assert len(list(tmp_path.iterdir())) == 3
        assert cached(server, tmp_path).reply([Message("user", "4")], 9).text == "e"
        assert cached(server, tmp_path).reply([Message("user", "0")], 9).text == "f"


def test_several_processes_keep_at_once(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from rag.models import Message, Reply\n"
        "from rag.models.cache import Cached\n"
        "from rag.types import Usage\n"
        "class Echo:\n"
        "    name, window = 'echo', 100\n"
        "    def count(self, text): return 1\n"
        "    def reply(self, messages, limit, on_text=None):\n"
        "        return Reply(messages[0].text * 500, Usage(1, 1))\n"
        "model = Cached(Echo(), Path(sys.argv[1]), 'here')\n"
        "for n in range(60):\n"
        "    text = str(n % 20)\n"
        "    assert model.reply([Message('user', text)], 9).text == text * 500\n"
    )
    processes = [started(code, tmp_path) for _ in range(3)]
    for process in processes:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
    assert len(list(tmp_path.iterdir())) == 20
    assert all(file.suffix == ".json" for file in tmp_path.iterdir())


def test_the_key_is_not_among_what_is_kept(tmp_path: Path) -> None:
    from rag.types import Secret

    secret = "sk-sentinel-0123456789abcdef"
    with Scripted("a") as server:
        endpoint = Endpoint("", server.url, Secret(secret))
        Cached(connect(endpoint), tmp_path, endpoint.place).reply(HELLO, 9)
    (file,) = tmp_path.iterdir()
    assert secret not in file.read_text() + file.name
    assert "hello" not in file.read_text()


def test_a_real_answer_is_kept(tmp_path: Path, smollm: Llama) -> None:
    model = Cached(connect(Endpoint("", smollm.url)), tmp_path, PLACE)
    first = model.reply(HELLO, 20)
    again = model.reply(HELLO, 20)
    assert again.text == first.text or not first.finished
