"""How near to each other a text has the words that a question has side by side.

BM25 takes a text for a bag of words; that "reward model" stand together is worth as much as the
less rare of the two, less the further they are apart (the term proximity of Rasolofo & Savoy, 2003,
for neighbours of the question alone, with 1/distance in place of its square).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise, product


def proximity(asked: Sequence[str], rarity: Mapping[str, float], text: Sequence[str]) -> float:
    """The sum over neighbours among the ``asked`` terms of the rarity of the less rare of them
    over the least distance at which ``text``, also terms in order, has both. Never negative."""
    places: dict[str, list[int]] = {term: [] for term in asked}
    for place, term in enumerate(text):
        if term in places:
            places[term].append(place)
    return sum(
        min(rarity[first], rarity[second]) / _distance(places[first], places[second])
        for first, second in pairwise(asked)
        if first != second and places[first] and places[second]
    )


def _distance(ones: Sequence[int], others: Sequence[int]) -> int:
    return min(abs(one - other) for one, other in product(ones, others))
