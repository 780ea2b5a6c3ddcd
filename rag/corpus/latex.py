r"""LaTeX inside prose becomes plain Unicode text.

Knows macros around prose; knows nothing about formulas (``rag.corpus.math_text``), Markdown
or HTML. Only islands of LaTeX are touched: pylatexenc reads a whole text as LaTeX and would
take a bare ``%`` for a comment. So macros around prose are unwrapped here in one pass, which
is linear and loses nothing however badly the braces are balanced, and only formulas, symbols
and accents, all short, are given to pylatexenc.
"""

from __future__ import annotations

import re

from rag.corpus.math_text import accent_text, is_known, is_symbol, math_text

_MARKS = ("\\", "$", "{", "}", "[")
_START = re.compile(r"[\\${}_^\[]")  # on its own because it is what makes the search fast
_TOKEN = re.compile(
    r"""
      \$\$(?P<display>[^$]+)\$\$
    | \$(?=\S)(?P<inline>(?:[^$\\]|\\.)+)(?<=\S)\$(?!\d)  # as pandoc: not "$5 and $6"
    | \$(?P<spaced>(?!\d)(?:\s?[^\W\d_]\s|[^$\\^_=<>]*[\\^_=<>][^$]*))\$(?!\d)  # "$ \alpha $"
    | \$(?P<sign>\ ?(?:\\[A-Za-z]+|[<>=±])\ ?|[_^][^$\s]{1,20})\$(?=\d)  # but "$\sim$5"
    | \\\((?P<round>(?:[^\\]|\\[^()])+)\\\)
    | \\\[(?P<square>(?:[^\\]|\\[^\[\]])+)\\\]
    | (?P<space>\\\\(?:\[[^\]]{0,20}\])?|(?:\\r)?\\n(?![a-z])|\\[ ,;:\n])
    | (?P<accent>\\["'`^~=.]\{\\?[A-Za-z]\}
        |\\[`^][aeiouAEIOU]|\\~[naoNAO]|(?<=[\w{])\\"[aeiouyAEIOUY]
        |\\'(?!(?:s|re|ll)\b)[aceilnorsuyzACEILNORSUYZ])
    | \\(?P<macro>[A-Za-z]+)\*?
    | \\(?P<escaped>[%&_$#{}<>*~^`'"|@.+=()\[\]])
    | (?P<nothing>\\[!/-])
    | (?P<script>[_^](?=\{))
    | (?P<note>\[(?i:todo|fixme)\b[^\[\]]*\])
    """,
    re.VERBOSE | re.DOTALL,
)
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_OPTION = re.compile(r"(?:\[[^\[\]]{0,200}\])+(?=\{)")
_MACRO = re.compile(r"\\[A-Za-z\"'`^~=.]")
_URL_ESCAPE = re.compile(r"\\([%_#&~{}])")
_PREAMBLE = re.compile(
    r"\\documentclass(?:(?!\\begin\{document\}).){0,1000}\\begin\{document\}", re.DOTALL
)
_GROUP = re.compile(
    r"https?://\S+|(?=.*(?:[^\W\d_]{2}|[%×]))[\w%×&.'’-]{4,}"
    r"|[A-Z]{2,}s?|[\w%×&.'’/-]+(?:[ ~][\w%×&.'’/()-]+)+"
)
"""What braces hold that only kept it together, not the members of a set."""
_SET_BEFORE = re.compile(r"(?:[\w)\]}^_]|[=∈∉⊂⊆∪∩×:|]\s?)$")
_MAX_GROUP = 200
_PATH_BEFORE = re.compile(r"[\w:.\\]")

_HIDDEN_NAMES = (
    "cite citep citet citealp citealt citeauthor citeyear parencite textcite autocite nocite "
    "ref eqref cref Cref autoref pageref label begin end vspace hspace includegraphics ding "
    "thanks phantom todo fixme"
)
_HIDDEN = frozenset(_HIDDEN_NAMES.split())
"""Macros that show nothing of their arguments."""

_HIDDEN_FIRST = frozenset(("href", "textcolor", "hyperlink", "colorbox", "color"))
"""Macros that show all arguments but the first."""

_LAYOUT_NAMES = (
    "bf it em tt sc rm sf sl bfseries itshape ttfamily scshape rmfamily sffamily normalfont "
    "tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge centering "
    "noindent par newline linebreak xspace item protect left right"
)
_LAYOUT = frozenset(_LAYOUT_NAMES.split())
"""Macros that show nothing themselves."""

_WRITTEN_OUT = {"eg": "e.g.", "ie": "i.e.", "etc": "etc.", "etal": "et al.", "wrt": "w.r.t."}
"""Macros that papers define for themselves, all in the same way."""


def latex_to_text(text: str) -> str:
    """``text`` with its LaTeX as Unicode and authors' notes to themselves dropped."""
    if "\\documentclass" in text:
        text = _PREAMBLE.sub("", text)
    return _Prose(text).read() if any(mark in text for mark in _MARKS) else text


