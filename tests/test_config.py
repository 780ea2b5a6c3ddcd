"""Settings: where they come from, what they may be, where a key goes."""

from __future__ import annotations

import os
import re
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rag.config import (
    NAMES,
    Settings,
    embed_endpoint,
    endpoint,
    explain,
    judge_endpoint,
    load,
)
from rag.endpoint import Endpoint
from rag.errors import ConfigError
from rag.types import Secret

KEY = "sk-sentinel-5f1c0a7d9e"
OTHER_KEY = "sk-sentinel-of-others"
LOCAL = "http://localhost:8080/v1"
OPENAI = "https://api.openai.com/v1"

SetEnv = Callable[..., None]


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in list(os.environ):
        if variable.startswith(("RAG_", "OPENAI_")):
            monkeypatch.delenv(variable)


@pytest.fixture
def setenv(monkeypatch: pytest.MonkeyPatch) -> SetEnv:
    def set_all(**values: str) -> None:
        for name, value in values.items():
            monkeypatch.setenv(name, value)

    return set_all


def places(folder: Path, **flags: Any) -> dict[str, str]:
    return {each.name: each.place for each in explain(flags, folder)}


def refused(folder: Path, **flags: Any) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load(flags, folder)
    return caught.value


def test_nothing_set_is_the_default(tmp_path: Path) -> None:
    assert load({}, tmp_path) == Settings()
    assert set(places(tmp_path).values()) == {"default"}


def test_each_place_outdoes_the_one_before(tmp_path: Path, setenv: SetEnv) -> None:
    (tmp_path / "rag.toml").write_text('model = "toml"\n')
    assert (load({}, tmp_path).model, places(tmp_path)["model"]) == ("toml", "rag.toml")
    (tmp_path / ".env").write_text("RAG_MODEL=dotenv\n")
    assert (load({}, tmp_path).model, places(tmp_path)["model"]) == ("dotenv", ".env")
    setenv(RAG_MODEL="env")
    assert load({}, tmp_path).model == "env"
    assert places(tmp_path)["model"] == "environment (RAG_MODEL)"
    assert load({"model": "flag"}, tmp_path).model == "flag"
    assert places(tmp_path, model="flag")["model"] == "--model"


def test_every_setting_can_come_from_the_environment(tmp_path: Path, setenv: SetEnv) -> None:
    values: dict[str, tuple[str, Any]] = {
        "store": ("a", Path("a")),
        "engine": ("llm", "llm"),
        "top_k": ("3", 3),
        "model": ("m", "m"),
        "base_url": (f"{LOCAL}/", LOCAL),
        "api_key": (KEY, Secret(KEY)),
        "timeout": ("2.5", 2.5),
        "window": ("4096", 4096),
        "embed_model": ("e", "e"),
        "embed_base_url": (LOCAL, LOCAL),
        "embed_api_key": (KEY, Secret(KEY)),
        "embed_dimensions": ("256", 256),
        "prompts": ("p", Path("p")),
        "prices": ("prices.toml", Path("prices.toml")),
        "budget": ("0", 0.0),
        "cache": ("no", False),
        "strict": ("1", True),
        "reword": ("0", False),
        "evals": ("cases", Path("cases")),
        "judge_model": ("j", "j"),
        "judge_base_url": (LOCAL, LOCAL),
        "judge_api_key": (KEY, Secret(KEY)),
        "token": (KEY, Secret(KEY)),
        "mailto": ("ada@example.org", "ada@example.org"),
        "openreview_url": (LOCAL, LOCAL),
        "openreview_v1_url": (LOCAL, LOCAL),
        "arxiv_url": (LOCAL, LOCAL),
        "crossref_url": (LOCAL, LOCAL),
        "chroma_url": (LOCAL, LOCAL),
        "chroma_tenant": ("t", "t"),
        "chroma_database": ("d", "d"),
        "chroma_token": (KEY, Secret(KEY)),
    }
    setenv(**{f"RAG_{name.upper()}": given for name, (given, _) in values.items()})
    assert load({}, tmp_path) == Settings(**{name: value for name, (_, value) in values.items()})
    assert list(values) == NAMES


def test_an_empty_variable_is_not_set(tmp_path: Path, setenv: SetEnv) -> None:
    (tmp_path / ".env").write_text("RAG_MODEL=\nRAG_API_KEY= \n")
    setenv(RAG_BASE_URL="  ")
    assert load({}, tmp_path) == Settings()


