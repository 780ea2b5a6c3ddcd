"""RIS, as reference managers and databases export it; read by ``rispy``, one record at a time.

The file is cut into records before, so that a broken one costs only itself and each has its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rag.corpus.fields import record_from
from rag.corpus.readers.lines import lines_of
from rag.corpus.record import RawRecord, Reader, reject
from rag.types import Rejection

_START = re.compile(r"^[\ufeff \t]*TY[ \t]{1,3}-", re.MULTILINE | re.IGNORECASE)
_TAG = re.compile(r"^[\ufeff \t]*([A-Z][A-Z0-9])[ \t]{1,3}-(?:[ \t]|$)", re.MULTILINE)
_LOW_TAG = re.compile(r"^[\ufeff \t]*([A-Za-z][A-Za-z0-9])[ \t]{1,3}-(?:[ \t]|$)", re.MULTILINE)
"""A tag as it is met: the standard wants capitals and two spaces."""
_NUMBERS = ("id", "label", "type_of_reference")
_END = "\nER  - "
_LABELS = {"paperid": "id", "status": "status", "area": "area", "arxiv": "arxiv"}
_LABELLED = re.compile(rf"({'|'.join(_LABELS)}): (.+)")


def sniff(text: str, suffix: str) -> bool:
    """Whether a record begins somewhere near the top: some databases write a letterhead."""
    return _START.search(text[:5_000]) is not None or suffix == ".ris"


def read(text: str) -> Iterator[RawRecord | Rejection]:
    """The record of each entry; a last one that does not end as the others do is cut off."""
    line_of = lines_of(text)
    starts = [found.start() for found in _START.finditer(text)]
    if not starts:
        yield reject(1, "no entry begins with TY  -")
    tag = _TAG if _TAG.search(text) else _LOW_TAG
    entries = [
        tag.sub(lambda found: f"{found[1].upper()}  - ", text[begin:end])
        for begin, end in zip(starts, [*starts[1:], len(text)], strict=False)
    ]
    ends = any(_END in entry for entry in entries) or not text.endswith("\n")
    for place, (begin, entry) in enumerate(zip(starts, entries, strict=True), start=1):
        line = line_of(begin)
        if place == len(entries) and ends and _END not in entry:
            yield reject(line, "the entry is cut off: it has no end (ER  -)")
        else:
            yield _record(entry, line)


def _record(entry: str, line: int) -> RawRecord | Rejection:
    import rispy  # only who has such a file waits for it

    entry = entry.partition(_END)[0] + _END
    try:
        fields = rispy.loads(entry, delimiter_tags_mapping={})[0]
    except (KeyError, IndexError, TypeError, ValueError, OSError) as error:
        return reject(line, f"not an entry of RIS: {error!r}")
    return record_from({**_identified(fields), **_labelled(fields)}, line)


def _labelled(fields: Mapping[str, object]) -> dict[str, object]:
    """What stands with its name in the tags that are free for it, as our own export has it."""
    found = (_LABELLED.match(str(fields.get(f"custom{n}", ""))) for n in range(1, 9))
    return {_LABELS[label[1]]: label[2] for label in found if label}


def _identified(fields: Mapping[str, object]) -> dict[str, object]:
    """The fields as they count here: a number that one library gave is an id only where nothing
    says better which paper it is."""
    named = {name: value for name, value in fields.items() if name not in _NUMBERS}
    if not any(fields.get(name) for name in ("doi", "urls", "accession_number")):
        named |= {name: fields[name] for name in _NUMBERS if name in fields}
    return named


RIS = Reader("ris", sniff, read)
