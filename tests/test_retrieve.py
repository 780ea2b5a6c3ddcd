"""Search terms, scores, filters and passages, on eight invented papers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rag.embed.minilm import MiniLM
from rag.errors import QuestionError, StoreDamaged
from rag.retrieve.filters import Filters, span
from rag.retrieve.hybrid import LATE, NEAR, Retriever, scaled, standardised
from rag.retrieve.lexical import Lexical, mentions, write_bm25
from rag.retrieve.people import is_called
from rag.retrieve.terms import terms, words
from rag.store.ingest import rebuild
from rag.store.snapshot import Snapshot
from rag.types import Paper
from tests.corpus import PAPERS, QUESTIONS, index
from tests.fakes import Notes, paper

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def lexical(tmp_path_factory: pytest.TempPathFactory) -> Lexical:
    """BM25 over the eight papers."""
    return bm25(tmp_path_factory.mktemp("bm25"), PAPERS)


def bm25(folder: Path, papers: Sequence[Paper]) -> Lexical:
    write_bm25(folder, papers)
    return Lexical(folder)


def search_in(store: Path, minilm: MiniLM, papers: Sequence[Paper]) -> Retriever:
    """Search over a new index of ``papers``."""
    index(store, minilm, papers)
    return Retriever(Snapshot.open(store), minilm)


def found(retriever: Retriever, question: str, filters: Filters | None = None) -> list[str]:
    """Ids of the papers found, best first."""
    return [hit.paper.paper_id for hit in retriever.search(question, filters=filters)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ℓ₁ ﬁne ４２", ["l1", "fine", "42"]),
        ("0.545 or 2,5", ["0.545", "or", "2,5"]),
        ("1,000 and 12,345,678", ["1000", "and", "12345678"]),
        ("test-time GPT-4o", ["test", "time", "gpt", "4o"]),
        ("STRASSE Straße", ["strasse", "strasse"]),
        ("snake_case", ["snake", "case"]),
        ("... — !", []),
    ],
    ids=["compatibility", "decimals", "thousands", "hyphens", "case", "underscore", "marks"],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_terms_are_stems_without_stop_words() -> None:
    assert terms("The robots were listening to the robot") == ["robot", "listen", "robot"]


def test_standard_scores_have_mean_zero_and_deviation_one() -> None:
    scores = standardised(np.array([1, 2, 3, 10], np.float32))
    assert (scores.mean(), scores.std()) == pytest.approx((0, 1), abs=1e-6)


def test_equal_scores_say_nothing() -> None:
    assert not standardised(np.full(5, 0.3, np.float32)).any()


@pytest.mark.parametrize(("question", "paper_id"), QUESTIONS.items())
def test_the_paper_that_answers_comes_first(
    retriever: Retriever, question: str, paper_id: str
) -> None:
    assert found(retriever, question)[0] == paper_id


def test_hits_are_ranked_from_one(retriever: Retriever) -> None:
    assert [hit.rank for hit in retriever.search("language models")] == list(range(1, 9))


def test_scores_fall(retriever: Retriever) -> None:
    scores = [hit.score for hit in retriever.search("language models")]
    assert scores == sorted(scores, reverse=True)


def test_no_more_than_k_hits(retriever: Retriever) -> None:
    assert len(retriever.search("language models", 3)) == 3


def test_signals_add_up(retriever: Retriever) -> None:
    signals = retriever.signals("sea level")
    parts = [
        *(standardised(part) for part in (signals.whole, signals.best, signals.bm25)),
        NEAR * scaled(signals.near, signals.bm25),
        LATE * scaled(signals.late, signals.whole),
    ]
    assert signals.near.any()
    assert signals.late.any()
    assert np.allclose(signals.fused, sum(parts), atol=1e-5)


def test_questions_searched_together_score_as_they_do_alone(retriever: Retriever) -> None:
    questions = ["How are proofs repaired?", "tide gauges", "How are proofs repaired?"]
    for question, signals in zip(questions, retriever.signals_of(questions), strict=True):
        alone = retriever.signals(question)
        assert np.array_equal(signals.sentence, alone.sentence)
        assert np.array_equal(signals.fused, alone.fused)


def test_late_interaction_reorders_what_was_read(retriever: Retriever) -> None:
    late = retriever.signals("What keeps satellites from colliding?").late
    assert late.sum() == pytest.approx(0, abs=1e-4)


def test_stop_words_do_not_interact(retriever: Retriever) -> None:
    assert not retriever.signals("what is it about").late.any()


def test_the_best_sentence_is_the_papers_own(retriever: Retriever) -> None:
    signals, snapshot = retriever.signals("sea level"), retriever.snapshot
    own = [signals.sentence[snapshot.sentence_rows(row)].max() for row in range(len(snapshot))]
    assert signals.best.tolist() == own


def test_ties_are_broken_by_id(retriever: Retriever) -> None:
    signals = retriever.signals("sea level")
    nothing = np.zeros_like(signals.whole)
    equal = replace(signals, whole=nothing, best=nothing, bm25=nothing, near=nothing, late=nothing)
    ids = [retriever.snapshot.ids[row] for row in retriever.ranked(equal)]
    assert ids == sorted(paper.paper_id for paper in PAPERS)


def test_the_order_of_ingest_does_not_matter(
    tmp_path: Path, retriever: Retriever, minilm: MiniLM
) -> None:
    turned = search_in(tmp_path / "s", minilm, PAPERS[::-1])
    for question in QUESTIONS:
        assert found(turned, question) == found(retriever, question)


def test_a_rebuilt_index_gives_the_same_hits(
    tmp_path: Path, built: Path, retriever: Retriever, minilm: MiniLM
) -> None:
    copy = shutil.copytree(built, tmp_path / "copy")
    rebuild(copy, minilm, write_bm25, Notes())
    again = Retriever(Snapshot.open(copy), minilm)
    for question in QUESTIONS:
        assert again.search(question) == retriever.search(question)


def test_passages_are_exact(retriever: Retriever) -> None:
    for hit in retriever.search("language models"):
        for passage in hit.passages:
            assert hit.paper.text[passage.start : passage.end] == passage.text


def test_passages_come_best_first(retriever: Retriever) -> None:
    for hit in retriever.search("microphones in fingertips"):
        scores = [passage.score for passage in hit.passages]
        assert scores == sorted(scores, reverse=True)


def test_the_best_passage_says_it(retriever: Retriever) -> None:
    best = retriever.search("strawberries picked without bruises")[0].passages[0]
    assert "strawberries without bruising" in best.text


def test_one_paper_alone_is_found(tmp_path: Path, minilm: MiniLM) -> None:
    alone = search_in(tmp_path / "s", minilm, PAPERS[:1])
    (hit,) = alone.search("anything at all")
    assert (hit.paper.paper_id, hit.score) == ("tide", 0)


def test_an_empty_corpus_has_no_hits(tmp_path: Path, minilm: MiniLM) -> None:
    assert search_in(tmp_path / "s", minilm, []).search("anything") == []


@pytest.mark.parametrize("question", ["xylqzor vrrmpf", "the of and", "強化学習"])
def test_words_that_no_paper_has_still_give_a_full_ranking(
    retriever: Retriever, question: str
) -> None:
    assert len(retriever.search(question)) == len(PAPERS)


@pytest.mark.parametrize("question", ["?!", "", "a" * 30_000])
def test_a_search_needs_a_word_and_an_end(retriever: Retriever, question: str) -> None:
    with pytest.raises(QuestionError):
        retriever.search(question)


def test_unknown_words_leave_bm25_silent(retriever: Retriever) -> None:
    assert not retriever.signals("xylqzor vrrmpf").bm25.any()


def test_a_missing_bm25_index_is_damage(tmp_path: Path, built: Path, minilm: MiniLM) -> None:
    copy = shutil.copytree(built, tmp_path / "copy")
    shutil.rmtree(Snapshot.open(copy).folder / "bm25")
    with pytest.raises(StoreDamaged, match="BM25"):
        Retriever(Snapshot.open(copy), minilm).search("anything")


def test_bm25_finds_the_paper_with_the_name(lexical: Lexical) -> None:
    assert np.flatnonzero(lexical.scores(terms("LemmaLoom"))).tolist() == [3]


def test_bm25_reads_titles(lexical: Lexical) -> None:
    assert np.flatnonzero(lexical.scores(terms("hive"))).tolist() == [2]


def test_a_paper_without_a_term_is_indexed(tmp_path: Path) -> None:
    wordless = bm25(tmp_path, [paper("marks", "!!!"), PAPERS[0]])
    assert wordless.scores(terms("gauges")).tolist()[0] == 0


def test_rare_terms_weigh_more(lexical: Lexical) -> None:
    assert lexical.rarity("lemmaloom") > lexical.rarity("model")


def test_an_unknown_term_is_the_rarest(lexical: Lexical) -> None:
    assert lexical.rarity("xylqzor") > lexical.rarity("lemmaloom")


@pytest.mark.parametrize(
    ("typed", "searched"),
    [
        ("strawbery", "strawberri"),
        ("benchmrak", "benchmark"),
        ("lemma loom", "lemmaloom"),
        ("strawberries", "strawberri"),
    ],
    ids=["letter missing", "letters swapped", "typed apart", "no slip"],
)
def test_a_slip_is_repaired(lexical: Lexical, typed: str, searched: str) -> None:
    assert set(lexical.repair(typed).values()) == {searched}


@pytest.mark.parametrize("word", ["bes", "xylqzor", "9.5"], ids=["short", "far", "number"])
def test_what_is_near_nothing_stays(lexical: Lexical, word: str) -> None:
    assert lexical.repair(word) == {word: word}


def test_a_misspelt_question_finds_its_paper(retriever: Retriever) -> None:
    assert found(retriever, "diffusoin for microscpoy")[0] == "cells"


def test_a_slip_between_two_words_is_repaired_alike_in_every_index(tmp_path: Path) -> None:
    """Python draws a new order of sets for each process; no answer may hang on it."""
    code = (
        "import sys; from pathlib import Path; from tests.fakes import paper;"
        "from rag.retrieve.lexical import Lexical, write_bm25; folder = Path(sys.argv[1]);"
        "write_bm25(folder, [paper('a', 'zorbanik zorbanil zorbanim zorbanip')]);"
        "print(Lexical(folder).repair('zorbanix'))"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / str(seed))],
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in range(4)
    }
    assert len(answers) == 1


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(area="BIO"), {"bees", "cells"}),
        (Filters(venue="workshop"), {"bees", "leak"}),
        (Filters(year=2030), {"bees", "leak"}),
        (Filters(papers=("grid", "tide")), {"grid", "tide"}),
        (Filters(area="biology", year=2031), {"cells"}),
    ],
    ids=["area", "venue", "year", "ids", "both"],
)
def test_filters_leave_what_matches(
    retriever: Retriever, filters: Filters, expected: set[str]
) -> None:
    assert set(found(retriever, "language models", filters)) == expected


def test_filters_keep_the_order(retriever: Retriever) -> None:
    papers = ("grid", "bees", "leak", "tide")
    everything = [id for id in found(retriever, "language models") if id in papers]
    assert found(retriever, "language models", Filters(papers=papers)) == everything


def test_a_year_is_not_a_part_of_a_year() -> None:
    assert not Filters(year=203).match(PAPERS[0])


def test_no_filter_is_false() -> None:
    assert not Filters()


@pytest.mark.parametrize(
    ("filters", "hint"),
    [
        (Filters(area="bilogy"), "did you mean 'biology'?"),
        (Filters(area="chemistry"), "--area can be: biology"),
        (Filters(area="biology", year=1999), "2030; 2031"),
        (Filters(status="oral"), "none of the papers has one"),
        (Filters(papers=("nobody",)), "rag list"),
        (Filters(papers=("bees", "tidenet")), "did you mean tide?"),
        (Filters(area="biology", venue="Toy Workshop 2030", year=2031), "leave one of them out"),
    ],
    ids=["misspelt area", "area", "year", "status", "id", "name for an id", "together"],
)
def test_filters_that_leave_nothing_name_what_there_is(
    retriever: Retriever, filters: Filters, hint: str
) -> None:
    with pytest.raises(QuestionError) as caught:
        retriever.search("anything", filters=filters)
    assert hint in caught.value.fix


@pytest.mark.parametrize("term", ["sea level", "Sea-Level", "TIDENET", "9.4 cm"])
def test_mentions(term: str) -> None:
    assert mentions(PAPERS[0], term)


@pytest.mark.parametrize("term", ["level sea", "tide", "9.4 km"])
def test_does_not_mention(term: str) -> None:
    assert not mentions(PAPERS[0], term)


@pytest.mark.parametrize(
    ("wanted", "author"),
    [
        ("Kim", "Jane Kim"),
        ("j. kim", "Jane Kim"),
        ("Kim, Jane", "Jane Kim"),
        ("Jane Kim", "J. Kim"),
        ("Lea De Mol", "Léa de Mol"),
        ("O'Hara", "Ann O’Hara"),
    ],
)
def test_an_author_is_known_by_any_way_of_writing_the_name(wanted: str, author: str) -> None:
    assert is_called(wanted, author)


@pytest.mark.parametrize("wanted", ["Kimura", "Ki", "K.", "Jane Lee", "J. J. Kim", "", "Jane Jane"])
def test_another_name_is_of_somebody_else(wanted: str) -> None:
    assert not is_called(wanted, "Jane Kim")


@pytest.mark.parametrize(
    ("years", "first", "last"),
    [("2031", 2031, 2031), (2031, 2031, 2031), ("2029 - 2031", 2029, 2031), ("-2031", 0, 2031)],
)
def test_years_may_be_several(years: int | str, first: int, last: int) -> None:
    assert span(years) == (first, last)


@pytest.mark.parametrize("years", ["", "-", "soon", "20310", "2031--"])
def test_what_is_no_year_is_refused(years: str) -> None:
    with pytest.raises(QuestionError, match="is no year"):
        span(years)
