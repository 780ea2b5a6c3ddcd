"""Cases proposed from abstracts: what is asked for, what is not, and in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from rag.embed.minilm import MiniLM
from rag.engine.check import Checker
from rag.evaluate.draft import Draft, Named, drafts
from rag.evaluate.draft_figures import figure_drafts
from rag.evaluate.draft_model import ModelDrafter
from rag.evaluate.draft_terms import spelled_out, term_drafts
from rag.evaluate.quantities import facts_of_figure, quantities
from rag.evaluate.review import Reviewed
from rag.prompts import load_task
from rag.retrieve.hybrid import Retriever
from rag.store.snapshot import Snapshot
from tests.fakes import Replies, batch, paper, put

OFFLINE = (figure_drafts, term_drafts)


def asked(tmp_path: Path, *texts: str, **more: str) -> list[tuple[str, str]]:
    """Question and first way to put the first fact, of all that is proposed."""
    put(tmp_path / "s", batch([paper(f"p{n}", text, **more) for n, text in enumerate(texts)]))
    snapshot = Snapshot.open(tmp_path / "s")
    found = drafts(snapshot, OFFLINE, range(len(snapshot)))
    return [(draft.question, draft.facts[0][0]) for draft in found]


@pytest.mark.parametrize(
    ("sentence", "question", "fact"),
    [
        (
            "FrostCast reduces the error of the forecast by up to 38 % on hilly ground.",
            "By how much does FrostCast reduce the error of the forecast on hilly ground?",
            "38 %",
        ),
        (
            "On ice, FrostCast achieves an accuracy of 91.2 on RinkBench.",
            "What accuracy does FrostCast achieve on RinkBench?",
            "91.2",
        ),
        (
            "We show that FrostCast achieves 2.3× faster training on one GPU.",
            "How much faster training on one GPU does FrostCast achieve?",
            "2.3×",
        ),
        (
            "FrostCast lowers the median delay of warnings from 9.4 ms to 6.1 ms.",
            "From what to what does FrostCast lower the median delay of warnings?",
            "9.4 ms",
        ),
        (
            "We collect 1,240 photographs of frozen ponds for this study.",
            "How many photographs of frozen ponds for this study does FrostCast collect?",
            "1,240",
        ),
    ],
)
def test_a_figure_is_asked_for_in_the_words_of_its_claim(
    tmp_path: Path, sentence: str, question: str, fact: str
) -> None:
    text = f"We introduce FrostCast. {sentence}"
    assert (question, fact) in asked(tmp_path, text, handle="FrostCast")


def test_figures_of_others_and_unclear_claims_are_not_asked_for(tmp_path: Path) -> None:
    text = (
        "Ponds freeze on 38 % of all days. We introduce FrostCast. It beats IceNet (71.3) at dusk. "
        "It fails where it once froze by 15 % or so; see ours for $n = 7$ ponds."
    )
    assert asked(tmp_path, text, handle="FrostCast") == []


@pytest.mark.parametrize(
    ("sentence", "question", "fact"),
    [
        (
            "After dawn, the share of open water fell by 12 % when barges passed.",
            "By how much did the share of open water fall when barges passed?",
            "12 %",
        ),
        (
            "Loss of skates by rust rose from 4 % to 9 % of pairs.",
            "From what to what did loss of skates by rust rise?",
            "4 %",
        ),
        (
            "We tagged 26 grey herons of the upper lake.",
            "How many grey herons of the upper lake were tagged?",
            "26",
        ),
        (
            "Frozen ponds without reeds housed six species of newt.",
            "How many species of newt were housed by frozen ponds without reeds?",
            "six",
        ),
        (
            "A plain almanac predicts early thaw years with 80 % accuracy.",
            "With what accuracy does a plain almanac predict early thaw years?",
            "80 %",
        ),
        (
            "Rinks in the shade had 26 % more hoar frost.",
            "How much more hoar frost did rinks in the shade have?",
            "26 %",
        ),
        (
            "Melting of black ice was delayed by three days near the reeds.",
            "By how much was melting of black ice delayed near the reeds?",
            "three days",
        ),
        (
            "Wild geese account for 35 % of the holes in the ice.",
            "What share of the holes in the ice do wild geese account for?",
            "35 %",
        ),
    ],
)
def test_plain_clauses_of_any_field_are_asked_about(
    tmp_path: Path, sentence: str, question: str, fact: str
) -> None:
    """The handle is the opening of the text: a question has to do without the paper's name."""
    assert asked(tmp_path, sentence, handle=" ".join(sentence.split()[:4])) == [(question, fact)]


