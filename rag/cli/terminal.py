"""What a command says and where: answers on stdout, the rest on stderr."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rag.config import Settings
    from rag.render import Style

UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What JSON would leave as it is: C1 controls, separators, changes of direction, surrogates."""

OK, FAILED, USAGE, GATE, INTERRUPTED = 0, 1, 2, 3, 130


@dataclass
class Terminal:
    """Where a command's output goes: answers to stdout, the rest to stderr."""

    settings: Settings
    as_json: bool
    quiet: bool
    flags: Mapping[str, Any] = field(default_factory=dict)
    """The settings that the command line gave, None where it did not."""

    def note(self, text: str) -> None:
        """Say something on stderr unless --quiet."""
        if not self.quiet:
            say(text)

    def emit(self, data: Any) -> None:
        """Print one JSON document on a line of its own."""
        click.echo(dumps(data))

    def watch(self, what: str, total: int) -> Callable[[], None]:
        """A bar on stderr for work on ``total`` things; what is returned moves it by one."""
        from tqdm import tqdm

        hidden = self.quiet or total < 2 or not sys.stderr.isatty()
        bar = tqdm(total=total, desc=what, disable=hidden, leave=False)

        def moved() -> None:
            bar.update()
            if bar.n >= total:
                bar.close()

        return moved

    @contextmanager
    def counting(self, what: str, unit: str) -> Iterator[Callable[[], object]]:
        """A count on stderr for work whose end is not known, shown once it takes a while; what
        is given moves it by one."""
        from tqdm import tqdm

        hidden = self.quiet or not sys.stderr.isatty()
        with tqdm(desc=what, unit=unit, disable=hidden, leave=False, delay=1) as bar:
            yield bar.update

    @contextmanager
    def reporting(self, what: str) -> Iterator[Callable[[int, int], None]]:
        """A bar on stderr for work whose end shows on the way; what is given takes how much is
        done of how much."""
        from tqdm import tqdm

        hidden = self.quiet or not sys.stderr.isatty()
        with tqdm(desc=what, unit=" papers", disable=hidden, leave=False) as bar:

            def report(done: int, total: int) -> None:
                bar.total = total
                bar.update(done - bar.n)

            yield report

    @property
    def style(self) -> Style:
        from rag.render import Style

        return Style(sys.stdout.isatty() and "NO_COLOR" not in os.environ)


class Bar:
    """Progress of an ingest on stderr: a bar with rate and time left on a terminal, else a
    line at the start."""

    def __init__(self, terminal: Terminal) -> None:
        self.note = terminal.note
        self._quiet = terminal.quiet
        self._bar: Any = None

    def embedding(self, total: int) -> None:
        if not sys.stderr.isatty():
            self.note(f"embedding {total:,} abstracts …")
        from tqdm import tqdm

        self._bar = tqdm(
            total=total,
            desc="embedding",
            unit=" abstracts",
            disable=self._quiet or not sys.stderr.isatty(),
        )

    def advance(self, papers: int) -> None:
        self._bar.update(papers)
        if self._bar.n >= self._bar.total:
            self._bar.close()


def say(text: str) -> None:
    """A line on stderr, without what could steer the terminal."""
    from rag.render import safe

    click.echo(safe(text), err=True)


def dumps(data: Any) -> str:
    """JSON on one line, in which no character can steer a terminal or be refused by it."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    return UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def open_streams() -> None:
    """Give a closed stream somewhere to go, and a narrow encoding a way to write anything."""
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            mode = "r" if name == "stdin" else "w"
            devnull = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115
            setattr(sys, name, devnull)
        elif name != "stdin" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
