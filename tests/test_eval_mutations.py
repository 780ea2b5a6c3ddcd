"""The gate is shut by whatever is made worse on purpose, and by nothing that changes nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evals.laboratory import Change, Inventor, Laboratory, Mutation
from evals.mutations import HARMLESS, MUTATIONS

LIMIT = 80
"""Cases of each suite: enough for each of them to tell, and soon done."""


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    return Laboratory(tmp_path_factory.mktemp("mutations") / "lab", LIMIT)


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    with Inventor() as server:
        yield server.url


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_the_gate_notices(laboratory: Laboratory, model: str, mutation: Mutation) -> None:
    found = laboratory.broken(mutation, model)
    assert found.status == 3
    assert found.named & set(mutation.metrics)


@pytest.mark.parametrize("harmless", HARMLESS, ids=lambda change: change.__name__)
def test_the_gate_stays_open(laboratory: Laboratory, harmless: Change) -> None:
    found = harmless(laboratory)
    assert found.status == 0
    assert found.report["changed"] == []
    differing = [
        metric["differing"]
        for suite in found.report["suites"].values()
        for metric in suite["metrics"].values()
    ]
    assert differing and not any(differing)