def test_a_question_that_tells_too_little_names_its_paper_or_is_none(tmp_path: Path) -> None:
    text = "The pond covers about nine hectares. On 62 rinks in Norway it was tried."
    assert asked(tmp_path, text, handle="The pond covers about") == []
    letters = "Lakes are read with thin ice radar (TIR) at dusk."
    spelled = asked(tmp_path / "1", letters, handle="Lakes are read with")
    assert spelled == [("What does TIR stand for?", "thin ice radar")]
    named = asked(tmp_path / "2", text, handle="FrostCast")
    assert named == [
        ("How many hectares does the pond cover, according to the abstract of FrostCast?", "nine"),
        ("How many rinks in Norway does the abstract of FrostCast mention?", "62"),
    ]


def test_quantities_are_written_in_all_usual_ways() -> None:
    assert facts_of_figure("up to 38%") == (("38%", "38 percent"),)
    assert facts_of_figure("5.3–8.8 %") == (
        ("5.3 %", "5.3%", "5.3 percent"),
        ("8.8 %", "8.8%", "8.8 percent"),
    )
    assert facts_of_figure("2.3x") == (("2.3x", "2.3×", "2.3 times", "2.3-fold"),)
    assert facts_of_figure("1,240 dances") == (("1,240", "1240"),)
    assert facts_of_figure("three orders of magnitude") == ()
    text = "In 2031 a 7B model of GPT-4 read 51,000 calls, 12 long tokens, 300 m at three sites."
    assert [*quantities(text)] == [
        ("51,000 calls", "51000 calls"),
        ("12 long tokens", "twelve long tokens"),
        ("300 m",),
        ("three sites", "3 sites"),
    ]


def test_a_system_is_asked_for_by_the_noun_that_its_abstract_gives(tmp_path: Path) -> None:
    text = "In this paper, we propose FrostCast, a novel graph network that warns skaters."
    assert asked(tmp_path, text) == [("What is FrostCast?", "graph network")]
    parts = "We introduce FrostCast, a ring of cold sensors that listens to the ice."
    assert asked(tmp_path / "1", parts) == [("What is FrostCast?", "ring of cold sensors")]
    praise = "We propose FrostCast, a simple yet effective method that works."
    assert asked(tmp_path / "2", praise) == []


def test_a_system_is_asked_for_by_what_it_does_that_to(tmp_path: Path) -> None:
    text = "Ponds are watched by hand. FrostCast counts hairline cracks in night video."
    put(tmp_path / "s", batch([paper("p", text, handle="Ponds Are Watched")]))
    [draft] = drafts(Snapshot.open(tmp_path / "s"), OFFLINE, [0])
    assert draft.question == "What does FrostCast do?"
    assert draft.facts == (("hairline cracks",), ("night video",))
    assert asked(tmp_path / "2", "FrostCast generalizes well to new lakes.") == []
    assert asked(tmp_path / "3", "FrostCast shows strong gains on many lakes.") == []


def test_letters_are_asked_for_once_and_not_if_the_field_knows_them(tmp_path: Path) -> None:
    text = (
        "We introduce Thin-Ice Warning (TIW) after a study of reinforcement learning (RL) and of "
        "lake temperature models (LTM). Lake temperature models (LTM) are slow."
    )
    assert asked(tmp_path, text, handle="TIW") == [
        ("What does TIW stand for?", "Thin-Ice Warning"),
        ("What does LTM stand for in TIW?", "lake temperature models"),
    ]


@pytest.mark.parametrize(
    ("before", "short", "spelled"),
    [
        ("we use proximal policy optimization ", "PPO", "proximal policy optimization"),
        ("the so-called deviation from isometry ", "DfI", "deviation from isometry"),
        ("a mixture of experts ", "MoE", "mixture of experts"),
        (
            "iterated in-context language learning ",
            "IICLL",
            "iterated in-context language learning",
        ),
        ("we call this trick ", "PPO", ""),
        ("", "A", ""),
    ],
)
def test_letters_stand_for_the_words_before_them(before: str, short: str, spelled: str) -> None:
    assert spelled_out(before, short) == spelled


def test_no_question_holds_its_answer_and_each_quote_does(retriever: Retriever) -> None:
    snapshot = retriever.snapshot
    found = list(drafts(snapshot, OFFLINE, range(len(snapshot))))
    assert found == list(drafts(snapshot, OFFLINE, reversed(range(len(snapshot)))))
    assert ("What is TideNet?", "graph network") in [(d.question, d.facts[0][0]) for d in found]
    for draft in found:
        [row] = [snapshot.row_of[paper_id] for paper_id in draft.gold]
        assert draft.quote in snapshot.paper(row).text
        assert all(fact[0] in draft.quote and fact[0] not in draft.question for fact in draft.facts)


