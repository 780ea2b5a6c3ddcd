"""clean_abstract and clean_title: what publishers and databases add is taken off, no more."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.corpus.clean import clean_abstract, clean_text, clean_title
from rag.corpus.sentences import sentence_spans

SAID = "Kettles whistle late. We tune them."


@pytest.mark.parametrize(
    "label",
    [
        "Abstract: ",
        "ABSTRACT—",
        "Abstract. ",
        "Abstract\n",
        "**Abstract**\n\n",
        "ABSTRACT ",
        "Abstract",
        "<jats:title>Abstract</jats:title><jats:p>",
        "Summary: ",
        "© 2016, Springer. ",
    ],
)
def test_labels_before_an_abstract(label: str) -> None:
    assert clean_abstract(label + SAID) == SAID


@pytest.mark.parametrize(
    "notice",
    [
        "© 2020 Elsevier Ltd. All rights reserved.",
        "© 2019",
        "© 2019, © 2019 Hill & Dale Group, LLC.",
        "©2016 AACR.",
        "Copyright © 2019. Published by Elsevier B.V.",
        "Copyright (C) 2001 J. Doe & Sons, Ltd.",
        "(C) 2003 Elsevier Science B.V. All rights reserved.",
        "(c) 2005 Wiley-Liss, Inc.",
        "Crown Copyright © 2012 Published by Elsevier Ltd. All rights reserved.",
        "© The Author(s) 2020. Published by Hill Press on behalf of the Society of Kettles.",
        "This article is protected by copyright. All rights reserved.",
        "Published by Elsevier Inc.",
        "(PsycINFO Database Record (c) 2019 APA, all rights reserved)",
        "(PsycInfo Database Record (c) 2020 APA, all rights reserved). (Source: journal abstract)",
        "[ABSTRACT FROM AUTHOR] Copyright of Kettle is the property of Hill & Co. and its content "
        "may not be copied. (Copyright applies to all Abstracts.)",
        "Keywords: kettle, whistle; tuning",
        "Index Terms—kettle, whistle.",
        "Comments: 12 pages, accepted at KETTLE 2024",
    ],
)
def test_notices_behind_an_abstract(notice: str) -> None:
    assert clean_abstract(f"{SAID} {notice}") == SAID
    assert clean_abstract(f"{SAID} {notice} {notice}") == SAID


def test_a_notice_between_two_languages_takes_neither() -> None:
    said = f"{SAID} © 2012 Hill España, S.L. Todos los derechos reservados. Los hervidores silban."
    assert clean_abstract(said) == f"{SAID} Los hervidores silban."


@pytest.mark.parametrize(
    "said",
    [
        "Abstract Meaning Representation is old.",
        "Abstract reasoning is hard.",
        "AbstractNet is small. AbstractNet is quick.",
        "Summary statistics mislead.",
        "We protect copyright. Copyright law changed.",
        "It needs (a) water, (b) heat and (c) 2019 kettles.",
        "Published by hand in 1900, the list grew. It was long.",
        "We list keywords: tea, milk.",
        "See https://ex.org/kettles.",
    ],
)
def test_sentences_of_the_authors_stay(said: str) -> None:
    assert clean_abstract(said) == said


@pytest.mark.parametrize(
    "nothing", ["No abstract available.", "[Abstract unavailable]", "N/A", "nan", "-"]
)
def test_that_there_is_no_abstract_is_none(nothing: str) -> None:
    assert clean_abstract(nothing) == ""


@pytest.mark.parametrize(
    ("raw", "parts"),
    [
        (
            "Background\nKettles boil.\r\nMethods/Findings\nWe wait.",
            ["Background: Kettles boil.", "Methods/Findings: We wait."],
        ),
        ("METHODSKettles boil.RESULTS: We wait.", ["METHODS: Kettles boil.", "RESULTS: We wait."]),
        ("## Aim Kettles boil. ### Results We wait.", ["Aim: Kettles boil.", "Results: We wait."]),
        ("Aim. Kettles boil. CONCLUSION. We wait.", ["Aim. Kettles boil.", "CONCLUSION. We wait."]),
        (
            "MethodsWe boil. ResultsThe kettle sang.",
            ["Methods: We boil.", "Results: The kettle sang."],
        ),
        ("ContextBench grows. GoalNet is new.", ["ContextBench grows.", "GoalNet is new."]),
    ],
)
def test_headings_stay_with_what_they_head(raw: str, parts: list[str]) -> None:
    text = clean_abstract(raw)
    assert [text[start:end] for start, end in sentence_spans(text)] == parts


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("A study of kettles.", "A study of kettles"),
        ("Kettles of Smith et al.", "Kettles of Smith et al."),
        ("{DNA} of {M}arkov {Kettles}", "DNA of Markov Kettles"),
        ("Bits in {0, 1}", "Bits in {0, 1}"),
        ("[Kettles in the morning].", "Kettles in the morning"),
        ("[Re] Kettles in the morning", "[Re] Kettles in the morning"),
        ("LOUD <i>Kettles</i>: Why?", "LOUD Kettles: Why?"),
    ],
)
def test_titles(raw: str, clean: str) -> None:
    assert clean_title(raw) == clean


_PIECES = st.sampled_from(
    [*"\\${}_^[]()*`~#<>&;-—.:'\"aB1 \n\ud800\u200b©", " ", "word ", "The", r"\textbf{", r"\alpha"]
    + [
        "$x$",
        "**",
        "<b>",
        "<jats:title>",
        "</jats:title>",
        "&lt;",
        "&amp;",
        "Abstract",
        "(c) 2019 ",
    ]
    + [
        "RESULTS",
        "Methods",
        "All rights reserved.",
        "Published by",
        "Keywords:",
        "per- ",
        "http://a.b/_",
    ]
)


@settings(deadline=None, max_examples=300)
@given(st.one_of(st.lists(_PIECES, max_size=25).map("".join), st.text(max_size=60)))
def test_cleaning_twice_changes_nothing_more(raw: str) -> None:
    for clean in (clean_text, clean_abstract, clean_title):
        once = clean(raw)
        assert clean(once) == once
        once.encode()


@pytest.mark.parametrize(
    "unit",
    [
        "© ",
        "©.",
        "(c) 2019 ",
        "Published by A",
        "Abstract ",
        "BACKGROUND",
        "Methods\n",
        "a- ",
        "{a b",
    ]
    + [
        "$a ",
        "$=",
        "<a ",
        "<jats:title>",
        "Keywords: ",
        "Copyright of a",
        "[",
        "_a ",
        "'",
        "<",
        "&",
    ],
)
def test_hostile_input_takes_linear_time(unit: str) -> None:
    clean_title(r"warm $x$ é")
    start = time.process_time()
    clean_abstract(unit * (100_000 // len(unit)))
    clean_title(unit * (100_000 // len(unit)))
    assert time.process_time() - start < 2.0
