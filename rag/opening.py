"""Opens what works on an index: the embedder, the snapshot, search, the asker, a model."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Protocol

from rag.errors import ConfigError

JOBS = 4
"""Requests at once to a server elsewhere."""

if TYPE_CHECKING:
    from rag.config import Settings
    from rag.digest.editor import Editor, Writing
    from rag.embed import Embedder
    from rag.embed.minilm import MiniLM
    from rag.endpoint import Endpoint
    from rag.engine.answer import Asker
    from rag.engine.check import Checker
    from rag.engine.writer import Writer
    from rag.evaluate.judges import Judges
    from rag.models import Model
    from rag.models.budget import Meter, Purse
    from rag.models.ledger import Ledger
    from rag.models.prices import Price
    from rag.retrieve.hybrid import Retriever
    from rag.store.home import Home, Shared
    from rag.store.snapshot import Snapshot
    from rag.summarize import Summarizer
    from rag.summarize.kept import Kept


class Host(Protocol):
    """Whoever opens: the command line, a server, another program."""

    @property
    def settings(self) -> Settings:
        """What to open and with which engine."""

    @property
    def note(self) -> Callable[[str], None]:
        """Is told what a reader should know, a sentence at a time."""

    @property
    def watch(self) -> Callable[[str, int], Callable[[], None]]:
        """Is told what long work is to be done and how often; what it returns, each time done."""


def open_embedder(
    host: Host,
    *,
    one_shot: bool = False,
    purse: Purse | None = None,
    first: Callable[[], str] = str,
) -> Embedder:
    """The embedder of the settings; ``one_shot`` if it will embed a question and no more. What a
    server takes for it is paid out of ``purse``, by default one with the settings' budget;
    ``first`` says what it will be asked first, if that is known."""
    from rag.config import embed_endpoint

    endpoint = embed_endpoint(host.settings)
    if endpoint is None:
        return open_built_in(one_shot=one_shot)
    from rag.embed.remote import RemoteEmbedder

    embedder = RemoteEmbedder(endpoint, host.settings.embed_dimensions, host.note)
    named = replace(endpoint, model=embedder.model)
    embedder.meter = _meter(host, named, purse or open_purse(host))
    embedder.first = first() or embedder.first
    return embedder


def _meter(host: Host, endpoint: Endpoint, purse: Purse) -> Meter:
    from rag.models.budget import Meter

    ledger = _ledger(host, endpoint, "embed")
    return Meter(endpoint.model, _price(host, endpoint), purse, ledger)


def _ledger(host: Host, endpoint: Endpoint, purpose: str) -> Ledger:
    from rag.models.ledger import Ledger

    store, place = host.settings.store, endpoint.place
    return Ledger(store, place=place, purpose=purpose, note=host.note)


def _price(host: Host, endpoint: Endpoint) -> Price | None:
    from rag.models.prices import load_prices, price_of

    return price_of(load_prices(host.settings.prices), endpoint)


def open_purse(host: Host) -> Purse:
    """The money that a command may spend."""
    from rag.models.budget import Purse

    return Purse(host.settings.budget)


@cache
def open_built_in(*, one_shot: bool = False) -> MiniLM:
    """The built-in embedder, loaded once for all that work with it."""
    from rag.embed.minilm import MiniLM

    return MiniLM(one_shot=one_shot)


def open_home(host: Host) -> Home:
    """Where the index lives: in its folder, or on the server that the settings name."""
    from rag.store.home import HERE

    return HERE if host.settings.chroma_url is None else open_shared(host)


def open_shared(host: Host) -> Shared:
    """The index on the server that the settings name."""
    from rag.store.home import Shared
    from rag.store.server import Address

    settings = host.settings
    assert settings.chroma_url, "asked of settings that name one"
    tenant, database = settings.chroma_tenant, settings.chroma_database
    return Shared(Address(settings.chroma_url, tenant, database, settings.chroma_token))


def update_copy(host: Host) -> None:
    """Bring the index folder to what a server has, if the settings name one."""
    if host.settings.chroma_url is None:
        return
    from rag.retrieve.indexing import write_index
    from rag.store.copying import refresh

    refresh(host.settings.store, open_shared(host), write_index, host.note)


def open_snapshot(host: Host) -> Snapshot:
    from rag.store.snapshot import Snapshot

    update_copy(host)
    return Snapshot.open(host.settings.store)


def open_retriever(
    host: Host,
    question: str = "",
    purse: Purse | None = None,
    searched: Callable[[str], str] = str,
) -> Retriever:
    """Search over the index; given the only ``question`` to come, the vector of what will be
    ``searched`` for it is computed while the rest is loaded. ``purse`` is the embedder's."""
    if question:
        gc.disable()  # looking for garbage among all that is imported takes as long as searching
    worker = ThreadPoolExecutor(1)
    first = partial(searched, question) if question else str
    loading = worker.submit(open_embedder, host, one_shot=bool(question), purse=purse, first=first)
    if question:
        worker.submit(lambda: loading.result().query(first()))

    from rag.retrieve.hybrid import Retriever
    from rag.store.manifest import check_embedder

    snapshot = open_snapshot(host)
    embedder = loading.result()
    check_embedder(host.settings.store, snapshot.manifest, embedder.identity)
    retriever = Retriever(snapshot, embedder)
    _ = retriever.lexical  # loaded now, since a writer may remove this generation any time
    return retriever


