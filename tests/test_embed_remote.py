"""Embeddings over HTTP against a real server on localhost, well-behaved and not."""

from __future__ import annotations

import json
import logging
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rag.embed import Document
from rag.embed import remote as module
from rag.embed.batches import COMPATIBLE, OPENAI, batched, estimated_tokens, halves
from rag.embed.remote import RemoteEmbedder, settings_for
from rag.endpoint import Endpoint
from rag.errors import (
    BudgetError,
    ContextOverflow,
    EndpointError,
    EndpointUnreachable,
    KeyRefused,
    QuotaExhausted,
    RateLimited,
)
from rag.models.ledger import read
from rag.types import Secret
from tests.commands import runner
from tests.embedding_server import (
    EmbeddingServer,
    Odd,
    always,
    empty_account,
    first,
    unit,
)
from tests.fakes import abstract
from tests.servers import (
    Event,
    Exchange,
    Fault,
    Scripted,
    drops,
    eventually,
    no_quota,
    says,
    sends,
    too_many,
)

SENTINEL = "sk-sentinel-0123456789-never-shown"
TOO_LONG = says(400, "This model's maximum context length is 512 tokens.")


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as ours:
        yield ours


@pytest.fixture(autouse=True)
def impatience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.endpoint.patience.FIRST_WAIT", 0.01)


def embedder(server: EmbeddingServer, **how: Any) -> RemoteEmbedder:
    endpoint = Endpoint("some-model:7b", server.url, timeout=5, settings="RAG_EMBED")
    return RemoteEmbedder(endpoint, **how)


