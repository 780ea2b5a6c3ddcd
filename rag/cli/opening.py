"""Opens what a command works with: the embedder, the index, search, the asker, a model."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

JOBS = 4
"""Requests at once to a server elsewhere."""

if TYPE_CHECKING:
    from rag.cli.terminal import Terminal
    from rag.digest.editor import Editor, Writing
    from rag.embed import Embedder
    from rag.embed.minilm import MiniLM
    from rag.endpoint import Endpoint
    from rag.engine.answer import Asker
    from rag.engine.check import Checker
    from rag.engine.writer import Writer
    from rag.models import Model
    from rag.models.budget import Meter, Purse
    from rag.models.ledger import Ledger
    from rag.models.prices import Price
    from rag.retrieve.hybrid import Retriever
    from rag.store.snapshot import Snapshot
    from rag.summarize import Summarizer
    from rag.summarize.kept import Kept


def open_embedder(
    terminal: Terminal, *, one_shot: bool = False, purse: Purse | None = None
) -> Embedder:
    """The embedder of the settings; ``one_shot`` if it will embed a question and no more. What a
    server takes for it is paid out of ``purse``, by default one with the settings' budget."""
    from rag.config import embed_endpoint

    endpoint = embed_endpoint(terminal.settings)
    if endpoint is None:
        return open_built_in(one_shot=one_shot)
    from rag.embed.remote import RemoteEmbedder

    embedder = RemoteEmbedder(endpoint, terminal.settings.embed_dimensions, terminal.note)
    named = replace(endpoint, model=embedder.model)
    embedder.meter = _meter(terminal, named, purse or _purse(terminal))
    return embedder


def _meter(terminal: Terminal, endpoint: Endpoint, purse: Purse) -> Meter:
    from rag.models.budget import Meter

    ledger = _ledger(terminal, endpoint, "embed")
    return Meter(endpoint.model, _price(terminal, endpoint), purse, ledger)


def _ledger(terminal: Terminal, endpoint: Endpoint, purpose: str) -> Ledger:
    from rag.models.ledger import Ledger

    store, place = terminal.settings.store, endpoint.place
    return Ledger(store, place=place, purpose=purpose, note=terminal.note)


def _price(terminal: Terminal, endpoint: Endpoint) -> Price | None:
    from rag.models.prices import load_prices, price_of

    return price_of(load_prices(terminal.settings.prices), endpoint)


def _purse(terminal: Terminal) -> Purse:
    from rag.models.budget import Purse

    return Purse(terminal.settings.budget)


@cache
def open_built_in(*, one_shot: bool = False) -> MiniLM:
    """The built-in embedder, loaded once for all that work with it."""
    from rag.embed.minilm import MiniLM

    return MiniLM(one_shot=one_shot)


def open_snapshot(terminal: Terminal) -> Snapshot:
    from rag.store.snapshot import Snapshot

    return Snapshot.open(terminal.settings.store)


def open_retriever(terminal: Terminal, question: str = "", purse: Purse | None = None) -> Retriever:
    """Search over the index; given the only ``question`` to come, its vector is computed while
    the rest is loaded. ``purse`` is the embedder's."""
    if question:
        gc.disable()  # looking for garbage among all that is imported takes as long as searching
    worker = ThreadPoolExecutor(1)
    loading = worker.submit(open_embedder, terminal, one_shot=bool(question), purse=purse)
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
    purse = None if terminal.settings.engine == "extractive" else _purse(terminal)
    retriever = open_retriever(terminal, "" if purse else question, purse=purse)
    writer = _open_writer(terminal, purpose, purse) if purse else None

    from rag.engine.answer import Asker  # while the embedder is at work on the question

    return Asker(retriever, writer)


def _open_writer(terminal: Terminal, purpose: str, purse: Purse) -> Writer:
    """A model under the settings' prompts."""
    from rag.engine.writer import Writer
    from rag.prompts import load_task

    task, follow_ups = (
        load_task(name, terminal.settings.prompts) for name in ("answer", "follow_up")
    )
    model = _open_model(terminal, purpose, purse)
    return Writer(model, task, open_checker(), terminal.settings.strict, follow_ups)


