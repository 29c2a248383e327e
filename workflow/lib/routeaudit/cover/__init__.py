"""The evaluation contract: benchmarks, boundary, split, routers, coverage, grading, scoring."""
