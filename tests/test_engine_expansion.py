"""Abbreviations: what a question asks of them, and which sentence spells them out."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.embed.minilm import MiniLM
from rag.engine.answer import Asker
from rag.engine.expansion import abbreviated, spelling_out
from rag.retrieve.hybrid import Retriever
from rag.store.snapshot import Snapshot
from tests.corpus import index
from tests.fakes import paper

PAPERS = [
    paper("gust", "Kites fall in gusts. We use gust aware steering (GAS) on each. It helps."),
    paper("gas", "We refine gust aware steering (GAS) for boats. Sails last longer."),
    paper("stove", "Stoves burn gas. Green ash sieving (GAS) cleans them. Cooks like it."),
    paper("dune", "DUNE (Drifting Under Night Echoes) maps sand. We tried it on two coasts."),
    paper("reef", "Reefs grow slowly. REEF watches them with a camera.", handle="REEF"),
]


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM) -> Asker:
    store: Path = tmp_path_factory.mktemp("expansion") / "store"
    index(store, minilm, PAPERS)
    return Asker(Retriever(Snapshot.open(store), minilm))


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("What does GAS stand for?", "GAS"),
        ("what does gas stand for?", "gas"),
        ("What is the full form of GAS?", "GAS"),
        ("What is GAS short for?", "GAS"),
        ("Spell out GAS", "GAS"),
        ("What is GAS an acronym for?", "GAS"),
    ],
)
def test_a_question_may_ask_for_the_long_form(question: str, short: str) -> None:
    assert spelling_out(question) == abbreviated(question) == short


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("What is GAS?", "GAS"),
        ("What does DfI mean?", "DfI"),
        ("What is gas?", None),
        ("What is GAS used for?", None),
        ("Who can stand for long?", None),
    ],
)
def test_a_definition_may_want_the_long_form_as_well(question: str, short: str | None) -> None:
    assert (abbreviated(question), spelling_out(question)) == (short, None)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What does GAS stand for?", "gust aware steering (GAS)"),
        ("What is GAS?", "gust aware steering (GAS)"),
        ("What does DUNE stand for?", "DUNE (Drifting Under Night Echoes)"),
    ],
)
def test_the_common_long_form_comes_first(asker: Asker, question: str, said: str) -> None:
    answer = asker.ask(question)
    assert answer.outcome == "answered"
    assert said in answer.statements[0].text


def test_what_no_paper_spells_out_is_not_made_up(asker: Asker) -> None:
    assert asker.ask("What does REEF stand for?").outcome == "not_in_abstracts"
    assert asker.ask("What does ZQX stand for?").outcome == "not_in_corpus"
    assert asker.ask("What is REEF?").outcome == "answered"