def documents(count: int, sentences: int = 3) -> list[Document]:
    """With the spans of two words each, which is as good as sentences here."""
    texts = [abstract(n, sentences) for n in range(count)]
    return [Document(text, ((0, 7), (8, 8 + len(text) // 2))) for text in texts]


def pieces(document: Document) -> list[str]:
    return [document.text, *(document.text[s:e] for s, e in document.spans)]


def delayed(seconds: float) -> Odd:
    """Answer properly, but late."""
    return lambda number, body: time.sleep(seconds)


# What comes back


def test_each_text_and_each_sentence_gets_its_own_vector(server: EmbeddingServer) -> None:
    given = documents(20)
    found = list(embedder(server).documents(given))
    assert [i for i, _ in found] == list(range(20))
    for i, vectors in found:
        assert np.allclose(vectors, [unit(text) for text in pieces(given[i])], atol=1e-3)


def test_vectors_have_length_one_and_lie_on_the_grid_of_half_precision(
    server: EmbeddingServer,
) -> None:
    found = np.vstack([vectors for _, vectors in embedder(server).documents(documents(3))])
    assert found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-3)
    assert (found == found.astype(np.float16)).all()


def test_question_gets_the_vector_of_a_text_that_says_the_same(server: EmbeddingServer) -> None:
    ours = embedder(server)
    ((_, vectors),) = ours.documents([Document("How deep is it?", ())])
    assert (ours.query("How deep is it?") == vectors[0]).all()


def test_batches_are_limited_by_count(server: EmbeddingServer) -> None:
    list(embedder(server).documents(documents(40)))
    sizes = [len(body["input"]) for body in server.bodies]
    assert (sum(sizes), max(sizes), len(sizes)) == (120, COMPATIBLE.inputs, 4)


def test_batches_are_limited_by_tokens(server: EmbeddingServer) -> None:
    list(embedder(server).documents(documents(12, sentences=120)))
    sizes = [sum(map(estimated_tokens, body["input"])) for body in server.bodies]
    assert COMPATIBLE.tokens / 2 < max(sizes) <= COMPATIBLE.tokens


def test_text_larger_than_a_batch_goes_alone() -> None:
    texts = ["a", "b" * 3 * COMPATIBLE.tokens, "c"]
    assert list(batched(texts, COMPATIBLE)) == [[text] for text in texts]


def test_estimate_is_no_less_than_what_openai_counts_in_prose(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    core = pytest.importorskip("llama_index.core")
    cache = Path(core.__file__).parent / "_static" / "tiktoken_cache"
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(cache))
    encoding = tiktoken.get_encoding("cl100k_base")
    texts = (Path(module.__file__).parent.parent / "sample").glob("*.jsonl")
    lines = [line for path in texts for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(lines) > 30
    assert all(estimated_tokens(line) >= len(encoding.encode(line)) for line in lines)


def test_few_requests_are_under_way_at_once(server: EmbeddingServer) -> None:
    now, most, lock = [0], [0], threading.Lock()

    def slow(number: int, body: Event) -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.05)
        with lock:
            now[0] -= 1

    server.odd = slow
    list(embedder(server).documents(documents(100)))
    assert most[0] == COMPATIBLE.at_once


def test_late_answers_do_not_change_the_order(server: EmbeddingServer) -> None:
    server.odd = lambda number, body: delayed(0.02 * (4 - number % 4))(number, body)
    given = documents(60)
    for i, vectors in embedder(server).documents(given):
        assert np.allclose(vectors[0], unit(given[i].text), atol=1e-3)


# What is asked for


def test_compatible_server_is_asked_for_plain_numbers_and_nothing_else(
    server: EmbeddingServer,
) -> None:
    embedder(server).query("How deep?")
    assert server.asked[0].path == "/v1/embeddings"
    assert server.bodies == [
        {"input": ["How deep?"], "model": "some-model:7b", "encoding_format": "float"}
    ]


def test_dimensions_are_sent_where_they_are_asked_for(server: EmbeddingServer) -> None:
    ours = embedder(server, dimensions=4)
    assert (len(ours.query("How deep?")), server.bodies[0]["dimensions"]) == (4, 4)


def test_openai_gets_larger_batches_and_packs_its_numbers(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag.endpoint.client.OPENAI_URL", server.url)
    server.dimensions = 1536
    ours = RemoteEmbedder(Endpoint("text-embedding-3-small", key=Secret(SENTINEL)))
    given = documents(90)
    found = dict(ours.documents(given))
    assert np.allclose(found[70][0], unit(given[70].text, 1536), atol=1e-3)
    sizes = sorted(len(body["input"]) for body in server.bodies)
    assert sizes == [270 - OPENAI.inputs, OPENAI.inputs]
    assert {body["encoding_format"] for body in server.bodies} == {"base64"}
    assert {request.headers["authorization"] for request in server.asked} == {f"Bearer {SENTINEL}"}


def test_openai_without_a_key_is_refused_before_any_request() -> None:
    with pytest.raises(KeyRefused) as caught:
        RemoteEmbedder(Endpoint("text-embedding-3-small")).query("How deep?")
    assert "OPENAI_API_KEY" in caught.value.fix


def test_key_of_openai_is_not_sent_elsewhere(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SENTINEL)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-sentinel")
    embedder(server).query("How deep?")
    assert "sentinel" not in str(server.asked)


@pytest.mark.parametrize("text", ["", " \n", "\ud800", "<|endoftext|> said it", "a\x00b", "線\n数"])
def test_hard_texts_are_embedded(server: EmbeddingServer, text: str) -> None:
    ours = embedder(server)
    ((_, vectors),) = ours.documents([Document(text, ((0, len(text)),))])
    assert vectors.shape == (2, 8)
    assert ours.query(text).shape == (8,)
    assert all(sent.strip() for sent in server.inputs)


def test_line_breaks_arrive_as_such(server: EmbeddingServer) -> None:
    embedder(server).query("one\ntwo")
    assert server.inputs == ["one\ntwo"]


def test_no_documents_make_no_request(server: EmbeddingServer) -> None:
    assert list(embedder(server).documents([])) == []
    assert server.bodies == []


# Identity


def test_identity_names_model_and_dimensions_not_the_address(server: EmbeddingServer) -> None:
    assert embedder(server).identity == "some-model:7b/8"


@pytest.mark.parametrize(
    ("model", "dimensions", "identity"),
    [
        ("text-embedding-3-small", None, "text-embedding-3-small/1536"),
        ("text-embedding-3-large", None, "text-embedding-3-large/3072"),
        ("text-embedding-3-large", 256, "text-embedding-3-large/256"),
        ("", None, "text-embedding-3-small/1536"),
    ],
)
def test_identity_at_openai_takes_no_request(
    model: str, dimensions: int | None, identity: str
) -> None:
    assert RemoteEmbedder(Endpoint(model), dimensions).identity == identity


def test_unknown_dimensions_are_found_out_by_one_request(server: EmbeddingServer) -> None:
    ours = embedder(server)
    assert (ours.dimensions, ours.identity, ours.dimensions) == (8, "some-model:7b/8", 8)
    assert len(server.bodies) == 1


def test_question_on_its_way_finds_the_dimensions_out(server: EmbeddingServer) -> None:
    server.odd = delayed(0.2)
    ours = embedder(server)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(ours.query, "How deep?")
        assert eventually(lambda: bool(server.bodies))
        assert ours.dimensions == 8
    assert len(server.bodies) == 1


def test_dimensions_seen_in_an_answer_take_no_request(server: EmbeddingServer) -> None:
    ours = embedder(server)
    list(ours.documents(documents(2)))
    assert (ours.dimensions, len(server.bodies)) == (8, 1)


BUILT_IN = "all-MiniLM-L6-v2-int8/late-512"


@pytest.mark.parametrize(
    ("wanted", "present", "settings"),
    [
        (BUILT_IN, "nomic/768", "unset RAG_EMBED_MODEL and RAG_EMBED_BASE_URL"),
        ("text-embedding-3-small/1536", BUILT_IN, "set RAG_EMBED_MODEL=text-embedding-3-small"),
        (
            "text-embedding-3-large/256",
            BUILT_IN,
            "set RAG_EMBED_MODEL=text-embedding-3-large and RAG_EMBED_DIMENSIONS=256",
        ),
        (
            "org/model:7b/768",
            "text-embedding-3-small/1536",
            "set RAG_EMBED_MODEL=org/model:7b and RAG_EMBED_BASE_URL to where it is served",
        ),
        ("org/model/768", "org/model/256", "set RAG_EMBED_DIMENSIONS=768"),
        (BUILT_IN, "another-built-in/late-512", None),
    ],
)
def test_settings_that_lead_to_another_embedder(
    wanted: str, present: str, settings: str | None
) -> None:
    assert settings_for(wanted, present) == settings


# Questions


def test_question_asked_again_takes_no_request(server: EmbeddingServer) -> None:
    ours = embedder(server)
    assert (ours.query("How deep?") == ours.query("How deep?")).all()
    assert len(server.bodies) == 1


def test_the_latest_questions_are_remembered(server: EmbeddingServer, monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "REMEMBERED", 2)
    ours = embedder(server)
    for question in ("one", "two", "one", "three", "one"):
        ours.query(question)
    assert server.inputs == ["one", "two", "three"]


def test_same_question_from_many_threads_is_one_request(server: EmbeddingServer) -> None:
    server.odd = delayed(0.1)
    ours = embedder(server)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ours.query, ["How deep?"] * 8))
    assert len(server.bodies) == 1
    assert all((vector == found[0]).all() for vector in found)


def test_threads_that_wait_for_a_failing_question_share_the_error(server: EmbeddingServer) -> None:
    def refuse(exchange: Exchange) -> None:
        time.sleep(0.1)
        says(401, "no")(exchange)

    server.odd = always(refuse)
    ours = embedder(server)
    with ThreadPoolExecutor(4) as pool:
        errors = [pool.submit(ours.query, "How deep?").exception for _ in range(4)]
        assert [type(error()) for error in errors] == [KeyRefused] * 4
    assert len(server.bodies) == 1


def test_question_that_failed_is_asked_again(server: EmbeddingServer) -> None:
    server.odd = first(1, says(401, "no"))
    ours = embedder(server)
    with pytest.raises(KeyRefused):
        ours.query("How deep?")
    assert ours.query("How deep?").shape == (8,)


# Failures that pass


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_failure_that_passes_is_waited_out(server: EmbeddingServer, status: int) -> None:
    server.odd = first(2, says(status, "busy"))
    notes: list[str] = []
    assert embedder(server, note=notes.append).query("How deep?").shape == (8,)
    assert (len(server.bodies), len(notes)) == (3, 2)


def test_server_that_asks_for_a_pause_gets_it(server: EmbeddingServer) -> None:
    server.odd = first(1, too_many(retry_after="0.4"))
    started = time.monotonic()
    embedder(server).query("How deep?")
    assert time.monotonic() - started >= 0.4


def test_failure_in_the_middle_changes_nothing(server: EmbeddingServer) -> None:
    given = documents(60)
    server.odd = lambda number, body: says(503, "busy") if number % 3 == 2 else None
    disturbed = dict(embedder(server).documents(given))
    server.reset()
    undisturbed = dict(embedder(server).documents(given))
    assert all((disturbed[i] == undisturbed[i]).all() for i in range(60))


def test_server_that_stays_busy_is_given_up(server: EmbeddingServer) -> None:
    server.odd = always(too_many())
    with pytest.raises(RateLimited):
        embedder(server).query("How deep?")


# Failures that do not


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (no_quota(), QuotaExhausted),
        (says(401, "Incorrect API key"), KeyRefused),
        (says(400, "what is this"), EndpointError),
    ],
)
def test_hopeless_failure_stops_at_once(
    server: EmbeddingServer, fault: Fault, kind: type[EndpointError]
) -> None:
    server.odd = always(fault)
    with pytest.raises(kind) as caught:
        list(embedder(server).documents(documents(2)))
    assert (len(server.bodies), bool(caught.value.fix)) == (1, True)


