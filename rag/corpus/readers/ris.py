"""RIS, as reference managers and databases export it; read by ``rispy``, one record at a time.

The file is cut into records before, so that a broken one costs only itself and each has its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.corpus.fields import record_from
from rag.corpus.record import RawRecord, Reader, reject
from rag.types import Rejection

_START = re.compile(r"^TY[ \t]{1,3}-", re.MULTILINE)
_TAG = re.compile(r"^([A-Z][A-Z0-9])[ \t]+-(?:[ \t]|$)", re.MULTILINE)
"""A tag as it is met: the standard wants two spaces, some files have a tab."""
_END = "\nER  - "
_LABELS = {"paperid": "id", "status": "status", "area": "area", "arxiv": "arxiv"}
_LABELLED = re.compile(rf"({'|'.join(_LABELS)}): (.+)")


def sniff(text: str, suffix: str) -> bool:
    """Whether a record begins somewhere near the top: some databases write a letterhead."""
    return _START.search(text[:5_000]) is not None or suffix == ".ris"


def read(text: str) -> Iterator[RawRecord | Rejection]:
    """The record of each entry, also of a last one that is cut off."""
    starts = [found.start() for found in _START.finditer(text)]
    if not starts:
        yield reject(1, "no entry begins with TY  -")
    line = text.count("\n", 0, starts[0] if starts else 0) + 1
    for begin, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield _record(text[begin:end], line)
        line += text.count("\n", begin, end)


def _record(entry: str, line: int) -> RawRecord | Rejection:
    import rispy  # only who has such a file waits for it

    entry = _TAG.sub(r"\1  - ", entry.partition(_END)[0]) + _END
    try:
        fields = rispy.loads(entry, delimiter_tags_mapping={})[0]
    except (KeyError, IndexError, TypeError) as error:
        return reject(line, f"not an entry of RIS: {error!r}")
    return record_from({**fields, **_labelled(fields)}, line)


def _labelled(fields: dict[str, object]) -> dict[str, object]:
    """What stands with its name in the tags that are free for it, as our own export has it."""
    found = (_LABELLED.match(str(fields.get(f"custom{n}", ""))) for n in range(1, 9))
    return {_LABELS[label[1]]: label[2] for label in found if label}


RIS = Reader("ris", sniff, read)
