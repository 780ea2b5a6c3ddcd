"""A conversation at a terminal, or through a pipe: questions, and commands that begin with /."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rag.cli.answers import tell
from rag.cli.options import common, filtered, modelled, rewordable
from rag.cli.terminal import FAILED, Terminal, say
from rag.errors import QuestionError, RagError
from rag.opening import open_asker, open_purse

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import History
    from prompt_toolkit.key_binding import KeyPressEvent

    from rag.chat import Conversation
    from rag.library import Corpus
    from rag.retrieve.filters import Filters
    from rag.types import Answer

HELP = """\
Ask anything about the papers; "and why?", "the second one" or "no, I meant FIRE" will do.
  /sources          the sources of the last answer with what is quoted of them
  /paper N          the abstract of source N
  /why              why the last answer: its papers, its sentences, or why there is none
  /new              begin another conversation
  /save FILE        write the conversation as Markdown; /save! writes over a file
  /export bib FILE  write the papers cited as BibTeX, without FILE show them; /export! likewise
  /good, /bad       judge the last answer, for the evals; what you add is kept as a remark
  /help, /quit      this; leave, as exit, bye and Ctrl-D do. Ctrl-C stops an answer"""

MOST_DIGITS = 9
"""Of the number of a source; a longer one is none."""
LEAVING = frozenset({"/quit", "/exit", "/bye", "quit", "exit", "bye", "goodbye"})
_SMALL_TALK = re.compile(
    r"(?:(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|thanks?|thank you|thx|cheers"
    r"|ok(?:ay)?|great|cool|nice|perfect|there|very much|so much|a lot|who are you|help"
    r"|what can (?:you do|i ask)(?: for me)?|how are you)(?:\W+|$))+",
    re.I,
)
"""What is said to be polite, or to find out what one is talking to."""


@click.command()
@click.option("--no-log", is_flag=True, help="Keep nothing of what is said in the index folder.")
@rewordable
@modelled
@filtered
@common
def chat(terminal: Terminal, no_log: bool, filters: Filters) -> None:
    """Talk with the papers: questions, follow-ups, and /help for what else can be done.

    Without a terminal the questions are read from stdin, one a line. What is said stays in the
    index folder, in chats.jsonl, for rag eval draft --from chats.
    """
    from rag.chat import Conversation
    from rag.library import Corpus
    from rag.retrieve.filters import passing

    opened = partial(open_asker, purpose="chat", purse=open_purse(terminal))
    corpus = Corpus(terminal, opened)
    log = None if no_log else terminal.settings.store
    talk = Talk(terminal, Conversation(corpus.asker, filters, log), corpus)
    if sys.stdin.isatty() and sys.stderr.isatty():
        papers = len(passing(corpus.snapshot, filters))
        terminal.note(f"{papers:,} papers. /help lists the commands, Ctrl-D leaves.")
        _converse(talk, _typed(log))
        return
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    for line in sys.stdin:
        if not talk.take(line):
            break
    if talk.asked and talk.failed == talk.asked:
        raise SystemExit(FAILED)


def _converse(talk: Talk, lines: Iterator[str]) -> None:
    """Take what is typed; Ctrl-C ends an answer, not the conversation."""
    for line in lines:
        try:
            if not talk.take(line):
                return
        except KeyboardInterrupt:
            say("\nstopped")


@dataclass
class Talk:
    """A conversation as it is shown; ``failed`` of ``asked`` questions have met an error."""

    terminal: Terminal
    conversation: Conversation
    corpus: Corpus
    asked: int = 0
    failed: int = 0

    def take(self, line: str) -> bool:
        """Answer a question or do what a command says; False once it says to leave."""
        line = line.strip()
        if line.casefold().rstrip(".! ") in LEAVING:
            return False
        try:
            if line.startswith("/"):
                self._command(line)
            elif _SMALL_TALK.fullmatch(line):
                self.terminal.note("Ask me about the papers; /help shows what else can be done.")
            elif line:
                self._question(line)
        except RagError as error:
            say(f"error: {error.message}\n  fix: {error.fix}")
        return True

    def _question(self, line: str) -> None:
        self.asked += 1
        try:
            self.conversation.asker = self.corpus.asker  # of the index as it is now
            answer = self._told(line) if self.terminal.as_json else self._streamed(line)
        except RagError as error:
            self.failed += 1
            if self.terminal.as_json:
                self.terminal.emit({"error": error.to_json()})
            raise
        tell(self.terminal, answer)

    def _told(self, line: str) -> Answer:
        answer = self.conversation.ask(line, on_question=self._understood)
        self.terminal.emit(answer.to_json())
        return answer

    def _streamed(self, line: str) -> Answer:
        """Show an answer as it comes, and then what its numbers mean."""
        from rag.render import Flow, safe

        flow = Flow()
        answer = self.conversation.ask(
            line, lambda piece: click.echo(flow.add(piece), nl=False), self._understood
        )
        named = enumerate(answer.sources if answer.statements else (), start=1)
        sources = [self.terminal.style.dim(f"[{n}] {safe(paper.name)}") for n, paper in named]
        click.echo("\n".join(["", *sources, ""]))
        return answer

    def _understood(self, question: str) -> None:
        self.terminal.note(f"→ {question}")

    def _show(self, text: str) -> None:
        """Print what was asked for; with --json stdout is for answers alone."""
        click.echo(text, err=self.terminal.as_json)

    # --- commands ------------------------------------------------------------------------------

    def _command(self, line: str) -> None:
        name, _, rest = line[1:].partition(" ")
        commands: dict[str, Callable[[str], None]] = {
            "sources": self._sources,
            "paper": self._paper,
            "why": self._why,
            "new": self._new,
            "save": self._save,
            "save!": partial(self._save, over=True),
            "export": self._export,
            "export!": partial(self._export, over=True),
            "good": partial(self._judge, good=True),
            "bad": partial(self._judge, good=False),
            "help": lambda _: self._show(HELP),
        }
        if name not in commands:
            raise QuestionError(f"There is no command /{name}.", "/help lists the commands")
        commands[name](rest.strip())

    def _sources(self, _: str) -> None:
        from rag.render import sources_text

        self._show(sources_text(self.conversation.sourced(), self.terminal.style, whole=True))

    def _paper(self, number: str) -> None:
        from rag.render import paper_text

        if not number.isdecimal() or len(number) > MOST_DIGITS:
            raise QuestionError("/paper needs the number of a source.", "for one, /paper 1")
        self._show(paper_text(self.conversation.paper(int(number)), self.terminal.style))

    def _why(self, _: str) -> None:
        from rag.cli.explaining import explanation_text

        self._show(explanation_text(self.conversation.why()))

    def _new(self, _: str) -> None:
        self.conversation.new()
        self.terminal.note("a new conversation")

    def _save(self, name: str, *, over: bool = False) -> None:
        if not name:
            raise QuestionError("/save needs the name of a file.", "for one, /save talk.md")
        self.conversation.last()  # so that no file is made of nothing
        self._write("save", name, self.conversation.markdown(), over)

    def _export(self, words: str, *, over: bool = False) -> None:
        kind, _, name = words.partition(" ")
        if kind != "bib":
            raise QuestionError("Papers are exported as bib.", "/export bib papers.bib")
        entries = self.conversation.bibtex()
        if not entries:
            raise QuestionError("No paper has been cited yet.", "ask something first")
        if name.strip():
            self._write("export", name.strip(), entries, over)
        else:
            self._show(entries)

    def _write(self, command: str, name: str, text: str, over: bool) -> None:
        """Write a file; one that is there already only if it is said to write over it."""
        try:
            path = Path(name).expanduser()
            with path.open("w" if over else "x", encoding="utf-8") as stream:
                stream.write(text)
        except FileExistsError as error:
            fix = f"/{command}! writes over it, or give another name"
            raise QuestionError(f"{name} is there already.", fix) from error
        except (OSError, ValueError, RuntimeError) as error:
            raise QuestionError(f"{name} cannot be written: {error}", "name another") from error
        self.terminal.note(f"written to {path}")

    def _judge(self, remark: str, *, good: bool) -> None:
        self.conversation.judge(good, remark)
        self.terminal.note(f"noted in {self.terminal.settings.store / 'feedback.jsonl'}")


# --- typing --------------------------------------------------------------------------------------


def _typed(store: Path | None) -> Iterator[str]:
    """Lines as they are typed, with editing and a history that the index's folder keeps, if any."""
    session, warned = _session(store / "chat_history" if store else None), False
    while True:
        try:
            line = session.prompt("> ")
        except EOFError:
            return
        except KeyboardInterrupt:
            if warned:
                return
            say("Ctrl-C again leaves, and the conversation is lost; /save keeps it")
            warned = True
        else:
            warned = False
            yield line


def _session(file: Path | None) -> PromptSession[str]:
    """Prompts on stderr, since stdout is for answers. Ctrl-C empties a line; on an empty one it
    raises KeyboardInterrupt."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.output import create_output

    keys = KeyBindings()

    @keys.add("c-c")
    def _(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:
            event.app.exit(exception=KeyboardInterrupt)

    output = create_output(stdout=sys.stderr)
    return PromptSession(history=_history(file), key_bindings=keys, output=output)


def _history(file: Path | None) -> History:
    """What was typed before, kept in a file for the user's eyes; in memory where none can be."""
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    class Kept(FileHistory):
        def store_string(self, string: str) -> None:
            with suppress(OSError):  # a full disk is no reason to stop talking
                super().store_string(string)

    if file is None:
        return InMemoryHistory()
    try:
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600))
    except OSError:
        return InMemoryHistory()
    return Kept(str(file))
