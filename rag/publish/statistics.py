"""A corpus in numbers, as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rag.digest.statistics import Count, Lengths, Statistics
from rag.render import Style, fill, safe

SHOWN = 12
"""Values of a field, or sources, that are shown."""
BAR = 40
"""Characters of the longest bar."""


def statistics_text(found: Statistics, style: Style) -> str:
    """Everything that was counted, in blocks under their headings."""
    sentences = f"{found.papers:,} papers, {found.sentences:,} sentences"
    having = ", ".join(f"{n:,} have {_article(name)}" for name, n in found.having.items())
    blocks = ["\n".join([style.bold(sentences), fill(having)])]
    for name, counts in found.fields.items():
        if any(count.value is not None for count in counts):
            blocks.append(_block(name, counts, style))
    if found.keywords:
        kind = "keywords" if found.keywords_from == "keywords" else "phrases of the abstracts"
        named = "; ".join(f"{safe(str(c.value))} {c.papers:,}" for c in found.keywords)
        blocks.append("\n".join([style.bold(f"most frequent {kind}"), fill(named, indent="  ")]))
    if found.lengths:
        blocks.append("\n".join(_lengths(found.lengths, style)))
    blocks.append(_block("source", found.sources, style))
    return "\n\n".join(blocks)


def _article(name: str) -> str:
    return name if name.endswith("s") else f"a {name}"


def _block(name: str, counts: Sequence[Count], style: Style) -> str:
    valued = [count for count in counts if count.value is not None]
    lines = [f"{count.papers:>7,}  {_value(count)}" for count in valued[:SHOWN]]
    if rest := valued[SHOWN:]:
        papers = sum(count.papers for count in rest)
        lines.append(f"{papers:>7,}  {style.dim(f'in {len(rest):,} more')}")
    lines += [f"{count.papers:>7,}  none" for count in counts if count.value is None]
    return "\n".join([style.bold(f"by {name}"), *lines])


def _value(count: Count) -> str:
    return safe(str(count.value))


def _lengths(lengths: Lengths, style: Style) -> Iterator[str]:
    yield style.bold("words of an abstract")
    yield (
        f"  median {lengths.median:g}, shortest {lengths.shortest:,} "
        f"({safe(lengths.shortest_id)}), longest {lengths.longest:,} ({safe(lengths.longest_id)})"
    )
    most = max(bar.papers for bar in lengths.histogram)
    for bar in lengths.histogram:
        drawn = "█" * max(round(BAR * bar.papers / most), bool(bar.papers))
        yield f"  {bar.start:>5,}–{bar.end - 1:<5,} {style.dim(drawn)} {bar.papers:,}"