def test_failure_stops_the_requests_that_are_still_waiting(server: EmbeddingServer) -> None:
    def refuse(exchange: Exchange) -> None:
        time.sleep(0.1)
        no_quota()(exchange)

    server.odd = lambda number, body: (
        refuse if abstract(0) in body["input"] else too_many(retry_after="0.3")
    )
    with pytest.raises(QuotaExhausted):
        list(embedder(server).documents(documents(200)))
    time.sleep(0.5)
    assert len(server.bodies) == COMPATIBLE.at_once


def test_request_under_way_beside_a_failure_is_entered(server: EmbeddingServer) -> None:
    class Book:
        entered: list[int] = []

        def allow(self, tokens: int) -> None:
            """As much as it likes."""

        def enter(self, allowed: int, tokens: int) -> None:
            self.entered.append(tokens)

    server.odd = lambda number, body: (
        no_quota() if abstract(0) in body["input"] else time.sleep(0.3)
    )
    ours = embedder(server)
    ours.meter = Book()
    with pytest.raises(QuotaExhausted):
        list(ours.documents(documents(200)))
    assert len(server.bodies) == len(Book.entered) == COMPATIBLE.at_once
    assert sum(map(bool, Book.entered)) == 1


def test_what_was_embedded_before_a_failure_is_given(server: EmbeddingServer) -> None:
    server.odd = empty_account(5)
    given = []
    with pytest.raises(QuotaExhausted):
        for i, _ in embedder(server).documents(documents(200)):
            given.append(i)
    whole = sum(len(body["input"]) for body in server.bodies[:2]) // 3
    assert given == list(range(len(given)))
    assert len(given) >= whole


