"""Reaching a server: what goes to it, what can go wrong, when it is tried again."""

from __future__ import annotations

import socket
import time
import traceback
from collections.abc import Callable
from typing import Any

import openai
import pytest

from rag.endpoint import DEFAULT_MODEL, Endpoint, patience
from rag.endpoint.client import client_options, list_models, resolve_model, translated
from rag.endpoint.patience import ATTEMPTS, patiently
from rag.errors import (
    ConfigError,
    ContextOverflow,
    EndpointError,
    EndpointUnreachable,
    KeyRefused,
    ModelUnknown,
    QuotaExhausted,
    RateLimited,
)
from rag.types import Secret
from tests.servers import (
    Fault,
    Scripted,
    drops,
    no_quota,
    says,
    sends,
    stalls,
    too_many,
)

KEY = "sk-sentinel-0123456789abcdef"


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "FIRST_WAIT", 0.01)


def silent(text: str) -> None:
    """A note that nobody needs."""


def request(endpoint: Endpoint) -> Callable[[], Any]:
    """A request as models make it: through the client library, and reading its answer."""
    options = client_options(endpoint)
    client = openai.OpenAI(base_url=options.pop("api_base"), **options)
    message: Any = {"role": "user", "content": "hello"}

    def asked() -> Any:
        answer = client.chat.completions.create(model=endpoint.model, messages=[message])
        return answer.choices[0].message.content

    return asked


def failure(*faults: Fault, notes: list[str] | None = None, **how: Any) -> EndpointError:
    """The error that comes of a server with these faults."""
    with Scripted("hello", faults=faults) as server:
        endpoint = Endpoint("scripted", server.url, Secret(KEY), **how)
        with pytest.raises(EndpointError) as caught:
            patiently(endpoint, request(endpoint), (notes if notes is not None else []).append)
    shown = "".join(traceback.format_exception(caught.value)) + caught.value.fix
    assert KEY not in shown
    assert server.url.removesuffix("/v1") in caught.value.message
    assert caught.value.fix
    return caught.value


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (says(401, "Incorrect API key provided"), KeyRefused),
        (says(403, "Not in this country"), KeyRefused),
        (no_quota(), QuotaExhausted),
        (says(402, "Insufficient Balance"), QuotaExhausted),
        (says(404, "The model `x` does not exist", code="model_not_found"), ModelUnknown),
        (says(404, 'model "x" not found, try pulling it first'), ModelUnknown),
        (says(400, "too long", code="context_length_exceeded"), ContextOverflow),
        (says(400, "This model's maximum context length is 2048 tokens."), ContextOverflow),
        (says(400, "no such thing"), EndpointError),
        (says(404, "This model is only supported in v1/responses"), EndpointError),
        (sends("<html>Welcome</html>"), EndpointError),
        (sends("{not json"), EndpointError),
        (sends("<html>nothing here</html>", 404), EndpointError),
        (sends("", 301), EndpointError),
    ],
)
def test_what_cannot_pass_is_told_at_once(fault: Fault, kind: type[EndpointError]) -> None:
    notes: list[str] = []
    error = failure(fault, notes=notes)
    assert type(error) is kind
    assert not notes


@pytest.mark.parametrize(
    ("faults", "reason"),
    [
        ([too_many(), too_many()], "too many requests"),
        ([says(500, "oops")], "status 500"),
        ([says(503, "Loading model")], "status 503"),
        ([says(408, "slow")], "status 408"),
        ([drops], "connection was lost"),
    ],
)
def test_what_may_pass_is_tried_again_and_each_wait_is_noted(
    faults: list[Fault], reason: str
) -> None:
    notes: list[str] = []
    with Scripted("hello", faults=faults) as server:
        endpoint = Endpoint("scripted", server.url)
        answer = patiently(endpoint, request(endpoint), notes.append)
    assert answer == "hello"
    assert len(server.bodies) == len(faults) + 1
    assert len(notes) == len(faults)
    assert all(reason in note for note in notes)


def test_patience_ends() -> None:
    notes: list[str] = []
    error = failure(*[too_many()] * ATTEMPTS, notes=notes)
    assert type(error) is RateLimited
    assert len(notes) == ATTEMPTS - 1


