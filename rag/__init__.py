"""Read a conference: ask a list of paper abstracts, get answers bound to exact quotes."""

__version__ = "0.1.0"
