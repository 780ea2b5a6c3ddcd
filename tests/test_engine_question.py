"""What a question is read to be: its kind, and whether it leans on the turns before it."""

from __future__ import annotations

import pytest

from rag.engine.anaphora import continues
from rag.engine.question import Turn, context_of, understand

LEANING = """\
Why?
And why?
How so?
What else?
Tell me more
Can you elaborate?
More details please
Any limitations?
What accuracy?
And on CIFAR?
What about speed?
And the baselines?
How does it measure the tide?
Is it easy to use?
Is it hard to train?
How long does it take to train?
Is it possible to train it on a phone?
What does it cost to train?
Does it matter?
Is it better than LemmaLoom?
Which benchmarks is its method evaluated on?
What are the limits of their approach?
What datasets and baselines are used in their experiments?
For which reinforcement learning tasks do they report gains?
Are the experiments they ran on real robots?
Who are they?
Why is that?
How is that different from what was done before?
Does this hold for small models?
In that paper, what is the loss?
Is the model open source?
What did the authors find?
What happens there?
What is measured?
What was compared?
Which of them use sound?
Which of these papers use sound?
Which papers do they cite?
Which one is faster?
Which is better?""".splitlines()

ALONE = """\
What weather is it?
What time is it?
Is it true that larger models hallucinate more?
Is it possible to merge two models without data?
It is known that dropout helps; which paper explains the effect?
How long does it take to train a diffusion model?
What does it mean for a policy to be safe?
Which papers show that models overfit?
Which methods are robust to noise that nobody has seen?
Which papers are there on robots?
Is there a benchmark for pathology?
Are there papers about directed graphs?
Are these days transformers still used for vision?
Do language models know what they know?
How do language models represent their knowledge?
Does a model calibrate its confidence?
Which papers release their code?
Which papers propose a method and test it on robots?
If a model is trained for longer, does it forget?
Who found that training for longer makes a listening model worse, and what do they do about it?
What is the method of moments?
What is distillation?
What are transformers?
Why do transformers need positional encodings?
How many papers use diffusion models?
List the papers about tides
What drives the tides in shallow harbours?""".splitlines()


@pytest.mark.parametrize("question", LEANING)
def test_what_cannot_be_understood_alone_continues(question: str) -> None:
    assert continues(question)


@pytest.mark.parametrize("question", ALONE)
def test_what_only_looks_as_if_it_pointed_back_stands_alone(question: str) -> None:
    assert not continues(question)


@pytest.mark.parametrize(
    ("standalone", "papers", "kind"),
    [
        ("TideNet: why?", 1, "follow-up"),
        ("How do TideNet and LemmaLoom differ?", 2, "compare"),
        ("Do TideNet and LemmaLoom use sound?", 2, "compare"),
        ("A; B; C: which of them use sound?", 3, "list"),
        ("A; B; C: how many papers use sound?", 3, "count"),
        ("Which papers use sound?", 0, "list"),
        ("What is TideNet?", 0, "definition"),
    ],
)
def test_the_kind_of_a_follow_up_depends_on_how_many_papers_it_is_about(
    standalone: str, papers: int, kind: str
) -> None:
    asked = understand("and them?", standalone, ["TideNet"], papers)
    assert (asked.kind, asked.standalone, asked.asked) == (kind, standalone, "and them?")


@pytest.mark.parametrize(
    ("question", "papers", "kind"),
    [
        ("which of them use sound?", 3, "list"),
        ("and which of those use sound?", 2, "list"),
        ("only the ones about robots", 3, "list"),
        ("how many of them use sound?", 3, "count"),
        ("which of them is faster?", 2, "compare"),
        ("how do they differ?", 2, "compare"),
    ],
)
def test_a_follow_up_may_want_some_of_the_papers_only(
    question: str, papers: int, kind: str
) -> None:
    asked = understand(question, f"How A differ: {question}", (), papers, "sound")
    assert asked.kind == kind
    assert asked.text == ("sound" if kind in ("list", "count") else asked.standalone)


def test_a_follow_up_keeps_the_names_of_its_papers_in_what_is_searched() -> None:
    assert understand("?", "A; B; C: which papers use sound?", (), 3).text.startswith("A; B; C")
    assert understand("?", "Which papers use sound?", (), 0).text == "sound?"


def test_the_context_of_a_conversation_is_bounded() -> None:
    long = Turn("word " * 10_000, "word " * 10_000)
    assert len(context_of([long] * 200)) < 10_000


KINDS = """\
find: Who works on protein folding?
find: Is there work on tidal forecasts?
find: What should I read if my robots fall over?
find: How could one prune a network without data?
find: Has anyone tried reinforcement learning for knitting?
find: Did anybody look at memory in robots?
find: Any papers on glaciers?
find: I am looking for work on music tagging
find: I'm looking for a paper about bees
find: Can you recommend something on sparse attention?
find: Which paper proposes a benchmark for tides?
find: Is somebody working on sign language?
find: Do you know a paper on river ice?
find: Where can I read about causal abstraction?
list: Papers about robots?
list: Which papers use graph networks?
list: List all works on speech
list: What papers are there on diffusion?
list: papers that mention ImageNet
count: How many papers use diffusion?
count: How many of the papers mention robots?
count: How many works are about speech?
count: What is the number of papers on vision?
count: Count the papers on robots
compare: How does TideNet differ from LemmaLoom?
compare: TideNet versus LemmaLoom
compare: TideNet or LemmaLoom: which one needs fewer labels?
compare: Compare the paper on tides with the one on proofs
compare: What is the difference between TideNet and LemmaLoom in training?
compare: Does TideNet or LemmaLoom use sound?
compare: What do the works on tides and on proofs each say about noise?
compare: How do TideNet and LemmaLoom handle noise?
compare: What saving do TideNet and broken proofs each promise?
compare: What is counted in the work on tides, and what in the one on proofs?
fact: What is TideNet compared with?
fact: Which baselines was TideNet compared against?
fact: How many hours of sound does TideNet need?
fact: Why does pruning hurt accuracy?
fact: Which sensors are cheap and what for?
fact: How does TideNet measure the tide?
definition: What is TideNet?
definition: Summarize TideNet
definition: What does the TideNet paper propose?
definition: Explain LemmaLoom
definition: TideNet
similar: Papers like TideNet
similar: What is similar to TideNet?
similar: Which works are related to LemmaLoom?
similar: anything close to TideNet?""".splitlines()


@pytest.mark.parametrize("line", KINDS)
def test_the_wording_of_a_question_tells_its_kind(line: str) -> None:
    kind, _, question = line.partition(": ")
    names = [name for name in ("TideNet", "LemmaLoom") if name in question]
    assert understand(question, question, names).kind == kind


@pytest.mark.parametrize(
    "question",
    ["tl;dr of TideNet", "Summarise TideNet in one sentence", "Why should I care about TideNet?"],
)
def test_a_wish_for_a_summary_is_one_for_what_the_paper_is(question: str) -> None:
    assert understand(question, question, ["TideNet"]).kind == "definition"
    assert understand(f"{question} and sound", f"{question} and sound", ["TideNet"]).kind == "fact"
