"""Recorded verdicts as labels: what a file says about a trace's steps, in the shape of somebody's finished work.
Pure."""

from labeling.formats.faults import Fault
from labeling.formats.records import LabelRecord, StepLabelRecord, TraceRecord
from labeling.protocol.verdicts import recorded_verdict


def recorded_label(trace: TraceRecord, labeler: str) -> LabelRecord | None:
    """Return the label of the labeler that the row names, else of `labeler`; None if the row contains no verdict.

    Ratings end at the first error, except in an agent's run, which may recover. If a file gives only a first error, the
    steps before it count as right; for a run, nothing is said about them. If it names only a run's decisive error, the
    label has found an error but says neither where the first one is nor how any step is rated.
    """
    verdict = recorded_verdict(trace.recorded_first_error, trace.recorded_ratings)
    if verdict is None:
        lost = (trace.recorded_marks or {}).get("decisive_error") is not None
        return _label(trace, labeler, "found_error", []) if lost else None
    ratings = ratings_of(trace, verdict)
    said = [
        StepLabelRecord(step, 0, None, "model", rating, None, False)
        for step, rating in enumerate(ratings)
        if rating is not None
    ]
    finish = "solution" if verdict < 0 else "found_error"
    return _label(trace, labeler, finish, said)


def _label(trace: TraceRecord, labeler: str, finish: str, said: list[StepLabelRecord]) -> LabelRecord:
    marks = trace.recorded_marks or None
    return LabelRecord(trace.recorded_by or labeler, None, finish, None, said, {}, recorded=True, run_marks=marks)


def ratings_of(trace: TraceRecord, verdict: int) -> list[int | None]:
    """Return what a row says about its steps, including its verdict. Without ratings, they are derived from the
    verdict.
    """
    return _ratings_of_run(trace, verdict) if trace.typed is not None else _ratings_to_error(trace, verdict)


def _ratings_to_error(trace: TraceRecord, verdict: int) -> list[int | None]:
    end = len(trace.steps) if verdict < 0 else verdict
    return [*(trace.recorded_ratings or [1] * end)[:end], *([] if verdict < 0 else [-1])]


def _ratings_of_run(trace: TraceRecord, verdict: int) -> list[int | None]:
    """Return all ratings including the first error. A run in which the file found no error is right throughout."""
    nothing: list[int | None] = [1 if verdict < 0 else None] * len(trace.steps)
    ratings = list(trace.recorded_ratings or nothing)
    if verdict >= 0:
        ratings[verdict] = -1
    return ratings


def contradictions(trace: TraceRecord, line: int) -> list[Fault]:
    """Return a fault if a row's ratings contradict its first error, so that they cannot both become a label."""
    first, ratings = trace.recorded_first_error, trace.recorded_ratings
    if first is None or first < 0 or not ratings:
        return []
    before = next((step for step, rating in enumerate(ratings[:first]) if rating == -1), None)
    if before is None and ratings[first] in (None, -1):
        return []
    step = first if before is None else before
    found = f"{ratings[step]}, but `first_error` is {first}"
    do = "Correct one of the two, or import without making labels: both are then kept with the trace."
    return [Fault("ratings_contradict_first_error", line, f"step_labels[{step}]", found, do)]
