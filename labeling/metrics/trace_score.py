"""A trace's score from what a step scorer gave its steps, as the score table keeps it: a logarithm that ranks.

What the workers' scorers do with theirs (worker.prm.scoring) is the same; a test holds the two equal.
"""

import math
from collections.abc import Sequence

from labeling.metrics.best_of_n import AGGREGATIONS, LOG_OF_ZERO


def trace_score(steps: Sequence[float], scale: str, aggregation: str) -> float:
    """Of probabilities the log of their aggregate. Of log ratios their sum for `last`, their mean, or the lowest."""
    if scale == "log_ratio":
        total = math.fsum(steps)
        return {"last": total, "mean": total / len(steps)}.get(aggregation, min(steps))
    aggregate = AGGREGATIONS[aggregation](steps)
    if aggregation == "product":  # is a sum of logarithms already
        return aggregate
    return max(math.log(aggregate), LOG_OF_ZERO) if aggregate > 0 else LOG_OF_ZERO