@pytest.mark.parametrize(
    "text",
    [
        f"RAG_API_KEY={KEY}\n",
        f"export RAG_API_KEY={KEY}\n",
        f'RAG_API_KEY="{KEY}"\n',
        f"RAG_API_KEY='{KEY}' # mine\n",
        f"# a comment\r\nRAG_API_KEY={KEY}\r\nRAG_TOP_K=3\r\n",
        f"\ufeffRAG_API_KEY={KEY}\n",
        f"RAG_API_KEY=  {KEY}  \n",
        f'RAG_API_KEY="{KEY}\n"\n',
        f"OPENAI_API_KEY={KEY}\n",
    ],
)
def test_a_key_in_dotenv_is_read_however_it_is_written(tmp_path: Path, text: str) -> None:
    (tmp_path / ".env").write_bytes(text.encode())
    assert load({}, tmp_path).api_key == Secret(KEY)


def test_a_key_may_hold_what_looks_like_a_variable(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("RAG_API_KEY=ab${HOME}cd$PATH-0123\n")
    assert load({}, tmp_path).api_key == Secret("ab${HOME}cd$PATH-0123")


def test_a_dotenv_in_another_encoding_is_told(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"RAG_API_KEY={KEY}\n", encoding="utf-16")
    error = refused(tmp_path)
    assert "UTF-8" in error.fix
    assert KEY not in error.message


@pytest.mark.parametrize("name", ["model", "base_url"])
def test_a_model_or_a_url_switches_to_it(tmp_path: Path, setenv: SetEnv, name: str) -> None:
    setenv(**{f"RAG_{name.upper()}": LOCAL})
    assert load({}, tmp_path).engine == "llm"
    assert places(tmp_path)["engine"] == f"{name} is set"
    assert load({"engine": "extractive"}, tmp_path).engine == "extractive"


def test_variables_of_other_programs_choose_no_engine(tmp_path: Path, setenv: SetEnv) -> None:
    setenv(OPENAI_API_KEY=KEY, OPENAI_BASE_URL=LOCAL)
    assert load({}, tmp_path).engine == "extractive"
    settings = load({"engine": "llm"}, tmp_path)
    assert endpoint(settings) == Endpoint("", LOCAL, Secret(KEY), 60.0)
    assert places(tmp_path)["api_key"] == "environment (OPENAI_API_KEY)"
    assert places(tmp_path)["base_url"] == "environment (OPENAI_BASE_URL)"


def test_ours_come_before_those_of_other_programs(tmp_path: Path, setenv: SetEnv) -> None:
    setenv(OPENAI_API_KEY=OTHER_KEY, OPENAI_BASE_URL="https://elsewhere.example/v1")
    (tmp_path / "rag.toml").write_text(f'base_url = "{LOCAL}"\n')
    (tmp_path / ".env").write_text(f"RAG_API_KEY={KEY}\n")
    assert endpoint(load({}, tmp_path)) == Endpoint("", LOCAL, Secret(KEY), 60.0)


def test_a_key_goes_to_a_server_that_its_owner_names(tmp_path: Path, setenv: SetEnv) -> None:
    setenv(OPENAI_API_KEY=OTHER_KEY, RAG_BASE_URL="https://gateway.example/v1")
    assert load({}, tmp_path).api_key == Secret(OTHER_KEY)
    assert load({"base_url": LOCAL}, tmp_path).api_key == Secret(OTHER_KEY)


@pytest.mark.parametrize("file", ["rag.toml", ".env"])
def test_a_file_of_the_folder_sends_no_key_away_that_it_does_not_hold(
    tmp_path: Path, setenv: SetEnv, file: str
) -> None:
    setenv(OPENAI_API_KEY=OTHER_KEY)
    line = {"rag.toml": 'base_url = "https://evil.example/v1"', ".env": f"RAG_BASE_URL={LOCAL}"}
    (tmp_path / file).write_text(f"{line[file]}\n")
    assert load({}, tmp_path).api_key is None
    with (tmp_path / ".env").open("a") as dotenv:
        dotenv.write(f"OPENAI_API_KEY={KEY}\n")
    assert load({}, tmp_path).api_key == Secret(KEY)


@pytest.mark.parametrize("file", ["rag.toml", ".env"])
@pytest.mark.parametrize(
    ("variable", "url", "name"),
    [
        ("RAG_API_KEY", "base_url", "api_key"),
        ("RAG_EMBED_API_KEY", "embed_base_url", "embed_api_key"),
        ("RAG_EMBED_API_KEY", "base_url", "embed_api_key"),
        ("RAG_JUDGE_API_KEY", "judge_base_url", "judge_api_key"),
        ("RAG_JUDGE_API_KEY", "base_url", "judge_api_key"),
        ("RAG_CHROMA_TOKEN", "chroma_url", "chroma_token"),
    ],
)
def test_no_key_of_the_environment_goes_where_a_file_says(
    tmp_path: Path, setenv: SetEnv, file: str, variable: str, url: str, name: str
) -> None:
    setenv(**{variable: OTHER_KEY})
    evil = "https://evil.example/v1"
    lines = {"rag.toml": f'{url} = "{evil}"\n', ".env": f"RAG_{url.upper()}={evil}\n"}
    (tmp_path / file).write_text(lines[file])
    settings = load({}, tmp_path)
    assert getattr(settings, name) is None
    assert "withheld" in places(tmp_path)[name]
    assert load({url: LOCAL}, tmp_path) != settings
    assert getattr(load({url: LOCAL}, tmp_path), name) == Secret(OTHER_KEY)
    with (tmp_path / ".env").open("a") as dotenv:
        dotenv.write(f"{variable}={KEY}\n")
    setenv(**{variable: ""})
    assert getattr(load({}, tmp_path), name) == Secret(KEY)


def test_a_foreign_url_in_env_gets_no_key_of_the_environment(
    tmp_path: Path, setenv: SetEnv
) -> None:
    setenv(OPENAI_API_KEY=OTHER_KEY)
    (tmp_path / ".env").write_text("OPENAI_BASE_URL=https://evil.example/v1\nRAG_MODEL=m\n")
    assert load({}, tmp_path).api_key is None


def test_a_key_that_came_with_a_url_goes_there_only(tmp_path: Path, setenv: SetEnv) -> None:
    setenv(OPENAI_API_KEY=OTHER_KEY, OPENAI_BASE_URL="https://gateway.example/v1")
    assert load({"base_url": "https://gateway.example/v2"}, tmp_path).api_key == Secret(OTHER_KEY)
    assert load({"base_url": OPENAI}, tmp_path).api_key is None


def test_openais_own_address_is_no_other_server(tmp_path: Path, setenv: SetEnv) -> None:
    setenv(RAG_BASE_URL=f"{OPENAI}/", OPENAI_API_KEY=KEY)
    assert endpoint(load({}, tmp_path)) == Endpoint("", None, Secret(KEY), 60.0)


def test_a_broken_variable_of_others_matters_only_where_it_is_used(
    tmp_path: Path, setenv: SetEnv
) -> None:
    setenv(OPENAI_BASE_URL="nonsense")
    assert load({}, tmp_path) == Settings()
    assert "OPENAI_BASE_URL" in refused(tmp_path, engine="llm").message


def test_the_built_in_embedder_is_the_default() -> None:
    assert embed_endpoint(Settings(engine="llm", model="m", base_url=LOCAL)) is None


def test_an_embedder_is_where_the_model_is() -> None:
    settings = Settings(base_url=LOCAL, api_key=Secret(KEY), embed_model="e", timeout=5)
    assert embed_endpoint(settings) == Endpoint("e", LOCAL, Secret(KEY), 5, "RAG_EMBED")


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://LOCALHOST:8080/other", Secret(KEY)),
        ("http://localhost:8081/v1", None),
        ("https://localhost:8080/v1", None),
        ("https://elsewhere.example/v1", None),
    ],
)
def test_an_embedder_elsewhere_does_not_get_the_models_key(url: str, key: Secret | None) -> None:
    settings = Settings(base_url=LOCAL, api_key=Secret(KEY), embed_base_url=url)
    found = embed_endpoint(settings)
    assert found and found.key == key


