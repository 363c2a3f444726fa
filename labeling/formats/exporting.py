"""One label as the rows of an export, as bytes: the last step before the file. Pure."""

from datetime import datetime
from typing import Any, NamedTuple

import orjson

from labeling.formats import neutral, prm800k
from labeling.formats.prm800k import EXTRA_KEY, VERIFIER_SCORE, LabelOut
from labeling.formats.records import StepLabelRecord

CORRECT = {"correct": True, "wrong": False, "ungraded": None}
Json = dict[str, Any]


class ExportedProblem(NamedTuple):
    """A problem's columns, under their names in the tables."""

    id: int
    external_id: str
    text: str
    answer: str | None
    reference_solution: str | None
    split: str
    subject: str
    level: str
    licence: str


class ExportedTrace(NamedTuple):
    """A trace's columns and its problem."""

    id: int
    problem: ExportedProblem
    source: str
    generator: str
    steps: list[str]
    final_answer: str | None
    outcome: str
    grader_version: str
    metadata: Json


class ExportedLabel(NamedTuple):
    """A label with its step labels, in order of step and position."""

    id: int
    trace: ExportedTrace
    labeler: str
    round_number: int
    protocol: str
    kind: str
    submitted_at: datetime
    finish_reason: str
    verdict: int | None
    finish_detail: Json
    noticed_at_step: int | None
    mistake: Json | None
    total_ms: int | None
    active_ms: int
    guideline_version: int | None
    extra: Json
    step_labels: list[StepLabelRecord]
    remarks: Json = {}  # comments and reports, where the labeler wrote any; never written to


def rows_of(label: ExportedLabel, format: str, switches: dict[str, str]) -> list[bytes]:
    """The lines of one label, without their newlines."""
    if format == "prm800k":
        return [orjson.dumps(prm800k_row(label))]
    return neutral_rows(label, switches)


def prm800k_row(label: ExportedLabel) -> Json:
    """A PRM800K row: an imported one as it came, one of ours by the rules of phase 2."""
    trace, problem = label.trace, label.trace.problem
    imported = EXTRA_KEY in label.extra
    own: Json = prm800k.facts_of(label.extra) if imported else _own_facts(label)
    out = LabelOut(
        problem.text,
        problem.answer,
        problem.reference_solution,
        trace.steps if imported else prm800k.with_final_answer(trace.steps, trace.final_answer),
        trace.final_answer,
        trace.metadata.get(VERIFIER_SCORE),
        label.labeler,
        label.submitted_at,
        label.finish_reason,
        label.total_ms,
        label.step_labels,
        path_by_rating=not imported,
        **own,
    )
    return prm800k.render(out, label.extra)


def _own_facts(label: ExportedLabel) -> Json:
    screening = label.kind == "screening"
    generation = -1 if screening else label.round_number
    return {"generation": generation, "quality_control": label.kind == "gold", "screening": screening}


def neutral_rows(label: ExportedLabel, switches: dict[str, str]) -> list[bytes]:
    """The row of the trace with this label's ratings; with `alternatives` = rows, one more per rated alternative."""
    trace = label.trace
    ratings = path_ratings(label, switches["human_steps"])
    switched = neutral.apply_neutral_switch(ratings, switches["neutral"])
    steps, labels = neutral.apply_after_error_switch(trace.steps, switched, switches["after_error"])
    first_error = neutral.first_error_of(label.verdict, ratings, switches["neutral"])
    row = _neutral_row(label, steps, trace.final_answer, CORRECT[trace.outcome], first_error, labels)
    rows = [neutral.render(row, trace.metadata)]
    if switches["alternatives"] == "rows":
        alternatives = [item for item in label.step_labels if item.text is not None and item.rating is not None]
        rows += [_alternative_row(label, item, switched, switches["neutral"]) for item in alternatives]
    return rows


def path_ratings(label: ExportedLabel, human_steps: str = "include") -> list[int | None]:
    """One rating per step of the trace, null where there is none. A step a labeler wrote counts as +1 if included."""
    ratings: list[int | None] = [None] * len(label.trace.steps)
    for item in label.step_labels:
        if item.text is None and item.step_index < len(ratings):
            ratings[item.step_index] = item.rating
    if human_steps == "include":
        for step in label.extra.get(EXTRA_KEY, {}).get("human_steps", ()):
            if step < len(ratings) and ratings[step] is None:
                ratings[step] = 1
    return ratings


def _neutral_row(
    label: ExportedLabel,
    steps: list[str],
    final_answer: str | None,
    correct: bool | None,
    first_error: int | None,
    step_labels: list[int | None],
) -> Json:
    trace, problem = label.trace, label.trace.problem
    row: Json = {
        "source": trace.source or None,
        "problem_id": problem.external_id or None,
        "problem": problem.text,
        "ground_truth_answer": problem.answer,
        "ground_truth_solution": problem.reference_solution,
        "generator": trace.generator or None,
        "steps": steps,
        "final_answer": final_answer,
        "final_answer_correct": correct,
        "first_error": first_error,
        "step_labels": step_labels,
        "verdict": label.verdict,
    }
    row |= {name: value for name in ("subject", "level", "licence") if (value := getattr(problem, name))}
    if problem.split != "train":
        row["split"] = problem.split
    row["label"] = _label_facts(label)
    return row


def _label_facts(label: ExportedLabel) -> Json:
    facts = label.extra.get(EXTRA_KEY, {})
    return {
        "labeler": label.labeler,
        "round": facts.get("generation", label.round_number),
        "submitted_at": label.submitted_at,
        "finish_reason": label.finish_reason,
        "finish_detail": label.finish_detail,
        "noticed_at_step": label.noticed_at_step,
        "mistake": label.mistake,
        "total_ms": label.total_ms,
        "active_ms": label.active_ms,
        "guideline_version": label.guideline_version,
        **label.remarks,
    }


def _alternative_row(
    label: ExportedLabel, item: StepLabelRecord, ratings: list[int | None], neutral_switch: str
) -> bytes:
    """The path up to the step before, then the alternative: what a trainer needs to learn from it."""
    (rating,) = neutral.apply_neutral_switch([item.rating], neutral_switch)
    steps = [*label.trace.steps[: item.step_index], item.text or ""]
    labels = [*ratings[: item.step_index], rating]
    row = _neutral_row(label, steps, None, None, item.step_index if rating == -1 else None, labels)
    row["verdict"] = None  # that of the label is about the trace
    row["label"]["alternative_at_step"] = item.step_index
    return neutral.render(row, label.trace.metadata)