class _Prose:
    """One pass over a text from left to right, island by island."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._closing = _balanced(text)
        self._closers = set(self._closing.values())
        self._instead: dict[int, str] = {}  # what to write for a brace, by its offset
        self._out: list[str] = []
        self._at = 0

    def read(self) -> str:
        while start := _START.search(self._text, self._at):
            self._out.append(self._text[self._at : start.start()])
            self._at = start.end()
            if start[0] in "{}":
                self._brace(start.start())
            elif token := _TOKEN.match(self._text, start.start()):
                self._at = token.end()
                self._write(token)
            else:
                self._out.append(start[0])
        return "".join(self._out) + self._text[self._at :]

    def _write(self, token: re.Match[str]) -> None:
        kind = token.lastgroup or ""
        if kind == "macro":
            self._macro(token)
        elif kind == "script":
            self._formula(token.start(), self._groups(token.end())[:1])
        elif kind == "note":
            self._drop(token.end())
        elif kind == "space":
            self._out.append(" ")
        elif kind == "escaped":
            self._out.append(token[kind])
        elif kind == "accent":
            self._out.append(accent_text(token[kind]))
        elif kind != "nothing":
            self._out.append(math_text(token[kind].strip()))

    def _macro(self, token: re.Match[str]) -> None:
        name = token["macro"]
        option = _OPTION.match(self._text, self._at)
        groups = self._groups(option.end() if option else self._at)
        if name in _WRITTEN_OUT:
            self._out.append(_WRITTEN_OUT[name])
            self._at += self._text.startswith(".", self._at)
        elif name.lower() in _HIDDEN:
            self._drop(self._end(groups))
        elif name == "url" and groups:
            self._verbatim(groups[0])
        elif name == "footnote":
            self._footnote(groups)
        elif name in _HIDDEN_FIRST and groups:
            self._at = self._end(groups[:1])
            self._unwrap_all(groups[1:])
        elif name not in _LAYOUT and is_symbol(name):
            self._formula(token.start(), groups)
        else:
            self._at = groups[0] if groups else self._at
            self._unwrap_all(groups)
            self._out.append("" if self._shows(groups) else self._name(token))

    def _name(self, token: re.Match[str]) -> str:
        """What a macro without arguments shows: an author's own one its name."""
        if token["macro"] in _LAYOUT or is_known(token["macro"]):
            return ""
        in_path = token.start() and _PATH_BEFORE.match(self._text, token.start() - 1)
        return token[0] if in_path else token["macro"]

    def _footnote(self, groups: list[int]) -> None:
        if groups:
            self._unwrap(groups[0], " (", ")")
        else:  # cut off with the text
            self._out.append(" (")
            self._at += self._text.startswith("{", self._at)

    def _brace(self, at: int) -> None:
        if at in self._closing and at not in self._instead and self._only_groups(at):
            self._unwrap(at)
        self._out.append("" if self._strays(at) else self._instead.get(at, self._text[at]))

    def _only_groups(self, at: int) -> bool:
        """Whether a balanced brace is LaTeX's rather than the text's own."""
        end = self._closing[at]
        if _MACRO.match(self._text, at + 1) or self._closing.get(at + 1) == end - 1:
            return True
        inside = self._text[at + 1 : end] if end - at <= _MAX_GROUP else ""
        if inside == ",":
            return self._text[at - 1 : at].isdigit()
        before = self._text[max(at - 2, 0) : at]
        return bool(_GROUP.fullmatch(inside)) and not _SET_BEFORE.search(before)

    def _strays(self, at: int) -> bool:
        """Whether a brace without its other half sticks to a word, as none of a writer's does."""
        if at in self._closing or at in self._closers:
            return False
        beside = at - 1 if self._text[at] == "}" else at + 1
        return self._text[beside : beside + 1].isalnum()

    def _groups(self, at: int) -> list[int]:
        """The offsets of the opening braces of the balanced groups that stand at ``at``."""
        found = []
        while at in self._closing:
            found.append(at)
            at = self._closing[at] + 1
        return found

    def _end(self, groups: list[int]) -> int:
        return self._closing[groups[-1]] + 1 if groups else self._at

    def _shows(self, groups: list[int]) -> bool:
        return any(self._closing[brace] > brace + 1 for brace in groups)

    def _unwrap(self, brace: int, opening: str = "", closing: str = "") -> None:
        self._instead[brace] = opening
        self._instead[self._closing[brace]] = closing

    def _unwrap_all(self, groups: list[int]) -> None:
        for brace in groups:
            self._unwrap(brace)

    def _formula(self, start: int, groups: list[int]) -> None:
        self._at = self._end(groups)
        self._out.append(math_text(self._text[start : self._at]))

    def _verbatim(self, brace: int) -> None:
        self._at = self._end([brace])
        self._out.append(_URL_ESCAPE.sub(r"\1", self._text[brace + 1 : self._at - 1]))

    def _drop(self, end: int) -> None:
        """Go on at ``end``, closing the gap unless a word follows immediately."""
        self._at = end
        if self._out and not self._text[end : end + 1].isalnum():
            self._out[-1] = self._out[-1].rstrip(" ~\n")


def _balanced(text: str) -> dict[int, int]:
    """The offset of the closing brace for that of each opening one that has one."""
    closing: dict[int, int] = {}
    opened: list[int] = []
    for found in _BRACE.finditer(text):
        if found[0] == "{":
            opened.append(found.start())
        elif found[0] == "}" and opened:
            closing[opened.pop()] = found.start()
    return closing
