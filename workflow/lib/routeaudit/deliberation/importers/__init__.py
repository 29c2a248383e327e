"""Importers: other people's records as trace tables. Each says what its source lacks; nothing is invented."""