def test_server_that_is_not_there() -> None:
    endpoint = Endpoint("m", "http://127.0.0.1:9/v1", settings="RAG_EMBED")
    with pytest.raises(EndpointUnreachable) as caught:
        RemoteEmbedder(endpoint).query("How deep?")
    assert "RAG_EMBED_BASE_URL" in caught.value.fix


def test_server_that_is_too_slow(server: EmbeddingServer) -> None:
    server.odd = delayed(0.6)
    with pytest.raises(EndpointUnreachable):
        RemoteEmbedder(Endpoint("m", server.url, timeout=0.2)).query("How deep?")


# Answers that are wrong


def test_shuffled_answer_is_put_in_order(server: EmbeddingServer) -> None:
    server.change = lambda reply: reply["data"].reverse()
    given = documents(5)
    for i, vectors in embedder(server).documents(given):
        assert np.allclose(vectors, [unit(text) for text in pieces(given[i])], atol=1e-3)


def test_answer_without_numbers_is_in_order(server: EmbeddingServer) -> None:
    server.change = lambda reply: [entry.pop("index") for entry in reply["data"]]
    given = documents(5)
    for i, vectors in embedder(server).documents(given):
        assert np.allclose(vectors[0], unit(given[i].text), atol=1e-3)


class Counting:
    """A meter that forbids what passes ``most`` tokens."""

    def __init__(self, most: float = float("inf")) -> None:
        self.most = most
        self.tokens = self.aside = 0
        self.busy = threading.Lock()

    def allow(self, tokens: int) -> None:
        with self.busy:
            if self.tokens + self.aside + tokens > self.most:
                raise BudgetError("no more", "pay")
            self.aside += tokens

    def enter(self, allowed: int, tokens: int) -> None:
        with self.busy:
            self.aside -= allowed
            self.tokens += tokens


