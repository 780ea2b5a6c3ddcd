"""Models behind OpenAI's protocol: a real server, one that gets in its way, and scripted ones."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from rag.endpoint import Endpoint, patience
from rag.errors import (
    ContextOverflow,
    EndpointError,
    EndpointUnreachable,
    KeyRefused,
    QuotaExhausted,
)
from rag.models import Message, Reply
from rag.models.openai import connect
from rag.types import Secret, Usage
from tests.servers import (
    Fault,
    Llama,
    Proxy,
    Scripted,
    cuts,
    drops,
    eventually,
    llama_server,
    no_quota,
    says,
    sends,
    stalls,
    streams,
    too_many,
)

KEY = "sk-sentinel-0123456789abcdef"
HELLO = [Message("user", "Say hello.")]
CAPITAL = [
    Message("system", "You answer in one short sentence."),
    Message("user", "What is the capital of France?"),
]


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "FIRST_WAIT", 0.01)


def ask(server: Any, *, streamed: bool = False, limit: int = 40, **how: Any) -> Reply:
    """A reply of a server's model, which must be the pieces it was streamed in."""
    notes = how.pop("notes", [])
    model = connect(Endpoint(how.pop("model", ""), server.url, **how), note=notes.append)
    pieces: list[str] = []
    reply = model.reply(CAPITAL, limit, pieces.append if streamed else None)
    assert not streamed or "".join(pieces) == reply.text
    return reply


both = pytest.mark.parametrize("streamed", [False, True])


def test_a_real_model_answers_the_same_streamed_or_not(smollm: Llama) -> None:
    whole = ask(smollm)
    assert "Paris" in whole.text
    assert whole.finished
    assert whole.usage.input_tokens > 20
    assert 3 < whole.usage.output_tokens <= 40
    assert ask(smollm, streamed=True) == whole


@both
def test_a_real_answer_is_cut_at_its_limit(smollm: Llama, streamed: bool) -> None:
    reply = ask(smollm, streamed=streamed, limit=3)
    assert not reply.finished
    assert reply.usage.output_tokens == 3


@both
def test_what_overflows_a_real_window_is_told(smollm: Llama, streamed: bool) -> None:
    model = connect(Endpoint("", smollm.url))
    long = [Message("user", "word " * 3000)]
    with pytest.raises(ContextOverflow, match="2048"):
        model.reply(long, 20, str if streamed else None)
    assert model.count(long[0].text) > model.window


def test_a_killed_server_is_told_amid_an_answer_and_after() -> None:
    heard: list[str] = []

    def hear(text: str) -> None:
        heard.append(text)
        if len(heard) == 3:
            server.kill()

    with llama_server() as server:
        model = connect(Endpoint("", server.url))
        with pytest.raises(EndpointUnreachable):
            model.reply([Message("user", "Count from one to a hundred in words.")], 500, hear)
        assert len(heard) >= 3
        for on_text in (None, hear):
            with pytest.raises(EndpointUnreachable, match="nobody answers") as caught:
                model.reply(HELLO, 5, on_text)
    assert "is the server running?" in caught.value.fix


@both
def test_two_refusals_then_an_answer(smollm: Llama, streamed: bool) -> None:
    notes: list[str] = []
    with Proxy(smollm.url, too_many(), too_many("0.2")) as proxy:
        before = time.monotonic()
        reply = ask(proxy, streamed=streamed, notes=notes)
    assert "Paris" in reply.text
    assert len(proxy.bodies) == 3
    assert len(notes) == 2
    assert time.monotonic() - before >= 0.2


@both
def test_a_slow_server_is_left_in_time(smollm: Llama, streamed: bool) -> None:
    with Proxy(smollm.url, stalls(20)) as proxy, pytest.raises(EndpointUnreachable) as caught:
        ask(proxy, streamed=streamed, timeout=0.5)
    assert "0.5 seconds" in caught.value.message
    assert len(proxy.bodies) == 1


@both
def test_a_gateways_error_in_an_answer_is_tried_again(streamed: bool) -> None:
    error = {"error": {"message": "the provider is overloaded", "code": 502}}
    fault = streams(error) if streamed else sends(error)
    with Scripted("fine", faults=[fault]) as server:
        assert ask(server, streamed=streamed).text == "fine"


def test_a_stream_that_breaks_before_its_text_is_asked_for_again(smollm: Llama) -> None:
    notes: list[str] = []
    with Proxy(smollm.url, cuts(1)) as proxy:
        assert "Paris" in ask(proxy, streamed=True, notes=notes).text
    assert len(proxy.bodies) == 2
    assert "lost" in notes[0]


def test_a_stream_that_breaks_amid_its_text_is_not(smollm: Llama) -> None:
    with Proxy(smollm.url, cuts(4)) as proxy:
        model = connect(Endpoint("", proxy.url))
        heard: list[str] = []
        with pytest.raises(EndpointUnreachable, match="broke off"):
            model.reply(CAPITAL, 40, heard.append)
    assert heard
    assert len(proxy.bodies) == 1


