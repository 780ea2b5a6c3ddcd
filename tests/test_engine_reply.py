"""What models write becomes sentences with ids, however badly they write it."""

from __future__ import annotations

import random
import re
import string
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.engine.reply import ReplyReader, Said, read_reply
from rag.engine.reply.tokens import tokens_of


def shown(sentences: list[Said]) -> list[str]:
    """Each sentence with its ids behind it, as in: It wins. {1.2 3}"""
    return [f"{said.text} {{{' '.join(map(id_of, said.ids))}}}" for said in sentences]


def id_of(id: tuple[int, int | None]) -> str:
    return f"{id[0]}" if id[1] is None else f"{id[0]}.{id[1]}"


def read(text: str, *, finished: bool = True) -> list[str]:
    return shown(read_reply(text, finished)[0])


WHERE_IDS_STAND = [
    ("FIRE wins. [1.2] ICE loses. [2.1]", ["FIRE wins. {1.2}", "ICE loses. {2.1}"]),
    ("FIRE wins [1.2]. ICE loses [2.1].", ["FIRE wins. {1.2}", "ICE loses. {2.1}"]),
    ("FIRE wins.[1.2] ICE loses.[2.1]", ["FIRE wins. {1.2}", "ICE loses. {2.1}"]),
    ("FIRE wins[1.2].ICE loses[2.1].", ["FIRE wins. {1.2}", "ICE loses. {2.1}"]),
    ("FIRE wins [1.2].[1.3] ICE loses.", ["FIRE wins. {1.2 1.3}", "ICE loses. {}"]),
    ("FIRE [1.2] and ICE [2.1] agree.", ["FIRE and ICE agree. {1.2 2.1}"]),
    ("FIRE wins.\n[1.2]\nICE loses.", ["FIRE wins. {1.2}", "ICE loses. {}"]),
    ("FIRE wins.\n\n[1.2]\n\nICE loses.", ["FIRE wins. {1.2}", "ICE loses. {}"]),
    (
        "FIRE wins.\n[1.2] ICE loses.\n[2.1] It melts.",
        ["FIRE wins. {}", "ICE loses. {1.2}", "It melts. {2.1}"],
    ),
    (
        "FIRE wins [1.1]. ICE\nloses.\n[2.1] It melts\n[2.2].",
        ["FIRE wins. {1.1}", "ICE loses. {2.1}", "It melts. {2.2}"],
    ),
    ("So it is:\n[1.1] FIRE wins.\n[2.1] ICE loses.", ["FIRE wins. {1.1}", "ICE loses. {2.1}"]),
    ("[1.2] FIRE wins. [2.1] ICE loses.", ["FIRE wins. {1.2}", "ICE loses. {2.1}"]),
    ("[1.2] FIRE wins.\n[2.1] ICE loses.", ["FIRE wins. {1.2}", "ICE loses. {2.1}"]),
    ("FIRE wins [1.1] [1.2]\n[1.3].", ["FIRE wins. {1.1 1.2 1.3}"]),
    ("FIRE wins [1.1] It is fast [1.2]", ["FIRE wins {1.1}", "It is fast {1.2}"]),
    ("FIRE wins [2.1, 1.1, 2.1].", ["FIRE wins. {2.1 1.1}"]),
    ("FIRE wins.\nSource: [1.2]\n\nICE loses.", ["FIRE wins. {1.2}", "ICE loses. {}"]),
    ("FIRE wins. (Source: [1.2])", ["FIRE wins. {1.2}"]),
    ("FIRE wins (see [1.2], [1.3]).", ["FIRE wins. {1.2 1.3}"]),
    ("According to [1.2], FIRE wins.", ["FIRE wins. {1.2}"]),
    ("FIRE wins, as shown in [1.2].", ["FIRE wins. {1.2}"]),
    ("[1.2] states that FIRE wins.", ["FIRE wins. {1.2}"]),
    ("Paper 1: FIRE wins [1.1].", ["FIRE wins. {1.1 1}"]),
    ("Paper [1] presents FIRE.", ["The paper presents FIRE. {1}"]),
    ("In abstract 2, ICE loses [2.1].", ["ICE loses. {2.1 2}"]),
    ("“FIRE wins.” [1.1] ICE loses.", ["FIRE wins. {1.1}", "ICE loses. {}"]),
    ("它很快[1.1]。它很小[1.2]。", ["它很快。 {1.1}", "它很小。 {1.2}"]),
    ("Does FIRE win [1.1]? It wins [1.2]!", ["Does FIRE win? {1.1}", "It wins! {1.2}"]),
]

