"""Requests of every shape against the HTTP API: schemathesis makes them from the API's document.

A server over the notes of the sample is asked for ``--seconds``. No answer may be a 5xx, and each
must be as the document says. What the document cannot say is not held against it: that a filter's
value is one that no paper has.

    python -m bench.fuzz [--seconds 600] [--seed 0]

Ends with the status of schemathesis.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.load import serving

A_SECOND = 25
"""Requests, which are fewer than the server takes from one address."""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    notes = Path(__file__).parents[1] / "rag" / "sample"
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "index"
        ingest = [sys.executable, "-m", "rag", "ingest", str(notes), "--store", str(store)]
        subprocess.run(ingest, check=True)
        with serving(store) as (address, _):
            paced = ["--rate-limit", f"{A_SECOND}/s"]
            command = fuzzing(address, options.seconds, options.seed) + paced
            return subprocess.run(command, cwd=folder).returncode


def fuzzing(address: str, seconds: int, seed: int) -> list[str]:
    """The command that asks a server."""
    return [
        str(Path(sys.executable).with_name("st")),
        "run",
        f"{address}/openapi.json",
        *("--max-time", str(seconds), "--seed", str(seed), "--request-timeout", "60"),
        *("--checks", "all", "--exclude-checks", "positive_data_acceptance"),
        *("--suppress-health-check", "all", "--continue-on-failure"),
    ]


if __name__ == "__main__":
    sys.exit(main())
