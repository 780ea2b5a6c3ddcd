"""Which phrases are subjects that a researcher would put above a list of papers.

Knows the topics that the field has names for, and how a noun phrase stands in a sentence; there is
no tagger here. Knows no papers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from rag.digest.phrases import LONELY, key
from rag.retrieve.kin import named_topics

WIDE = frozenset(
    map(
        key,
        """
        acceleration; agents; AI; alignment; attacks; attention; authors; benchmark; bias;
        classification; clustering; compression; dataset; deep learning; deep neural networks;
        diffusion; distillation; diversity; efficiency; efficient inference; efficient training;
        embeddings; entropy; evaluation; exploration; fine-tuning; finetuning; foundation models;
        generalization; generation; generative models; geometry; guidance; inference; large models;
        machine learning; math; memory; metrics; multi-modal; multi-turn; multimodal; neural
        networks; optimization; planning; pre-training; pretraining; post-training; regularization;
        robustness; safety; sampling; scaling; security; sparsity; steering; theory; training-free;
        uncertainty; unified model; video; artificial intelligence; natural language; real world;
        real-world data; training data; language; test time; ground truth; open source; code; data
        efficiency; deep network
        """.split(";"),
    )
)
"""Keys of what fits most papers of the field, or says too little by itself."""
_LONELY = frozenset(map(key, LONELY))

_BEFORE = re.compile(
    r"(?:^|[,(:]\s|\b(?:of|in|for|on|with|the|an?|by|from|as|via|between|across|under|through|and|or|"
    r"towards?|our|their|its|using|into|about|over|against|behind|beyond)\s)$",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"[,.;:)?]|$|\s(?:and|or|of|in|for|with|is|are|on|by|from|that|which|via|through|as|at|under|"
    r"across|where|can|has|have|while|when|using|but|than|without|between|due|remains?)\b|\s\("
)
REACH = 10
"""Characters before a phrase that are looked at: its article or preposition."""


@cache
def known() -> Mapping[str, str]:
    """The topics that the field has names for, but for wide ones: the longest name of each key."""
    names = sorted((topic.name for topic in named_topics()), key=lambda name: (len(name), name))
    return {key(name): name for name in names if key(name) not in WIDE}


@cache
def _single_words() -> frozenset[str]:
    """The known topics of one word, in small letters and without a plural's ending."""
    return frozenset(name.lower().removesuffix("s") for name in known().values() if " " not in name)


def may_be_subject(phrase: str, surface: str) -> bool:
    """Whether a key, written as it is, can be a subject: the field's name for one, or several
    words that are not all of the field's common ones. "Transformations" are no transformers."""
    words = phrase.split()
    if phrase in known():
        return len(words) > 1 or surface.lower().removesuffix("s") in _single_words()
    return len(words) > 1 and not _LONELY.issuperset(words) and phrase not in WIDE


def stands_as_noun(surface: str, sentence: str) -> bool:
    """Whether a phrase stands where a noun phrase begins and ends, as a verb and what it goes
    with do not; only its first place counts."""
    start = sentence.find(surface)
    before = sentence[max(0, start - REACH) : start] if start else ""
    if start > REACH:
        before = f"\0{before}"
    return start >= 0 and bool(
        _BEFORE.search(before) and _BEHIND.match(sentence, start + len(surface))
    )