HOW_IDS_ARE_WRITTEN = [
    ("【1】", "1"),
    ("【1.2】", "1.2"),
    ("【1†source】", "1"),
    ("【4:0†source】", ""),
    ("[1, 2]", "1 2"),
    ("[1.1, 1.3]", "1.1 1.3"),
    ("[1-3]", "1 2 3"),
    ("[1.2-1.4]", "1.2 1.3 1.4"),
    ("[1.2–1.4]", "1.2 1.3 1.4"),
    ("[1.2-4]", "1.2 1.3 1.4"),
    ("[1.9-2.1]", "1.9 2.1"),
    ("[1-900]", "1 900"),
    ("[9]", "9"),
    ("[9.9]", "9.9"),
    ("[^1]", "1"),
    ("^[1.2]", "1.2"),
    ("[[1.2]]", "1.2"),
    ("[S1.2]", "1.2"),
    ("[P1S2]", "1.2"),
    ("[1.s2]", "1.2"),
    ("[Paper 1]", "1"),
    ("[Paper 1, Sentence 2]", "1.2"),
    ("[sentence 1.2]", "1.2"),
    ("[sentences 1.2 and 2.1]", "1.2 2.1"),
    ("[cite: 1.2]", "1.2"),
    ("[1.2; 2.1]", "1.2 2.1"),
    ("[1.2][1.3]", "1.2 1.3"),
    ("([1.2], [1.3])", "1.2 1.3"),
    ("(1.2)", "1.2"),
    ("(Paper 1)", "1"),
    ("(sentence 1.2)", "1.2"),
    ("\\[1.2\\]", "1.2"),
    ("\\cite{1.2}", "1.2"),
    ("¹", "1"),
    ("<sup>1</sup>", "1"),
    ("<sup>[1.2]</sup>", "1.2"),
    ("**[1.2]**", "1.2"),
    ("`[1.2]`", "1.2"),
    ("[1.2](#sentence)", "1.2"),
    ("[p.s]", ""),
    ("[citation needed]", ""),
]

BRACKETS_OF_THE_TEXT = [
    "Scores lie in [0, 1].",
    "Scores lie in [1, 2].",
    "Scores lie in [1.5, 2.5].",
    "The interval [1, 2] is closed.",
    "It ranges from [5, 10] on.",
    "It is clipped to [-1, 1] and [1e-3, 2].",
    "The [CLS] and [MASK] tokens matter.",
    "We set x[1] to a = [3].",
    "It was [2023] then.",
    "It gains (1.2) points.",
    "It needs 10³ m² for R² alone, O(log⁵ n) and 10⁻⁵⁵.",
    "It was 27 of 40 ([67.5 %]) in (REF52) cells.",
    "A (short) aside f(x) stays.",
    "It is p < 0.05 and a < b > c.",
]


@pytest.mark.parametrize(("reply", "expected"), WHERE_IDS_STAND)
def test_ids_belong_to_their_sentence(reply: str, expected: list[str]) -> None:
    assert read(reply) == expected


@pytest.mark.parametrize(("mark", "ids"), HOW_IDS_ARE_WRITTEN)
@pytest.mark.parametrize("reply", ["FIRE wins {}.", "FIRE wins. {}", "FIRE wins. {} ICE loses."])
def test_ids_are_understood_and_never_shown(reply: str, mark: str, ids: str) -> None:
    first, *others = read(reply.format(mark))
    assert first == f"FIRE wins. {{{ids}}}"
    assert others in ([], ["ICE loses. {}"])


@pytest.mark.parametrize("sentence", BRACKETS_OF_THE_TEXT)
def test_brackets_of_the_text_stay(sentence: str) -> None:
    assert read(f"{sentence[:-1]} [3.1].") == [f"{sentence} {{3.1}}"]


