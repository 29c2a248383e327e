"""Evaluation of routing in multi-agent LLM systems: an evaluation contract and a trace audit."""

__version__ = "0.1.0"
