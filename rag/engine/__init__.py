"""Question → Answer: route, retrieve, pick the evidence, decide whether it answers."""
