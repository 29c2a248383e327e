"""The confidence-routed broadcast as explicit stages: poll, route, speak, note, approve, evaluate."""
