"""Artifact schemas and canonical Parquet reading and writing."""