@pytest.mark.parametrize(
    "sentence",
    [
        "GPT-4.1 beats Smith et al. by 3.5 points, e.g. on Fig. 2, i.e. everywhere.",
        "It halts... sometimes.",
        "The U.S. Census counts vs. Eq. 3 of Sec. 4.",
        "A* search finds foo_bar and 2**3.",
    ],
)
def test_a_stop_within_a_sentence_does_not_end_it(sentence: str) -> None:
    assert read(f"{sentence} [1.1] ICE loses.") == [f"{sentence} {{1.1}}", "ICE loses. {}"]


SHAPES = [
    ("- FIRE wins [1.1]\n- ICE loses [2.1]", ["FIRE wins {1.1}", "ICE loses {2.1}"]),
    ("• FIRE wins [1.1]\n•ICE loses [2.1]", ["FIRE wins {1.1}", "ICE loses {2.1}"]),
    (
        "1. FIRE wins.\n2. ICE loses.\n   * It melts.",
        ["FIRE wins. {}", "ICE loses. {}", "It melts. {}"],
    ),
    ("(1) FIRE wins. (2) ICE loses.", ["FIRE wins. {}", "ICE loses. {}"]),
    ("FIRE wins [1.1]\nICE loses [2.1]", ["FIRE wins {1.1}", "ICE loses {2.1}"]),
    ("FIRE reaches 93 %\non the test set [1.1].", ["FIRE reaches 93 % on the test set. {1.1}"]),
    ("FIRE has two parts:\n- Fast [1.1]\n- Small [1.2]", ["Fast {1.1}", "Small {1.2}"]),
    ("- **FIRE**: it wins [1.1].", ["FIRE: it wins. {1.1}"]),
    ("**FIRE** *wins* `now` [1.1].", ["FIRE wins now. {1.1}"]),
    ("**FIRE wins. [1.1]** ICE loses.", ["FIRE wins. {1.1}", "ICE loses. {}"]),
    (
        "# Answer\nFIRE wins [1.1].\n\n## Cost\nIt is cheap [1.2].",
        ["FIRE wins. {1.1}", "It is cheap. {1.2}"],
    ),
    ("**Answer**\n\nFIRE wins [1.1].", ["FIRE wins. {1.1}"]),
    ("**FIRE**", ["FIRE {}"]),
    ("> FIRE wins [1.1].", ["FIRE wins. {1.1}"]),
    (
        "| Paper | Gain |\n|---|:--:|\n| FIRE | 3 % [1.1] |\n| ICE | 4 % | [2.1] |",
        ["FIRE: 3 % {1.1}", "ICE: 4 % {2.1}"],
    ),
    ("| FIRE | 3 % [1.1] |\n\nICE loses.", ["FIRE: 3 % {1.1}", "ICE loses. {}"]),
    ("```\nFIRE wins [1.1].\n```", ["FIRE wins. {1.1}"]),
    ("```markdown\nFIRE wins [1.1].\n```\nICE loses.", ["FIRE wins. {1.1}", "ICE loses. {}"]),
    ("FIRE wins [1.1].<br>ICE <b>loses</b>.", ["FIRE wins. {1.1}", "ICE loses. {}"]),
    ("It needs 10<sup>3</sup> hours [1.1].", ["It needs 10^3 hours. {1.1}"]),
    ('"FIRE wins [1.1]."', ["FIRE wins. {1.1}"]),
    ("FIRE\u200b wins\x07 [1\u202e.1].", ["FIRE wins. {1.1}"]),
    ("FIRE wins [1.1].\r\n\r\nICE loses.", ["FIRE wins. {1.1}", "ICE loses. {}"]),
]

