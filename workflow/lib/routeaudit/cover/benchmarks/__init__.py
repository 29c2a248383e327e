"""Adapters from task sources to one inventory form."""
