"""Outcome linkage: descriptive cluster-robust logits over the same traces. No row is causal."""
