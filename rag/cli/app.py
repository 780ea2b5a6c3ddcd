"""The command ``rag``: its commands, and what becomes of errors. No traceback leaves here."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import click

from rag import __version__
from rag.cli.lazy import LazyGroup
from rag.cli.terminal import FAILED, INTERRUPTED, OK, USAGE, dumps, open_streams, say
from rag.errors import RagError

COMMANDS = {
    "demo": "papers:demo",
    "ingest": "ingesting:ingest",
    "show": "papers:show",
    "list": "papers:list_papers",
    "stats": "corpus:stats",
    "export": "corpus:export",
    "dupes": "corpus:dupes",
    "remove": "removing:remove",
    "search": "answers:search",
    "similar": "answers:similar",
    "ask": "answers:ask",
    "chat": "chat:chat",
    "summarize": "summaries:summarize",
    "digest": "digests:digest",
    "verify": "verify:verify",
    "eval": "evals:evals",
    "doctor": "upkeep:doctor",
    "rebuild": "upkeep:rebuild",
    "store": "storing:store",
    "serve": "serving:serve",
    "mcp": "serving:mcp",
    "config": "about:config",
    "prompts": "about:prompts",
    "usage": "about:usage",
}
"""Each command with its module and function; only the one that runs is imported."""


class Commands(LazyGroup):
    """The commands of ``rag``."""

    commands_at = COMMANDS


@click.group(
    cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, "--version", prog_name="rag")
@click.option("--store", metavar="DIR", help="Index folder.  [default: index_store]")
@click.option("--json", "as_json", is_flag=True, help="JSON on stdout.")
@click.option("-q", "--quiet", is_flag=True, help="No notes or progress on stderr.")
@click.pass_context
def cli(context: click.Context, /, **options: Any) -> None:
    """Ask a list of paper abstracts. Every sentence of an answer rests on exact quotes.

    Start with `rag demo`, or with `rag ingest FILE` and `rag ask "…"`.
    """
    context.obj = options


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit with its status; no traceback for anything a user can cause."""
    arguments = sys.argv[1:] if arguments is None else arguments
    open_streams()
    as_json = "--json" in arguments
    try:
        cli.main(list(arguments), prog_name="rag", standalone_mode=False)
        sys.stdout.flush()
        status = OK
    except RagError as error:
        status = _fail(error.to_json(), FAILED, as_json)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        status = USAGE
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "rag"
        fix = f"{command} --help shows the usage"
        details = {"type": "UsageError", "message": error.format_message(), "fix": fix}
        status = _fail(details, USAGE, as_json)
    except click.exceptions.Exit as stop:
        status = stop.exit_code
    except SystemExit as stop:
        status = OK if _closed(stop) else int(stop.code or 0)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        status = INTERRUPTED
    except BrokenPipeError:  # the reader of our output has left, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = OK
    except Exception as error:
        if os.environ.get("RAG_DEBUG"):
            raise
        status = _fail(_unforeseen(error), FAILED, as_json)
    sys.exit(status)


def _unforeseen(error: Exception) -> Mapping[str, str]:
    """What to say of an error that nobody expected, such as output that a full disk refuses."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
        message = f"The output cannot be written: {error.strerror}."
        return {"type": "OutputError", "message": message, "fix": "free some space"}
    return {
        "type": "InternalError",
        "message": f"Something unforeseen: {type(error).__name__}: {error}",
        "fix": "rag doctor checks the index; RAG_DEBUG=1 shows where it happened",
    }


def run() -> None:
    """The command ``rag``: like ``main``, but leaves at once. Taking the model down politely
    takes a tenth of the time of an answer; what Chroma has open is closed in order."""
    try:
        main()
    except SystemExit as stop:
        if "chromadb" in sys.modules:
            raise
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(int(stop.code or 0))


def _closed(stop: SystemExit) -> bool:
    """Whether click has left because nobody reads our output any more; how it does so depends
    on its version."""
    pacified = type(sys.stdout).__name__.endswith("PacifyFlushWrapper")
    return pacified or isinstance(stop.__context__, BrokenPipeError)


def _fail(error: Mapping[str, str], status: int, as_json: bool) -> int:
    with suppress(OSError):  # nobody may be listening
        if as_json:
            click.echo(dumps({"error": error}))
    with suppress(OSError):
        say(f"error: {error['message']}\n  fix: {error['fix']}")
    return status
