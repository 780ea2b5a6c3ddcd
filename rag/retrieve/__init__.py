"""Question → ranked papers with passages. Knows no answer, no model that writes."""
