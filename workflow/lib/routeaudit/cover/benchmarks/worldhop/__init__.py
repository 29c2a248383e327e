"""Two-hop questions over a seeded invented world."""

from routeaudit.cover.benchmarks.worldhop.adapter import Worldhop

__all__ = ["Worldhop"]
