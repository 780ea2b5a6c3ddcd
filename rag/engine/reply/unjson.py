"""The texts and ids in a JSON reply, also in one that is cut off or not quite JSON.

Reads any nesting and any names: ids go to the texts that stand beside them.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from rag.engine.reply.markers import Id, ids_in

_REST = r"|(?P<mark>[{}\[\]])|(?P<bare>[^\s{}\[\],:\"']+)|[\s,:\"']"
_DOUBLE = re.compile(r'"(?P<string>[^"\\]*(?:\\.[^"\\]*)*)(?P<end>"?)' + _REST, re.DOTALL)
_SINGLE = re.compile(
    r"'(?P<string>(?:[^'\\]|\\.|'(?!\s{0,40}[,}\]:]))*)(?P<end>'?)" + _REST, re.DOTALL
)
_NAME_ENDS = re.compile(r"\s{0,40}:")
_ANOTHER = re.compile(r"[\s,]{0,40}[{\[]")
_NESTED = re.compile(r"\s{0,9}[{\[]\s{0,9}[{\"]")
_ESCAPE = re.compile(r"\\(?:u[\da-fA-F]{0,4}|(.)|$)", re.DOTALL)
_UNBRACKETED = str.maketrans("[]()【】", " " * 6)
_DEEPEST, _DEEPEST_STRING = 32, 4
"""Levels of objects and arrays that are told apart; strings of JSON in strings of JSON."""

_IDS = re.compile(
    r"(?:\w*_)?(?:ids?|markers?|numbers?)|\w*citations?|cites?|cited|references?|refs?|sources?"
    r"|evidence|papers?|abstracts?|quotes?|support\w*|used"
)
_SENTENCES = re.compile(r"sentences?|sentence_?(?:ids?|numbers?)")
_ASIDE = re.compile(
    r"think\w*|thought\w*|reason\w*|analysis|scratchpad|question|query|title|names?|confidence|score"
    r"|type|kind|status|outcome|language|format|notes?"
)


@dataclass
class Part:
    """A text of the reply and the ids beside it; not ``whole`` if the reply ended within it."""

    text: str
    ids: list[Id]
    whole: bool = True


@dataclass
class _Level:
    """An object or array; an array's ids are its object's. ``quiet``: it holds no answers."""

    name: str
    ids: list[Id]
    quiet: bool
    first: int
    array: bool


def unjson(raw: str, depth: int = 0) -> tuple[list[Part], str]:
    """The parts of the JSON that ``raw`` begins with, and what follows it."""
    reading = _Reading(depth)
    end = reading.read(raw)
    return reading.parts, raw[end:]


class _Reading:
    def __init__(self, depth: int) -> None:
        self.parts: list[Part] = []
        self._levels: list[_Level] = []
        self._depth = depth

    def read(self, raw: str) -> int:
        """Take in one JSON value, and those that follow it directly; returns where they end."""
        quote = re.search("[\"']", raw)
        for lexeme in (_SINGLE if quote and quote[0] == "'" else _DOUBLE).finditer(raw):
            end = lexeme.end()
            if lexeme["mark"]:
                self._nest(lexeme["mark"])
            elif lexeme["string"] is not None:
                self._string(_decoded(lexeme["string"]), bool(lexeme["end"]), raw, end)
            elif lexeme["bare"]:
                self._number(lexeme["bare"])
            else:
                continue
            if not self._levels and not _ANOTHER.match(raw, end):
                return end
        while self._levels:
            self._leave()
        return len(raw)

    def _nest(self, mark: str) -> None:
        if mark in "]}":
            self._leave()
            return
        if len(self._levels) == _DEEPEST:
            return
        above = self._levels[-1] if self._levels else _Level("", [], False, 0, False)
        array = mark == "["
        ids = above.ids if array and self._levels else []
        quiet = above.quiet or bool(_IDS.fullmatch(above.name) or _ASIDE.fullmatch(above.name))
        name = above.name if array or above.array else ""
        self._levels.append(_Level(name, ids, quiet, len(self.parts), array))

    def _leave(self) -> None:
        """Give an object's ids to its texts that have none; without a text, to what is around."""
        if not self._levels:
            return
        level = self._levels.pop()
        if level.array and self._levels:
            return
        texts = self.parts[level.first :]
        for part in texts:
            part.ids = part.ids or list(level.ids)
        if self._levels and not texts:
            self._levels[-1].ids += level.ids

    def _string(self, text: str, whole: bool, raw: str, end: int) -> None:
        level = self._levels[-1] if self._levels else _Level("", [], False, 0, True)
        if not level.array and _NAME_ENDS.match(raw, end):
            level.name = text.strip().lower()
            return
        ids = ids_in(text.translate(_UNBRACKETED))
        if ids is not None and (_is_of_ids(level.name) or text.lstrip()[:1] in tuple("[(【")):
            level.ids += ids
        elif self._depth < _DEEPEST_STRING and _NESTED.match(text):
            self.parts += unjson(text, self._depth + 1)[0]
        elif not (level.quiet or _IDS.fullmatch(level.name) or _ASIDE.fullmatch(level.name)):
            self.parts.append(Part(text, [], whole))

    def _number(self, text: str) -> None:
        if not self._levels or not _is_of_ids(self._levels[-1].name):
            return
        level = self._levels[-1]
        ids = ids_in(text) or []
        if _SENTENCES.fullmatch(level.name) and ids and ids[0][1] is None:
            ids = self._of_paper(level, ids[0][0])
        level.ids += ids

    @staticmethod
    def _of_paper(level: _Level, sentence: int) -> list[Id]:
        """The id of a sentence that is named by its number alone, its paper before it."""
        if not level.ids:
            return []
        paper, before = level.ids[-1]
        if before is None:
            level.ids.pop()
        return [(paper, sentence)]


def _is_of_ids(name: str) -> bool:
    return bool(_IDS.fullmatch(name) or _SENTENCES.fullmatch(name))


def _decoded(body: str) -> str:
    """A JSON string without its escapes; those that are none, or cut off, lose their backslash."""
    try:
        return str(json.loads(f'"{body}"', strict=False))
    except ValueError:
        spaces = {"n": "\n", "t": " ", "r": " "}
        return _ESCAPE.sub(lambda match: spaces.get(match[1] or "", match[1] or ""), body)
