"""What a sentence is shortened to."""

from __future__ import annotations

import re

import pytest

from rag.summarize.compress import MAX_WORDS, is_sentence, lines, stands_alone
from rag.summarize.cuts import cuts
from rag.summarize.openings import opened
from rag.summarize.plain import plain
from rag.summarize.results import action, result
from rag.summarize.verbs import base, base_of_ing, third
from rag.summarize.whole import is_whole

LONG = (
    "We introduce KelpNet, a network of buoys that follows drifting kelp along the coast and warns "
    "fishers of it, which spares their nets, while the buoys themselves live on sunlight and need "
    "to be cleaned only once in every 14 months."
)


def line(sentence: str, handle: str = "") -> str:
    return next(lines(sentence, handle))


@pytest.mark.parametrize(
    ("sentence", "shorter"),
    [
        ("In this paper, we study moss.", "We study moss."),
        ("To address this issue, we therefore teach moths to read.", "We teach moths to read."),
        ("However, this paper studies how moss ages on roofs.", "We study how moss ages on roofs."),
        ("Motivated by storms, we build a quieter bell.", "We build a quieter bell."),
        ("We tackle this problem by training owls (at night) [3].", "We train owls."),
        ("We propose a novel alarm for hens.", "We propose an alarm for hens."),
        ("Our results show that owls prefer jazz over rain.", "Owls prefer jazz over rain."),
        ("We compare these owls with larks at dusk.", "We compare the owls with larks at dusk."),
        (
            "We train **owls** to find `mice` in $x$ fields.",
            "We train owls to find mice in x fields.",
        ),
    ],
)
def test_what_leads_up_to_a_statement_is_dropped(sentence: str, shorter: str) -> None:
    assert line(sentence) == shorter


@pytest.mark.parametrize(
    ("sentence", "named"),
    [
        ("We present TideNet, a graph of gauges.", "TideNet is a graph of gauges."),
        (
            "To this end, we propose a bell called StormBell, which rings before it rains.",
            "StormBell is a bell that rings before it rains.",
        ),
        ("We introduce TideNet, which fills gaps.", "TideNet fills gaps."),
        ("We then introduce TideNet to predict floods.", "TideNet predicts floods."),
        ("We propose TideNet, enabling cheap repairs.", "TideNet enables cheap repairs."),
        ("To reduce noise at sea, we introduce TideNet.", "TideNet reduces noise at sea."),
        ("TideNet is proposed as the first gauge.", "TideNet is the first gauge."),
        ("Our gauge, TideNet, fills this gap and warns fishers.", "TideNet warns fishers."),
        ("We introduce Tide Models, a family of gauges.", "Tide Models are a family of gauges."),
    ],
)
def test_a_system_with_a_name_is_what_its_line_is_about(sentence: str, named: str) -> None:
    assert line(sentence, "TideNet") == named


def test_a_spelled_out_name_gives_way_to_its_short_form() -> None:
    sentence = "We propose Gentle Rope Ladders (GRL), a way down for cats."
    assert line(sentence, "GRL") == "GRL is a way down for cats."
    listed = "We propose to Divide, Count, and Combine (DCC) all cats."
    assert "Combine" in line(listed, "DCC")


def test_a_long_sentence_ends_where_a_clause_does() -> None:
    found = line(LONG, "KelpNet")
    assert found == (
        "KelpNet is a network of buoys that follows drifting kelp along the coast and warns "
        "fishers of it, which spares their nets."
    )
    assert len(found.split()) <= MAX_WORDS


def test_a_cut_keeps_what_a_word_needs_and_what_takes_a_claim_back() -> None:
    ends = {
        cut.text.split()[-1] for cut in cuts("We combine owls with larks to replace hens by geese")
    }
    assert ends.isdisjoint({"owls", "hens"})
    turned = "Owls outperform all of the larks at dusk, but only where it does not rain"
    assert not [cut for cut in cuts(turned) if cut.text.endswith("dusk")]
    listed = "The farm keeps hens, geese, owls, and larks in one large barn"
    assert [cut.text for cut in cuts(listed)] == ["The farm keeps hens, geese, owls, and larks"]


def test_a_condition_stays_where_there_is_room() -> None:
    assert opened("For convex roofs, we prove that moss stops").startswith("For convex roofs")
    assert opened("For old roofs, we introduce MossNet") == "We introduce MossNet"


def test_no_number_and_no_name_changes() -> None:
    for made in lines(LONG, "KelpNet"):
        known = set(re.findall(r"\w+", LONG.lower())) | {"is", "novel"}
        assert set(re.findall(r"\w+", made.lower())) <= known


def test_formulas_keep_their_brackets_and_asides_go() -> None:
    text = plain(
        "It runs in O(n log n) time (see Table 2) for p<0.05 with A* search at https://a.b"
    )
    assert text == "It runs in O(n log n) time for p<0.05 with A* search"


