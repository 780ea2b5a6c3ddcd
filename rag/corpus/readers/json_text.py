"""JSON as people have it becomes plain values, as far as it goes.

Forgiven are trailing commas, line breaks and stray backslashes in texts, several documents one
after the other, and a script's ``name =`` before them. Damage costs the element that it is in;
reading goes on at the next one that begins alike. Knows nothing about papers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

_SPACE = re.compile(r"[\s\x1e;]*")
_HEAD = re.compile(r"\s*(?:(?:(?:var|let|const)\s+)?[\w$.]+\s*=\s*|\w+\(\s*)(?=[\[{])")
"""What a script has before its data."""
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_STRAY = re.compile(r'(\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))|\\')
_FIRST_KEY = re.compile(r'\{\s*("(?:[^"\\]|\\.)*")\s*:')
_DECODER = json.JSONDecoder(strict=False)
_DEEPEST = 60

Place = tuple[int, int | str]
"""The ``id`` of a list or object, and the index or key of what it holds."""


class DamageError(ValueError):
    """What begins before the offset ``at`` is not whole; ``partial`` is what there is of it."""

    def __init__(self, at: int, reason: str, partial: Any = None) -> None:
        super().__init__(reason)
        self.at, self.reason, self.partial = at, reason, partial


class JsonText:
    """The ``values`` of a text, where each begins (``starts``), and the ``damage`` met.

    ``is_whole(object)`` says what need not be looked into, which is then read by the standard
    library at once.
    """

    def __init__(self, text: str, is_whole: Callable[[object], bool]) -> None:
        self._text, self._is_whole = text, is_whole
        self._in_array = False
        self.starts: dict[Place, int] = {}
        self.damage: list[DamageError] = []
        self.values: list[Any] = []
        self._read_all()

    def _read_all(self) -> None:
        head = _HEAD.match(self._text[:500])
        at = self._skip(head.end() if head else 0)
        while at < len(self._text):
            try:
                at = self._take(self.values, len(self.values), at, 0)
            except DamageError as damage:
                if damage.partial is not None:
                    self.values.append(damage.partial)
                self.damage.append(damage)
                at = self._next_document(damage.at)
            if at < len(self._text) and self._text[at] not in "[{":
                if self.values and self._text[at:].strip("); \t\n"):
                    what = "there is more text after the end of the JSON"
                    self.damage.append(DamageError(at, what))
                return

    def _take(self, holder: Any, key: int | str, at: int, depth: int) -> int:
        """Put the value at ``at`` into its holder; gives where the next thing is."""
        self.starts[id(holder), key] = at
        value, end = self._value(at, depth)
        if isinstance(holder, list):
            holder.append(value)
        else:
            holder[key] = value
        return self._skip(end)

    def _value(self, at: int, depth: int) -> tuple[Any, int]:
        if depth > _DEEPEST:
            raise DamageError(at, "nested too deeply")
        if self._text.startswith("[", at):
            return self._array(at, depth)
        if self._text.startswith("{", at):
            return self._whole(at) or self._object(at, depth)
        return self._plain(at)

    def _whole(self, at: int) -> tuple[Any, int] | None:
        try:
            value, end = _DECODER.raw_decode(self._text, at)
        except (ValueError, RecursionError):
            return None
        return (value, end) if self._is_whole(value) else None

    def _plain(self, at: int) -> tuple[Any, int]:
        """A text, a number or a word."""
        try:
            return _DECODER.raw_decode(self._text, at)
        except json.JSONDecodeError as error:
            reason = error.msg
        except ValueError:
            reason = "a number with too many digits"
        if string := _STRING.match(self._text, at):
            repaired = _STRAY.sub(lambda escape: escape[1] or r"\\", string[0])
            return _DECODER.decode(repaired), string.end()
        raise DamageError(at, reason)

    def _array(self, at: int, depth: int) -> tuple[list[Any], int]:
        items: list[Any] = []
        outermost, self._in_array = not self._in_array, True
        begin, at = at, self._skip(at + 1)
        try:
            while not self._text.startswith("]", at):
                try:
                    at = self._after_item(self._take(items, len(items), at, depth + 1), "]")
                except DamageError as damage:
                    if damage.partial is not None:
                        items.append(damage.partial)
                    again = self._next_alike(begin, damage.at) if outermost else None
                    if again is None:
                        raise DamageError(damage.at, damage.reason, items) from None
                    self.damage.append(damage)
                    at = again
        finally:
            self._in_array = not outermost
        return items, at + 1

    def _object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        fields: dict[str, Any] = {}
        at = self._skip(at + 1)
        try:
            while not self._text.startswith("}", at):
                key, at = self._plain(at)
                at = self._expect(":", self._skip(at))
                at = self._after_item(self._take(fields, str(key), at, depth + 1), "}")
        except DamageError as damage:
            partial = damage.partial
            kept = {key: value for key, value in fields.items() if self._is_of_use(value)}
            whole = kept | ({str(key): partial} if partial else {})
            raise DamageError(damage.at, damage.reason, whole or None) from None
        return fields, at + 1

    def _is_of_use(self, value: Any) -> bool:
        """Of an object that is cut off: what may hold whole ones."""
        if isinstance(value, list):
            return any(isinstance(item, dict) for item in value)
        return isinstance(value, dict) and self._is_whole(value)

    def _after_item(self, at: int, closing: str) -> int:
        """Step over the comma, if the end does not follow."""
        return at if self._text.startswith(closing, at) else self._expect(",", at)

    def _expect(self, char: str, at: int) -> int:
        if not self._text.startswith(char, at):
            found = "something else" if at < len(self._text) else "the end of the file"
            raise DamageError(at, f"expected {char!r}, found {found}")
        return self._skip(at + 1)

    def _skip(self, at: int) -> int:
        space = _SPACE.match(self._text, at)
        return space.end() if space else at

    def _next_alike(self, array: int, at: int) -> int | None:
        """Where, after damage, an element begins with the key that the first one begins with."""
        first = _FIRST_KEY.match(self._text, self._skip(array + 1))
        if not first:
            return None
        alike = re.compile(r"\{\s*" + re.escape(first[1]) + r"\s*:").search(self._text, at + 1)
        return alike.start() if alike else None

    def _next_document(self, at: int) -> int:
        found = re.compile(r"^[{\[]", re.MULTILINE).search(self._text, at + 1)
        return found.start() if found else len(self._text)