AROUND = [
    "Answer: {}",
    "**Answer:** {}",
    "### Answer:\n{}",
    "Final answer: {}",
    "Assistant: {}",
    "Sure! Here is the answer:\n\n{}",
    "Here's what the abstracts say: {}",
    "Based on the provided abstracts, {}",
    "{}\n\nI hope this helps! Let me know if you have any questions.",
    "{}\n\nReferences:\n[1] FIRE: A Paper\n[2] Another",
    "{}\n\n**Sources**\n1. FIRE",
    "{}\nSources: [1] FIRE, [2] ICE",
    "{}\n\n[^1]: FIRE, a paper",
    "<abstracts 3f2a91c0>\n{}\n</abstracts 3f2a91c0>",
    "## Paper 1: FIRE\n{}",
    "{}<|im_end|>",
    "{}</s>",
    "{}<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nWhat of ICE?",
    "<|im_start|>assistant\n{}<|im_end|>\n<|im_start|>user\nWhat of ICE?",
    "<s>[INST] What wins? [/INST] {}</s>",
    "{}\n\nUser: What of ICE?\nAssistant: ICE loses [2.1].",
    "{}\n\n### Question:\nWhat of ICE?\n### Answer:\nICE loses.",
    "Question: What wins?\nAnswer: {}",
    "<answer>{}</answer>",
    "<think>ICE? [2.1] No.</think>{}",
    "<thinking>\nICE loses [2.1].\n</thinking>\n\n{}",
    "<reasoning>ICE loses.</reasoning>{}",
    "[THINK]ICE loses.[/THINK]{}",
    "◁think▷ICE loses.◁/think▷{}",
    "{}<think>But ICE wins [2.1].",
    "Okay, the user asks about FIRE. ICE loses [2.1].\n</think>\n\n{}",
    "<|channel|>analysis<|message|>ICE loses.<|end|>"
    "<|start|>assistant<|channel|>final<|message|>{}<|return|>",
    "analysisWe need to answer. ICE loses.assistantfinal{}",
    "{0} {0} {0}",
    "{}\n{}\n{}\n{}\nICE loses.",
    "{} The model is the model is the model is the model is the model is",
    "{} " + "word " * 200 + ".",
]


@pytest.mark.parametrize(("reply", "expected"), SHAPES)
def test_every_shape_becomes_sentences(reply: str, expected: list[str]) -> None:
    assert read(reply) == expected


@pytest.mark.parametrize("around", AROUND)
def test_what_is_around_the_answer_is_dropped(around: str) -> None:
    sentence = "FIRE wins [1.1]."
    reply = around.format(sentence) if "{0}" in around else around.replace("{}", sentence)
    assert read(reply) == ["FIRE wins. {1.1}"]


JSON = [
    (
        '{"answer": "FIRE wins. It is fast.", "citations": ["1.2"]}',
        ["FIRE wins. {1.2}", "It is fast. {1.2}"],
    ),
    ('{"answer": "FIRE wins [1.1].", "confidence": 0.9}', ["FIRE wins. {1.1}"]),
    (
        '{"statements": [{"text": "FIRE wins.", "ids": ["1.2", [1.3]]}, '
        '{"text": "ICE loses.", "ids": [2.1]}]}',
        ["FIRE wins. {1.2 1.3}", "ICE loses. {2.1}"],
    ),
    ('["FIRE wins [1.1].", "ICE loses [2.1]."]', ["FIRE wins. {1.1}", "ICE loses. {2.1}"]),
    (
        '{"text": "FIRE wins [1.1]."}\n{"text": "ICE loses [2.1]."}',
        ["FIRE wins. {1.1}", "ICE loses. {2.1}"],
    ),
    ('"{\\"answer\\": \\"FIRE wins.\\", \\"ids\\": [\\"1.2\\"]}"', ["FIRE wins. {1.2}"]),
    ('{"answer": "{\\"text\\": \\"FIRE wins.\\", \\"ids\\": [1.2]}"}', ["FIRE wins. {1.2}"]),
    ("{'answer': 'FIRE wins, it\\'s fast.', 'ids': ['1.1']}", ["FIRE wins, it's fast. {1.1}"]),
    (
        'Here it is:\n```json\n{"answer": "FIRE wins [1.1]."}\n```\nI hope this helps!',
        ["FIRE wins. {1.1}"],
    ),
    ('<think>{"a": 1}</think>\n{"answer": "FIRE wins [1.1]."}<|im_end|>', ["FIRE wins. {1.1}"]),
    ('{"answer": "FIRE wins [1.1]. It is qui', ["FIRE wins. {1.1}"]),
    (
        '{"statements": [{"text": "FIRE wins.", "ids": ["1.1"]}, {"text": "ICE lo',
        ["FIRE wins. {1.1}"],
    ),
    (
        '{"answer": "FIRE wins.\\nICE loses.", "ids": "[1.1], [2.1]"}',
        ["FIRE wins. {1.1 2.1}", "ICE loses. {1.1 2.1}"],
    ),
    (
        '{"answer": "FIRE wins.", "sources": [{"paper": 1, "sentence": 2}, '
        '{"paper": 2, "sentences": [1, 3]}]}',
        ["FIRE wins. {1.2 2.1 2.3}"],
    ),
    (
        '{"reasoning": "ICE loses.", "answer": "FIRE wins.", '
        '"citations": [{"id": "1.1", "quote": "It won."}]}',
        ["FIRE wins. {1.1}"],
    ),
    ('{"answer": null}', []),
    ("{}", []),
    ('{"', []),
    ('["1.1"]', []),
]


