"""Opens what a command works with: the embedder, the index, search, the asker, a model."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from rag.cli.terminal import Terminal
    from rag.embed import Embedder
    from rag.embed.minilm import MiniLM
    from rag.embed.remote import RemoteEmbedder
    from rag.engine.answer import Asker
    from rag.engine.writer import Writer
    from rag.models import Model
    from rag.models.prices import Price
    from rag.retrieve.hybrid import Retriever
    from rag.store.snapshot import Snapshot


def open_embedder(terminal: Terminal, *, one_shot: bool = False) -> Embedder:
    """The embedder of the settings; ``one_shot`` if it will embed a question and no more."""
    from rag.config import embed_endpoint

    endpoint = embed_endpoint(terminal.settings)
    if endpoint is None:
        return open_built_in(one_shot=one_shot)
    from rag.embed.remote import RemoteEmbedder

    return RemoteEmbedder(endpoint, terminal.settings.embed_dimensions, terminal.note)


@contextmanager
def embedding(terminal: Terminal) -> Iterator[Embedder]:
    """The embedder for a command that embeds much; what a server took for it, also for a part
    of it, is entered in the ledger."""
    embedder = open_embedder(terminal)
    try:
        yield embedder
    finally:
        if getattr(embedder, "tokens", 0):
            _enter_tokens(terminal, cast("RemoteEmbedder", embedder))


def _enter_tokens(terminal: Terminal, embedder: RemoteEmbedder) -> None:
    from rag.config import embed_endpoint
    from rag.models.ledger import Ledger
    from rag.models.prices import load_prices, price_of

    settings, endpoint = terminal.settings, embed_endpoint(terminal.settings)
    if endpoint:
        ledger = Ledger(settings.store, place=endpoint.place, purpose="embed", note=terminal.note)
        named = replace(endpoint, model=embedder.model)
        price = price_of(load_prices(settings.prices), named)
        cost = price.cost(embedder.tokens, 0) if price else None
        ledger.add(embedder.model, embedder.tokens, 0, cost)


def open_built_in(*, one_shot: bool = False) -> MiniLM:
    from rag.embed.minilm import MiniLM

    return MiniLM(one_shot=one_shot)


def open_snapshot(terminal: Terminal) -> Snapshot:
    from rag.store.snapshot import Snapshot

    return Snapshot.open(terminal.settings.store)


def open_retriever(terminal: Terminal, question: str = "") -> Retriever:
    """Search over the index; given the only ``question`` to come, its vector is computed while
    the rest is loaded."""
    if question:
        gc.disable()  # looking for garbage among all that is imported takes as long as searching
    worker = ThreadPoolExecutor(1)
    loading = worker.submit(open_embedder, terminal, one_shot=bool(question))
    if question:
        worker.submit(lambda: loading.result().query(question))

    from rag.retrieve.hybrid import Retriever
    from rag.store.manifest import check_embedder

    snapshot = open_snapshot(terminal)
    embedder = loading.result()
    check_embedder(terminal.settings.store, snapshot.manifest, embedder.identity)
    retriever = Retriever(snapshot, embedder)
    _ = retriever.lexical  # loaded now, since a writer may remove this generation any time
    return retriever


def open_asker(terminal: Terminal, question: str = "", *, purpose: str = "ask") -> Asker:
    """What answers questions over the index, with a model if the settings say so; ``purpose``
    is what the ledger calls its requests."""
    from rag.engine.answer import Asker

    if terminal.settings.engine == "extractive":
        return Asker(open_retriever(terminal, question))
    retriever = open_retriever(terminal)
    return Asker(retriever, _open_writer(terminal, purpose))


def _open_writer(terminal: Terminal, purpose: str) -> Writer:
    """A model under the settings' prompts. What it says is checked with the built-in embedder,
    whichever one searches: an answer must not pass here and fail there."""
    from rag.engine.check import Checker
    from rag.engine.writer import Writer
    from rag.prompts import load_task

    task, follow_ups = (
        load_task(name, terminal.settings.prompts) for name in ("answer", "follow_up")
    )
    model, checker = _open_model(terminal, purpose), Checker(open_built_in())
    return Writer(model, task, checker, terminal.settings.strict, follow_ups)


def _open_model(terminal: Terminal, purpose: str) -> Model:
    """The model of the settings: metered, and in front of it what it has replied before."""
    from rag.config import endpoint as endpoint_of
    from rag.models.budget import Metered
    from rag.models.cache import Cached
    from rag.models.ledger import Ledger
    from rag.models.openai import connect

    settings, note = terminal.settings, terminal.note
    endpoint = endpoint_of(settings)
    model = connect(endpoint, window=settings.window, note=note)
    ledger = Ledger(settings.store, place=endpoint.place, purpose=purpose, note=note)
    metered = Metered(model, open_price(terminal, model), settings.budget, ledger, note)
    if not settings.cache:
        return metered
    return Cached(metered, settings.store / "responses", endpoint.place, note)


def open_price(terminal: Terminal, model: Model) -> Price | None:
    """What a model's tokens cost where the settings say that it is."""
    from rag.config import endpoint as endpoint_of
    from rag.models.prices import load_prices, price_of

    named = replace(endpoint_of(terminal.settings), model=model.name)
    return price_of(load_prices(terminal.settings.prices), named)
