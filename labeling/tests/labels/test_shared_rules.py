"""The rules that the browser and the server share, on the cases that both are held to."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.protocol import submission_rules
from labeling.protocol.active_time import Span, active_time

CASES = Path(__file__).parent.parent
SUBMISSIONS = json.loads((CASES / "submission_cases.json").read_text())
ACTIVE_TIMES = json.loads((CASES / "active_time_cases.json").read_text())

spans = st.lists(
    st.builds(
        Span,
        start=st.integers(0, 10_000),
        end=st.integers(0, 10_000),
        step=st.one_of(st.none(), st.integers(0, 6)),
    ),
    max_size=30,
)


@pytest.mark.parametrize("case", SUBMISSIONS, ids=lambda case: case["name"])
def test_a_submission_is_missing_and_contradicts_what_the_shared_cases_say(case):
    sent = case["submission"]
    detail = sent["finish_detail"]
    missing = submission_rules.missing(
        sent["ratings"], sent["finish_reason"], kind=detail.get("kind", ""), text=detail.get("text", "")
    )
    contradictions = submission_rules.contradictions(sent["ratings"], sent["finish_reason"], case["outcome"])
    confirmed = {c["code"] for c in sent["confirmations"] if c["reason"].strip()}
    assert _plain(missing) == case["missing"]
    assert _plain(f for f in contradictions if f.code not in confirmed) == case["contradictions"]


@pytest.mark.parametrize("case", ACTIVE_TIMES, ids=lambda case: case["name"])
def test_active_time_is_what_the_shared_cases_say(case):
    time = active_time([Span(s["start"], s["end"], s["step"]) for s in case["spans"]], case["step_count"])
    assert (time.per_step, time.other, time.total) == (case["per_step"], case["other"], case["total"])


@given(spans, st.randoms())
def test_the_order_in_which_spans_arrive_does_not_change_the_total(some, random):
    shuffled = list(some)
    random.shuffle(shuffled)
    assert active_time(some, 5).total == active_time(shuffled, 5).total


@given(spans)
def test_every_covered_moment_counts_exactly_once(some):
    moments = {moment for span in some for moment in range(span.start, span.end)}
    assert active_time(some, 5).total == len(moments)


@given(spans, spans)
def test_moments_an_earlier_version_counted_are_not_counted_again(earlier, later):
    moments = {m for span in later for m in range(span.start, span.end)}
    counted = {m for span in earlier for m in range(span.start, span.end)}
    assert active_time(later, 5, counted=earlier).total == len(moments - counted)


@given(spans, st.integers(0, 12_000))
def test_no_more_than_the_limit_is_counted(some, limit):
    assert active_time(some, 5, limit_ms=limit).total == min(limit, active_time(some, 5).total)


def _plain(findings):
    return [{"code": f.code} if f.step is None else {"code": f.code, "step": f.step} for f in findings]
