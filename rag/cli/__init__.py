"""The command line: parses, calls, prints. The only part that prints or exits.

Imports nothing heavy before a command needs it, so that help is instant.
"""

from rag.cli.app import main, run

__all__ = ["main", "run"]
