"""Topics: which papers are about one, and which ones a corpus has. Knows no text for readers."""