@both
@pytest.mark.parametrize(
    ("fault", "kind"),
    [(says(401, f"bad key {KEY}"), KeyRefused), (no_quota(), QuotaExhausted)],
)
def test_a_real_refusal_stops_at_once(
    smollm: Llama, fault: Fault, kind: type[EndpointError], streamed: bool
) -> None:
    with Proxy(smollm.url, fault) as proxy, pytest.raises(kind) as caught:
        ask(proxy, streamed=streamed, key=Secret(KEY))
    assert len(proxy.bodies) == 1
    assert KEY not in str(caught.value) + caught.value.fix


@both
@pytest.mark.parametrize("error", [KeyboardInterrupt, BrokenPipeError])
def test_the_connection_is_closed_when_the_reader_goes_away(
    error: type[BaseException], streamed: bool
) -> None:
    def endless(exchange: Any) -> None:
        event = {"choices": [{"index": 0, "delta": {"content": "word "}}]}
        exchange.stream(event for _ in iter(lambda: exchange.server.ended.wait(0.002), True))

    def leave(text: str) -> None:
        raise error

    with Scripted("x", faults=[endless]) as server:
        model = connect(Endpoint("", server.url))
        with pytest.raises(error):
            model.reply(HELLO, 5, leave)
        assert eventually(lambda: server.left == 1)


def for_ever(exchange: Any, *data: str) -> None:
    """Send the same again and again until the reader leaves."""
    exchange._begin(200, "text/event-stream", {"Transfer-Encoding": "chunked"})
    for _ in iter(lambda: exchange.server.ended.wait(0.001), True):
        exchange._chunk("".join(data).encode())


def delta(**content: str) -> str:
    return f"data: {json.dumps({'choices': [{'index': 0, 'delta': content}]})}\n\n"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (delta(content="word "), "word "),
        (delta(reasoning_content="hm"), ""),
        (delta(), ""),
    ],
)
def test_a_stream_that_writes_for_ever_is_cut_off(data: str, text: str) -> None:
    with Scripted("x", faults=[lambda exchange: for_ever(exchange, data)]) as server:
        reply = ask(server, streamed=True, limit=5)
        assert eventually(lambda: server.left == 1)
    assert not reply.finished
    assert len(reply.text) <= 210
    assert reply.text.replace("word ", "") == ""
    assert bool(reply.text) == bool(text)


@pytest.mark.parametrize("begin", ["", delta(content="word ")])
def test_signs_of_life_do_not_keep_a_reply_going_for_ever(begin: str) -> None:
    def pings(exchange: Any) -> None:
        exchange._begin(200, "text/event-stream", {"Transfer-Encoding": "chunked"})
        exchange._chunk(begin.encode() or b": ping\n\n")
        for _ in iter(lambda: exchange.server.ended.wait(0.01), True):
            exchange._chunk(b": ping\n\n")

    with Scripted("x", faults=[pings]) as server:
        with pytest.raises(EndpointUnreachable, match="after 0.5 seconds") as caught:
            connect(Endpoint("", server.url, timeout=0.1)).reply(HELLO, 50, str)
        assert eventually(lambda: server.left == 1)
    assert "RAG_TIMEOUT" in caught.value.fix
    assert len(server.bodies) == 1


def test_an_answer_that_drips_is_left_in_time() -> None:
    def drips(exchange: Any) -> None:
        exchange._begin(200, "application/json", {"Transfer-Encoding": "chunked"})
        for _ in iter(lambda: exchange.server.ended.wait(0.01), True):
            exchange._chunk(b" ")

    with Scripted("x", faults=[drips]) as server, pytest.raises(EndpointUnreachable):
        ask(server, timeout=0.1)


def test_usage_is_estimated_where_the_server_is_silent() -> None:
    with Scripted("one two three", usage=False) as server:
        whole = ask(server)
        assert ask(server, streamed=True) == whole
        assert not connect(Endpoint("", server.url)).exact
    assert 10 < whole.usage.input_tokens < 40
    assert 3 <= whole.usage.output_tokens <= 5


def test_usage_is_the_servers_where_it_tells() -> None:
    with Scripted("one two three") as server:
        assert ask(server).usage == ask(server, streamed=True).usage == Usage(7, 3)
    assert server.bodies[1]["stream_options"] == {"include_usage": True}
    assert "stream_options" not in server.bodies[0]


