"""Our server at a free port of localhost, in a thread of the tests."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from rag import open_corpus
from rag.serve.app import application
from rag.types import Secret


@contextmanager
def serving(store: Path, token: str | None = None, **settings: Any) -> Iterator[str]:
    """The address of a server over an index; ``settings`` go to ``open_corpus``."""
    corpus = open_corpus(store, **settings)
    app = application(corpus, token=Secret(token) if token else None)
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="error", access_log=False, timeout_graceful_shutdown=5)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@contextmanager
def client(address: str, **how: Any) -> Iterator[httpx.Client]:
    """A client that asks nobody else, whatever proxies the environment names."""
    with httpx.Client(base_url=address, trust_env=False, timeout=30, **how) as opened:
        yield opened
