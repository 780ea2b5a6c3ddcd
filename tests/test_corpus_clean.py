"""clean_text: LaTeX, Markdown and HTML become one plain line, and nothing else is lost."""

from __future__ import annotations

import json
import time
import unicodedata
from pathlib import Path

import pytest

from rag.corpus.clean import clean_text

SHARED = Path(__file__).parents[2] / "shared"
ICLR = SHARED / "data/iclr2026/iclr2026_accepted_12areas.jsonl"


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        (r"a \textbf{bold \emph{and nested}} word", "a bold and nested word"),
        (r"\textbf{S}ome\textbf{W}here", "SomeWhere"),
        (r"{\bf heavy} type", "heavy type"),
        (r"see \url{https://ex.org/a_b%20c}", "see https://ex.org/a_b%20c"),
        (r"our \href{https://ex.org}{page}", "our page"),
        (r"shown before~\citep{a,b}.", "shown before."),
        (r"shown \cite{a} here", "shown here"),
        (r"cheap\footnote{Per year.} to run", "cheap (Per year.) to run"),
        (r"5\% of A\&B, x\_y, \$3 and \#1", "5% of A&B, x_y, $3 and #1"),
        (r"first \\ second", "first second"),
        (r"\textcolor{red}{warm} words", "warm words"),
        (r"\method{} beats \ours.", "method beats ours."),
        (r"\eg cats", "e.g. cats"),
        (r"na\"ive Schr\"{o}dinger caf\'e", "naïve Schrödinger café"),
        (r"the model\'s \"own\" words", 'the model\'s "own" words'),
        (r"we {\em do} bring {two words} and {FlashNet}", "we do bring two words and FlashNet"),
        (r"of 4{,}000 tests (GRPO-X}) {here", "of 4,000 tests (GRPO-X) here"),
        (r"ten settings\footnote{Our code is", "ten settings (Our code is"),
        (
            r"x \documentclass[12pt]{minimal} \usepackage{a} \begin{document}$$y$$\end{document} z",
            "x y z",
        ),
        (r"typed\nliterally\n", "typed\\nliterally"),
        (r"Ends.\nNext line", "Ends. Next line"),
    ],
)
def test_latex_in_prose(raw: str, clean: str) -> None:
    assert clean_text(raw) == clean


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        (r"an $\ell_1$-norm", "an ℓ₁-norm"),
        (r"at $10^{-3}$ and 10^{-3}", "at 10⁻³ and 10⁻³"),
        (r"$n^2$, $x_i$ and $x^k$", "n², xᵢ and xᵏ"),
        (r"$x_{ab}$ or $z^q$", "x_ab or z^q"),
        (r"$\gamma, \alpha \times \infty$", "γ, α × ∞"),
        (r"$a \leq b$", "a ≤ b"),
        (r"in $\mathbb{R}$", "in ℝ"),
        (r"$\mathcal{O}(n\log n)$", "O(n log n)"),
        (r"$\frac{a}{b}$ and $\frac{a+1}{b}$", "a/b and (a+1)/b"),
        (r"$\sqrt{n}$ and $\sqrt{n+1}$", "√n and √(n+1)"),
        (r"\(p\) or \[q\]", "p or q"),
        (r"about $\sim$20 items", "about ∼20 items"),
        (r"$\texttt{Tool}$ and $\argmax$", "Tool and argmax"),
        (r"$\max_\mathbf{v} f$", "maxᵥ f"),
        (r"up $38\\%$ $\\downarrow$", "up 38% ↓"),
        (r"$ K $-means on $S \subset $ {0,1} by E$^2$4X", "K-means on S ⊂ {0,1} by E²4X"),
        (r"$A^n \to B$, $\max\\{a, b\\}$", "Aⁿ → B, max{a, b}"),
        (r"$n^2 \log n$ and $\ell_\infty$", "n² log n and ℓ_∞"),
        (r"$\sum_{a, b} x$ and $y_*$", "∑_(a, b) x and y_*"),
    ],
)
def test_math(raw: str, clean: str) -> None:
    assert clean_text(raw) == clean


