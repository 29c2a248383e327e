"""Splits that keep tasks with a shared source together, and what still leaks."""
