"""Would other arithmetic embed faster, and find as much?

    python bench/embedding.py [--papers 32] [--rounds 5] [--shared FOLDER]

The model that is shipped keeps its weights in int8 and multiplies floats. Here its graph is written
anew to multiply int8, with the activations' scale found at run time: everywhere, without the layers
that lose most, or in one kind of layer alone. Speeds are processor time of one thread, the models
taking turns, so that other work slows all alike. Needs ``onnx`` (the extra ``bench``).
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag.embed import Document
from rag.embed.minilm import _MODEL, MiniLM, _verified
from rag.evaluate.ranking import ranking_scores

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"
NARROWING, WIDENING = [1536, 384], [384, 1536]
"""Shapes of a layer's second and first feed-forward weights; most of the loss is in the second."""


class Other(MiniLM):
    """The embedder with another file for its model."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    @cached_property
    def _model(self) -> Path:
        return self._path


@dataclass(frozen=True)
class Questions:
    """Texts, what each is found by, and the place of the text that a question is about."""

    name: str
    texts: Sequence[str]
    asked: Sequence[tuple[str, Sequence[int]]]


def variants(folder: Path) -> dict[str, Path]:
    """The model as it is, and with products of int8."""
    import onnx
    import onnxruntime as ort
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.transformers.optimizer import optimize_model

    shipped, plain, fused = _verified(*_MODEL), folder / "float.onnx", folder / "fused.onnx"
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(plain)  # weights unpacked to floats
    ort.InferenceSession(str(shipped), options, ["CPUExecutionProvider"])
    model = optimize_model(str(plain), "bert", num_heads=12, hidden_size=384, opt_level=0)
    model.save_model_to_file(str(fused))
    graph = onnx.load(str(fused)).graph
    weights = {weight.name: list(weight.dims) for weight in graph.initializer}
    products = {n.name: weights.get(n.input[1]) for n in graph.node if n.op_type == "MatMul"}
    floats = {
        "int8 products": [],
        "without the narrowing layers": [n for n, s in products.items() if s == NARROWING],
        "in the widening layers alone": [n for n, s in products.items() if s != WIDENING],
    }
    for name, left in floats.items():
        quantize_dynamic(
            fused,
            folder / f"{name}.onnx",
            per_channel=True,
            weight_type=QuantType.QInt8,
            op_types_to_quantize=["MatMul"],
            nodes_to_exclude=left,
            extra_options={"MatMulConstBOnly": True},
        )
    return {"as shipped": shipped, **{name: folder / f"{name}.onnx" for name in floats}}


def speeds(
    models: Mapping[str, MiniLM], texts: Sequence[str], rounds: int
) -> dict[str, list[float]]:
    """How many times as fast as the first each model was, by round."""
    ratios: dict[str, list[float]] = {name: [] for name in models}
    for turn in range(rounds + 1):
        spent = {}
        for name, model in models.items():
            begun = time.process_time()
            embedded(model, texts)
            spent[name] = time.process_time() - begun
        if turn:  # the first loads the models
            first = next(iter(spent.values()))
            for name, seconds in spent.items():
                ratios[name].append(first / seconds)
    return ratios


def embedded(model: MiniLM, texts: Sequence[str]) -> NDArray[np.float32]:
    """A unit vector a text."""
    found = dict(model.documents([Document(text, ()) for text in texts]))
    return np.array([found[place][0] for place in range(len(texts))])


def ndcg(model: MiniLM, questions: Questions) -> float:
    """How well cosines alone find what the questions are about: mean nDCG@10."""
    texts, wanted = embedded(model, questions.texts), [gold for _, gold in questions.asked]
    scores = embedded(model, [text for text, _ in questions.asked]) @ texts.T
    return statistics.fmean(
        ranking_scores(list(map(str, np.argsort(-row, kind="stable")[:50])), list(map(str, gold)))[
            "nDCG@10"
        ]
        for row, gold in zip(scores, wanted, strict=True)
    )


def sets(data: Path) -> Iterator[Questions]:
    """SciTLDR's one-liners by reviewers and SciFact's training claims, with their abstracts."""
    items = _rows(data / "scitldr_knownitem/corpus.jsonl")
    place = {row["_id"]: i for i, row in enumerate(items)}
    said = {row["_id"]: row["text"] for row in _rows(data / "scitldr_knownitem/queries_dev.jsonl")}
    pairs = (data / "scitldr_knownitem/qrels/reviewer_dev.tsv").read_text().splitlines()
    asked = [(said[q], [place[d]]) for q, d, *_ in map(str.split, pairs) if q in said]
    yield Questions("one-liners", [f"{r['title']}\n{r['text']}" for r in items], asked)
    items = _rows(data / "scifact/corpus.jsonl")
    place = {row["doc_id"]: i for i, row in enumerate(items)}
    claims = [
        (row["claim"], [place[id] for id in row["cited_doc_ids"]])
        for row in _rows(data / "scifact/claims_train.jsonl")
    ]
    yield Questions("claims", [f"{r['title']}\n{' '.join(r['abstract'])}" for r in items], claims)


def _rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--shared", type=Path, default=SHARED)
    options = parser.parse_args()
    papers = _rows(options.shared / "data/iclr2026/iclr2026_accepted_12areas.jsonl")
    texts = [row["abstract"] for row in papers[: options.papers]]
    with tempfile.TemporaryDirectory() as folder:
        models: dict[str, MiniLM] = {n: Other(p) for n, p in variants(Path(folder)).items()}
        for name, ratios in speeds(models, texts, options.rounds).items():
            middle, spread = statistics.median(ratios), f"{min(ratios):.2f} to {max(ratios):.2f}"
            print(f"{name}: {middle:.2f} times as fast ({spread})", flush=True)
        for questions in sets(options.shared / "data"):
            for name, model in models.items():
                print(f"{questions.name}, {name}: nDCG@10 {ndcg(model, questions):.4f}", flush=True)


if __name__ == "__main__":
    main()
