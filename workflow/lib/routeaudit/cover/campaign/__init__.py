"""Several studies under one seal, one Holm family and one report."""