def test_an_embedder_at_openai_gets_the_key_for_openai(tmp_path: Path, setenv: SetEnv) -> None:
    setenv(RAG_BASE_URL=LOCAL, RAG_API_KEY=KEY)
    setenv(RAG_EMBED_BASE_URL=OPENAI, OPENAI_API_KEY=OTHER_KEY)
    settings = load({}, tmp_path)
    found = embed_endpoint(settings)
    assert endpoint(settings).key == Secret(KEY)
    assert found == Endpoint("", None, Secret(OTHER_KEY), 60.0, "RAG_EMBED")
    assert places(tmp_path)["embed_api_key"] == "environment (OPENAI_API_KEY)"


def test_there_is_no_judge_unless_one_is_named(tmp_path: Path, setenv: SetEnv) -> None:
    setenv(RAG_MODEL="m", RAG_BASE_URL=LOCAL, RAG_API_KEY=KEY)
    assert judge_endpoint(load({}, tmp_path)) is None


def test_a_judge_writes_no_answers(tmp_path: Path, setenv: SetEnv) -> None:
    setenv(RAG_JUDGE_MODEL="j", RAG_JUDGE_BASE_URL=LOCAL, RAG_JUDGE_API_KEY=KEY)
    settings = load({}, tmp_path)
    assert settings.engine == "extractive"
    assert judge_endpoint(settings) == Endpoint("j", LOCAL, Secret(KEY), 60.0, "RAG_JUDGE")
    assert endpoint(settings).key is None


