"""A short run of the validity study: wide limits, but a rule or engine that is wrong does not pass."""

from __future__ import annotations

import importlib.util
import sys

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def study(root):
    spec = importlib.util.spec_from_file_location("validity_study", root / "benchmarks" / "validity.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("tasks", [14, 100])
def test_default_intervals_cover_planted_truth(study, tasks):
    for generator in study.GENERATORS:
        found = study.coverage(generator, tasks, 500, seed=1)
        assert found.covered >= 0.90, (generator.name, tasks, found.covered)


def test_ignoring_source_clusters_loses_coverage(study):
    clustered = [generator for generator in study.GENERATORS if generator.copying]
    for generator in clustered:
        assert study.coverage(generator, 100, 500, seed=1, clustered=False).covered < 0.90


@pytest.mark.parametrize("tasks", [14, 100])
def test_holm_keeps_the_family_wise_error(study, tasks):
    for generator in study.NULLS:
        assert study.family_wise(generator, tasks, 500, seed=1).error <= 0.10
