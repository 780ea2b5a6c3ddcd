"""How much of a reference's wording a text shares. The only module that knows rouge_score."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rouge_score.rouge_scorer import RougeScorer

DIGITS = 6
_NAMES = {"ROUGE-1": "rouge1", "ROUGE-2": "rouge2", "ROUGE-L": "rougeL"}


def rouge_scores(text: str, reference: str) -> dict[str, float]:
    """F1 in [0, 1] over stemmed words, as the literature on one-line summaries reports it. None
    for a reference without a Latin letter or digit: ROUGE sees no other words."""
    if not any(character.isascii() and character.isalnum() for character in reference):
        return {}
    found = _scorer().score(reference, text)
    return {name: round(found[key].fmeasure, DIGITS) for name, key in _NAMES.items()}


@cache
def _scorer() -> RougeScorer:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer([*_NAMES.values()], use_stemmer=True)
