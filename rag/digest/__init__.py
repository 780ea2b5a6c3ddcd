"""What the papers on one topic say: overview, lines, figures, open ends; each bound to quotes."""
