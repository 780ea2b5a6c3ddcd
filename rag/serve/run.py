"""The server at an address, until it is told to stop; what is being answered then is finished."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Sequence
from ipaddress import ip_address

from rag.errors import ConfigError
from rag.library import Corpus
from rag.serve.app import LOOPBACK, application
from rag.types import Secret

PATIENCE = 30
"""Seconds that answers under way have to be finished."""
KEEP_ALIVE, AT_ONCE = 15, 512
"""Seconds for which an idle connection is kept; connections and requests at once, beyond which
the answer is 503."""


def serve(
    corpus: Corpus,
    host: str,
    port: int,
    names: Sequence[str] = (),
    token: Secret | None = None,
    started: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve until interrupted; ``started`` is told the address. ``names`` are those beside the
    address under which the server may be asked.

    Raises ConfigError for an address that cannot be had, or one that others can reach without a
    ``token``.
    """
    import uvicorn

    check_address(host, token)
    with _listening(host, port) as listener:
        hosts = {*LOOPBACK, *names} | (set() if _anywhere(host) else {host.lower()})
        app = application(corpus, hosts, token)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,  # an address may hold a question, or the token
            server_header=False,
            proxy_headers=False,  # who asks is told by the connection, not by the request
            timeout_keep_alive=KEEP_ALIVE,
            timeout_graceful_shutdown=PATIENCE,
            limit_concurrency=AT_ONCE,
        )
        started(_address(host, listener.getsockname()[1]))
        uvicorn.Server(config).run(sockets=[listener])


def check_address(host: str, token: Secret | None) -> None:
    """Raise ConfigError for an address that others can reach, unless there is a token."""
    if not _is_loopback(host) and token is None:
        fix = "set RAG_TOKEN to a long random word, which every request then has to bring"
        raise ConfigError(f"{host} can be reached by others, and there is no token.", fix)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _anywhere(host: str) -> bool:
    """Whether an address stands for all that the machine has, and so is no name for it."""
    return host in ("", "0.0.0.0", "::")


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=AT_ONCE)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            fix = "stop what listens there, or take another with --port; 0 takes any that is free"
            raise ConfigError(f"Port {port} of {host} is taken.", fix) from error
        reason = error.strerror or str(error)
        fix = "take another address with --host, or another port with --port"
        raise ConfigError(f"The server cannot listen at {host}:{port}: {reason}.", fix) from error
    except OverflowError as error:
        raise ConfigError(f"There is no port {port}.", "take one from 1024 to 65535") from error


def _address(host: str, port: int) -> str:
    shown = "localhost" if _anywhere(host) else f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"