@pytest.mark.parametrize(
    "leaning",
    [
        "This spares their nets from a lot of kelp.",
        "We show that this problem is as hard as counting all gulls.",
        "We hope that owls will some day be able to read.",
        "We introduce the KelpNet framework.",
        "We advance on it with bells for foggy hills.",
        "Although owls were made to read books and maps at night.",
        "They are cleaned once in every fourteen months.",
    ],
)
def test_what_needs_another_sentence_does_not_stand_alone(leaning: str) -> None:
    assert not stands_alone(leaning)
    assert stands_alone("We show that problems of owls vanish if this problem does.")


def test_a_question_makes_no_line() -> None:
    assert not [*lines("Can owls learn to read?", "")]


def test_results_and_actions_come_from_sentences_about_the_system() -> None:
    later = [
        "Larks outperform owls at dawn.",
        "TideNet first draws a map of the harbour.",
        "Experiments on 12 coasts show that our network cuts errors by 35% at low tide.",
    ]
    assert result(later, "TideNet", 12) is None
    later[2] = later[2].replace("network", "method")
    assert result(later, "TideNet", 12) == (2, "cuts errors by 35% at low tide")
    assert action(["TideNet predicts floods of the harbour."], "TideNet", 9) == (
        0,
        "predicts floods of the harbour",
    )


@pytest.mark.parametrize(
    ("sentence", "room", "clause"),
    [
        ("In calm water, TideNet cuts errors by 35%.", 9, "cuts errors by 35% in calm water"),
        ("In calm water, TideNet cuts errors by 35%.", 5, None),
        ("Tests show that, in calm water, TideNet cuts errors by 35%.", 9, None),
        ("TideNet cuts errors by 35% on average when no storm comes.", 7, None),
        ("TideNet cuts errors and costs by 35% and 9% of the cost.", 7, "cuts errors and costs"),
        ("On all coasts, TideNet cuts errors by 35%.", 4, "cuts errors by 35%"),
    ],
)
def test_a_result_keeps_its_condition_or_is_not_told(
    sentence: str, room: int, clause: str | None
) -> None:
    assert result([sentence], "TideNet", room) == (clause and (0, clause))


def test_a_claim_that_is_too_long_keeps_its_condition() -> None:
    for verb, kept in (("prove", True), ("study", False)):
        sentence = f"For roofs that face north, we {verb} the age of moss at night {'so ' * 18}."
        assert line(sentence).startswith("For roofs") is kept


def test_verbs_change_their_form_and_come_back() -> None:
    for verb in ("study", "address", "propose", "match", "play"):
        assert base(third(verb)) == verb
    assert [base_of_ing(form) for form in ("using", "planning", "gluing")] == ["use", "plan", None]


def test_a_line_is_one_readable_sentence() -> None:
    assert is_sentence("Owls read.")
    assert not is_sentence("Owls read. Larks sing.")
    assert not is_sentence("")


@pytest.mark.parametrize(
    "broken",
    [
        "We propose a gate whereby the gentle moths.",
        "We study owls where the hen, given the eggs laid by larks on farms.",
        "MothGate, a gate that dims lamps near moths.",
        'We teach owls tasks such as "Find the mouse in the barn.',
        "We sort the harvest of a farm (and of its owls.",
        "MothGate dims lamps e.g.",
        "We look at what owls rely on and.",
        "We widen the gap between lamps not just.",
        "MothGate has three parts: a shutter that closes.",
        "We introduce MothGate for old gardens, a framework.",
        "We teach {owls to read.",
        "We show red[0m owls [31m to hens.",
    ],
)
def test_a_line_with_something_missing_is_not_whole(broken: str) -> None:
    assert not is_whole(broken)


@pytest.mark.parametrize(
    "whole",
    [
        "We propose a gate whereby gentle moths find their way.",
        "Lamps that help owls do not improve hens.",
        "MothGate has two parts: a shutter and a lamp.",
        "We list the farms that owls are trained on.",
        "MothGate dims lamps of all kinds, not just old ones.",
        "We study hens that often precede owls.",
    ],
)
def test_a_line_that_lacks_nothing_is_whole(whole: str) -> None:
    assert is_whole(whole)


@pytest.mark.parametrize(
    ("sentence", "ends"),
    [
        ("Most owls show more variation in spring and summer than hens do", "variation summer"),
        ("We couple quiet owls of all farms with loud larks at dawn", "owls farms"),
        ("We help young owls to adapt to new barns in spring", "owls adapt"),
        ("MothGate dims the old lamps when rain falls", "lamps"),
        ("We close gates where moths are sent to the lamps", "sent"),
        ("We teach not only owls in barns but also hens in fields", "owls barns"),
        ("We study a contest between two owls engaged in hunting", "engaged"),
        ("MothGate has two parts: a shutter of oak, and a lamp of brass", "shutter oak"),
        ("We give lamps to owls and hens that live alone", "owls"),
    ],
)
def test_a_cut_does_not_part_what_belongs_together(sentence: str, ends: str) -> None:
    found = {cut.text.rstrip(",").split()[-1] for cut in cuts(sentence)}
    assert found.isdisjoint(ends.split())


def test_marks_of_markup_and_of_terminals_go() -> None:
    assert plain("We teach {Owl R}eading to \x1b[31mred\x1b[0m owls") == (
        "We teach Owl Reading to red owls"
    )
    assert plain("We lead <b>moths</b> home <iframe src='x") == "We lead moths home"
