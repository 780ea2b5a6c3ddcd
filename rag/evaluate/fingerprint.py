"""What a case expects, as a hash: a case that was rewritten is not compared with what it was."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict

from rag.evaluate.types import Case

_BESIDE = ("id", "rubric", "kind", "tags")
"""Fields that no score depends on."""


def expects(case: Case) -> str:
    """Twelve hex digits of all that a case's scores depend on.

    Fields that expect nothing are left out, so that a field to come does not rewrite every case.
    """
    row = {key: value for key, value in asdict(case).items() if value and key not in _BESIDE}
    text = json.dumps(row, sort_keys=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:12]
