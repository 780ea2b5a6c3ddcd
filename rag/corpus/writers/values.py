"""Values written so that the readers take them for what they were.

What a reader makes of a written list is asked of it, not known here: there is one place that says
at which marks names part.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Literal

from rag.corpus.clean import clean_abstract
from rag.corpus.fields import record_from
from rag.corpus.record import RawRecord
from rag.types import Paper

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_ABSTRACT = "A text that every reader takes for an abstract."
_List = Literal["authors", "keywords"]


def abstract(paper: Paper) -> str:
    """The abstract as it stood in its source or, where that would not give the text that is held,
    the text."""
    return paper.raw if _gives(paper, paper.raw) else paper.text


def abstract_line(paper: Paper) -> str:
    """``abstract`` on one line, for formats in which a line can begin something else."""
    line = one_line(paper.raw)
    return line if _gives(paper, line) else paper.text


def _gives(paper: Paper, written: str) -> bool:
    """Whether what is written is read as the paper's text."""
    return clean_abstract(written) == paper.text


def one_line(text: str) -> str:
    """A text without line breaks and controls, which cleaning takes off, too."""
    return " ".join(_CONTROL.sub(" ", text).split())


def listed(field: _List, values: Sequence[str], *marks: str) -> str:
    """Values parted by the first of the marks that the readers part again at the same places; a
    mark may stand behind the last of them, too. Where none will do, an array as programs print it.
    """
    if not values:
        return ""
    joined = [mark.join(values) + end for end in ("", ";") for mark in marks]
    array = json.dumps(values, ensure_ascii=False)
    return next((text for text in joined if is_exact(field, text, values)), array)


def is_exact(field: _List, written: object, values: Sequence[str]) -> bool:
    """Whether the readers take what is written for just these values."""
    read = record_from({"abstract": _ABSTRACT, field: written}, line=1)
    return isinstance(read, RawRecord) and getattr(read, field) == tuple(values)