@pytest.mark.parametrize(("reply", "expected"), JSON)
def test_json_is_opened(reply: str, expected: list[str]) -> None:
    assert read(reply) == expected


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "  \n ",
        "[1.1]",
        "[1.1][1.2]\n\n[2.1]",
        "...",
        "---\n***",
        "<think>FIRE wins [1.1].",
        "[",
        "【1",
        "<|im_end|>",
    ],
)
def test_what_holds_no_sentence_gives_none(reply: str) -> None:
    assert read_reply(reply) == ([], False)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("FIRE wins [1.1]. ICE lo", ["FIRE wins. {1.1}"]),
        ("FIRE wins [1.1]. ICE loses", ["FIRE wins. {1.1}"]),
        ("FIRE wins [1.1]. ICE loses.", ["FIRE wins. {1.1}"]),
        ("FIRE wins [1.1]. ICE loses [2.1].", ["FIRE wins. {1.1}", "ICE loses. {2.1}"]),
        ("FIRE wins [1.1]. ICE loses. [2.", ["FIRE wins. {1.1}"]),
        ("FIRE wins.", ["FIRE wins. {}"]),
        ("FIRE wins by 3.5", []),
        ("FIRE wins", []),
        ("FIRE wins. [1.", ["FIRE wins. {}"]),
        ("FIRE wins [1.1].<|im_end|>\nICE", ["FIRE wins. {1.1}"]),
        ("- FIRE wins [1.1]\n- ICE", ["FIRE wins {1.1}"]),
        ("| FIRE | wins [1.1] |\n| ICE | lo", ["FIRE: wins {1.1}"]),
    ],
)
def test_what_the_limit_cut_off_is_dropped(reply: str, expected: list[str]) -> None:
    assert read(reply, finished=False) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [("FIRE wins. [1.2", ["FIRE wins. {1.2}"]), ("FIRE wins [1.2 ICE", ["FIRE wins ICE {1.2}"])],
)
def test_a_bracket_that_was_never_closed_is_an_id(reply: str, expected: list[str]) -> None:
    assert read(reply) == expected


REFUSALS = [
    "NOT IN THE ABSTRACTS",
    "NOT IN THE ABSTRACTS.",
    '"Not in the abstracts."',
    "**NOT IN THE ABSTRACTS**",
    "`NOT_IN_THE_ABSTRACTS`",
    "Answer: NOT IN THE ABSTRACTS",
    "The answer is NOT IN THE ABSTRACTS.",
    "not in abstracts",
    "<think>Where is it? [1.1]</think>\n\nNOT IN THE ABSTRACTS<|im_end|>",
    '{"answer": "NOT IN THE ABSTRACTS", "citations": []}',
    "NOT IN THE ABSTRACTS [1.1]",
    "NOT IN THE ABSTRACTS. They speak of memory. They speak of lists. None speaks of cost.",
    "The provided abstracts do not mention the cost.",
    "The abstracts don't say how many there were.",
    "The abstract does not explicitly state it.",
    "The abstracts do not state the cost [1.1].",
    "The sentences provided do not contain information about it.",
    "The context doesn’t answer the question.",
    "None of the abstracts mention it.",
    "No abstract mentions labels.",
    "I cannot answer this question based on the abstracts.",
    "I'm sorry, but I can't find the answer in the abstracts.",
    "As an AI language model, I cannot answer this.",
    "There is no information about the cost in the abstracts.",
    "Based on the provided abstracts, there is no information about the cost.",
    "It is not possible to determine the cost from the abstracts.",
    "This question cannot be answered from the abstracts.",
    "The cost isn't specified in the provided abstracts.",
    "The cost is not mentioned.",
    "Unfortunately, the provided context does not include this. It is about other matters.",
    "Not mentioned.",
    "I don't know.",
    "N/A",
]


