"""Rules of the house that no single module can hold."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "rag"
LAYERS = [
    {"types", "errors"},
    {"config", "corpus", "endpoint", "prompts"},
    {"embed", "models"},
    {"store"},
    {"retrieve"},
    {"engine"},
    {"summarize", "topics"},
    {"digest"},
    {"evaluate", "render", "batch", "chat", "publish"},
    {"opening"},
    {"library", "llama"},
    {"serve"},
    {"cli"},
    {"__main__"},
]
"""A module may import from its own layer and from those above it in this list."""

MODULES = sorted(path for path in PACKAGE.rglob("*.py"))


HEAVY = {
    *("chromadb", "httpx", "ir_measures", "jinja2", "llama_index", "openai", "prompt_toolkit"),
    *("arxiv", "openreview", "requests", "rouge_score", "sklearn", "tenacity", "tiktoken"),
}
"""What takes long to load and is not needed to quote."""


def imports(path: Path) -> Iterator[str]:
    """Names of the modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def part(module: str) -> str:
    """rag.store.lock → store."""
    return (module.split(".") + [""])[1]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_downward_only(path: Path) -> None:
    here = path.relative_to(PACKAGE).with_suffix("").parts[0]
    if here == "__init__":
        pytest.skip("the package itself imports nothing")
    level = next(i for i, layer in enumerate(LAYERS) if here in layer)
    below = set().union(*LAYERS[: level + 1])
    used = {part(name) for name in imports(path) if name.startswith("rag.")}
    assert used <= below


@pytest.mark.parametrize(
    ("library", "doors"),
    [
        ("chromadb", {"store/chroma.py", "store/lease.py", "store/server.py"}),
        ("onnxruntime", {"embed/minilm.py"}),
        ("tokenizers", {"embed/minilm.py"}),
        ("bm25s", {"retrieve/lexical.py", "retrieve/terms.py"}),
        (
            "llama_index",
            {
                "embed/llama.py",
                "embed/client.py",
                "evaluate/judges.py",
                "library.py",
                "llama.py",
                "models/",
                "retrieve/llama.py",
            },
        ),
        ("ir_measures", {"evaluate/ranking.py"}),
        ("rouge_score", {"evaluate/rouge.py"}),
        ("openai", {"endpoint/", "embed/client.py", "models/"}),
        ("httpx", {"endpoint/"}),
        ("tenacity", {"corpus/online/", "endpoint/"}),
        ("openreview", {"corpus/online/openreview.py"}),
        ("arxiv", {"corpus/online/arxiv.py"}),
        ("requests", {"corpus/online/"}),
        ("lxml", {"corpus/online/arxiv.py"}),
        ("tiktoken", {"models/tokens.py"}),
        ("prompt_toolkit", {"cli/chat.py"}),
        ("jinja2", {"publish/html.py", "serve/templating.py"}),
        ("fastapi", {"serve/"}),
        ("uvicorn", {"serve/run.py"}),
        ("mcp", {"serve/"}),
        ("scipy", {"corpus/merge.py", "topics/learners.py"}),
        ("bibtexparser", {"corpus/readers/bibtex.py", "corpus/writers/bibtex.py"}),
        ("feedparser", {"corpus/readers/atom.py"}),
        ("openpyxl", {"corpus/readers/workbook.py"}),
        ("pypdf", {"corpus/readers/pdf.py"}),
        ("rispy", {"corpus/readers/ris.py", "corpus/writers/ris.py"}),
        ("sklearn", {"topics/learners.py"}),
        ("threadpoolctl", {"topics/learners.py"}),
        ("resvg_py", {"publish/png.py"}),
        ("pylatexenc", {"corpus/math_text.py"}),
        ("dotenv", {"config.py"}),
    ],
)
def test_each_big_library_has_one_door(library: str, doors: set[str]) -> None:
    """Doors that end in / are folders."""
    users = {
        path.relative_to(PACKAGE).as_posix()
        for path in MODULES
        if any(name.split(".")[0] == library for name in imports(path))
    }
    assert users
    assert all(user.startswith(tuple(doors)) for user in users), users


def test_only_the_command_line_prints_or_exits() -> None:
    for path in MODULES:
        if path.is_relative_to(PACKAGE / "cli"):
            continue
        calls = [
            node.func.id
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        ]
        assert not {"print", "exit", "quit"} & set(calls), path


def test_help_loads_nothing_heavy() -> None:
    script = (
        "import sys\n"
        "from rag.cli import main\n"
        "try:\n    main(['--help'])\n"
        "except SystemExit as stop:\n    assert not stop.code\n"
        f"heavy = {HEAVY | {'onnxruntime', 'numpy', 'bm25s'}}\n"
        "print('loaded:', sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "Usage: rag" in done.stdout
    assert "loaded: []" in done.stdout


def test_quoting_loads_nothing_that_only_others_need(built: Path) -> None:
    script = (
        "import sys\n"
        "from rag.cli import main\n"
        f"try:\n    main(['ask', 'What does TideNet do?', '--store', {str(built)!r}])\n"
        "except SystemExit as stop:\n    assert not stop.code\n"
        f"print('loaded:', sorted({HEAVY} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "TideNet" in done.stdout
    assert "loaded: []" in done.stdout