@both
@pytest.mark.parametrize(
    "fault",
    [
        sends("<html>Welcome</html>"),
        sends("{broken"),
        sends({"choices": []}),
        sends({"choices": None}),
        sends([]),
        sends({"error": "no provider"}),
        sends("[" * 100_000),
        lambda exchange: exchange.send(200, "garbage", Content_Encoding="gzip"),
    ],
)
def test_nonsense_is_told(fault: Fault, streamed: bool) -> None:
    with Scripted("x", faults=[fault]) as server, pytest.raises(EndpointError) as caught:
        ask(server, streamed=streamed)
    assert server.url.removesuffix("/v1") in caught.value.message


@pytest.mark.parametrize(
    "fault",
    [
        streams("{broken"),
        streams("[DONE]"),
        streams({"error": {"message": "the model has crashed"}}),
        streams({"choices": [{"delta": {"content": 5}}]}),
        streams("[" * 100_000),
    ],
)
def test_a_stream_of_nonsense_is_told(fault: Fault) -> None:
    with Scripted("x", faults=[fault]) as server, pytest.raises(EndpointError):
        ask(server, streamed=True)


@both
@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": None, "reasoning_content": "hm"}, ""),
        ({"content": ""}, ""),
        (
            {"content": [{"type": "text", "text": "one "}, {"type": "text", "text": "two"}]},
            "one two",
        ),
        ({"content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": "x"}]}, "x"),
        ({"content": " \n§ 2, naïve 🙂"}, " \n§ 2, naïve 🙂"),
    ],
)
def test_odd_replies_are_read(message: dict[str, Any], text: str, streamed: bool) -> None:
    with Scripted(message) as server:
        assert ask(server, streamed=streamed).text == text


@both
def test_a_reply_cut_by_its_limit_is_not_finished(streamed: bool) -> None:
    with Scripted("and then", finish="length", usage=False) as server:
        reply = ask(server, streamed=streamed, limit=40)
    assert not reply.finished
    assert reply.usage.output_tokens == 40  # it may have thought before


def test_a_stream_without_an_end_is_not_finished() -> None:
    event = {"choices": [{"index": 0, "delta": {"content": "and then"}}]}
    with Scripted("x", faults=[streams(event)]) as server:
        assert not ask(server, streamed=True).finished


def test_text_that_no_request_can_carry_is_replaced() -> None:
    with Scripted("x") as server:
        connect(Endpoint("", server.url)).reply([Message("user", "a\ud800b")], 5)
    assert server.bodies[0]["messages"][0]["content"] == "a?b"


def test_a_model_that_does_not_chat_is_told_before_any_request() -> None:
    with pytest.raises(EndpointError, match="Responses API"):
        connect(Endpoint("gpt-5.4-pro", key=Secret(KEY))).reply(HELLO, 5)


def test_openai_without_a_key_is_told_before_any_request() -> None:
    with pytest.raises(KeyRefused):
        connect(Endpoint(""))


def test_the_key_is_in_nothing_that_a_library_holds_or_logs(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    with Scripted("x", faults=[too_many(), drops]) as server:
        model = connect(Endpoint("scripted", server.url, Secret(KEY)))
        model.reply(HELLO, 5)
        model.reply(HELLO, 5, str)
    assert all(r.headers["authorization"] == f"Bearer {KEY}" for r in server.asked)
    llm = model._llm
    held = [repr(llm), str(llm.dict()), llm.to_json(), repr(vars(model)), caplog.text]
    assert KEY not in "".join(held) + "".join(capfd.readouterr())


ASK = """
import sys
from pathlib import Path
from rag.endpoint import Endpoint
from rag.errors import EndpointUnreachable
from rag.models import Message
from rag.models.cache import Cached
from rag.models.openai import connect
model = Cached(connect(Endpoint("scripted", sys.argv[1])), Path(sys.argv[2]), "here")
try:
    print(model.reply([Message("user", sys.argv[3])], min(5, model.window)).text)
except EndpointUnreachable:
    print("nobody")
print(sorted({"openai", "llama_index"} & set(sys.modules)))
"""


def test_the_libraries_are_loaded_for_a_request_and_for_nothing_else(tmp_path: Path) -> None:
    def asked(question: str) -> list[str]:
        command = [sys.executable, "-c", ASK, server.url, str(tmp_path), question]
        root = Path(__file__).parent.parent
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
        return done.stdout.splitlines()

    with Scripted("fine") as server:
        assert asked("hello") == ["fine", "['llama_index', 'openai']"]
        assert asked("hello") == ["fine", "[]"]
    assert asked("hello") == ["fine", "[]"]
    assert asked("anybody?") == ["nobody", "[]"]


def test_nothing_heavy_is_loaded_before_a_model_is_connected() -> None:
    script = (
        "import sys, rag.models, rag.models.openai, rag.models.budget, rag.models.cache\n"
        "import rag.models.prices, rag.models.ledger, rag.models.tokens, rag.endpoint\n"
        "heavy = {'openai', 'llama_index', 'tiktoken', 'httpx', 'tenacity', 'numpy', 'pydantic'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    root = Path(__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=root
    )
    assert done.stdout.strip() == "[]"