def open_checker() -> Checker:
    """The evidence checker. It works with the built-in embedder, whichever one searches: what is
    said must not pass here and fail there."""
    from rag.engine.check import Checker

    return Checker(open_built_in())


def open_editor(terminal: Terminal, snapshot: Snapshot, jobs: int | None) -> Editor:
    """What makes digests of papers: by quoting, or with a model if the settings say so."""
    from rag.digest.editor import Editor

    purse, settings = _purse(terminal), terminal.settings
    summarizer, checker = open_summarizer(terminal, purse), open_checker()
    writing = _open_writing(terminal, checker, purse) if settings.engine != "extractive" else None
    together, watch = at_once(terminal, jobs), terminal.watch
    return Editor(snapshot, summarizer, checker, writing, settings.strict, together, watch)


def at_once(terminal: Terminal, jobs: int | None) -> int:
    """How many papers or digests are worked on side by side. Quoting takes the processor, not
    waiting, so threads would gain nothing; a server on this machine most often serves one request
    after the other, and those that wait would be taken for lost."""
    from rag.config import endpoint as endpoint_of

    if terminal.settings.engine == "extractive":
        return 1
    return jobs or (1 if endpoint_of(terminal.settings).local else JOBS)


def _open_writing(terminal: Terminal, checker: Checker, purse: Purse) -> Writing:
    from rag.digest.editor import Writing
    from rag.engine.writer import Writer
    from rag.prompts import load_task

    overview, naming = (load_task(n, terminal.settings.prompts) for n in ("digest", "topic"))
    return Writing(Writer(_open_model(terminal, "digest", purse), overview, checker), naming)


def _open_model(terminal: Terminal, purpose: str, purse: Purse, *, cached: bool = True) -> Model:
    """The model of the settings: metered and, if it is to be ``cached`` and the settings do not
    forbid it, in front of it what it has replied before."""
    from rag.config import endpoint as endpoint_of
    from rag.models.budget import Metered
    from rag.models.cache import Cached
    from rag.models.openai import connect
    from rag.models.shared import Shared

    settings, note = terminal.settings, terminal.note
    endpoint = endpoint_of(settings)
    model = connect(endpoint, window=settings.window, note=note)
    ledger = _ledger(terminal, endpoint, purpose)
    metered = Shared(Metered(model, open_price(terminal, model), purse, ledger, note))
    if not (cached and settings.cache):
        return metered
    # The same host may serve other models under other paths.
    place = endpoint.base_url or endpoint.place
    return Cached(metered, settings.store / "responses", place, note)


def open_summarizer(terminal: Terminal, purse: Purse | None = None) -> Kept:
    """What sums papers up in a line each: by quoting, or with a model if the settings say so, and
    by what the index keeps of both. A model's replies are not kept beside its lines: those to a
    whole conference would push out all others."""
    from rag.summarize.extractive import Extractive
    from rag.summarize.kept import FOLDER, Kept

    settings, checker = terminal.settings, open_checker()
    summarizer: Summarizer = Extractive(checker)
    if settings.engine != "extractive":
        from rag.config import endpoint as endpoint_of
        from rag.prompts import load_task
        from rag.summarize.written import Written

        task, endpoint = load_task("summarize", settings.prompts), endpoint_of(settings)
        purse = purse or _purse(terminal)
        model = _open_model(terminal, "summarize", purse, cached=False)
        place = endpoint.base_url or endpoint.place
        summarizer = Written(model, task, checker, summarizer, place)
    return Kept(summarizer, settings.store / FOLDER, terminal.note, fresh=not settings.cache)


def open_price(terminal: Terminal, model: Model) -> Price | None:
    """What a model's tokens cost where the settings say that it is."""
    from rag.config import endpoint as endpoint_of

    return _price(terminal, replace(endpoint_of(terminal.settings), model=model.name))
