"""A trace's score from its steps' scores, as the score table stores it: a logarithm that ranks.

The workers' scorers compute the same (worker.prm.scoring); a test checks that the two are equal.
"""

import math
from collections.abc import Sequence

from labeling.metrics.best_of_n import AGGREGATIONS, LOG_OF_ZERO


def trace_score(steps: Sequence[float], scale: str, aggregation: str) -> float:
    """Return the log of the aggregate of probabilities. For log ratios: their sum for `last`, their mean, or the
    lowest.
    """
    if scale == "log_ratio":
        total = math.fsum(steps)
        return {"last": total, "mean": total / len(steps)}.get(aggregation, min(steps))
    aggregate = AGGREGATIONS[aggregation](steps)
    if aggregation == "product":  # already a sum of logarithms
        return aggregate
    return max(math.log(aggregate), LOG_OF_ZERO) if aggregate > 0 else LOG_OF_ZERO
