"""How likely a paper is about a notion, whether or not it has the words.

A logistic score over the signals of ``rag.retrieve.about``, with the weights of
``topicality.json``, which ``evals/topics.py`` fits. Knows no request, no floor and no digest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rag.retrieve.about import SIGNALS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rag.retrieve.about import Floats

FITTED, CROWD = 40, 0.3
"""Papers of the corpora that the weights were fitted on, and what a score loses for each time that
a corpus is e times larger: among more papers more look alike by chance. Estimated at 4,302 from
how seldom authors' keywords name what the score alone calls likely."""

WEIGHTS = Path(__file__).with_name("topicality.json")


@dataclass(frozen=True, slots=True)
class Model:
    """A logistic model of membership: a weight for each signal."""

    weights: Mapping[str, float]
    bias: float

    @classmethod
    @cache
    def read(cls) -> Model:
        """The fitted one."""
        return cls(**json.loads(WEIGHTS.read_text(encoding="utf-8")))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def probabilities(self, signals: Floats) -> NDArray[np.float64]:
        """From the signals of a whole corpus, shape (papers, signals), to probabilities with four
        decimals."""
        weights = np.array([self.weights[name] for name in SIGNALS])
        crowd = CROWD * max(float(np.log(len(signals) / FITTED)), 0.0)
        scores = signals.astype(np.float64) @ weights + self.bias - crowd
        rounded: NDArray[np.float64] = np.round(1 / (1 + np.exp(-scores)), 4)
        return rounded
