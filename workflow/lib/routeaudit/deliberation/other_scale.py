"""Whether stated scores look as if they were meant on another scale than the one that was declared."""

from __future__ import annotations

import numpy as np

from routeaudit.deliberation.arrays import FloatArray

_USUAL = (1.0, 10.0, 100.0)
# Scores that stay below a tenth of their scale are rarer than a wrong scale.
_FACTOR = 10


def other_scale(score: FloatArray, scale: float) -> str:
    """A caution in words; empty where the scores fit their scale.

    Parameters
    ----------
    score : stated scores, NaN where none
    scale : the score that is said to mean certainty
    """
    known = score[np.isfinite(score)]
    top = float(known.max(initial=0.0))
    if top > 0 and (top * _FACTOR <= scale or top <= 1 < scale):
        told = f"Every score is at most {top:g}, although {scale:g} is said to mean certainty"
    elif (share := float(np.mean(known > scale)) if known.size else 0.0) > 0.5:
        told = f"{share:.0%} of the scores are above {scale:g}, which is said to mean certainty"
    else:
        return ""
    likely = next((usual for usual in _USUAL if top <= usual and usual != scale), None)
    if likely is None:
        return f"{told}: the scores look like another scale. Check --scale."
    return (
        f"{told}: the scores look like 0 to {likely:g}. If {likely:g} means certainty, audit again with "
        f"--scale {likely:g}; of a trace folder, convert its source again with it."
    )
