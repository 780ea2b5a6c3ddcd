"""The index for others: a server of pages and of an API, and MCP for programs."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

import click

from rag.cli.options import common, modelled
from rag.cli.terminal import Terminal
from rag.errors import ConfigError

HOST, PORT = "127.0.0.1", 8321


@click.command()
@click.option("--host", default=HOST, show_default=True, help="The address to listen at.")
@click.option("--port", default=PORT, show_default=True, help="The port; 0 takes a free one.")
@click.option(
    "--allow-host",
    "names",
    multiple=True,
    metavar="NAME",
    help="A name under which browsers may ask; can be repeated.",
)
@modelled
@common
def serve(terminal: Terminal, host: str, port: int, names: Sequence[str]) -> None:
    """Serve the index: pages, an HTTP API, OpenAI's protocol at /v1, MCP at /mcp.

    By default for this machine alone. At an address that others can reach it wants RAG_TOKEN to
    be set, and every request to bring it.
    """
    _check_installed("fastapi", "uvicorn", "mcp")
    from rag.library import Corpus
    from rag.serve.run import check_address
    from rag.serve.run import serve as run

    token = terminal.settings.token
    check_address(host, token)
    corpus = Corpus(terminal)
    papers = len(corpus)

    def started(address: str) -> None:
        terminal.note(f"{papers:,} papers at {address}; Ctrl-C stops")

    run(corpus, host, port, names, token, started)


@click.command()
@modelled
@common
def mcp(terminal: Terminal) -> None:
    """Speak the Model Context Protocol on stdin and stdout, for the program that starts this."""
    _check_installed("mcp")
    from rag.library import Corpus
    from rag.serve.desk import Desk
    from rag.serve.mcp import server

    corpus = Corpus(terminal)
    _ = corpus.asker  # what is wrong with the index is told before anything else
    server(Desk(corpus)).run("stdio")


def _check_installed(*modules: str) -> None:
    """Raise ConfigError unless the extra is there."""
    if not all(map(find_spec, modules)):
        raise ConfigError("The server is not installed.", "pip install '.[web]'")
