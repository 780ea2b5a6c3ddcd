"""Eight invented papers, and an index of them with the real model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rag.embed import Embedder
from rag.retrieve.indexing import write_index
from rag.store.ingest import IngestReport, ingest
from rag.types import Paper
from tests.fakes import Notes, batch, paper

PAPERS = [
    paper(
        "tide",
        "Coastal gauges fail during storms, just when forecasts matter most. We present "
        "TideNet, a graph network that fills the gaps from neighbouring harbours. On twelve "
        "years of records it lowers the error of the water level from 9.4 cm to 6.1 cm.",
        title="TideNet: Filling the Gaps of Storm-Struck Sea Level Gauges",
        url="https://example.org/tide",
        area="earth science",
        venue="Toy Conference 2031",
        year=2031,
    ),
    paper(
        "prune",
        "Large language models waste memory on attention heads that do nothing. We remove "
        "heads one at a time and watch the loss on held-out text. Half of the heads of a "
        "7B model can go at a loss of 0.2 points of accuracy.",
        title="Half of the Heads Can Go",
        area="language models",
        venue="Toy Conference 2031",
        year=2031,
    ),
    paper(
        "bees",
        "Honeybees tell each other where flowers are by dancing. A camera above the comb and "
        "a small tracker read 1,240 dances without touching a single bee. The decoded places "
        "agree with the pollen that foragers bring home.",
        title="Reading the Dance Floor of a Hive",
        area="biology",
        venue="Toy Workshop 2030",
        year=2030,
    ),
    paper(
        "proof",
        "Proof assistants reject most of what language models write. LemmaLoom repairs a "
        "broken proof by weaving in lemmas from a library. It closes 38 % of the goals that "
        "were left open, at a tenth of the search.",
        handle="LemmaLoom",
        area="reasoning",
    ),
    paper(
        "grip",
        "Robots drop soft fruit because they cannot feel it slip. We put microphones into the "
        "fingertips and listen for slipping. A policy trained on sound alone picks strawberries "
        "without bruising them.",
        title="Listening Fingers for Soft Fruit",
        area="robotics",
        venue="Toy Conference 2031",
        year=2031,
    ),
    paper(
        "leak",
        "Benchmarks lose their worth once models have seen the answers. We hide harmless marks "
        "in questions and ask whether a model completes them. Nine of fourteen public models "
        "betray that they were trained on the test set.",
        title="Marked Questions Reveal Contaminated Benchmarks",
        area="language models",
        venue="Toy Workshop 2030",
        year=2030,
    ),
    paper(
        "cells",
        "Microscopes see cells for seconds before light harms them. A diffusion model draws "
        "the missing frames between two gentle exposures. Biologists could not tell drawn "
        "frames from real ones in 48 of 100 trials.",
        title="Gentle Microscopy with Imagined Frames",
        area="biology",
        year=2031,
    ),
    paper(
        "grid",
        "Power grids with much wind and sun need to be rebalanced every few seconds. We train "
        "a controller by reinforcement learning inside a certified safe set. No constraint was "
        "violated in a year of simulated operation.",
        title="Safe Reinforcement Learning Balances the Grid",
        area="control",
        venue="Toy Conference 2031",
        year=2031,
    ),
]

QUESTIONS = {
    "Which work estimates the sea level when tide gauges are broken?": "tide",
    "How can a robot pick strawberries without bruising them?": "grip",
    "Was the test set part of what public models were trained on?": "leak",
}
"""Each with the id of the paper that answers it."""


def index(store: Path, embedder: Embedder, papers: Sequence[Paper] = PAPERS) -> IngestReport:
    """Ingest papers as the command line does, with all that searching wants."""
    return ingest(store, [batch(papers)], embedder, write_index, Notes())
