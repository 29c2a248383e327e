"""Scoring of frozen routes against executed cells: regret, support, bounds, contrasts, criteria, status."""
