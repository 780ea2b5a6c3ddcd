"""Settings: default < rag.toml < .env < environment < flags → one frozen object.

The setting ``model`` is RAG_MODEL in .env and in the environment, and so on. OPENAI_API_KEY and
OPENAI_BASE_URL, which may be there for other programs, fill gaps below all of these. They never
choose the engine. That key goes to OpenAI, to that URL, or to one that you name yourself; a URL
in a file of the folder gets it only out of that folder's .env.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rag.endpoint import OPENAI_URL, Endpoint
from rag.endpoint.address import LOOPBACK
from rag.errors import ConfigError
from rag.types import Secret

ENGINES = ("extractive", "llm")
DAY = 86_400.0
FILES = ("rag.toml", ".env")
"""What belongs to a folder, and so may have come with it."""
NEAR = 0.8
"""How alike (difflib's ratio) a RAG_ variable is to one of ours to be a slip, not a stranger."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a command works with; None is not set."""

    store: Path = Path("index_store")
    """The index folder."""
    engine: str = "extractive"
    """Who writes the answers; not set, it is ``llm`` once a model or a URL is."""
    top_k: int = 10
    """Papers in a search."""
    model: str | None = None
    base_url: str | None = None
    """Where the model is served; None is OpenAI."""
    api_key: Secret | None = None
    timeout: float = 60.0
    """Seconds that a server has to answer."""
    window: int | None = None
    """Tokens that the model reads and writes at most."""
    embed_model: str | None = None
    """This or a URL for embeddings puts a server in the place of the built-in embedder."""
    embed_base_url: str | None = None
    """None is where the model is served."""
    embed_api_key: Secret | None = None
    embed_dimensions: int | None = None
    """Length of the vectors to ask for."""
    prompts: Path | None = None
    """A folder in the place of the prompts that came with the program."""
    prices: Path | None = None
    """A file with prices of models, which go before those that came with the program."""
    budget: float | None = None
    """US dollars that a command may spend."""
    cache: bool = True
    """Whether a reply seen before is used again."""
    strict: bool = False
    """Whether statements that the quotes do not support are left out."""
    reword: bool = True
    """Whether a model puts a question into the field's words where a search for it is unsure: a
    short request, a small part of what the answer takes, without which it is often shown the wrong
    papers."""
    evals: Path = Path("evals")
    """The folder of cases, with what was measured on them."""
    judge_model: str | None = None
    """This or a URL for judges names the server that gives its opinion of answers; it writes
    none, and so chooses no engine."""
    judge_base_url: str | None = None
    """None is where the model is served."""
    judge_api_key: Secret | None = None
    token: Secret | None = None
    """What whoever asks the server has to know; it is not in need of one on this machine."""
    mailto: str | None = None
    """Where public servers of papers can reach whoever asks them."""
    openreview_url: str | None = None
    """None is the public server, as it is for the next three."""
    openreview_v1_url: str | None = None
    """Where the version of OpenReview's API is that serves the venues up to 2023."""
    arxiv_url: str | None = None
    crossref_url: str | None = None
    chroma_url: str | None = None
    """A Chroma server that holds the index, for several machines; None is the index folder."""
    chroma_tenant: str = "default_tenant"
    chroma_database: str = "default_database"
    chroma_token: Secret | None = None


@dataclass(frozen=True, slots=True)
class Explained:
    """The value of a setting and the place that gave it, such as ``rag.toml`` or ``--model``."""

    name: str
    value: Any
    place: str


ROLES = ("embed", "judge")
"""Servers beside the writer's: each with a model, a URL and a key of its own."""

NAMES = [field.name for field in fields(Settings)]
FLAGS = {"top_k": "-k", "cache": "--no-cache", "reword": "--no-reword", "evals": "--cases"}
"""Flags that are not called like their setting."""


def load(flags: Mapping[str, Any], folder: Path | None = None) -> Settings:
    """Settings of a command run in ``folder``; flags that are None were not given.

    Raises ConfigError for an unknown key or an impossible value.
    """
    found = _found(flags, folder or Path())
    return Settings(**{name: each.value for name, each in found.items()})


def explain(flags: Mapping[str, Any], folder: Path | None = None) -> list[Explained]:
    """Every setting that ``load`` gives, in order, with its place; values are fit to be shown
    and for JSON. Raises what ``load`` raises."""
    found = _found(flags, folder or Path())
    default = Settings()
    settings = [
        found.get(name, Explained(name, getattr(default, name), "default")) for name in NAMES
    ]
    return [replace(each, value=_shown(each)) for each in settings]


def endpoint(settings: Settings) -> Endpoint:
    """The server that writes answers; its ``model`` is "" where none is named."""
    url, key = _not_openai(settings.base_url), settings.api_key
    return Endpoint(settings.model or "", url, key, settings.timeout)


def embed_endpoint(settings: Settings) -> Endpoint | None:
    """The server that embeds, or None for the built-in embedder; see ``_other_endpoint``."""
    return _other_endpoint(settings, "embed")


def judge_endpoint(settings: Settings) -> Endpoint | None:
    """The server that judges answers, or None for no judges; see ``_other_endpoint``."""
    return _other_endpoint(settings, "judge")


def _other_endpoint(settings: Settings, role: str) -> Endpoint | None:
    """The server of a role beside the writer's, None where neither its model nor its URL is set;
    ``model`` is "" where only the URL is. The writer's key is used only where both are the same
    server."""
    model, own_url, key = (
        getattr(settings, f"{role}_{part}") for part in ("model", "base_url", "api_key")
    )
    if not model and not own_url:
        return None
    url = own_url or settings.base_url
    if key is None and _origin(url) == _origin(settings.base_url):
        key = settings.api_key
    prefix = f"RAG_{role.upper()}"
    return Endpoint(model or "", _not_openai(url), key, settings.timeout, settings=prefix)


def _found(flags: Mapping[str, Any], folder: Path) -> dict[str, Explained]:
    """The settings that were given, by name, each from the last place that gave it."""
    dotenv = _dotenv(folder / ".env")
    given = {key: value for key, value in flags.items() if value is not None}
    for key in given:
        _known(key, "This is an")
    ours = {
        **_from_toml(folder / "rag.toml"),
        **_from_variables(dotenv, ".env"),
        **_from_variables(os.environ, "environment"),
        **{key: _checked(key, value, _flag(key)) for key, value in given.items()},
    }
    chosen = [name for name in ("model", "base_url") if name in ours]
    if chosen and "engine" not in ours:
        ours["engine"] = Explained("engine", "llm", f"{chosen[0]} is set")
    return _guarded({**_borrowed(ours, dotenv), **ours})


def _guarded(found: dict[str, Explained]) -> dict[str, Explained]:
    """The settings without keys of the environment for servers that a file of the folder names:
    it may come from a stranger, and must not send away a key that it does not hold itself."""
    guarded = dict(found)
    for key, names in (
        ("api_key", ["base_url"]),
        ("chroma_token", ["chroma_url"]),
        *((f"{role}_api_key", [f"{role}_base_url", "base_url"]) for role in ROLES),
    ):
        url = next((found[name] for name in names if name in found), None)
        if key in found and url and _stranger(url) and found[key].place.startswith("environment"):
            place = f"withheld: {url.place} names the server"
            guarded[key] = Explained(key, None, place)
    return guarded


def _stranger(url: Explained) -> bool:
    """Whether a file of the folder names a server that is neither OpenAI's nor on this machine."""
    beside = url.place.partition(" (")[0] in FILES
    known = _at_home(url.value, None) or (_origin(url.value)[1] in LOOPBACK)
    return beside and not known


def read_toml(path: Path) -> dict[str, Any]:
    """What a TOML file holds; raises ValueError with the reason where it cannot be read."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, RecursionError) as error:
        raise ValueError(str(error)) from error


def _from_toml(path: Path) -> dict[str, Explained]:
    if not path.is_file():
        return {}
    try:
        values = read_toml(path)
    except ValueError as error:
        raise ConfigError(f"{path} cannot be read: {error}", "correct it or remove it") from error
    for key in values:
        if key.lower().endswith(("key", "token")):  # such a file may be published
            fix = "keys belong in the environment or in .env, such as RAG_API_KEY"
            raise ConfigError(f"rag.toml has a key: {key!r}.", fix)
        _known(key, "rag.toml has an")
    return {key: _checked(key, value, "rag.toml") for key, value in values.items()}


def _known(key: str, place: str) -> None:
    """Raise ConfigError for what is no setting."""
    if key not in NAMES:
        near = get_close_matches(key, NAMES, n=1)
        fix = f"did you mean {near[0]}?" if near else f"the settings are {', '.join(NAMES)}"
        raise ConfigError(f"{place} unknown setting {key!r}.", fix)


def _dotenv(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    from dotenv import dotenv_values

    try:  # as it stands: a key may hold what looks like a variable
        values = dotenv_values(path, interpolate=False, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}", "save it as UTF-8 text") from error
    return {key: value for key, value in values.items() if value is not None}


def _from_variables(values: Mapping[str, str], place: str) -> dict[str, Explained]:
    """The RAG_ variables; an empty one is not set."""
    found = {}
    for variable, value in values.items():
        name = variable.removeprefix("RAG_").lower()
        if not variable.startswith("RAG_"):
            continue
        if name in NAMES and variable == _variable(name):
            if value.strip():
                where = place if place == ".env" else f"{place} ({variable})"
                found[name] = _checked(name, value, where)
        elif near := get_close_matches(name, NAMES, n=1, cutoff=NEAR):
            message = f"There is no setting {variable!r} ({place})."
            raise ConfigError(message, f"did you mean {_variable(near[0])}?")
    return found


def _borrowed(ours: Mapping[str, Explained], dotenv: Mapping[str, str]) -> dict[str, Explained]:
    """What OPENAI_API_KEY and OPENAI_BASE_URL add to our own settings."""
    llm = "engine" in ours and ours["engine"].value == "llm"
    needed = llm or any(
        f"{role}_{part}" in ours for role in ROLES for part in ("model", "base_url")
    )
    borrow = partial(_foreign, dotenv, needed=needed)
    borrowed = borrow("OPENAI_BASE_URL", "base_url")
    home = borrowed["base_url"].value if borrowed else None
    url = ours["base_url"].value if "base_url" in ours else home
    if "api_key" not in ours:
        if _at_home(url, home):
            borrowed |= borrow("OPENAI_API_KEY", "api_key")
        elif "base_url" in ours and not home:
            beside = ours["base_url"].place in FILES
            borrowed |= borrow("OPENAI_API_KEY", "api_key", everywhere=not beside)
    for role in ROLES:
        own = ours.get(f"{role}_base_url")
        if not own or f"{role}_api_key" in ours:
            continue
        if _at_home(own.value, home) and _origin(own.value) != _origin(url):
            borrowed |= borrow("OPENAI_API_KEY", f"{role}_api_key")
    return borrowed


def _at_home(url: str | None, home: str | None) -> bool:
    """Whether OPENAI_API_KEY is meant for this server; ``home`` is OPENAI_BASE_URL."""
    if home:
        return _origin(url) == _origin(home)
    scheme, host, _ = _origin(url)
    return scheme == "https" and re.fullmatch(r"([a-z]+\.)?api\.openai\.com", host) is not None


def _foreign(
    dotenv: Mapping[str, str], variable: str, name: str, *, needed: bool, everywhere: bool = True
) -> dict[str, Explained]:
    """A variable of other programs as a setting, from .env alone unless ``everywhere``; one that
    is unusable is an error only where it would be used."""
    places = [(os.environ, "environment")] if everywhere else []
    for values, place in (*places, (dotenv, ".env")):
        if value := values.get(variable, "").strip():
            try:
                return {name: _checked(name, value, f"{place} ({variable})")}
            except ConfigError:
                if needed:
                    raise
    return {}


def _variable(name: str) -> str:
    return f"RAG_{name.upper()}"


def _flag(name: str) -> str:
    return FLAGS.get(name, f"--{name.replace('_', '-')}")


def _shown(setting: Explained) -> str | int | float | bool | None:
    """A value as JSON knows it, without what may be a secret."""
    value = setting.value
    if isinstance(value, Secret):
        return repr(value)
    if isinstance(value, Path):
        return str(value)
    if setting.name.endswith("url") and value and "?" in value:
        return f"{value.split('?')[0]}?…"
    return value  # type: ignore[no-any-return]


def _not_openai(url: str | None) -> str | None:
    """The URL, but None where it is the one that None stands for."""
    return None if url == OPENAI_URL else url


def _origin(url: str | None) -> tuple[str, str, int]:
    """Scheme, host and port: what makes two URLs the same server."""
    parts = urlsplit(url or OPENAI_URL)
    return parts.scheme, parts.hostname or "", parts.port or {"http": 80}.get(parts.scheme, 443)


def _checked(name: str, value: Any, place: str) -> Explained:
    """The value in its setting's type; raises ConfigError, which shows no key and no URL."""
    form, fix = _FORMS[name]
    try:
        return Explained(name, form(value), place)
    except ValueError:
        hidden = name.endswith(("key", "url", "token"))
        what = f"{name} cannot be used" if hidden else f"{name} cannot be {value!r}"
        raise ConfigError(f"{what} ({place}).", fix) from None


def _line(value: Any) -> str:
    text = value.strip() if isinstance(value, str) else ""
    if not text or not text.isprintable():
        raise ValueError
    return text


def _path(value: Any) -> Path:
    return Path(_line(str(value) if isinstance(value, Path) else value))


def _engine(value: Any) -> str:
    if value not in ENGINES:
        raise ValueError
    return str(value)


def _whole(value: Any, low: int) -> int:
    if not re.fullmatch(r"0*[1-9][0-9]{0,8}", str(value)) or int(value) < low:
        raise ValueError
    return int(value)


def _number(value: Any, low: float, high: float) -> float:
    number = float(str(value))  # as text, in which a truth value is no number
    if not low <= number <= high:
        raise ValueError
    return number


def _truth(value: Any) -> bool:
    word = str(value).strip().lower()
    if word not in ("true", "1", "yes", "false", "0", "no"):
        raise ValueError
    return word in ("true", "1", "yes")


def _secret(value: Any) -> Secret:
    text = _line(value)
    if not re.fullmatch(r"[!-~]+", text):
        raise ValueError
    return Secret(text)


def _url(value: Any) -> str:
    text = _line(value)
    parts = urlsplit(text)
    _ = parts.port  # raises ValueError for what is none
    named = parts.scheme in ("http", "https") and parts.hostname
    if not named or "@" in parts.netloc or " " in text:
        raise ValueError
    return text.rstrip("/")


def _plain_url(value: Any) -> str:
    """A URL that paths can be added to."""
    text = _url(value)
    if urlsplit(text).query or urlsplit(text).fragment:
        raise ValueError
    return text


def _mailto(value: Any) -> str:
    text = _line(value)
    if not re.fullmatch(r"[\w.+%-]+@[\w.-]+", text, re.ASCII):  # it stands in a header
        raise ValueError
    return text


_NAME = (_line, "give a name")
_SERVER = (_url, "give an address such as http://localhost:8080")
_URL = (
    _url,
    "give an address such as http://localhost:8080/v1; if a key stands in it, put the key into"
    " RAG_API_KEY",
)
_KEY = (_secret, "give the key as it was issued: in one line, without spaces or other alphabets")
_TRUTH = (_truth, "give true or false")
_FORMS: Mapping[str, tuple[Callable[[Any], Any], str]] = {
    "store": (_path, "give the name of a folder"),
    "token": _KEY,
    "engine": (_engine, f"use one of: {', '.join(ENGINES)}"),
    "top_k": (partial(_whole, low=1), "give a whole number from 1 up"),
    "model": _NAME,
    "base_url": _URL,
    "api_key": _KEY,
    "timeout": (partial(_number, low=0.001, high=DAY), "give seconds, more than 0"),
    "window": (partial(_whole, low=512), "give a whole number of tokens from 512 up"),
    "embed_model": _NAME,
    "embed_base_url": _URL,
    "embed_api_key": _KEY,
    "embed_dimensions": (partial(_whole, low=1), "give a whole number from 1 up"),
    "prompts": (_path, "give the name of a folder"),
    "prices": (_path, "give the name of a file"),
    "budget": (partial(_number, low=0, high=1e9), "give US dollars, 0 or more"),
    "cache": _TRUTH,
    "strict": _TRUTH,
    "reword": _TRUTH,
    "evals": (_path, "give the name of a folder"),
    "judge_model": _NAME,
    "judge_base_url": _URL,
    "judge_api_key": _KEY,
    "mailto": (_mailto, "give an e-mail address"),
    "openreview_url": _SERVER,
    "openreview_v1_url": _SERVER,
    "arxiv_url": _SERVER,
    "crossref_url": _SERVER,
    "chroma_url": (
        _plain_url,
        "give an address such as http://localhost:8000; a token for it belongs into"
        " RAG_CHROMA_TOKEN",
    ),
    "chroma_tenant": _NAME,
    "chroma_database": _NAME,
    "chroma_token": _KEY,
}
"""How each setting is read, and what to give where that fails."""