def open_asker(
    host: Host, question: str = "", *, purpose: str = "ask", purse: Purse | None = None
) -> Asker:
    """What answers questions over the index, with a model if the settings say so; ``purpose``
    is what the ledger calls its requests, which are paid out of ``purse``."""
    if host.settings.engine == "extractive":
        retriever, writer = open_retriever(host, question, purse, _searched), None
    else:
        purse = purse or open_purse(host)
        retriever = open_retriever(host, purse=purse)
        writer = _open_writer(host, purpose, purse)

    from rag.engine.answer import Asker  # while the embedder is at work on the question

    return Asker(retriever, writer)


def _searched(question: str) -> str:
    """What is searched for a question that is asked."""
    from rag.engine.question import understand

    return understand(question, question).text


def _open_writer(host: Host, purpose: str, purse: Purse) -> Writer:
    """A model under the settings' prompts."""
    from rag.engine.writer import Writer
    from rag.prompts import load_task

    task, follow_ups = (load_task(name, host.settings.prompts) for name in ("answer", "follow_up"))
    model = open_model(host, purpose, purse)
    settings = host.settings
    searches = load_task("search", settings.prompts) if settings.reword else None
    return Writer(model, task, open_checker(), settings.strict, follow_ups, searches)


def open_checker() -> Checker:
    """The evidence checker. It works with the built-in embedder, whichever one searches: what is
    said must not pass here and fail there."""
    from rag.engine.check import Checker

    return Checker(open_built_in())


def open_editor(
    host: Host,
    snapshot: Snapshot,
    jobs: int | None,
    purse: Purse | None = None,
    summarizer: Summarizer | None = None,
) -> Editor:
    """What makes digests of papers: by quoting, or with a model if the settings say so. Their
    lines are by ``summarizer``, if not by what the index keeps."""
    from rag.digest.editor import Editor

    settings, checker = host.settings, open_checker()
    purse = purse or open_purse(host)
    summarizer = summarizer or open_summarizer(host, purse)
    writing = _open_writing(host, checker, purse) if settings.engine != "extractive" else None
    together, watch = at_once(host, jobs), host.watch
    return Editor(snapshot, summarizer, checker, writing, settings.strict, together, watch)


