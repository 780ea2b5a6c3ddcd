"""The formats that papers can be written in. What is written here, the readers take back whole.

A new one is a module with a function from papers to text and a line here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rag.corpus.writers.bibtex import bibtex_whole
from rag.corpus.writers.csl import csl
from rag.corpus.writers.json_lines import json_lines
from rag.corpus.writers.ris import ris
from rag.corpus.writers.table import table
from rag.types import Paper

WRITERS: Mapping[str, Callable[[Sequence[Paper]], str]] = {
    "bib": bibtex_whole,
    "csl": csl,
    "ris": ris,
    "csv": table,
    "jsonl": json_lines,
}

FORMATS = {".bib": "bib", ".json": "csl", ".ris": "ris", ".csv": "csv", ".jsonl": "jsonl"}
"""The format of a file by how its name ends."""