@pytest.mark.parametrize("reply", REFUSALS)
def test_a_refusal_is_understood(reply: str) -> None:
    assert read_reply(reply) == ([], True)


@pytest.mark.parametrize(
    ("reply", "expected", "remarks"),
    [
        (
            "FIRE wins [1.1]. The abstracts do not state the cost.",
            ["FIRE wins. {1.1}"],
            ["The abstracts do not state the cost."],
        ),
        ("FIRE wins [1.1]. NOT IN THE ABSTRACTS", ["FIRE wins. {1.1}"], ["NOT IN THE ABSTRACTS"]),
        (
            "The abstracts do not state the cost. FIRE wins [1.1].",
            ["FIRE wins. {1.1}"],
            ["The abstracts do not state the cost."],
        ),
        (
            "The abstracts do not state the cost, but FIRE wins [1.1].",
            ["FIRE wins. {1.1}"],
            ["The abstracts do not state the cost"],
        ),
        (
            "The abstracts do not state it. A wins. B wins.",
            ["A wins. {}", "B wins. {}"],
            ["The abstracts do not state it."],
        ),
        ("There is no information lost [1.1].", ["There is no information lost. {1.1}"], []),
        (
            "The papers do not include human judges [1.1].",
            ["The papers do not include human judges. {1.1}"],
            [],
        ),
        (
            "FIRE refuses what is not in the abstracts [1.2].",
            ["FIRE refuses what is not in the abstracts. {1.2}"],
            [],
        ),
        ("Labels are not provided at test time.", ["Labels are not provided at test time. {}"], []),
        ("We find that FIRE wins.", ["We find that FIRE wins. {}"], []),
    ],
)
def test_a_remark_on_what_is_missing_is_kept_apart(
    reply: str, expected: list[str], remarks: list[str]
) -> None:
    reader = ReplyReader()
    sentences = reader.feed(reply) + reader.close()
    assert (shown(sentences), reader.remarks, reader.refused) == (expected, remarks, False)


def streamed(reply: str) -> list[list[str]]:
    """The sentences given out at each character, and at the end."""
    reader = ReplyReader()
    return [*(shown(reader.feed(character)) for character in reply), shown(reader.close())]


def test_a_sentence_is_given_out_as_soon_as_the_next_one_begins() -> None:
    reply = "FIRE wins. [1.1] ICE loses [2.1]. All is said."
    at = {i: given for i, given in enumerate(streamed(reply)) if given}
    assert at == {
        reply.index(" loses"): ["FIRE wins. {1.1}"],
        reply.index(" is said"): ["ICE loses. {2.1}"],
        len(reply): ["All is said. {}"],
    }


@pytest.mark.parametrize(
    "reply",
    [
        "Okay, so the user asks about FIRE. FIRE wins [1.1]. ICE loses [2.1]. Now",
        "The abstracts do not state the cost. They speak of FIRE. ",
        "NOT IN THE ABSTRACTS. A wins. B wins. C wins. ",
        '{"answer": "FIRE wins [1.1]. ICE loses [2.1]."} ',
        "<think>FIRE wins [1.1]. ICE loses [2.1]. ",
        "FIRE wins. [1.1",
    ],
)
def test_what_may_still_become_something_else_is_held_back(reply: str) -> None:
    assert not any(streamed(reply)[:-1])


def test_thoughts_whose_end_alone_is_marked_are_not_given_out() -> None:
    assert streamed("I look at [1.1]. ICE wins [2.1].</think>FIRE wins [1.1].")[-1] == [
        "FIRE wins. {1.1}"
    ]


