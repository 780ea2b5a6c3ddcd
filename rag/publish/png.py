"""Pictures as PNG files, by resvg; the only module that knows it."""

from __future__ import annotations

from importlib.resources import files
from importlib.util import find_spec

from rag.errors import ConfigError

_PIXELS = 2
"""Pixels a unit: sharp on the screens of today."""
_FONT, _FACES = "font_source_sans_pro", ("Regular", "Semibold", "Bold")


def check_installed() -> None:
    """Raises ConfigError where the libraries that draw PNG files are not installed."""
    missing = [name for name in ("resvg_py", _FONT) if find_spec(name) is None]
    if missing:
        raise ConfigError(
            f"PNG pictures need {' and '.join(missing)}, which is not installed.",
            "Install it with: pip install 'rag[png]', or write a .svg file instead.",
        )


def png(svg: str) -> bytes:
    """The picture as PNG, on a light ground.

    resvg draws text only with fonts that it finds, and none at all where there are none. So one
    comes along with ``rag[png]``, and Latin letters look the same on every machine; for those
    that it lacks, such as Chinese ones, the machine's own are used.
    Raises ConfigError as ``check_installed`` does.
    """
    check_installed()
    import resvg_py

    fonts = files(_FONT).joinpath("files")
    return resvg_py.svg_to_bytes(
        svg_string=svg,
        font_files=[str(fonts.joinpath(f"SourceSansPro-{face}.ttf")) for face in _FACES],
        font_family="Source Sans Pro",
        sans_serif_family="Source Sans Pro",
        zoom=_PIXELS,
    )
