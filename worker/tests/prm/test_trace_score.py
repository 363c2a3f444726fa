"""The trace score of imported step scores equals a worker's score of the same numbers."""

from math import log

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from labeling.formats.scores import SCALES
from labeling.metrics.trace_score import trace_score
from worker.prm.scoring import score_of


@example([1.4e-45], "probability", "product")
@given(
    st.lists(st.floats(0, 1, width=32), min_size=1, max_size=6),
    st.sampled_from(SCALES),
    st.sampled_from(["product", "min", "mean", "last"]),
)
def test_a_traces_score_is_what_a_worker_makes_of_the_same_steps(steps, scale, aggregation):
    values = steps if scale == "log_ratio" else [log(one) if one > 0 else -1e9 for one in steps]
    theirs = score_of(values, scale, aggregation).score
    assert trace_score(steps, scale, aggregation) == pytest.approx(theirs, rel=1e-6, abs=1e-6)
