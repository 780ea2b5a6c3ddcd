"""Runs of cases and their comparisons as text, Markdown, JUnit and one HTML page. Returns text."""
