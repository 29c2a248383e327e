"""Routing metrics under every extreme labelling of the unlabelled candidates (Manski 2003)."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from routeaudit.deliberation.arrays import BoolArray
from routeaudit.deliberation.blocks import Blocks
from routeaudit.deliberation.routing.metrics import routing_measures, routing_sums


def label_bounds(blocks: Blocks, unlabelled: BoolArray) -> dict[str, tuple[float, float]]:
    """Lowest and highest value of each metric over four labellings of the ``unlabelled`` rows (n,).

    The selected unlabelled polls are all wrong or all correct, and so are, apart from them, the others. CRA,
    HRWP and MCR are monotone in both, so their bounds are sharp; PCCA and CTR get four points of a range.
    ``blocks`` counts the unlabelled candidates as valid and wrong.
    """
    chosen = np.zeros(len(blocks.score), dtype=bool)
    chosen[blocks.offsets[:-1] + blocks.selected] = True
    found: dict[str, list[float]] = {}
    for selected, others in product((False, True), repeat=2):
        right = unlabelled & np.where(chosen, selected, others)
        for m in routing_measures(routing_sums(replace(blocks, correct=blocks.correct | right))):
            found.setdefault(m.name, []).append(m.estimate)
    return {
        name: (float(np.nanmin(v)), float(np.nanmax(v))) for name, v in found.items() if not np.isnan(v).all()
    }
