"""Bytes of a file become text: byte order marks, encodings, line ends.

Knows nothing about formats. Raises ``NotTextError`` for what no editor would show as text.
"""

from __future__ import annotations

import codecs
import re

# UTF-32 comes first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LINE_END = re.compile(r"\r\n?")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]")
_STRAY = 0.01
_SAMPLE_BYTES = 100_000  # what an encoding is guessed from; the guess takes time


class NotTextError(ValueError):
    """The bytes are no text in any encoding."""


def decode(data: bytes) -> str:
    """The text of ``data`` with lines ended by ``\\n``.

    Stray unprintable characters stay (cleaning drops them); where they are more than one
    and more than 1 % of the text, it is binary: NotTextError.
    """
    text = _LINE_END.sub("\n", _decode(data))
    unprintable = sum(1 for _ in _UNPRINTABLE.finditer(text))
    if unprintable > max(1, _STRAY * len(text)):
        raise NotTextError
    return text


def _decode(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode(_legacy_encoding(data), "replace")


def _legacy_encoding(data: bytes) -> str:
    """What 8-bit encoding bytes that are not UTF-8 are most likely in.

    Windows-1252 unless the bytes are clearly in a multi-byte (Chinese, Japanese, Korean)
    encoding: a guess between the single-byte ones would rest on a handful of letters. Its
    sloppy form decodes every byte, so that ftfy can repair the UTF-8 in a mixed file.
    """
    import charset_normalizer
    import ftfy.bad_codecs  # noqa: F401  (registers the sloppy codec)

    best = charset_normalizer.from_bytes(data[:_SAMPLE_BYTES]).best()
    if best and best.multi_byte_usage > 0:
        return best.encoding
    return "sloppy-windows-1252"
