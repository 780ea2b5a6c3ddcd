"""The programs that people have: the MCP SDK's client, OpenAI's client, and ``llm``."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.serving import serving

TIDE = "What does TideNet do?"
HERE = Path(__file__).parents[1]
PLAIN = {name: value for name, value in os.environ.items() if not name.startswith("RAG_")}
PLAIN |= {"PYTHONPATH": str(HERE), "NO_PROXY": "*"}


@pytest.fixture(scope="module")
def store(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(built, tmp_path_factory.mktemp("asked") / "index"))


@pytest.fixture(scope="module")
def address(store: Path) -> Iterator[str]:
    with serving(store) as found:
        yield found


# --- MCP -----------------------------------------------------------------------------------------


def command(store: Path) -> list[str]:
    return [sys.executable, "-m", "rag", "mcp", "--store", str(store)]


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_mcp_client_uses_every_tool_and_resource(
    transport: str, store: Path, address: str
) -> None:
    program, *arguments = command(store)
    stdio = StdioServerParameters(command=program, args=arguments, env=PLAIN, cwd=store.parent)
    calls: dict[str, dict[str, Any]] = {
        "search": {"query": "bees dancing", "limit": 2},
        "ask": {"question": TIDE},
        "get_paper": {"paper_id": "tide"},
        "list_papers": {"match": "TideNet"},
        "digest": {"topic": "robots"},
    }

    async def talk() -> dict[str, Any]:
        async with Client(stdio if transport == "stdio" else f"{address}/mcp") as mcp:
            tools = (await mcp.list_tools()).tools
            assert {tool.name for tool in tools} == set(calls)
            assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
            made = {name: await mcp.call_tool(name, asked) for name, asked in calls.items()}
            assert not any(result.is_error for result in made.values())
            (template,) = (await mcp.list_resource_templates()).resource_templates
            paper = await mcp.read_resource(template.uri_template.replace("{paper_id}", "tide"))
            assert "Coastal gauges" in paper.contents[0].text  # type: ignore[union-attr]
            assert (await mcp.call_tool("search", {"query": "bees", "limit": 0})).is_error
            gone = await mcp.call_tool("get_paper", {"paper_id": "nothing"})
            assert gone.is_error and "No paper goes by" in gone.content[0].text  # type: ignore[union-attr]
            return {name: result.structured_content for name, result in made.items()}

    said = asyncio.run(talk())
    assert said["search"]["results"][0]["paper_id"] == "bees"
    (cited,) = {each["paper_id"] for each in said["ask"]["statements"][0]["citations"]}
    assert cited == said["get_paper"]["paper_id"] == "tide"
    for citation in said["ask"]["statements"][0]["citations"]:
        text = said["get_paper"]["text"]
        assert text[citation["start"] : citation["end"]] == citation["quote"]
    assert said["list_papers"]["matched"] == 1
    assert all(entry["citations"] for entry in said["digest"]["entries"])


def test_what_was_asked_before_the_input_ended_is_answered(store: Path) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}}
    hello["clientInfo"] = {"name": "script", "version": "1"}
    call = {"name": "ask", "arguments": {"question": TIDE}}
    sent = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        *({"id": id, "method": "tools/call", "params": call} for id in range(2, 8)),
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in sent)
    done = subprocess.run(
        command(store), input=lines, capture_output=True, text=True, timeout=60, env=PLAIN
    )
    said = {reply["id"]: reply for reply in map(json.loads, done.stdout.splitlines())}
    assert set(said) == set(range(1, 8)) and done.returncode == 0 and not done.stderr
    assert all("error" not in reply for reply in said.values())


def test_a_client_that_goes_away_leaves_no_error(store: Path) -> None:
    process = subprocess.Popen(
        command(store),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=PLAIN,
    )
    assert process.stdin and process.stdout and process.stderr
    process.stdout.close()
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    process.stdin.write(json.dumps(ping).encode() + b"\n")
    process.stdin.close()
    assert process.wait(30) == 0
    assert b"unforeseen" not in process.stderr.read()


# --- OpenAI's client -----------------------------------------------------------------------------


@pytest.fixture
def chat(address: str) -> Iterator[openai.OpenAI]:
    with httpx.Client(trust_env=False) as http:
        yield openai.OpenAI(
            base_url=f"{address}/v1", api_key="none", http_client=http, max_retries=0
        )


def test_streamed_or_not_an_answer_is_the_same(chat: openai.OpenAI) -> None:
    asked: Any = {"model": "rag", "messages": [{"role": "user", "content": TIDE}]}
    whole = chat.chat.completions.create(**asked).choices[0].message
    pieces = [
        chunk.choices[0].delta for chunk in chat.chat.completions.create(stream=True, **asked)
    ]
    assert "".join(piece.content or "" for piece in pieces) == whole.content
    (cited,) = [piece.model_extra["rag"] for piece in pieces if "rag" in (piece.model_extra or {})]
    assert cited["statements"] == whole.model_extra["rag"]["statements"]  # type: ignore[index]
    assert cited["statements"][0]["citations"][0]["paper_id"] == "tide"


def test_there_is_one_model(chat: openai.OpenAI) -> None:
    assert [model.id for model in chat.models.list()] == ["rag"]
    assert chat.models.retrieve("rag").id == "rag"
    with pytest.raises(openai.NotFoundError, match="only 'rag'"):
        chat.models.retrieve("gpt-4.1")


@pytest.mark.parametrize(
    ("asked", "error", "code"),
    [
        ({"model": "gpt-4.1"}, openai.NotFoundError, "model_not_found"),
        ({"messages": []}, openai.UnprocessableEntityError, "InvalidRequest"),
        ({"messages": [{"role": "user"}]}, openai.UnprocessableEntityError, "QuestionError"),
        ({"extra_query": {"n": 2}}, openai.UnprocessableEntityError, "HTTPError"),
        ({"extra_headers": {"origin": "https://evil.example"}}, openai.PermissionDeniedError, None),
        ({"user": "x" * 300_000}, openai.APIStatusError, "TooLarge"),
    ],
)
def test_an_error_has_openais_form(
    chat: openai.OpenAI, asked: dict[str, Any], error: type[openai.APIStatusError], code: str | None
) -> None:
    plain: Any = {"model": "rag", "messages": [{"role": "user", "content": TIDE}], **asked}
    with pytest.raises(error) as told:
        chat.chat.completions.create(**plain)
    body: Any = told.value.body
    assert set(body) == {"message", "type", "param", "code"} and len(body["message"]) < 500
    assert told.value.code == (code or "CrossSite")


# --- llm -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [[], ["--no-stream"]], ids=["streamed", "whole"])
def test_llm_asks_the_papers(address: str, tmp_path: Path, more: list[str]) -> None:
    beside = Path(sys.executable).with_name("llm")
    program = str(beside) if beside.exists() else shutil.which("llm")
    if not program:
        pytest.skip("llm is not installed; make test installs it")
    entry = f"- model_id: papers\n  model_name: rag\n  api_base: {address}/v1\n"
    (tmp_path / "extra-openai-models.yaml").write_text(entry)
    alone = {"LLM_USER_PATH": str(tmp_path), "LLM_LOAD_PLUGINS": "", "OPENAI_API_KEY": "none"}
    asked = [program, "-m", "papers", TIDE, *more]
    environment = {name: value for name, value in PLAIN.items() if name != "PYTHONPATH"} | alone
    said = subprocess.run(asked, capture_output=True, text=True, timeout=60, env=environment)
    assert said.returncode == 0, said.stderr
    assert "[1]" in said.stdout and "TideNet: Filling the Gaps" in said.stdout
