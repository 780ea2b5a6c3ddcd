"""Which sentence of an abstract says best what its paper brings.

The weights were learned from abstracts and their one-line summaries (``evals/summaries.py
--fit``); here they are only multiplied and added.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from rag.summarize.features import features

_OWN = re.compile(r"\b(?:we|our|this (?:paper|work|study|article)|the authors)\b", re.I)


def ranked(sentences: Sequence[str], handle: str) -> list[int]:
    """Indices of the sentences, most telling first, background last; ties by place."""
    known = weights()
    scores = [
        round(sum(known.get(name, 0.0) * value for name, value in row.items()), 6)
        for row in features(sentences, handle)
    ]
    background = [not _is_own(sentence, handle) for sentence in sentences]
    return sorted(range(len(sentences)), key=lambda i: (background[i], -scores[i], i))


def _is_own(sentence: str, handle: str) -> bool:
    """Whether a sentence is about the paper itself. On the abstracts that the weights come from
    this changes next to nothing; others have more background, and better written."""
    return bool(_OWN.search(sentence) or (handle and sentence.startswith(f"{handle} ")))


@cache
def weights() -> dict[str, float]:
    """The weight of each feature by its name."""
    text = files("rag.summarize").joinpath("weights.json").read_text(encoding="utf-8")
    return dict(json.loads(text))