def test_papers_that_share_a_name_are_called_by_title_or_not_asked_about(tmp_path: Path) -> None:
    text = "We study thin ice. Our method raises the recall of cracks by 38 % at dawn."
    for folder, title in (("untitled", None), ("titled", "Cracks at Dawn")):
        records = [paper(id, text + f" Run {id}.", handle="Thin Ice", title=title) for id in "ab"]
        put(tmp_path / folder, batch(records))
        snapshot = Snapshot.open(tmp_path / folder)
        questions = [draft.question for draft in drafts(snapshot, OFFLINE, [0])]
        asks = "By how much does the paper “Cracks at Dawn” raise the recall of cracks at dawn?"
        assert questions == ([asks] if title else [])


def numbered(many: int) -> tuple[list[str], object]:
    """A drafter that notes which papers it is given, and proposes so many of each."""
    given: list[str] = []

    def drafter(one: Named) -> Iterator[Draft]:
        given.append(one.paper.paper_id)
        for turn in range(many):
            text = one.paper.text
            yield Draft(f"{one.paper.paper_id} {turn}?", (), (("Study",),), quote=text)

    return given, drafter


def test_papers_take_turns_and_none_is_read_before_its_own(five: Path) -> None:
    given, drafter = numbered(2)
    snapshot = Snapshot.open(five)
    found = drafts(snapshot, (drafter,), range(5))  # type: ignore[arg-type]
    first = next(found)
    assert given == [first.question.split()[0]]
    questions = [first.question, *(draft.question for draft in found)]
    assert [question[-2:] for question in questions] == ["0?"] * 5 + ["1?"] * 5
    assert len(set(questions)) == 10
    assert len(list(drafts(snapshot, (drafter,), range(5), most=2))) == 4  # type: ignore[arg-type]


def test_what_was_decided_on_stays_so(tmp_path: Path) -> None:
    first, other = Draft("What\nis it?", quote="a"), Draft("What\nis it?", quote="b")
    Reviewed(tmp_path).add(first)
    again = Reviewed(tmp_path)
    assert first in again
    assert other not in again
    assert again.path.read_text() == f"{first.key} What is it?\n"


# --- a model's -----------------------------------------------------------------------------------

GOOD = """**Question:** How many of the open goals does LemmaLoom close?
**Answer:** "38 %"
**Statement:** LemmaLoom closes 38 % of the goals that were left open."""


def proposed(retriever: Retriever, minilm: MiniLM, *replies: str) -> tuple[list[Draft], Replies]:
    model = Replies(*replies)
    drafter = ModelDrafter(model, load_task("draft"), Checker(minilm))
    rows: Sequence[int] = [retriever.snapshot.row_of["proof"]] * len(replies)
    return list(drafts(retriever.snapshot, (drafter,), rows)), model


def test_a_model_proposes_what_the_abstract_bears_out(retriever: Retriever, minilm: MiniLM) -> None:
    [draft], model = proposed(retriever, minilm, GOOD)
    assert draft.question == "How many of the open goals does LemmaLoom close?"
    assert (draft.gold, draft.facts) == (("proof",), (("38 %",),))
    assert draft.quote.startswith("It closes 38 %")
    assert "LemmaLoom" in model.asked[0][1].text
    assert "draft@" in draft.why


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I would ask how many goals it closes.",
        GOOD.replace("38 %", "83 %"),
        GOOD.replace("How many of the open goals", "Are it 38 % of the goals that"),
        GOOD.replace("close?", "close"),
        GOOD.replace("closes 38 % of the goals that", "pays 38 % of the doctors that robots"),
        GOOD.replace(
            "How many of the open goals does LemmaLoom close?", "Who paid for the robots?"
        ),
        GOOD.replace('"38 %"', '"a tenth of the search"'),
    ],
)
def test_what_it_does_not_bear_out_is_not_proposed(
    retriever: Retriever, minilm: MiniLM, reply: str
) -> None:
    assert proposed(retriever, minilm, reply)[0] == []


def test_a_model_without_room_for_a_sentence_is_not_asked(
    retriever: Retriever, minilm: MiniLM
) -> None:
    model = Replies(window=40)
    drafter = ModelDrafter(model, load_task("draft"), Checker(minilm))
    assert list(drafts(retriever.snapshot, (drafter,), range(8))) == []
    assert model.asked == []