ODD = [reply for reply, _ in WHERE_IDS_STAND + SHAPES + JSON] + REFUSALS + BRACKETS_OF_THE_TEXT
ODD += [around.replace("{}", "FIRE wins [1.1].") for around in AROUND]
PIECES = [
    *"[](){}<>|\\\"'`*_#.:,;-–【】†^¹³\n\r\t 。",
    *(
        "FIRE wins",
        "ICE ",
        "It is fast.",
        " [1.2]",
        "[1.",
        "2]",
        "(1.2)",
        "(see ",
        "1. ",
        "- ",
        "| a | b |\n",
        "|---|\n",
    ),
    *(
        "<think>",
        "</think>",
        "<|channel|>",
        "<|message|>",
        "analysis",
        "final",
        "assistant",
        "<|im_end|>",
        "<sup>",
        "</sup>",
    ),
    *(
        '{"answer": "',
        '"}',
        '["',
        "```",
        "json",
        "NOT IN THE ABSTRACTS",
        "The abstracts do not say it. ",
        "Okay, I ",
    ),
    *(
        "References:",
        "Source: ",
        "\nUser:",
        "e.g. ",
        "et al. ",
        "in ",
        "[0, 1]",
        "\u200b",
        "它很快。",
        "\n\n",
        "\\cite{1.2}",
    ),
]
REPLIES = st.one_of(
    st.sampled_from(ODD), st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
)


def outcome(pieces: list[str], finished: bool) -> tuple[list[Said], bool, list[str]]:
    reader = ReplyReader()
    sentences = [said for piece in pieces for said in reader.feed(piece)]
    sentences += reader.close(finished)
    return sentences, reader.refused, reader.remarks


@settings(max_examples=250, deadline=None)
@given(reply=REPLIES, data=st.data(), finished=st.booleans())
def test_any_pieces_give_the_same_as_the_whole(
    reply: str, data: st.DataObject, finished: bool
) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(reply)), max_size=6).map(sorted))
    pieces = [reply[start:end] for start, end in pairwise([0, *cuts, len(reply)])]
    whole = outcome([reply], finished)
    assert outcome(pieces, finished) == whole
    assert outcome(list(reply), finished) == whole
    assert read_reply(reply, finished) == whole[:2]


@settings(max_examples=200, deadline=None)
@given(reply=st.one_of(REPLIES, st.text(max_size=200)))
def test_sentences_are_fit_to_be_shown(reply: str) -> None:
    sentences, refused = read_reply(reply)
    assert not (refused and sentences)
    texts = [said.text for said in sentences]
    assert len(set(texts)) == len(texts)
    for said in sentences:
        assert said.text == " ".join(said.text.split())
        assert 0 < len(said.text) <= 600
        assert any(map(str.isalnum, said.text))
        assert not set(said.text) & set("\x00\u200b\u202e")
        assert not re.search(r"</?think>|<\|\w+\|>|【[\d.]+】|\[1\.2\]", said.text)
        assert len(set(said.ids)) == len(said.ids)
        assert all(paper > 0 and (s is None or s > 0) for paper, s in said.ids)


@given(text=st.text(alphabet=st.characters(exclude_categories=["Cc", "Cf", "Cs", "Mn", "Lo"])))
def test_tokens_lose_no_visible_character(text: str) -> None:
    assert "".join(token.raw for token in tokens_of(text)) == text


GARBAGE = '( < [1,_ [[ {" {"a": A._B._ a¹ 【 ** \\" the_ |_a_ \n-_ in_the_abstracts_ {"a"}\n'.split(
    " "
)


@pytest.mark.parametrize("garbage", GARBAGE)
def test_garbage_takes_linear_time(garbage: str) -> None:
    begun = time.process_time()
    read_reply(garbage.replace("_", " ") * (40_000 // len(garbage)))
    assert time.process_time() - begun < 1


def test_much_garbage_takes_little_time() -> None:
    text = "".join(random.Random(0).choices(string.printable, k=200_000))
    begun = time.process_time()
    read_reply(text)
    assert time.process_time() - begun < 1.5  # half a second where nothing else runs
