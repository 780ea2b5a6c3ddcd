"""The tokens of a reply that comes in pieces: words, brackets, tags, line ends.

A token is given out as soon as nothing that may follow can change it, so that any way of cutting
a text into pieces gives the same tokens. Knows nothing of what they mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
"""Controls but those that end a line; fillers, zero width, bidi, tags, lone surrogates."""

# Every repeat is bounded: a token is never longer than some hundred characters, so a piece costs
# no more time than it has characters.
_TOKEN = re.compile(
    r"""
      (?P<newline>\r?\n|[\r\v\f\x85\u2028\u2029])
    | (?P<space>[^\S\r\n\v\f\x85\u2028\u2029]{1,200})
    | (?P<tag><[|｜][^<>\n]{1,40}[|｜]>
        |<(?:/\s?)?(?!sup>)[A-Za-z][\w:.-]{0,30}(?:\s[^<>\n]{0,60})?/?>|<</?SYS>>|◁\s?/?think▷|\[/?(?:INST|THINK)\])
    | (?P<json>\{\s{0,40}\\?["']|\[\s{0,40}(?:\{|"(?!\d)))
    | (?P<bracket>[\\^]?\[[^\[\]<\n]{0,80}\]|\[\[[^\[\]<\n]{0,80}\]\]|【[^【】\[<\n]{0,80}】
        |［[^［］<\n]{0,80}］|\([^()\[\]【】<>\n]{0,60}\)|<sup>[^<>\n]{0,30}</sup>|\\cite\w{0,8}\{[^{}\n]{0,60}\})
    | (?P<super>[⁰¹²³⁴-⁹]{1,20})
    | (?P<tick>`{1,200})
    | (?P<word>[^\s<\[{(【［\\^◁`⁰¹²³⁴-⁹。！？]{1,200}[。！？]{0,9}[」』）”’]{0,3}
        |[。！？]{1,9}[」』）”’]{0,3})
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
# How a token that is closed by a bracket may look while it is open.
_OPEN = re.compile(
    r"""
    (?: <(?:[|｜][^<>\n]{0,41}|<?(?:/\s?)?(?:[A-Za-z][^<>\n]{0,95}>?)?)
      | <sup>[^<>\n]{0,30}(?:<[^<>\n]{0,4})?
      | ◁[^▷\n]{0,8} | \{\s{0,40}\\? | \[\s{0,40}
      | [\\^]?\[{1,2}[^\[\]<\n]{0,80}\]? | 【[^【】\[<\n]{0,80} | ［[^［］<\n]{0,80}
      | \([^()\[\]【】<>\n]{0,60}
      | \^ | \\(?:c(?:i(?:t(?:e\w{0,8}(?:\{[^{}\n]{0,60})?)?)?)?)?
    )\Z
    """,
    re.VERBOSE,
)
_CUT = re.compile(r"(?:\[{1,2}|【)[\d.,;\s–-]{0,80}\Z|<(?:[|｜/]\s?[\w|｜]{0,40}|[a-z_]{0,30})\Z")


class Token(NamedTuple):
    kind: str
    raw: str


class Tokens:
    """Cuts a text that comes in pieces into tokens."""

    def __init__(self) -> None:
        self._buffer = ""

    def feed(self, piece: str) -> Iterator[Token]:
        """The tokens that are complete now."""
        self._buffer += UNSEEN.sub("", piece)
        return self._taken(final=False)

    def close(self) -> Iterator[Token]:
        """The rest; a bracket or tag that the end cut off is of the kind ``cut``."""
        return self._taken(final=True)

    def _taken(self, *, final: bool) -> Iterator[Token]:
        text, self._buffer, at = self._buffer, "", 0
        while at < len(text):
            cut = _CUT.match(text, at) if final else None
            token = cut or _TOKEN.match(text, at)
            assert token is not None
            kind = "cut" if cut else str(token.lastgroup)
            waits = _OPEN.match(text, at) if kind == "other" else token.end() == len(text)
            if waits and not final:
                break
            yield Token(kind, token[0])
            at = token.end()
        self._buffer = text[at:]


def tokens_of(text: str) -> Iterator[Token]:
    """The tokens of a text that is there as a whole."""
    tokens = Tokens()
    yield from tokens.feed(text)
    yield from tokens.close()
