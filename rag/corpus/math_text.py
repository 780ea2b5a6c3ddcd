"""A small piece of LaTeX math, a symbol or an accent becomes Unicode text.

Knows how formulas are written on one line; knows nothing about the prose around them.
pylatexenc knows the symbols; sub- and superscripts, fractions and roots are ours.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

MAX_CHARS = 2_000
"""Longer than any formula in an abstract; beyond it a ``$`` is more likely a stray one."""

SUPERSCRIPTS = str.maketrans(
    "0123456789+-−=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVW⊤∘*⋆'′",
    "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵀ°**′′",
)
SUBSCRIPTS = str.maketrans(
    "0123456789+-−=()aehijklmnoprstuvxβγρφχ",
    "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ",
)
_FUNCTIONS = "arg max min sup inf log ln exp sin cos tan det dim deg ker lim gcd Pr argmax argmin"
_FUNCTION = re.compile(
    rf"(?<=[\w)}}])(?<!_)(?<!poly}})\\(?=(?:{'|'.join(_FUNCTIONS.split())})(?![A-Za-z]))"
)
_SIMPLE = re.compile(r"[+\-−]?[\w.∞*⋆′]*")
_PLAIN_FONTS = ("mathcal", "mathbf", "mathfrak", "mathsf", "mathtt", "mathscr", "mathit")
_UNSEEN_NAMES = "left right middle big Big bigg Bigg bigl bigr limits displaystyle"
_UNSEEN = frozenset(_UNSEEN_NAMES.split())


def script(text: str, mark: str) -> str:
    """``text`` raised (mark ``^``) or lowered (``_``): in Unicode if all of it can be.

    Otherwise the mark is kept, with parentheses around what is more than one term.
    """
    table = SUPERSCRIPTS if mark == "^" else SUBSCRIPTS
    if all(ord(char) in table for char in text):
        return text.translate(table)
    return mark + _term(text)


def _term(text: str) -> str:
    return text if _SIMPLE.fullmatch(text) else f"({text})"


@lru_cache(maxsize=4096)
def math_text(source: str) -> str:
    """The LaTeX ``source``, without dollars, as text on one line; itself if it is beyond us."""
    if len(source) > MAX_CHARS:
        return source
    try:
        return _latex().text(_tidied(source))
    except Exception:  # on odd input the parser raises errors of all kinds
        return source


@lru_cache(maxsize=1024)
def accent_text(source: str) -> str:
    """An accent macro with its letter as one character."""
    return _latex().text(source)


@lru_cache(maxsize=1024)
def is_known(macro: str) -> bool:
    """Whether the macro is one of LaTeX's rather than an author's own."""
    return _latex().knows(macro)


@lru_cache(maxsize=1024)
def is_symbol(macro: str) -> bool:
    """Whether the macro stands for characters, as ``\\alpha`` and ``\\frac`` do.

    It does not if it only dresses its argument, as ``\\textbf`` does, or is not known.
    """
    return _latex().rule(macro) not in (None, "", "%s", _undressed)


def _tidied(source: str) -> str:
    """``source`` without what trips the parser, marks as the macros ``\\sb`` and ``\\sp``."""
    source = re.sub(r"\\\\(?=[A-Za-z%{}])", r"\\", source)  # escaped twice on its way here
    source = re.sub(r"\\([_^*<>])", r"\1", source.replace("\\\\", " "))  # escaped for Markdown
    source = re.sub(r"(?<!\\)%", r"\%", source)  # no comments here
    source = re.sub(r"\\wide(?=tilde|hat)", r"\\", source)
    source = _FUNCTION.sub(r" \\", source)
    source = re.sub(r"([_^])(\\[A-Za-z]+\{[^{}]*\})", r"\1{\2}", source)  # as in a_\mathbf{b}
    source = re.sub(r"((?<=[\w})\]])\s+)?\\([A-Za-z]+)(?![A-Za-z{])(\s*)", _spelled_out, source)
    return source.replace("_", r"\sb ").replace("^", r"\sp ")


def _spelled_out(macro: re.Match[str]) -> str:
    """The macro so that the parser shows an author's own one, and any space around it."""
    before, name, space = macro.groups(default="")
    if name not in _UNSEEN and not is_known(name):
        return rf"{before}\mathrm{{{name}}}{space}"
    rule = _latex().rule(name)
    takes_nothing = isinstance(rule, str) and "%" not in rule
    if not takes_nothing:
        return macro[0]
    return f"{'~' if before else ''}\\{name}{{}}{'~' if space else ''}"


class _Latex:
    """pylatexenc with our rules for scripts, fractions and roots."""

    def __init__(self) -> None:
        from pylatexenc import (  # type: ignore[import-untyped, unused-ignore]
            latex2text,
            latexwalker,
            macrospec,
        )

        logging.getLogger("pylatexenc").setLevel(logging.CRITICAL)  # it warns of odd input
        arguments = {"sb": "{", "sp": "{", "tfrac": "{{", "dfrac": "{{", "nicefrac": "{{"}
        self._syntax = latexwalker.get_default_latex_context_db()
        self._syntax.add_context_category(
            "rag",
            macros=[macrospec.std_macro(name, args) for name, args in arguments.items()],
            prepend=True,
        )
        rules: dict[str, Any] = dict.fromkeys(_PLAIN_FONTS, _undressed)
        rules |= dict.fromkeys(("frac", "tfrac", "dfrac", "nicefrac"), _fraction)
        rules |= {"sb": _marked("_"), "sp": _marked("^"), "sqrt": _root, "|": "‖"}
        self._rendering = latex2text.get_default_latex_context_db()
        self._rendering.add_context_category(
            "rag",
            macros=[latex2text.MacroTextSpec(name, rule) for name, rule in rules.items()],
            prepend=True,
        )
        self._rendering.set_unknown_macro_spec(latex2text.MacroTextSpec("", _undressed))
        self._walker = latexwalker.LatexWalker
        self._converter = latex2text.LatexNodes2Text(
            latex_context=self._rendering,
            math_mode="text",
            keep_comments=True,
            strict_latex_spaces="based-on-source",
        )

    def knows(self, macro: str) -> bool:
        specs = (context.get_macro_spec(macro) for context in (self._rendering, self._syntax))
        return any(spec is not None and spec.macroname == macro for spec in specs)

    def rule(self, macro: str) -> Any:
        """What pylatexenc makes of the macro: characters, a template or a function."""
        return self._rendering.get_macro_spec(macro).simplify_repl

    def text(self, source: str) -> str:
        walker = self._walker(source, latex_context=self._syntax, tolerant_parsing=True)
        return str(self._converter.nodelist_to_text(walker.get_latex_nodes()[0]))


@cache
def _latex() -> _Latex:
    return _Latex()


def _arguments(node: Any, l2tobj: Any) -> list[str]:
    given = node.nodeargd.argnlist if node.nodeargd else []
    return [l2tobj.nodelist_to_text([argument]).strip() if argument else "" for argument in given]


def _undressed(node: Any, l2tobj: Any) -> str:
    return "".join(_arguments(node, l2tobj))


def _marked(mark: str) -> Callable[..., str]:
    def render(node: Any, l2tobj: Any) -> str:
        return script(_undressed(node, l2tobj), mark)

    return render


def _fraction(node: Any, l2tobj: Any) -> str:
    return "/".join(map(_term, _arguments(node, l2tobj)))


def _root(node: Any, l2tobj: Any) -> str:
    index, radicand = _arguments(node, l2tobj)
    return f"{script(index, '^')}√{_term(radicand)}"
