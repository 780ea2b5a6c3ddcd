"""find_handle: what a paper without a title is called."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rag.corpus.clean import clean_text
from rag.corpus.handle import MAX_HANDLE_CHARS, find_handle

ICLR = Path(__file__).parents[2] / "shared/data/iclr2026/iclr2026_accepted_12areas.jsonl"


@pytest.mark.parametrize(
    ("text", "handle"),
    [
        ("Sorting is slow. We propose QuickNet, a sorter.", "QuickNet"),
        ("Sorting is slow. We present SORT2, which sorts.", "SORT2"),
        ("We introduce Quick And Neat Trees (QANT) for sorting. QANT is small.", "QANT"),
        ("This paper develops a sorter called iSort that is fast.", "iSort"),
        ("LLMs sort badly. We present a new method, dubbed Sort-Zero, for LLMs.", "Sort-Zero"),
        ("We design a fast sorter, FaSo, that never swaps.", "FaSo"),
        ("Sorting matters. In this work we introduce Sortello, the first tidy sorter.", "Sortello"),
        ("GPT-4 sorts badly. We release TidyBench, a benchmark. GPT-4 fails.", "TidyBench"),
        ("We propose Tidy Tree Search that never swaps.", "Tidy Tree Search"),
    ],
)
def test_the_name_of_what_is_introduced(text: str, handle: str) -> None:
    assert find_handle(text) == handle


@pytest.mark.parametrize(
    ("text", "handle"),
    [
        ("We study the convergence rate of greedy sorting.", "Convergence Rate of Greedy Sorting"),
        ("We investigate learning from noisy labels.", "Learning from Noisy Labels"),
        ("Greedy sorting of numbers is old. It is slow.", "Greedy Sorting of Numbers"),
        ("Background: Greedy sorting of numbers is old.", "Greedy Sorting of Numbers"),
        ("We study reinforcement learning for kettles.", "Reinforcement Learning for Kettles"),
        ("We study language models. We analyze tidy kettles.", "Tidy Kettles"),
        ("We close the gap with a kettle. We examine tidy shelves.", "Tidy Shelves"),
    ],
)
def test_the_subject_where_nothing_is_named(text: str, handle: str) -> None:
    assert find_handle(text) == handle


@pytest.mark.parametrize("text", ["x", "。", "我们研究排序。", "word " * 40, "y" * 500, "a. b. c."])
def test_never_empty_never_long(text: str) -> None:
    assert 0 < len(find_handle(text)) <= MAX_HANDLE_CHARS


def test_without_a_system_the_title_says_what_the_paper_is_about() -> None:
    text = "Recent sorters swap too often. We prove that two swaps are enough."
    assert find_handle(text, "Sparse Swapping for Tidy Shelves") == "Sparse Swapping"
    assert find_handle(text, "How Often Do Sorters Swap?") == "How Often Do Sorters Swap?"
    assert find_handle(text, "All Swaps Lead to Order: A Theory") == "All Swaps Lead to Order"


@pytest.mark.parametrize("opening", ["Recent sorters", "Although sorters", "Only 5% of sorters"])
def test_the_opening_of_a_sentence_is_no_name(opening: str) -> None:
    text = f"{opening} swap. We study needless swapping in shelves."
    assert find_handle(text) == "Needless Swapping"


@pytest.mark.parametrize("known", ["MNIST", "SGD", "CIFAR-10", "BERT", "Pass@4"])
def test_what_everybody_uses_is_no_name(known: str) -> None:
    text = (
        f"We introduce a sorter with ({known}), trained on {known}. {known} is old. {known} stays."
    )
    assert find_handle(text, "Sorting Tidy Shelves") == "Sorting Tidy Shelves"


def test_a_long_title_is_cut_where_it_may_end() -> None:
    title = "Why are sorters so slow on shelves that nobody would put to the test?"
    assert (
        find_handle("It is slow.", title)
        == "Why are sorters so slow on shelves that nobody would put"
    )


def test_no_text_has_no_handle() -> None:
    assert find_handle("") == ""


def test_names_in_titles_are_found_in_abstracts() -> None:
    """Titles of the form "Name: ..." say what the handle should be."""
    if not ICLR.exists():
        pytest.skip(f"needs {ICLR}")
    hits = []
    for row in map(json.loads, ICLR.read_text("utf-8").splitlines()):
        name, colon, _ = clean_text(row["title"]).partition(": ")
        abstract = clean_text(row["abstract"])
        inner = any(char.isupper() or char.isdigit() for char in name[1:])
        if (
            colon
            and inner
            and " " not in name
            and re.search(rf"(?<!\w){re.escape(name)}\b", abstract)
        ):
            hits.append(find_handle(abstract) == name)
    assert len(hits) > 1_000
    assert sum(hits) / len(hits) >= 0.85