def test_a_judge_without_a_url_is_at_openai_or_where_others_look(
    tmp_path: Path, setenv: SetEnv
) -> None:
    setenv(RAG_JUDGE_MODEL="j", OPENAI_API_KEY=KEY)
    settings = load({}, tmp_path)
    assert settings.engine == "extractive"
    assert judge_endpoint(settings) == Endpoint("j", None, Secret(KEY), 60.0, "RAG_JUDGE")
    setenv(OPENAI_BASE_URL=LOCAL)
    found = judge_endpoint(load({}, tmp_path))
    assert found == Endpoint("j", LOCAL, Secret(KEY), 60.0, "RAG_JUDGE")


@pytest.mark.parametrize(
    ("url", "key"),
    [
        (None, Secret(KEY)),
        ("http://LOCALHOST:8080/other", Secret(KEY)),
        ("http://localhost:8081/v1", None),
        ("https://elsewhere.example/v1", None),
    ],
)
def test_a_judge_elsewhere_does_not_get_the_writers_key(url: str | None, key: Secret) -> None:
    settings = Settings(base_url=LOCAL, api_key=Secret(KEY), judge_model="j", judge_base_url=url)
    found = judge_endpoint(settings)
    assert found
    assert found.key == key
    assert found.base_url == (url or LOCAL)


def test_a_judge_at_openai_gets_the_key_for_openai(tmp_path: Path, setenv: SetEnv) -> None:
    setenv(RAG_BASE_URL=LOCAL, RAG_API_KEY=KEY)
    setenv(RAG_JUDGE_BASE_URL=OPENAI, OPENAI_API_KEY=OTHER_KEY)
    settings = load({}, tmp_path)
    assert endpoint(settings).key == Secret(KEY)
    assert judge_endpoint(settings) == Endpoint("", None, Secret(OTHER_KEY), 60.0, "RAG_JUDGE")


def test_a_foreign_gateway_in_env_gets_no_key_for_judges(tmp_path: Path, setenv: SetEnv) -> None:
    evil = "https://evil.example/v1"
    setenv(OPENAI_API_KEY=OTHER_KEY, RAG_BASE_URL=LOCAL)
    (tmp_path / ".env").write_text(f"OPENAI_BASE_URL={evil}\nRAG_JUDGE_BASE_URL={evil}\n")
    found = judge_endpoint(load({}, tmp_path))
    assert found == Endpoint("", evil, None, 60.0, "RAG_JUDGE")


@pytest.mark.parametrize(
    ("variable", "near"),
    [
        ("RAG_MODLE", "RAG_MODEL"),
        ("RAG_TOPK", "RAG_TOP_K"),
        ("RAG_BASEURL", "RAG_BASE_URL"),
        ("RAG_Model", "RAG_MODEL"),
        ("RAG_APIKEY", "RAG_API_KEY"),
        ("RAG_JUDGEMODEL", "RAG_JUDGE_MODEL"),
    ],
)
def test_a_slip_in_a_variable_is_told(
    tmp_path: Path, setenv: SetEnv, variable: str, near: str
) -> None:
    setenv(**{variable: KEY})
    error = refused(tmp_path)
    assert near in error.fix
    assert KEY not in error.message + error.fix


def test_strange_variables_are_let_be(tmp_path: Path, setenv: SetEnv) -> None:
    setenv(RAG_DEBUG="1", RAG_HOME="/", RAG_="", RAGTIME="x")
    assert load({}, tmp_path) == Settings()


