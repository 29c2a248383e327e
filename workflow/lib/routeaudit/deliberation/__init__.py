"""The audit of confidence-routed broadcasts: protocol, trace, metrics, card."""
