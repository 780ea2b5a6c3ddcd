"""Lists, counts and searches for a paper, over all papers of an index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import pytest

from rag.embed.minilm import MiniLM
from rag.engine.answer import Asker
from rag.engine.listing.wish import bare, completed, wish
from rag.engine.question import understand
from rag.engine.quoting import SHOWN, capped
from rag.retrieve.filters import Filters
from rag.retrieve.hybrid import Retriever
from rag.retrieve.matching import MOST, matcher
from rag.store.snapshot import Snapshot
from rag.types import Answer
from tests.corpus import PAPERS, index
from tests.fakes import paper

MORE = [
    paper(
        "fl",
        "Hospitals may not pool their records. We introduce Tally, which trains one model by "
        "federated learning (FL) and hides what each clinic sends. Four clinics gain 3 points.",
        handle="Tally",
    ),
    paper(
        "phones",
        "Phones differ in speed and battery. We schedule FL so that slow phones join later "
        "rounds. Rounds take half as long.",
    ),
    paper(
        "colour",
        "Museums colourise old film by hand. Our finetuned painter needs no human annotations and "
        "keeps the colours of a scene over time. Restorers prefer it in seven cases of ten.",
    ),
    paper(
        "marks",
        "Teachers grade essays slowly. We fine-tune a small reader on human annotations of 900 "
        "essays. Its grades agree with a second teacher.",
    ),
]


EVERY = {p.paper_id for p in (*PAPERS, *MORE)}
NEITHER = EVERY - {"fl", "phones", "prune", "proof"}


@pytest.fixture(scope="module")
def retriever(tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM) -> Retriever:
    store = tmp_path_factory.mktemp("lists") / "store"
    index(store, minilm, [*PAPERS, *MORE])
    return Retriever(Snapshot.open(store), minilm)


@pytest.fixture(scope="module")
def ask(retriever: Retriever) -> Callable[[str], Answer]:
    return Asker(retriever).ask


def cited(answer: Answer) -> set[str]:
    return {c.paper_id for statement in answer.statements for c in statement.citations}


@pytest.mark.parametrize(
    ("notion", "having"),
    [
        ("federated learning", {"fl", "phones"}),
        ("FL", {"fl", "phones"}),
        ("fine tuning", {"marks", "colour"}),
        ("finetuning", {"marks", "colour"}),
        ("color", {"colour"}),
        ("language model", {"prune", "proof"}),
        ("models that write proofs", {"proof"}),
        ("zebra", set()),
    ],
)
def test_a_notion_is_found_in_every_form(
    retriever: Retriever, notion: str, having: set[str]
) -> None:
    match = matcher(retriever).match(notion)
    assert match
    ids = retriever.snapshot.ids
    assert {ids[row] for row in match.literal.nonzero()[0]} == having


@pytest.mark.parametrize(
    ("question", "papers"),
    [
        ("Which papers use FL?", {"fl", "phones"}),
        ("Which papers mention federated learning but not hospitals?", {"phones"}),
        ("Which papers mention language models or diffusion models?", {"prune", "proof", "cells"}),
        ("Which papers mention both language models and proofs?", {"proof"}),
        ("Which papers mention at least two of FL, phones and clinics?", {"fl", "phones"}),
        ("Which papers mention exactly two of FL, phones and clinics?", {"fl", "phones"}),
        ("Which papers mention at most one of FL, phones and clinics?", EVERY - {"fl", "phones"}),
        ("Which papers mention exactly one of FL and hospitals?", {"phones"}),
        ("Which papers need no human annotations?", {"colour"}),
        ("Which papers mention neither FL nor language models?", NEITHER),
        ("Which ones use FL or a variant of it, and what for?", {"fl", "phones"}),
        ("Which papers are not about FL and not about language models?", NEITHER),
        ("Which papers use none of FL, language models and LMs?", NEITHER),
        ("Which papers mention no language models?", EVERY - {"prune", "proof"}),
        ("List all papers", EVERY),
        ("List all papers except those on FL or language models", NEITHER),
        ("What papers are there?", EVERY),
    ],
)
def test_a_list_has_the_papers_asked_for_and_no_others(
    ask: Callable[[str], Answer], question: str, papers: set[str]
) -> None:
    answer = ask(question)
    assert (answer.kind, answer.outcome) == ("list", "answered")
    assert cited(answer) == papers
    assert answer.text.startswith(f"{len(papers)} of 12 papers:")


def test_each_paper_of_a_list_is_quoted_where_it_says_so(ask: Callable[[str], Answer]) -> None:
    answer = ask("How many papers use federated learning?")
    assert answer.kind == "count"
    assert all("FL" in statement.text for statement in answer.statements)


def test_a_search_for_a_paper_says_what_it_brings(ask: Callable[[str], Answer]) -> None:
    answer = ask("Who has worked on filling gaps of storm gauges?")
    assert (answer.kind, answer.outcome) == ("find", "answered")
    assert "We present TideNet" in answer.statements[0].text


def test_no_paper_is_like_one_that_is_alone(retriever: Retriever) -> None:
    answer = Asker(retriever).ask("papers like Tally", filters=Filters(papers=("fl",)))
    assert (answer.kind, answer.outcome, answer.statements) == ("similar", "not_in_corpus", ())


@pytest.mark.filterwarnings("error")
def test_a_corpus_of_one_paper_has_none_like_it(tmp_path: Path, minilm: MiniLM) -> None:
    index(tmp_path / "store", minilm, MORE[:1])
    alone = Asker(Retriever(Snapshot.open(tmp_path / "store"), minilm))
    assert alone.ask("papers like Tally").outcome == "not_in_corpus"


def test_papers_like_one_are_others(ask: Callable[[str], Answer]) -> None:
    answer = ask("Which papers are similar to Tally?")
    assert answer.kind == "similar"
    assert cited(answer)
    assert "fl" not in cited(answer)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How many of the papers use sound?", "count"),
        ("How many of them are about sound?", "count"),
        ("Which of these use sound?", "list"),
        ("papers on sound versus light", "list"),
        ("List two papers about sound", "list"),
        ("Does any paper use sound?", "find"),
        ("What are the papers' main claims about sound?", "fact"),
        ("In how many papers is sound used?", "count"),
        ("Show me everything on sound", "list"),
        ("Is there work on sound?", "find"),
        ("Who works on sound?", "find"),
        ("What should I read if I need sound?", "find"),
        ("How could one hear fruit slip?", "find"),
        ("Which papers compare with sound?", "list"),
        ("How do waves make sound?", "fact"),
        ("Who are the authors of the paper on sound?", "fact"),
    ],
)
def test_the_wording_tells_what_is_wanted(question: str, kind: str) -> None:
    assert understand(question, question).kind == kind


def test_a_wish_is_taken_apart() -> None:
    found = wish("Leaving robots aside, which papers mention sound without speech?")
    assert (found.options, found.without) == ((((("sound",),)),), ("robots", "speech"))
    assert wish("Which papers use at least two of A1, B2 and C3?").least == 2
    assert bare("Which of the papers deal with sound, please?") == "sound"
    assert bare("How many papers are there?") == ""
    assert bare("name the 10 most recent papers on sound") == "sound"


@pytest.mark.parametrize(
    ("question", "kind", "wanted", "without"),
    [
        ("In how many abstracts do kites come up?", "count", "kites", ()),
        ("How often are kites mentioned?", "count", "kites", ()),
        ("Are kites used in more than one paper?", "count", "kites", ()),
        ("Of the 12 papers, how many concern kites?", "count", "kites", ()),
        ("number of papers on kites", "count", "kites", ()),
        ("Where do kites turn up?", "list", "kites", ()),
        ("In which abstracts does the word kite occur?", "list", "kite", ()),
        ("Which authors use kites?", "list", "kites", ()),
        ("Which methods need kites?", "list", "kites", ()),
        ("papers: kites", "list", "kites", ()),
        ("All the work here on kites", "list", "kites", ()),
        ("Which works come with kites w/o strings?", "list", "kites", ("strings",)),
        (
            "List the kite papers that have nothing to do with glue of any sort",
            "list",
            "kite",
            ("glue",),
        ),
        (
            "kite papers not about glue, without paint or lathes",
            "list",
            "kite",
            ("glue", "paint", "lathes"),
        ),
        ("Which papers besides Fathom and Silt handle kites?", "list", "kites", ("Fathom", "Silt")),
    ],
)
def test_other_wordings_ask_for_the_same(
    question: str, kind: str, wanted: str, without: tuple[str, ...]
) -> None:
    found = wish(question)
    assert understand(question, question).kind == kind
    assert (found.options, found.without) == ((((wanted,),),), without)


def test_what_is_out_or_promised_is_given_away() -> None:
    for question in ("Whose code is out, or at least promised?", "Who releases their code?"):
        found = wish(question)
        assert understand(question, question).kind == "list"
        assert found.release and found.release.things == ("code",) and found.everything


def test_synonyms_say_a_notion_loosely(retriever: Retriever) -> None:
    loose = matcher(retriever).match("labels", loosely=True)
    assert loose
    ids = retriever.snapshot.ids
    assert {ids[row] for row in loose.literal.nonzero()[0]} >= {"colour", "marks"}


def test_what_papers_make_is_told_from_what_they_mention(retriever: Retriever) -> None:
    found = wish("Which papers introduce a painter that they built themselves?")
    assert (found.brings, found.options[0]) == (True, (("painter",),))
    made = matcher(retriever).match("painter"), matcher(retriever).match("film")
    assert all(made)
    rows = [matcher(retriever).made(match).nonzero()[0].tolist() for match in made if match]
    assert [len(each) for each in rows] == [1, 0]


def test_a_list_about_an_unknown_name_is_empty(ask: Callable[[str], Answer]) -> None:
    answer = ask("How many papers train language models for Klingon?")
    assert answer.outcome.startswith("not_in_")
    assert answer.text.startswith("0 of 12 papers")


def test_a_long_list_is_capped_and_grouped_by_area() -> None:
    papers = [
        replace(paper(f"p{n}", f"We study case {n}."), area="kites" if n % 3 else "boats")
        for n in range(30)
    ]
    lines = capped({each: f"- {each.paper_id}" for each in papers})
    heads = [line for line in lines if line.endswith("papers:")]
    assert heads == ["kites, 20 papers:", "boats, 10 papers:"]
    assert len(lines) == SHOWN + len(heads) + 1
    assert lines[-1].startswith("All 30 papers")


def test_what_is_listed_shares_words_only_if_papers_have_them_together() -> None:
    ways = [("image generation",), ("video",)]
    assert completed([("video",), ("image generation",)], {"video generation"}.__contains__) == [
        ("video generation",),
        ("image generation",),
    ]
    assert completed(ways, set[str]().__contains__) == ways


@pytest.mark.parametrize(
    "question", ["Which papers are about?", "papers without", "Which papers do not mention the?"]
)
def test_a_list_of_nothing_in_particular_is_no_error(
    ask: Callable[[str], Answer], question: str
) -> None:
    assert ask(question).text.startswith("0 of 12 papers")


def test_long_and_odd_requests_stay_quick(ask: Callable[[str], Answer]) -> None:
    assert ask("Which papers use " + " or ".join(f"thing{i}" for i in range(200)) + "?").text
    assert ask("Which papers mention " + "not " * 300 + "İ (FL) ﬁne?").text


def test_a_text_that_is_pasted_is_looked_up_in_part(retriever: Retriever) -> None:
    pasted = "FL needs phones " * 400
    match = matcher(retriever).match(pasted)
    assert match
    assert len(match.units) == MOST


def test_a_word_without_end_is_no_slower_to_look_up(ask: Callable[[str], Answer]) -> None:
    started = perf_counter()
    ask("Which papers use " + "y" * 15_000)
    assert perf_counter() - started < 1.5
