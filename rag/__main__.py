"""``python -m rag``: the same as the command ``rag``."""

from rag.cli import run

run()
