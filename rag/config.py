"""Settings: defaults < rag.toml < environment (RAG_*, .env) < flags → one frozen object."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from rag.errors import ConfigError

ENGINES = ("extractive",)


@dataclass(frozen=True, slots=True)
class Settings:
    """``store`` is the index folder; ``engine`` writes the answers; ``top_k`` papers a search."""

    store: Path = Path("index_store")
    engine: str = "extractive"
    top_k: int = 10


def load(flags: Mapping[str, Any], folder: Path | None = None) -> Settings:
    """Settings of a command run in ``folder``; flags that are None were not given.

    Raises ConfigError for an unknown key or an impossible value.
    """
    folder = folder or Path()
    layers: list[tuple[str, Mapping[str, Any]]] = [
        ("rag.toml", _from_toml(folder / "rag.toml")),
        ("the environment", _from_environment(folder / ".env")),
        ("the command line", {key: value for key, value in flags.items() if value is not None}),
    ]
    settings = Settings()
    for place, values in layers:
        checked = {key: _checked(key, value, place) for key, value in values.items()}
        settings = replace(settings, **checked)
    return settings


def _from_toml(path: Path) -> Mapping[str, Any]:
    if not path.is_file():
        return {}
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path} cannot be read: {error}", "correct it or remove it") from error
    for key in values:
        _known(key, "rag.toml")
    return values


def _from_environment(dotenv: Path) -> Mapping[str, str]:
    """RAG_* variables; those of .env count where the environment has none."""
    values = {**_from_dotenv(dotenv), **os.environ}
    names = {field.name for field in fields(Settings)}
    pairs = ((key[4:].lower(), value) for key, value in values.items() if key.startswith("RAG_"))
    return {name: value for name, value in pairs if name in names and value}


def _from_dotenv(path: Path) -> Mapping[str, str]:
    if not path.is_file():
        return {}
    from dotenv import dotenv_values

    try:
        values = dotenv_values(path)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}", "correct it or remove it") from error
    return {key: value for key, value in values.items() if value is not None}


def _folder(value: Any, place: str) -> Path:
    """The path of an index; raises ConfigError for what cannot be one."""
    plain = isinstance(value, (str, Path)) and str(value) and str(value).isprintable()
    if not plain:
        raise ConfigError(f"store in {place} is {value!r}.", "give the name of a folder")
    return Path(value)


def _known(key: str, place: str) -> None:
    names = [field.name for field in fields(Settings)]
    if key not in names:
        near = get_close_matches(key, names, n=1)
        fix = f"did you mean {near[0]}?" if near else f"the settings are {', '.join(names)}"
        raise ConfigError(f"{place} has an unknown setting {key!r}.", fix)


def _checked(key: str, value: Any, place: str) -> Any:
    """The value in its setting's type; raises ConfigError."""
    if key == "store":
        return _folder(value, place)
    if key == "top_k":
        if not re.fullmatch(r"0*[1-9][0-9]{0,8}", str(value)):
            raise ConfigError(f"{key} in {place} is {value!r}.", "give a whole number from 1 up")
        return int(value)
    if key == "engine" and value not in ENGINES:
        fix = f"use one of: {', '.join(ENGINES)}"
        raise ConfigError(f"There is no engine {value!r} ({place}).", fix)
    return value
