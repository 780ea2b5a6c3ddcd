"""evals/thresholds.toml → Thresholds, or an error that says what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import ConfigError
from rag.evaluate.metrics import metric
from rag.evaluate.thresholds import Threshold, Thresholds, load_thresholds


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "thresholds.toml"


def test_all_that_can_be_asked(file: Path) -> None:
    file.write_text(
        """\ufeff
        [gate]
        accept = ["few", "corpus"]
        cases = 3
        tolerance = 0.02
        [ask.facts]
        min = 0.8
        max = 1
        tolerance = 0.05
        gate = false
        [ask."latency p95"]
        max = 900
        [digest]
        "off-topic" = { max = 0.2 }
        """,
        encoding="utf-8",
    )
    found = load_thresholds(file)
    assert found == Thresholds(
        accept=("few", "corpus"),
        cases=3,
        tolerance=0.02,
        metrics={
            ("ask", "facts"): Threshold(0.8, 1.0, 0.05, gate=False),
            ("ask", "latency p95"): Threshold(max=900.0),
            ("digest", "off-topic"): Threshold(max=0.2),
        },
    )
    assert found.of("ask", "outcome") == Threshold()


@pytest.mark.parametrize("text", [None, "", "[gate]", "[ask]"])
def test_without_a_word_the_defaults_hold(file: Path, text: str | None) -> None:
    if text is not None:
        file.write_text(text)
    assert load_thresholds(file) == Thresholds()


def test_how_far_a_metric_may_fall() -> None:
    facts, integrity = metric("ask", "facts"), metric("ask", "quote integrity")
    found = Thresholds(tolerance=0.02, metrics={("digest", "facts"): Threshold(tolerance=0.0)})
    assert (found.slack("ask", facts), found.slack("digest", facts)) == (0.02, 0.0)
    assert (found.slack("ask", integrity), found.strict("ask", integrity)) == (0.0, True)
    assert not found.strict("digest", facts)
    loose = Thresholds(metrics={("ask", "quote integrity"): Threshold(tolerance=0.1)})
    assert (loose.slack("ask", integrity), loose.strict("ask", integrity)) == (0.1, False)


@pytest.mark.parametrize(
    ("text", "said", "fix"),
    [
        ("[asc]", "no table 'asc'", "'ask'"),
        ("[ask.fact]", "no metric of ask 'fact'", "'facts'"),
        ("[retrieval.facts]", "no metric of retrieval 'facts'", "recall@5"),
        ("[ask.facts]\nminimum = 1", "no key 'minimum' in [ask.facts]", "'min'"),
        ("[gate]\ncase = 1", "no key 'case' in [gate]", "'cases'"),
        ("[ask.cost]\nmin = 1", "no key 'min' in [ask.cost]", "max"),
        ('[ask."latency p50"]\ntolerance = 0', 'in [ask."latency p50"]', "max"),
        ("gate = 1", "gate is no table but 1", "[gate]"),
        ("ask = []", "ask is no table but []", "[ask]"),
        ("[ask]\nfacts = 0.5", "ask.facts is no table but 0.5", "[ask.facts]"),
        ("[ask.facts]\nmin = nan", "min of [ask.facts] cannot be nan", "from 0 to 1"),
        ("[ask.facts]\nmin = 85", "cannot be 85", "from 0 to 1"),
        ("[ask.facts]\nmax = -0.1", "max of [ask.facts] cannot be -0.1", "from 0 to 1"),
        ("[ask.facts]\nmin = '0.5'", "cannot be '0.5'", "number"),
        ("[ask.facts]\nmin = true", "cannot be True", "number"),
        ("[ask.facts]\nmin = 0x" + "f" * 9000, "min of [ask.facts] cannot be", "number"),
        ("[ask.facts]\nmin = 0.9\nmax = 0.1", "min of [ask.facts] is above its max", "min"),
        ("[ask.facts]\ngate = 1", "gate of [ask.facts] cannot be 1", "true or false"),
        ("[ask.cost]\nmax = inf", "max of [ask.cost] cannot be inf", "number"),
        ("[gate]\ncases = 0", "cases of [gate] cannot be 0", "from 1 up"),
        ("[gate]\ncases = 6.0", "cases of [gate] cannot be 6.0", "whole"),
        ("[gate]\ncases = true", "cases of [gate] cannot be True", "whole"),
        ("[gate]\ntolerance = 2", "tolerance of [gate] cannot be 2", "from 0 to 1"),
        ("[gate]\naccept = 'few'", "accept of [gate] cannot be 'few'", "a list"),
        ("[gate]\naccept = [1]", "accept of [gate] cannot be [1]", "a list"),
        ("[gate]\naccept = ['fewer']", "no kind of failure 'fewer'", "'few'"),
        ("[gate]\naccept = ['worse']", "cannot hold 'worse'", "vanished"),
        ("[gate", "cannot be read", "correct it"),
        ("a = " + "[" * 9000, "cannot be read", "correct it"),
    ],
    ids=lambda text: text[:30],
)
def test_what_cannot_be_meant(file: Path, text: str, said: str, fix: str) -> None:
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_thresholds(file)
    assert caught.value.message.startswith(str(file))
    assert said in caught.value.message
    assert len(caught.value.message) < 400
    assert fix in caught.value.fix


def test_what_is_no_file_of_text(file: Path) -> None:
    file.mkdir()
    with pytest.raises(ConfigError, match="cannot be read"):
        load_thresholds(file)
    latin = file / "t.toml"
    latin.write_bytes(b"# caf\xe9")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_thresholds(latin)
    dangling = file / "link.toml"
    dangling.symlink_to(file / "nowhere")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_thresholds(dangling)


@given(st.binary(max_size=60))
def test_no_bytes_raise_anything_else(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_bytes(data)
    try:
        load_thresholds(path)
    except ConfigError as error:
        assert error.fix