def test_a_wait_that_the_server_asks_for_is_kept() -> None:
    notes: list[str] = []
    with Scripted("hello", faults=[too_many("0.3")]) as server:
        endpoint = Endpoint("scripted", server.url)
        before = time.monotonic()
        patiently(endpoint, request(endpoint), notes.append)
    assert time.monotonic() - before >= 0.3
    assert len(notes) == 1


def test_too_long_a_wait_is_the_users_decision() -> None:
    error = failure(too_many("3600"))
    assert type(error) is RateLimited
    assert "3600 seconds" in error.fix


def test_a_wait_may_be_given_as_a_date() -> None:
    error = failure(too_many("Fri, 01 Jan 2100 00:00:00 GMT"))
    assert type(error) is RateLimited


@pytest.mark.parametrize("asked", ["9" * 400, "Mon, 01 Jan 99999999999999999 00:00:00 GMT"])
def test_a_wait_without_measure_is_not_shown(asked: str) -> None:
    error = failure(*[too_many(asked)] * ATTEMPTS)
    assert type(error) is RateLimited
    assert error.fix.startswith("wait a while")


def test_a_server_that_says_nothing_is_left_in_time() -> None:
    notes: list[str] = []
    error = failure(stalls(20), notes=notes, timeout=0.3)
    assert type(error) is EndpointUnreachable
    assert "0.3 seconds" in error.message
    assert "RAG_TIMEOUT" in error.fix
    assert not notes


def test_nobody_at_the_address() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        endpoint = Endpoint("m", f"http://127.0.0.1:{free.getsockname()[1]}/v1")
        with pytest.raises(EndpointUnreachable, match="nobody answers") as caught:
            patiently(endpoint, request(endpoint), silent)
    assert "is the server running?" in caught.value.fix


def test_an_unknown_host_is_told() -> None:
    endpoint = Endpoint("m", "http://no-such-host.invalid/v1")
    with pytest.raises(EndpointUnreachable, match="cannot be reached"):
        patiently(endpoint, request(endpoint), silent)


def test_an_unknown_model_is_told_with_those_that_there_are() -> None:
    lists = [{"id": f"model-{letter}"} for letter in "abcdefghij"]
    fault = says(404, "The model does not exist", code="model_not_found")
    with Scripted("hello", faults=[fault], lists=lists) as server:
        endpoint = Endpoint("scripted", server.url)
        with pytest.raises(ModelUnknown) as caught:
            patiently(endpoint, request(endpoint), silent)
    assert "model-a, model-b" in caught.value.fix
    assert "model-h, …" in caught.value.fix
    assert "model-i" not in caught.value.fix


@pytest.mark.parametrize(
    ("base_url", "setting"), [(None, "OPENAI_API_KEY"), ("http://127.0.0.1:9/v1", "RAG_API_KEY")]
)
def test_a_refused_key_names_the_variable_to_set(base_url: str | None, setting: str) -> None:
    endpoint = Endpoint("m", base_url, Secret(KEY))
    response = _response(401, "Incorrect API key provided: " + KEY)
    with pytest.raises(KeyRefused) as caught, translated(endpoint):
        raise response
    assert setting in caught.value.fix
    assert KEY not in caught.value.message


def _response(status: int, message: str) -> openai.APIStatusError:
    import httpx

    request = httpx.Request("POST", "http://127.0.0.1")
    response = httpx.Response(status, request=request)
    return openai.APIStatusError(message, response=response, body={"message": message})


def test_the_embedders_settings_are_named_where_they_are_meant() -> None:
    error = failure(says(401, "no"), settings="RAG_EMBED")
    assert "RAG_EMBED_API_KEY" in error.fix


def test_openai_without_a_key_is_not_even_asked() -> None:
    with pytest.raises(KeyRefused) as caught:
        client_options(Endpoint("gpt-4.1-mini"))
    assert "OPENAI_API_KEY" in caught.value.fix
    assert "RAG_BASE_URL" in caught.value.fix


@pytest.mark.parametrize("key", ["", "two words", "line\nbreak", "schlüssel"])
def test_a_key_that_cannot_be_one_is_told_without_showing_it(key: str) -> None:
    with pytest.raises(KeyRefused) as caught:
        client_options(Endpoint("m", "http://localhost:1/v1", Secret(key)))
    assert not key or key not in caught.value.message + caught.value.fix