def at_once(host: Host, jobs: int | None) -> int:
    """How many papers or digests are worked on side by side. Quoting takes the processor, not
    waiting, so threads would gain nothing; a server on this machine most often serves one request
    after the other, and those that wait would be taken for lost."""
    from rag.config import endpoint as endpoint_of

    if host.settings.engine == "extractive":
        return 1
    return jobs or (1 if endpoint_of(host.settings).local else JOBS)


def _open_writing(host: Host, checker: Checker, purse: Purse) -> Writing:
    from rag.digest.editor import Writing
    from rag.engine.writer import Writer
    from rag.prompts import load_task

    overview, naming = (load_task(n, host.settings.prompts) for n in ("digest", "topic"))
    return Writing(Writer(open_model(host, "digest", purse), overview, checker), naming)


def open_model(
    host: Host,
    purpose: str,
    purse: Purse,
    *,
    cached: bool = True,
    endpoint: Endpoint | None = None,
) -> Model:
    """The model at an endpoint, by default the one that writes: metered and, if it is to be
    ``cached`` and the settings do not forbid it, in front of it what it has replied before."""
    from rag.config import endpoint as endpoint_of
    from rag.models.budget import Metered
    from rag.models.cache import Cached
    from rag.models.openai import connect
    from rag.models.shared import Shared

    settings, note = host.settings, host.note
    window = None if endpoint else settings.window  # which is the writer's
    endpoint = endpoint or endpoint_of(settings)
    model = connect(endpoint, window=window, note=note)
    price = _price(host, replace(endpoint, model=model.name))
    ledger = _ledger(host, endpoint, purpose)
    metered = Shared(Metered(model, price, purse, ledger, note))
    if not (cached and settings.cache):
        return metered
    # The same host may serve other models under other paths.
    place = endpoint.base_url or endpoint.place
    return Cached(metered, settings.store / "responses", place, note)


def open_summarizer(host: Host, purse: Purse | None = None) -> Kept:
    """What sums papers up in a line each, by what the index keeps of them. A model's replies are
    not kept beside its lines: those to a whole conference would push out all others."""
    from rag.summarize.kept import FOLDER, Kept

    settings = host.settings
    summarizer = open_fresh_summarizer(host, purse or open_purse(host), cached=False)
    return Kept(summarizer, settings.store / FOLDER, host.note, fresh=not settings.cache)


def open_fresh_summarizer(host: Host, purse: Purse, *, cached: bool) -> Summarizer:
    """What makes each line anew: by quoting, or with a model if the settings say so, whose
    replies may be ``cached``."""
    from rag.summarize.extractive import Extractive

    settings, checker = host.settings, open_checker()
    quoting = Extractive(checker)
    if settings.engine == "extractive":
        return quoting
    from rag.config import endpoint as endpoint_of
    from rag.prompts import load_task
    from rag.summarize.written import Written

    task, endpoint = load_task("summarize", settings.prompts), endpoint_of(settings)
    model = open_model(host, "summarize", purse, cached=cached)
    return Written(model, task, checker, quoting, endpoint.base_url or endpoint.place)


def open_judges(host: Host, names: Sequence[str], purse: Purse) -> Judges:
    """The judges called so, all of them the model of the settings; raises ConfigError without."""
    from rag.config import judge_endpoint
    from rag.evaluate.judges import Judges, task_of
    from rag.prompts import load_task

    endpoint = judge_endpoint(host.settings)
    if endpoint is None:
        fix = "set RAG_JUDGE_MODEL, and RAG_JUDGE_BASE_URL if it is not OpenAI's; or no --judge"
        raise ConfigError("No model is named that could judge.", fix)
    tasks = {task: load_task(task, host.settings.prompts) for task in map(task_of, names)}
    return Judges(open_model(host, "judge", purse, endpoint=endpoint), tasks, names)


def open_price(host: Host, model: Model) -> Price | None:
    """What a model's tokens cost where the settings say that it is."""
    from rag.config import endpoint as endpoint_of

    return _price(host, replace(endpoint_of(host.settings), model=model.name))
