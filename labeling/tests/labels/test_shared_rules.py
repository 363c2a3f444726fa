"""The rules shared by browser and server, on the cases against which both are checked."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.protocol.active_time import Span, active_time
from labeling.protocol.registry import PROTOCOLS, protocol_named

CASES = Path(__file__).parent.parent
PROTOCOL_CASES = CASES / "protocol_cases"
SUBMISSIONS = [
    pytest.param(file.stem, case, id=f"{file.stem}: {case['name']}")
    for file in sorted(PROTOCOL_CASES.glob("*.json"))
    for case in json.loads(file.read_text())
]
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


def test_every_protocol_has_shared_cases_under_its_name():
    assert {file.stem for file in PROTOCOL_CASES.glob("*.json")} == set(PROTOCOLS)
    assert all(name == protocol.name for name, protocol in PROTOCOLS.items())


@pytest.mark.parametrize(("name", "case"), SUBMISSIONS)
def test_a_protocol_says_of_a_submission_what_the_shared_cases_say(name, case):
    protocol = protocol_named(name)
    sent = case["submission"]
    detail = sent["finish_detail"]
    about = (sent["ratings"], sent["finish_reason"])
    missing = protocol.missing(*about, detail.get("kind", ""), detail.get("text", ""))
    contradictions = protocol.contradictions(*about, case["outcome"])
    confirmed = {c["code"] for c in sent["confirmations"] if c["reason"].strip()}
    assert _plain(missing) == case["missing"]
    assert _plain(f for f in contradictions if f.code not in confirmed) == case["contradictions"]
    assert protocol.verdict(*about) == case["verdict"]
    assert list(protocol.ratable_steps(sent["ratings"])) == case["ratable"]


def test_a_protocol_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(LookupError, match="no labeling protocol 'every_word'. This version knows first_error"):
        protocol_named("every_word")


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
