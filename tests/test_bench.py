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


def test_nothing_is_lost_in_a_few_rounds_of_torture() -> None:
    command = [sys.executable, "bench/torture.py", "--rounds", "4", "--seed", "2"]
    done = subprocess.run(
        command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    counts = dict(line.rsplit(maxsplit=1) for line in done.stdout.splitlines())
    assert int(counts["ingests acknowledged"]) and int(counts["answers"])


def _quality(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "evals/quality.py", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True
    )


def test_quality_leaves_out_what_it_has_no_data_for_and_says_so(tmp_path: Path) -> None:
    done = _quality("--shared", str(tmp_path), "--json")
    assert json.loads(done.stdout) == {}
    sections = ("asking", "search", "rationales", "conference", "speed")
    assert all(f"{name}: left out, no " in done.stderr for name in sections)


def test_quality_compares_with_the_best_of_the_plain_ways() -> None:
    script = (
        "import sys; sys.path.insert(0, 'evals'); from comparing import compared; print("
        "compared('set', 'facts', {'BM25': [0, 0, 1], 'MiniLM': [1, 0, 1],"
        " 'rank fusion': [0, 0, 0], 'ours': [1, 1, None]}).markdown())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    *cells, gain = [cell.strip() for cell in done.stdout.strip().strip("|").split("|")]
    assert cells == ["set", "facts", "2", "0.333", "0.667", "0.000", "1.000"]
    assert gain.startswith("+0.333 [")


def test_figures_of_several_parts_become_one_table(tmp_path: Path) -> None:
    script = (
        "import sys; sys.path.insert(0, 'bench'); from pathlib import Path\n"
        "from figures import Figures, growth, table\n"
        "part = lambda: Figures.kept(Path(sys.argv[1]))\n"
        "for size, ours, stock in ((10, (1, 2), (3, 4)), (1000, (100, 200), (9,))):\n"
        "    [part().note(size, 'ours', 'disk, MB', i, f) for i, f in enumerate(ours)]\n"
        "    [part().note(size, 'stock', 'disk, MB', i, f) for i, f in enumerate(stock)]\n"
        "print(*table(part()), *growth(part()), sep='\\n')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "figures.jsonl")],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[2:4] == [
        "| 10 | disk, MB | 1.5 (1 to 2) | 2.5 × (2 to 3) |",
        "| 1,000 | disk, MB | 150 (100 to 200) | 0.09 × (once) |",
    ]
    assert done.stdout.splitlines()[-1] == "| 10 to 1,000 | disk, MB | 1.00 | 0.21 |"