@pytest.mark.parametrize(
    "base_url",
    [
        "",
        "localhost:11434/v1",
        "ftp://host/v1",
        "http://",
        "http://a b/v1",
        "http://a:port/v1",
        "http://☃.example/v1",
        "http://[v1.x]/v1",
        "http://a..b/v1",
        f"http://{'a' * 64}.example/v1",
    ],
)
def test_an_address_that_cannot_be_one_is_told(base_url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Endpoint("m", base_url)
    assert "RAG_BASE_URL" in caught.value.message
    assert "http://" in caught.value.fix


@pytest.mark.parametrize("host", ["my_server", "bücher.example", "[::1]", "10.0.0.1", "a.b."])
def test_an_unusual_address_is_taken(host: str) -> None:
    assert Endpoint("m", f"http://{host}:8080/v1").place == f"http://{host}:8080"


def test_what_an_address_hides_stays_hidden() -> None:
    endpoint = Endpoint("m", f"https://user:{KEY}@host.example:8443/v1?key={KEY}", Secret(KEY))
    assert endpoint.place == "https://host.example:8443"
    assert KEY not in repr(endpoint)
    with pytest.raises(ConfigError) as caught:
        Endpoint("m", "ftp://user:hunter22@host.example/v1?token=abc")
    assert "hunter22" not in caught.value.message
    assert "abc" not in caught.value.message


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        (f"Incorrect API key provided: {KEY}.", KEY),
        ("Incorrect key sk-proj-Abc_123-456789", "Abc_123"),
        ("header Authorization: Bearer abc.def", "abc.def"),
        ("token 0123456789abcdef0123456789abcdef is bad", "0123456789abcdef"),
        (f"Incorrect key {KEY.upper()}", "SENTINEL"),
        ("Incorrect key sentinel-0123…", "sentinel-0123"),
        ("Incorrect key …89aBCdef", "89aBCdef"),
    ],
)
def test_a_servers_words_are_shown_without_keys(text: str, hidden: str) -> None:
    shown = Endpoint("m", "http://localhost/v1", Secret(KEY)).shown(text)
    assert hidden not in shown
    assert "…" in shown


def test_a_servers_words_are_shown_short_and_printable() -> None:
    shown = Endpoint("m").shown("so\n\x1b[31mred\x00 " + "word " * 100)
    assert shown.startswith("so [31mred word")
    assert len(shown) == 200
    assert shown.isprintable()
    assert (
        Endpoint("m").shown("Qwen2.5-Coder-32B-Instruct-Q4_K_M is not here").startswith("Qwen2.5-C")
    )


def test_the_key_goes_to_its_server_and_no_object_shows_it() -> None:
    with Scripted("hello") as server:
        endpoint = Endpoint("scripted", server.url, Secret(KEY))
        options = client_options(endpoint)
        request(endpoint)()
    assert server.asked[-1].headers["authorization"] == f"Bearer {KEY}"
    assert "api-key" not in server.asked[-1].headers
    assert KEY not in repr(options) + repr(endpoint)


def test_without_a_key_none_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-secret")
    with Scripted("hello") as server:
        request(Endpoint("scripted", server.url))()
    headers = server.asked[-1].headers
    assert "authorization" not in headers
    assert not {"openai-organization", "openai-project"} & set(headers)


def test_no_variable_of_the_libraries_says_where_texts_go(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_BASE", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "http://elsewhere.invalid/v1")
    options = client_options(Endpoint("gpt-4.1-mini", key=Secret(KEY)))
    assert options["api_base"] == "https://api.openai.com/v1"


def test_no_proxy_stands_between_us_and_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with Scripted("hello") as server:
        assert request(Endpoint("scripted", server.url))() == "hello"
    with pytest.raises(EndpointUnreachable):
        endpoint = Endpoint("m", "http://somewhere.invalid/v1")
        patiently(endpoint, request(endpoint), silent)


def test_a_proxy_that_cannot_be_one_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "socks9://user:hunter2@127.0.0.1:9")
    with pytest.raises(ConfigError, match="proxy") as caught:
        client_options(Endpoint("m", "https://somewhere.invalid/v1"))
    assert "hunter2" not in caught.value.message