def metered(server: EmbeddingServer, most: float = float("inf")) -> tuple[RemoteEmbedder, Counting]:
    ours, meter = embedder(server), Counting(most)
    ours.meter = meter
    return ours, meter


@pytest.mark.parametrize("told", [None, 0, -5, True, "7", 10**400])
def test_answer_without_a_count_is_estimated(server: EmbeddingServer, told: object) -> None:
    server.change = lambda reply: reply.update(usage=told and {"prompt_tokens": told})
    ours, meter = metered(server)
    ours.query("How deep?")
    assert meter.tokens == estimated_tokens("How deep?")


def test_tokens_are_the_servers_count(server: EmbeddingServer) -> None:
    ours, meter = metered(server)
    list(ours.documents(documents(40)))
    assert meter.tokens == sum(len(text.split()) for text in server.inputs)
    assert not meter.aside


def test_what_is_refused_takes_nothing_and_what_is_lost_may(server: EmbeddingServer) -> None:
    ours, meter = metered(server)
    server.odd = always(says(401, "no"))
    with pytest.raises(KeyRefused):
        ours.query("How deep?")
    assert (meter.tokens, meter.aside) == (0, 0)
    server.reset()
    server.odd = first(1, drops)
    ours.query("How deep?")
    assert meter.tokens == estimated_tokens("How deep?") + len("How deep?".split())


def test_a_budget_stops_the_embedding_and_keeps_what_was_paid(server: EmbeddingServer) -> None:
    given = documents(200)
    whole = sum(estimated_tokens(text) for document in given for text in pieces(document))
    ours, meter = metered(server, whole / 2)
    found = []
    with pytest.raises(BudgetError):
        for i, _ in ours.documents(given):
            found.append(i)
    assert 0 < len(found) < 200
    assert meter.tokens <= whole / 2
    assert len(found) >= len(server.inputs) // 3 - COMPATIBLE.inputs