def test_an_unknown_setting_in_the_file_is_told_with_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "rag.toml").write_text('modle = "x"\n')
    assert "did you mean model?" in refused(tmp_path).fix


@pytest.mark.parametrize(
    "name", ["api_key", "embed_api_key", "judge_api_key", "openai_api_key", "key", "token"]
)
def test_keys_do_not_belong_in_the_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "rag.toml").write_text(f'{name} = "{KEY}"\n')
    error = refused(tmp_path)
    assert ".env" in error.fix
    assert KEY not in error.message + error.fix


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("api_key", f"{KEY} {KEY}"),
        ("api_key", f"{KEY}\n{KEY}"),
        ("api_key", f"{KEY}–"),
        ("embed_api_key", f"“{KEY}”"),
        ("base_url", f"https://user:{KEY}@gateway.example/v1"),
        ("base_url", KEY),
        ("base_url", "localhost:8080/v1"),
        ("base_url", "http:///v1"),
        ("base_url", "http://localhost:port/v1"),
        ("base_url", "file:///etc/passwd"),
        ("embed_base_url", "http://local host/v1"),
        ("model", "a\x1bb"),
        ("timeout", "0"),
        ("timeout", "nan"),
        ("timeout", "1e9"),
        ("timeout", "soon"),
        ("budget", "-1"),
        ("budget", "inf"),
        ("window", "511"),
        ("window", "4k"),
        ("embed_dimensions", "0"),
        ("cache", "maybe"),
        ("strict", "2"),
        ("engine", "LLM"),
        ("prompts", "a\x07"),
        ("mailto", "ada"),
        ("mailto", "ada@example.org\nX-Header: 1"),
        ("arxiv_url", f"https://user:{KEY}@gateway.example"),
    ],
)
def test_impossible_values_are_told_and_no_key_is_shown(
    tmp_path: Path, setenv: SetEnv, name: str, value: str
) -> None:
    setenv(**{f"RAG_{name.upper()}": value})
    error = refused(tmp_path)
    assert f"environment (RAG_{name.upper()})" in error.message
    assert error.fix
    assert KEY not in "".join(traceback.format_exception(error))


def test_a_key_in_a_url_is_told_where_it_belongs(tmp_path: Path) -> None:
    error = refused(tmp_path, base_url=f"https://{KEY}@gateway.example/v1")
    assert "put the key into RAG_API_KEY" in error.fix


@pytest.mark.parametrize(
    "line", ["timeout = true", "budget = false", 'strict = "x"', "model = 5", "top_k = 1.5"]
)
def test_values_of_another_type_are_told(tmp_path: Path, line: str) -> None:
    (tmp_path / "rag.toml").write_text(line)
    assert "rag.toml" in refused(tmp_path).message


def test_the_file_takes_values_as_toml_has_them(tmp_path: Path) -> None:
    lines = ["strict = true", "cache = false", "budget = 0.5", "timeout = 5", "window = 2048"]
    (tmp_path / "rag.toml").write_text("\n".join(lines))
    expected = Settings(strict=True, cache=False, budget=0.5, timeout=5, window=2048)
    assert load({}, tmp_path) == expected


def test_explained_values_are_fit_to_be_shown(tmp_path: Path, setenv: SetEnv) -> None:
    setenv(RAG_API_KEY=KEY, RAG_BASE_URL=f"{LOCAL}?code={KEY}")
    values = {each.name: each.value for each in explain({}, tmp_path)}
    assert list(values) == NAMES
    assert values["store"] == "index_store"
    assert values["base_url"] == f"{LOCAL}?…"
    assert KEY not in repr(values)
    assert KEY not in repr(load({}, tmp_path)).replace(f"code={KEY}", "")


def test_our_own_example_files_name_every_setting(tmp_path: Path) -> None:
    """Taken out of their comments they are read without an error."""
    root, keys = (
        Path(__file__).parent.parent,
        {"api_key", "embed_api_key", "judge_api_key", "token", "chroma_token"},
    )
    for example, name, prefix in (("rag.toml", "rag.toml", ""), (".env.example", ".env", "RAG_")):
        lines = (root / example).read_text(encoding="utf-8").splitlines()
        settings = [line[2:] for line in lines if re.match(rf"# {prefix}\w+ ?=", line)]
        (tmp_path / name).write_text("\n".join(settings) + "\n", encoding="utf-8")
        given = {each.name for each in explain({}, tmp_path) if each.place == name}
        assert given == set(NAMES) - keys
        (tmp_path / name).unlink()