@pytest.mark.parametrize(
    "prose",
    [
        "It costs $5 million, not $6.",
        "Between $10-$20 and 5% of #1 & co.",
        "A* search and B* search, p < 0.05*, a * b",
        "2**3 is eight and snake_case stays_as_it_is",
        "a set {1, 2} of braces, {A} and c ∈ {True or False}",
        "torch.Tensor, Node.js, e.g.x, U.S.A",
        "an open { brace and another } one",
        "about ~20 items, 3~5 dB",
        "<eos> and <s> tokens and x < y > z",
        "R^2 of 5*5 and α-β, pass^4, US$ 5 and $ 6",
        "pre- and post-training, 4- to 8-bit, open- as well as closed-source",
        "CD25- cells and HIV- patients lack it",
        "call __init__ twice",
        "see https://ex.org/a--b/~me/x_y_z*",
        r"C:\Users\me",
        "“quoted” – and—dashed",
    ],
)
def test_prose_that_looks_like_markup_survives(prose: str) -> None:
    assert clean_text(prose) == prose


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        (r"It works. \todo{say why}We agree.", "It works. We agree."),
        (r"It works \TODO{cite \cite{x}}.", "It works."),
        (r"\todo[inline]{check} It works.", "It works."),
        ("It works [TODO: numbers].", "It works."),
    ],
)
def test_notes_to_oneself_are_dropped(raw: str, clean: str) -> None:
    assert clean_text(raw) == clean


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("***T****iny mo****D****el*** (***TD***)", "Tiny moDel (TD)"),
        ("***B**ig **T**ree* (BT)", "Big Tree (BT)"),
        ("an *odd* and _even_ **pair**", "an odd and even pair"),
        ("run `make all` in [the docs](https://ex.org/d)", "run make all in the docs"),
        ("![a plot](plot.png) shows", "a plot shows"),
        ("# Title\n> said\n- one\n- two", "Title said one two"),
        ("__BIG__ news", "BIG news"),
    ],
)
def test_markdown(raw: str, clean: str) -> None:
    assert clean_text(raw) == clean


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("a &lt; b &amp;amp; c&nbsp;d", "a < b & c d"),
        ("<p>H<sub>2</sub>O and <i>x</i><sup>2</sup></p>", "H₂O and x²"),
        ("one<br/>two", "one two"),
        ('<a href="https://ex.org">here</a>', "here"),
        ("<jats:title>Aims</jats:title><jats:p>CO<jats:sub>2</jats:sub>.</jats:p>", "Aims: CO₂."),
        (
            '<AbstractText Label="METHODS" NlmCategory="X">We count.</AbstractText>',
            "METHODS: We count.",
        ),
        ("<inline-formula><tex-math>$k$</tex-math></inline-formula>-best", "k-best"),
        ("of <italic>E. coli</italic> <xref ref-type='b'>1</xref>", "of E. coli 1"),
    ],
)
def test_html(raw: str, clean: str) -> None:
    assert clean_text(raw) == clean


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("words---set off---here", "words—set off—here"),
        ("words --- set off --- here", "words — set off — here"),
        ("pages 3--5, train--test", "pages 3–5, train–test"),
        ("``double'' and `single'", "“double” and ‘single’"),
        ("a ``quick'’ Net , and more .", "a “quick” Net, and more."),
        ("where p \u0338= 2", "where p ≠ 2"),
        ("It waits . . . and halts. .", "It waits… and halts."),
        ("Three parts: • speed. • size.", "Three parts: speed. size."),
        ("tasks~-~including~these", "tasks - including these"),
        ("It runs reliably.As a result, it wins (often).We stop.", None),
    ],
)
def test_typesetting(raw: str, clean: str | None) -> None:
    spaced = "It runs reliably. As a result, it wins (often). We stop."
    assert clean_text(raw) == (clean or spaced)


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("eﬃcient ﬁles", "efficient files"),
        ("itâ€™s a cafÃ©", "it’s a café"),
        ("a\x00b\x07c\ud800d", "abcd"),
        ("zero\u200bwidth soft\u00adhyphen\ufeff", "zerowidth softhyphen"),
        ("a\u00a0b \t\r\n c", "a b c"),
        ("state\u2011of", "state-of"),
        ("e\u0301", "é"),
    ],
)
def test_characters(raw: str, clean: str) -> None:
    assert clean_text(raw) == clean


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("better perfor- mance", "better performance"),
        ("better perfor-\n  mance", "better performance"),
        (
            "a data- driven and LLM- based text-to- image tool",
            "a data-driven and LLM-based text-to-image tool",
        ),
        ("The pre-set. A pre- set", "The pre-set. A pre-set"),
        ("A tree is a tree- structured thing", "A tree is a tree-structured thing"),
        ("sets of marks- which vary", "sets of marks- which vary"),
    ],
)
def test_words_that_a_line_break_cut_in_two(raw: str, clean: str) -> None:
    assert clean_text(raw) == clean


UGLY = [
    "",
    " \n ",
    r"\textbf{open",
    r"}\emph{a}}{",
    r"\$5\$ and \*x\* and \_y\_",
    "&amp;amp;lt;b&amp;gt;",
    "\\" * 7,
    "`" * 5 + "a`",
    "****",
    "$$",
    r"\(\(\)",
    "[[a](b.c)](d.e)",
    "- - # > x",
    r"$\frac{$ \frac",
    "x_{y_{z}}^{w}",
    "~~~a~~~b",
    "a------b",
]


@pytest.mark.parametrize("raw", UGLY)
def test_idempotent_on_ugly_strings(raw: str) -> None:
    once = clean_text(raw)
    assert clean_text(once) == once


@pytest.mark.parametrize("raw", [r"\textbf{open words", r"open} words{", r"$\frac{open$ words"])
def test_unbalanced_braces_lose_no_words(raw: str) -> None:
    assert {"open", "words"} <= set(clean_text(raw).replace("{", " ").replace("}", " ").split())


@pytest.mark.parametrize("unit", ["{", "$", "*", "\\textbf{", "_{", "\\x{}", "`a ", "[", "&amp;"])
def test_hostile_input_takes_linear_time(unit: str) -> None:
    def seconds(length: int) -> float:
        start = time.process_time()
        clean_text(unit * (length // len(unit)))
        return time.process_time() - start

    clean_text(r"warm \textbf{up} $x$ é")
    assert seconds(200_000) < 1.0


def test_real_abstracts_are_cleaned_for_good_and_fast() -> None:
    if not ICLR.exists():
        pytest.skip(f"needs {ICLR}")
    raws = [json.loads(line)["abstract"] for line in ICLR.read_text("utf-8").splitlines()]
    start = time.process_time()
    cleaned = [clean_text(raw) for raw in raws]
    assert time.process_time() - start < 0.001 * len(raws)
    for text in cleaned:
        assert clean_text(text) == text
        assert "\\" not in text and "**" not in text and "  " not in text
        assert unicodedata.is_normalized("NFC", text)
