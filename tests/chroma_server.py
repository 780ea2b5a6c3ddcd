"""A real Chroma server on localhost, and an index that lives on it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from rag.store.home import Shared
from rag.store.server import Address

TERM = 2.0
"""Seconds of a lease here."""


@dataclass
class ChromaServer:
    """A running ``chroma run``; ``url`` is its address."""

    url: str
    process: subprocess.Popen[bytes]

    def home(self, database: str = "default_database") -> Shared:
        """A client of its own, in a database that is made if it is not there."""
        if database != "default_database":
            import chromadb

            admin = chromadb.AdminClient(
                chromadb.Settings(
                    chroma_api_impl="chromadb.api.fastapi.FastAPI",
                    chroma_server_host="127.0.0.1",
                    chroma_server_http_port=int(self.url.rpartition(":")[2]),
                    anonymized_telemetry=False,
                )
            )
            try:
                admin.get_database(database)
            except Exception:
                admin.create_database(database)
        return Shared(Address(self.url, database=database), term=TERM)


@contextmanager
def chroma_server(folder: Path) -> Iterator[ChromaServer]:
    """The server on a free port, with its rows in ``folder``."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = Path(sysconfig.get_path("scripts")) / "chroma"
    if not command.exists():
        pytest.skip(f"there is no chroma beside {sys.executable}")
    process = subprocess.Popen(
        [command, "run", "--path", folder, "--host", "127.0.0.1", "--port", str(port)],
        env={**os.environ, "ANONYMIZED_TELEMETRY": "False"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        _await(url, process)
        yield ChromaServer(url, process)
    finally:
        process.kill()
        process.wait()


def _await(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(200):
        try:
            urllib.request.urlopen(f"{url}/api/v2/heartbeat", timeout=1).close()
            return
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.05)
    pytest.fail("chroma run did not start")