WRONG: dict[str, Callable[[Event], object]] = {
    "one too few": lambda reply: reply["data"].pop(),
    "one too many": lambda reply: reply["data"].append({**reply["data"][0], "index": 6}),
    "none": lambda reply: reply["data"].clear(),
    "a number twice": lambda reply: reply["data"][0].update(index=1),
    "no data": lambda reply: reply.pop("data"),
    "other lengths": lambda reply: reply["data"][2].update(embedding=[1.0, 2.0]),
    "empty vectors": lambda reply: [entry.update(embedding=[]) for entry in reply["data"]],
    "NaN": lambda reply: reply["data"][3]["embedding"].__setitem__(0, float("nan")),
    "null": lambda reply: reply["data"][3]["embedding"].__setitem__(0, None),
    "infinity": lambda reply: reply["data"][3]["embedding"].__setitem__(0, float("inf")),
    "no float": lambda reply: reply["data"][3]["embedding"].__setitem__(0, 10**400),
    "too large": lambda reply: reply["data"][3].update(embedding=[1e308] * 8),
    "all zero": lambda reply: reply["data"][3].update(embedding=[0.0] * 8),
    "token states": lambda reply: reply["data"][3].update(embedding=[[1.0] * 8] * 4),
    "words": lambda reply: reply["data"][3].update(embedding=["a"] * 8),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_answer_is_an_error_and_no_vector(server: EmbeddingServer, wrong: str) -> None:
    server.change = WRONG[wrong]
    with pytest.raises(EndpointError) as caught:
        list(embedder(server).documents(documents(2)))
    assert "127.0.0.1" in caught.value.message


@pytest.mark.parametrize("body", ["<html>hello</html>", "[]", "null", "{}", "", "[" * 99_999])
def test_answer_in_another_language_is_an_error(server: EmbeddingServer, body: str) -> None:
    server.odd = always(sends(body))
    with pytest.raises(EndpointError):
        embedder(server).query("How deep?")


def test_other_dimensions_than_before_are_an_error(server: EmbeddingServer) -> None:
    ours = embedder(server)
    ours.query("How deep?")
    server.dimensions = 5
    with pytest.raises(EndpointError, match="5 numbers, not 8"):
        ours.query("How wide?")


def test_dimensions_that_a_model_cannot_give_are_an_error(server: EmbeddingServer) -> None:
    server.change = lambda reply: [e.update(embedding=[1.0] * 8) for e in reply["data"]]
    with pytest.raises(EndpointError) as caught:
        embedder(server, dimensions=4).query("How deep?")
    assert "unset RAG_EMBED_DIMENSIONS" in caught.value.fix


# Too long


def window(words: int) -> Odd:
    """A model that takes texts of so many words."""

    def odd(number: int, body: Event) -> Fault | None:
        return TOO_LONG if any(len(text.split()) > words for text in body["input"]) else None

    return odd


def test_halves_add_up_and_are_cut_at_a_space() -> None:
    left, right = halves("all of these words")
    assert (left, right) == ("all of ", "these words")
    assert halves("x" * 9) == ["x" * 4, "x" * 5]


def test_text_too_long_for_the_model_is_averaged_over_its_parts(server: EmbeddingServer) -> None:
    text = abstract(6, 4)
    server.odd = window(len(text.split()) // 2 + 4)
    notes: list[str] = []
    ((_, vectors),) = embedder(server, note=notes.append).documents([Document(text, ())])
    parts = halves(text)
    mean = np.average(
        [unit(part) for part in parts], axis=0, weights=[estimated_tokens(p) for p in parts]
    )
    assert np.allclose(vectors[0], mean / np.linalg.norm(mean), atol=2e-3)
    assert len(notes) == 1


def test_text_too_long_does_not_change_the_others_of_its_batch(server: EmbeddingServer) -> None:
    given = [Document(abstract(n, 2 if n != 3 else 20), ()) for n in range(8)]
    server.odd = window(60)
    found = dict(embedder(server).documents(given))
    for i in {*range(8)} - {3}:
        assert np.allclose(found[i][0], unit(given[i].text), atol=1e-3)


def test_batch_too_large_is_halved(server: EmbeddingServer) -> None:
    server.odd = lambda number, body: TOO_LONG if len(body["input"]) > 5 else None
    given = documents(20)
    for i, vectors in embedder(server).documents(given):
        assert np.allclose(vectors[0], unit(given[i].text), atol=1e-3)


def test_server_that_finds_everything_too_long_is_given_up_soon(server: EmbeddingServer) -> None:
    server.odd = always(TOO_LONG)
    with pytest.raises(ContextOverflow):
        list(embedder(server).documents(documents(10)))
    assert len(server.bodies) < 20


@pytest.mark.parametrize(
    "fault",
    [
        says(500, "input (701 tokens) is too large to process. increase the physical batch size"),
        says(413, "Input validation error: `inputs` must have less than 512 tokens. Given: 701"),
        says(422, "batch size 64 > maximum allowed batch size 32"),
        says(400, "Requested 400000 tokens, max 300000 tokens per request"),
        says(400, "Too many inputs. The max number of inputs is 16."),
        sends("<html>413 Request Entity Too Large</html>", 413),
    ],
    ids=["llama.cpp", "TEI, a text", "TEI, a batch", "OpenAI", "Azure", "a gateway"],
)
def test_servers_say_too_much_in_their_own_words(server: EmbeddingServer, fault: Fault) -> None:
    server.odd = lambda number, body: fault if len(body["input"]) > 5 else None
    assert len(list(embedder(server).documents(documents(10)))) == 10
    assert len(server.bodies) < 16


# The key


def test_key_is_in_nothing_that_can_be_seen(
    server: EmbeddingServer, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    echo = f"Incorrect API key provided: {SENTINEL}"
    server.odd = lambda number, body: says(429 if number < 3 else 401, echo)
    notes: list[str] = []
    endpoint = Endpoint("m", server.url, Secret(SENTINEL), settings="RAG_EMBED")
    ours = RemoteEmbedder(endpoint, note=notes.append)
    with pytest.raises(KeyRefused) as caught:
        ours.query("How deep?")
    shown = [caught.value.to_json(), notes, capsys.readouterr(), caplog.text, vars(ours)]
    assert server.asked[0].headers["authorization"] == f"Bearer {SENTINEL}"
    assert SENTINEL not in f"{shown} {caught.value!r} {ours._client!r} {ours._client.to_json()}"


# LlamaIndex


def test_stock_embedding_of_llama_index_finds_what_ours_has_stored(
    server: EmbeddingServer,
) -> None:
    from llama_index.embeddings.openai import OpenAIEmbedding

    stock = OpenAIEmbedding(model_name="some-model:7b", api_base=server.url, api_key="none")
    ((_, vectors),) = embedder(server).documents([Document(abstract(1), ())])
    theirs = np.array(stock.get_text_embedding(abstract(1)))
    assert theirs @ vectors[0] / np.linalg.norm(theirs) > 0.999


def test_ours_serves_as_an_embedding_of_llama_index(server: EmbeddingServer) -> None:
    from rag.embed.llama import BuiltInEmbedding

    ours = BuiltInEmbedding(embedder(server))
    assert ours.model_name == "some-model:7b/8"
    assert np.allclose(ours.get_text_embedding("How deep?"), unit("How deep?"), atol=1e-3)


# The command line


def test_commands_that_embed_keep_to_the_budget_and_are_entered(
    server: EmbeddingServer,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = runner(capsys, monkeypatch, tmp_path)
    papers = [{"title": f"Paper {n}", "abstract": abstract(n, 40)} for n in range(40)]
    (tmp_path / "papers.jsonl").write_text("\n".join(map(json.dumps, papers)))
    (tmp_path / "prices.toml").write_text('"m" = { input = 1000 }\n')
    for name, value in (
        ("RAG_EMBED_BASE_URL", server.url),
        ("RAG_EMBED_MODEL", "m"),
        ("RAG_PRICES", "prices.toml"),
        ("RAG_BUDGET", "20"),
    ):
        monkeypatch.setenv(name, value)
    first = run("ingest", "papers.jsonl", "--json")
    assert first.status == 1
    assert first.json["error"]["type"] == "BudgetError"
    sent = len(server.inputs)
    entries = read(tmp_path / "index_store")
    assert len(entries) == len(server.bodies) > 1
    assert 0 < sum(entry.cost_usd or 0.0 for entry in entries) <= 20
    assert {entry.purpose for entry in entries} == {"embed"}

    monkeypatch.setenv("RAG_BUDGET", "1000")
    assert run("ingest", "papers.jsonl", "--json").json["papers"] == 40
    assert len(server.inputs) < sent + len(set(server.inputs))  # some was kept

    before = len(read(tmp_path / "index_store"))
    assert run("search", "deep", "-k", "1", "--json").status == 0
    (entry,) = read(tmp_path / "index_store")[before:]
    assert (entry.model, entry.input_tokens) == ("m", 1)
    monkeypatch.setenv("RAG_BUDGET", "0")
    assert run("search", "deep", "-k", "1", "--json").json["error"]["type"] == "BudgetError"


def test_two_paths_of_a_server_share_no_replies(
    built: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = runner(capsys, monkeypatch, tmp_path)
    shutil.copytree(built, tmp_path / "index_store")
    with Scripted("NOT IN THE ABSTRACTS") as scripted:
        for path in ("a/v1", "b/v1", "a/v1"):
            url = scripted.url.replace("v1", path)
            assert run("ask", "How deep?", "--base-url", url, "--json").status == 0
    assert [request.path[:3] for request in scripted.asked if request.body] == ["/a/", "/b/"]
