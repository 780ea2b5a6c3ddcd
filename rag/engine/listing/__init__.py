"""Lists and counts: which of all papers are what a question asks for."""
