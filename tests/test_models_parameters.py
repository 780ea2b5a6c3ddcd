"""Requests say what their server takes."""

from __future__ import annotations

import pytest

from rag.endpoint import Endpoint
from rag.errors import EndpointError
from rag.models import Message
from rag.models.openai import connect
from tests.servers import Scripted, refuses, says, sends

HELLO = [Message("user", "Say hello.")]
both = pytest.mark.parametrize("streamed", [False, True])


def test_answers_are_asked_for_to_repeat() -> None:
    with Scripted("x") as server:
        connect(Endpoint("", server.url)).reply(HELLO, 123)
    body = server.bodies[0]
    assert (body["temperature"], body["seed"], body["max_tokens"]) == (0.0, 1, 123)
    assert body["messages"] == [{"role": m.role, "content": m.text} for m in HELLO]


@pytest.mark.parametrize("name", ["o3-mini", "openai/o3-mini", "gpt-5-nano", "gpt-5.4-mini", "o1"])
def test_reasoning_models_get_what_they_take(name: str) -> None:
    with Scripted("x", lists=[{"id": name}]) as server:
        model = connect(Endpoint(name, server.url))
        model.reply(HELLO, 100)
    body = server.bodies[0]
    assert not {"temperature", "max_tokens"} & set(body)
    assert body["max_completion_tokens"] == 100 + model.thinking
    assert model.thinking > 0


@pytest.mark.parametrize(
    "name", ["gpt-4.1-mini", "openai/gpt-5-chat", "gpt-oss-20b", "o11y", "olmo-2"]
)
def test_other_models_do_not(name: str) -> None:
    with Scripted("x", lists=[{"id": name}]) as server:
        model = connect(Endpoint(name, server.url))
        model.reply(HELLO, 100)
    assert {"temperature", "max_tokens"} <= set(server.bodies[0])
    assert model.thinking == 0


@both
@pytest.mark.parametrize("name", ["temperature", "seed", "max_tokens"])
def test_a_refused_parameter_is_left_out_from_then_on(name: str, streamed: bool) -> None:
    notes: list[str] = []
    with Scripted("fine", faults=[refuses(name)] * 3) as server:
        model = connect(Endpoint("", server.url), note=notes.append)
        for _ in range(2):
            assert model.reply(HELLO, 9, str if streamed else None).text == "fine"
    assert [name in body for body in server.bodies] == [True, False, False]
    assert sum(name in note for note in notes) == 1
    limits = {"max_tokens", "max_completion_tokens"}
    assert all(len(limits & set(body)) == 1 for body in server.bodies)


def test_several_refused_parameters_are_learned_one_by_one() -> None:
    faults = [
        refuses("stream_options", "Unrecognized request argument supplied: {}"),
        sends('{"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"]}]}', 422),
        refuses("temperature", "Unsupported value: '{}' does not support 0 with this model."),
    ]
    with Scripted("fine", faults=faults) as server:
        reply = connect(Endpoint("", server.url)).reply(HELLO, 9, str)
    assert reply.text == "fine"
    last = set(server.bodies[-1])
    assert not last & {"stream_options", "seed", "temperature"}


def test_a_parameter_refused_twice_is_an_error() -> None:
    fault = says(400, "max_tokens and max_completion_tokens must be below 1")
    with Scripted("x", faults=[fault] * 9) as server, pytest.raises(EndpointError):
        connect(Endpoint("", server.url)).reply(HELLO, 9)
    assert len(server.bodies) <= 4
