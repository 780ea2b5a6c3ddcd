"""``rag config``, ``rag prompts``, ``rag usage``: what the program works with and has spent."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rag.models.ledger import Ledger
from rag.prompts import shipped
from tests.commands import Run

KEY = "sk-sentinel-5f1c0a7d9e"


def test_config_shows_value_and_place(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("RAG_TOP_K=7\n")
    shown = [line.split() for line in run("config", "--model", "tiny", "--strict").out.splitlines()]
    for line in (
        ["top_k", "7", ".env"],
        ["model", "tiny", "--model"],
        ["engine", "llm", "model", "is", "set"],
        ["strict", "true", "--strict"],
        ["timeout", "60", "default"],
        ["window", "not", "set", "default"],
        ["answers:", "llm,", "at", "OpenAI"],
        ["embeddings:", "built-in,", "on", "this", "machine"],
    ):
        assert line in shown


def test_config_is_one_document_of_json(run: Run, tmp_path: Path) -> None:
    (tmp_path / "rag.toml").write_text(
        'base_url = "http://localhost:8080/v1"\nembed_base_url = "http://localhost:8081/v1"\n'
    )
    found = run("--store", "elsewhere", "config", "--no-cache", "--json").json
    settings = {each["name"]: (each["value"], each["source"]) for each in found["settings"]}
    assert settings["store"] == ("elsewhere", "--store")
    assert settings["cache"] == (False, "--no-cache")
    assert settings["engine"] == ("llm", "base_url is set")
    assert found["servers"] == {
        "answers": "http://localhost:8080",
        "embeddings": "http://localhost:8081",
        "judges": None,
    }


def test_without_settings_nothing_leaves_the_machine(run: Run) -> None:
    found = run("config", "--json").json
    assert found["servers"] == {"answers": None, "embeddings": None, "judges": None}
    assert run("config").out.count("on this machine") == 2


@pytest.mark.parametrize("variable", ["RAG_API_KEY", "OPENAI_API_KEY", "RAG_EMBED_API_KEY"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("config",),
        ("config", "--json"),
        ("config", "--budget", "-1"),
        ("config", "--engine", "llm", "--base-url", f"https://{KEY}@gateway.example"),
        ("prompts", "--json"),
        ("list", "--json"),
    ],
)
def test_no_command_shows_a_key(
    run: Run, monkeypatch: pytest.MonkeyPatch, variable: str, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setenv(variable, KEY)
    result = run(*arguments)
    assert result.out + result.err
    assert KEY not in result.out + result.err


@pytest.mark.parametrize(
    "text", [f"RAG_API_KEY={KEY} x", f"RAG_BASE_URL={KEY}", f"RAG_STRICT {KEY}"]
)
def test_a_broken_key_is_not_shown_either(run: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / ".env").write_text(text)
    for arguments in (("config",), ("config", "--json")):
        result = run(*arguments)
        assert KEY not in result.out + result.err


def test_a_masked_key_can_be_told_from_another(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_API_KEY", KEY)
    assert f"…{KEY[-4:]}" in run("config").out


def test_an_impossible_budget_is_an_error(run: Run) -> None:
    result = run("config", "--budget", "nan", "--json")
    assert (result.status, result.json["error"]["type"]) == (1, "ConfigError")


def test_prompts_lists_every_text_with_its_hash(run: Run) -> None:
    lines = [line.split(maxsplit=2) for line in run("prompts").out.splitlines()]
    names = {name: (identity, file) for name, identity, file in lines}
    identity, file = names["answer/system"]
    assert identity.startswith("answer@") and len(identity) == len("answer@3f2a91c0")
    assert Path(file).read_text(encoding="utf-8").strip() in run("prompts", "answer").out


def test_prompts_json_has_the_texts(run: Run) -> None:
    every = run("prompts", "--json").json["prompts"]
    (one,) = run("prompts", "answer", "--json").json["prompts"]
    assert one == next(task for task in every if task["name"] == "answer")
    assert {"name", "file", "text"} == set(one["messages"][0])


def test_other_prompts_are_shown_with_another_hash(run: Run, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(shipped(), tmp_path / "mine"))
    text = folder / "answer" / "system.md"
    text.write_text(text.read_text(encoding="utf-8") + "\nBe brief.\n", encoding="utf-8")
    (mine,) = run("prompts", "answer", "--prompts", folder, "--json").json["prompts"]
    (ours,) = run("prompts", "answer", "--json").json["prompts"]
    assert mine["identity"] != ours["identity"]
    assert "Be brief." in run("prompts", "answer", "--prompts", folder).out


def test_an_unknown_prompt_is_an_error(run: Run) -> None:
    result = run("prompts", "poem", "--json")
    assert (result.status, result.json["error"]["type"]) == (1, "PromptError")


def spend(store: Path) -> None:
    for model, price in (("big", 0.25), ("big", 0.5), ("small", None)):
        Ledger(store, place="OpenAI", purpose="answer", note=print).add(model, 1_000, 20, price)


def test_usage_sums_by_model(run: Run, tmp_path: Path) -> None:
    spend(tmp_path / "index_store")
    result = run("usage")
    head, big, small = (line.split() for line in result.out.splitlines())
    assert head == "requests tokens in tokens out USD".split()
    assert big == "big at OpenAI 2 2,000 40 0.7500".split()
    assert small == "small at OpenAI 1 1,000 20 not known".split()
    assert "which count as 0: 1" in result.err


def test_usage_is_one_document_of_json(run: Run, tmp_path: Path) -> None:
    spend(tmp_path / "other")
    rows = run("usage", "--by-day", "--store", "other", "--json").json["usage"]
    assert [(row["model"], row["cost_usd"], row["unpriced"]) for row in rows] == [
        ("big", 0.75, 0),
        ("small", 0.0, 1),
    ]
    assert all(len(row["day"]) == len("2030-01-01") for row in rows)


def test_no_usage_is_no_error(run: Run) -> None:
    result = run("usage")
    assert (result.status, result.out) == (0, "")
    assert "no model has been asked" in result.err
    assert run("usage", "--json").json == {"usage": []}
