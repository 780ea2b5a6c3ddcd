"""Question → ranked papers with passages. Knows no answer, no model that writes."""

import os

# bm25s would show progress bars of its own, and load a library for them, when it is imported.
os.environ.setdefault("DISABLE_TQDM", "1")
