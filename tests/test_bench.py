"""The benchmarks run; what they measure is not judged here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_ingest_benchmark_reports_its_ratios() -> None:
    command = [sys.executable, "bench/ingest.py", "--papers", "4", "--repeat", "1", "--json"]
    done = subprocess.run(
        command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)
