"""A conversation as Markdown in which every text shows as it is, whatever stands in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rag.publish.escaping import escaped
from rag.types import Answer, Paper

_LINE = re.compile(r"^([ \t]*(?:- )?)(.*?)([ \t]*)$", re.MULTILINE)
_LINK = re.compile(r"https?://[^\s<>\\]+")


def markdown(answers: Sequence[Answer]) -> str:
    """Questions, answers with their markers, and numbered sources with what is quoted of them."""
    blocks = ["# Conversation"]
    for number, answer in enumerate(answers, start=1):
        blocks += [f"## {number}. {escaped(answer.question)}", *_answer(answer)]
    return "\n\n".join(blocks) + "\n"


def _answer(answer: Answer) -> Iterator[str]:
    if answer.standalone_question != answer.question:
        yield f"*Understood as: {escaped(answer.standalone_question)}*"
    yield escaped(answer.text)
    yield from (f"*{escaped(note)}*" for note in answer.notes)
    if answer.sources:
        yield sources_markdown(answer)
    if answer.model:
        yield f"*{escaped(answer.model)}, {escaped(answer.prompt or answer.engine)}*"


def text_markdown(text: str) -> str:
    """An answer's text, or a piece of it, with its lines and the dashes of its list."""
    return _LINE.sub(lambda found: f"{found[1]}{escaped(found[2])}{found[3]}", text)


def sources_markdown(answer: Answer) -> str:
    """The sources of an answer as a numbered list, with what is quoted of each."""
    numbered = enumerate(answer.sources, start=1)
    return "\n".join(_source(answer, number, paper) for number, paper in numbered)


def paper_markdown(paper: Paper) -> str:
    """A paper: its title, what is known of it, its abstract."""
    known = {
        "Authors": ", ".join(paper.authors),
        "Venue": paper.venue,
        "Year": paper.year,
        "Area": paper.area,
        "Keywords": ", ".join(paper.keywords),
        "URL": paper.url,
    }
    facts = [f"- {name}: {escaped(str(value))}" for name, value in known.items() if value]
    blocks = [f"# {escaped(paper.name)}", "\n".join(facts), escaped(paper.text)]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _source(answer: Answer, number: int, paper: Paper) -> str:
    """A paper as an item of a list, and under it what is quoted of it."""
    indent = " " * len(f"{number}. ")
    link = f", <{paper.url}>" if paper.url and _LINK.fullmatch(paper.url) else ""
    place = f"{escaped(paper.sources[0].path)}, line {paper.sources[0].line}"
    lines = [f"{number}. **{escaped(paper.name)}**{link} ({place})"]
    quotes = [c.quote for s in answer.statements for c in s.citations if c.number == number]
    for quote in dict.fromkeys(quotes):
        lines += ["", f"{indent}> {escaped(quote)}"]
    return "\n".join(lines)
