"""Typed configuration: the one source of defaults and of the JSON schema."""
