"""Outcome tables that someone else made."""