def test_the_query_of_an_address_goes_with_every_request() -> None:
    with Scripted("hello") as server:
        endpoint = Endpoint("scripted", f"{server.url}/openai?api-version=2024-06-01&x=1")
        request(endpoint)()
        assert client_options(endpoint)["api_base"] == f"{server.url}/openai"
    assert server.asked[-1].path == "/v1/openai/chat/completions?api-version=2024-06-01&x=1"


def test_azure_gets_its_own_header() -> None:
    import httpx

    endpoint = Endpoint("m", "https://mine.openai.azure.com/openai/v1", Secret(KEY))
    client = client_options(endpoint)["http_client"]
    sent: list[httpx.Request] = []
    client._transport = httpx.MockTransport(lambda r: sent.append(r) or httpx.Response(200))
    client.get("https://mine.openai.azure.com/openai/v1/models")
    assert sent[0].headers["api-key"] == KEY
    assert sent[0].extensions["timeout"]["connect"] <= 10


def test_a_redirect_takes_no_key_along() -> None:
    with Scripted("hello") as elsewhere:

        def redirect(exchange: Any) -> None:
            exchange.send(307, "", Location=f"{elsewhere.url}/chat/completions")

        error = failure(redirect)
    assert "elsewhere" in error.message
    assert "RAG_BASE_URL" in error.fix
    assert not elsewhere.asked


def test_models_are_listed_sorted() -> None:
    with Scripted("hello", lists=[{"id": "b"}, {"id": "a"}, {"name": "no id"}]) as server:
        assert list_models(Endpoint("", server.url)) == ["a", "b"]


@pytest.mark.parametrize(
    "data",
    [
        "[]",
        '{"data": null}',
        '{"data": 5}',
        '{"data": [5, null, {}, {"id": 5}, {"id": ["a"]}]}',
        '{"models": []}',
        "<html></html>",
        "[" * 100_000,
    ],
)
def test_a_list_in_another_form_is_empty_or_an_error(data: str) -> None:
    with Scripted("hello") as server:
        server.answer = lambda exchange: exchange.send(200, data)  # type: ignore[method-assign]
        assert list_models(Endpoint("", server.url)) == []


def test_a_refused_list_is_told_like_any_request() -> None:
    def refuse(exchange: Any) -> None:
        says(401, f"bad key {KEY}")(exchange)

    with Scripted("hello") as server:
        server.answer = refuse  # type: ignore[method-assign]
        with pytest.raises(KeyRefused, match="bad key …"):
            list_models(Endpoint("", server.url, Secret(KEY)))
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"


def test_an_answer_without_an_end_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.endpoint.client.MOST_BYTES", 1000)
    error = failure(sends('{"choices": [], "more": "' + "x" * 2000 + '"}'))
    assert "what no client can read" in error.message


def test_the_only_model_need_not_be_named() -> None:
    with Scripted("hello") as server:
        assert resolve_model(Endpoint("", server.url)).model == "scripted"
        assert resolve_model(Endpoint("mine", server.url)).model == "mine"
    assert resolve_model(Endpoint("")).model == DEFAULT_MODEL


@pytest.mark.parametrize("names", [[], ["a", "b"]])
def test_none_or_several_models_need_a_name(names: list[str]) -> None:
    server = Scripted("hello", lists=[{"id": name} for name in names])
    with server, pytest.raises(ModelUnknown, match=f"has {len(names)} models") as caught:
        resolve_model(Endpoint("", server.url))
    assert "RAG_MODEL" in caught.value.fix
    assert all(name in caught.value.fix for name in names)


def test_local_is_this_machine_only() -> None:
    assert Endpoint("m", "http://[::1]:8080/v1").local
    assert Endpoint("m", "http://[::1]:8080/v1").place == "http://[::1]:8080"
    assert Endpoint("m", "http://LOCALHOST/v1").local
    assert not Endpoint("m", "http://localhost.example.com/v1").local
    assert not Endpoint("m").local


def test_ctrl_c_is_not_an_endpoints_error() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        patiently(Endpoint("m"), interrupted, silent)
