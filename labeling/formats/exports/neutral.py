"""The neutral format: one trace per line, with one label's ratings. Described in docs/formats.md."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from labeling.formats.exporting import CORRECT, ExportedLabel, path_ratings, step_sources
from labeling.formats.exports.containers import FURTHER_KEYS, TEXT, WHOLE, YES_NO, Columns
from labeling.formats.exports.export_format import ExportFormat
from labeling.formats.exports.switches import (
    AFTER_ERROR,
    ALTERNATIVES,
    HUMAN_STEPS,
    NEUTRAL,
    WHOSE,
    apply_after_error_switch,
    apply_neutral_switch,
)
from labeling.formats.own_labels import OWN_KEY
from labeling.formats.prm800k import EXTRA_KEY
from labeling.formats.records import RESERVED_KEY, StepLabelRecord
from labeling.protocol.error_kinds import KindParts, kind_parts
from labeling.protocol.registry import protocol_named

Json = dict[str, Any]
NOTHING: Json = {}  # never written to
NO_KIND: Json = dict.fromkeys(KindParts._fields)


def _rows(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    return [row for label in labels for row in neutral_rows(label, switches)]


def neutral_rows(label: ExportedLabel, switches: Mapping[str, str]) -> list[Json]:
    """The trace's row with this label's ratings. With `alternatives` = rows, one more row per rated alternative."""
    trace = label.trace
    ratings = path_ratings(label, switches["human_steps"])
    switched = apply_neutral_switch(ratings, switches["neutral"])
    first_error = first_error_of(label.verdict, ratings, switches["neutral"])
    steps, labels = apply_after_error_switch(
        trace.steps, switched, switches["after_error"], first_error, protocol_named(label.protocol)
    )
    row = _neutral_row(label, steps, trace.final_answer, CORRECT[trace.outcome], first_error, labels)
    rows = [whole_row(row, trace.metadata)]
    if switches["alternatives"] == "rows":
        alternatives = [item for item in label.step_labels if item.text is not None and item.rating is not None]
        rows += [_alternative_row(label, item, switched, switches["neutral"]) for item in alternatives]
    return rows


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
        "typed_steps": trace.typed_steps and orjson.dumps(trace.typed_steps).decode(),
        "final_answer": final_answer,
        "final_answer_correct": correct,
        "first_error": first_error,
        "step_labels": step_labels,
        "step_sources": step_sources(label, step_labels),
        "verdict": label.verdict,
        "subject": problem.subject or None,
        "level": problem.level or None,
        "licence": problem.licence or None,
        "split": problem.split,
        "ground_truth_answers": problem.accepted_answers,
        "label": _label_facts(label),
    }
    return row


def _label_facts(label: ExportedLabel) -> Json:
    facts = label.extra.get(EXTRA_KEY, NOTHING)
    detail, mistake = label.finish_detail, label.mistake
    return {
        "labeler": label.labeler,
        "round": facts.get("generation", label.round_number),
        "submitted_at": label.submitted_at,
        "finish_reason": label.finish_reason,
        "finish_detail": {"kind": detail.get("kind") or None, "text": detail.get("text") or None},
        "noticed_at_step": label.noticed_at_step,
        "mistake": mistake and _mistake(mistake),
        "run": label.run_marks,
        "total_ms": label.total_ms,
        "active_ms": label.active_ms,
        "guideline_version": label.guideline_version,
        "ruling": _is_ruling(label),
        "alternative_at_step": None,
        "comments": [],
        "reports": [],
        "calculations": [],
        **label.remarks,
    }


def _is_ruling(label: ExportedLabel) -> bool:
    """Whether a reviewer settled the task with this label, here or in the instance whose export was imported.

    The reason is not exported: it was written for other reviewers.
    """
    return label.ruling or bool(label.extra.get(OWN_KEY, {}).get("ruling"))


def _mistake(said: Json) -> Json:
    """Everything that the label says about the mistake. The kind is also split into its three parts."""
    return {
        "progress": said.get("progress"),
        "explanation": said.get("explanation"),
        "kind": said.get("kind") or None,
        **kind_of_mistake(said),
        "explanations": said.get("explanations", []),
    }


def kind_of_mistake(said: Json) -> Json:
    """What a label says about its mistake besides its explanation; null where it says nothing.

    This is the kind in its three parts, the clause of the guidelines, and what the step should have been.
    """
    kind = kind_parts(said["kind"])._asdict() if said.get("kind") else NO_KIND
    return {**kind, "clause": said.get("clause") or None, "corrected_step": said.get("corrected_step") or None}


def _alternative_row(
    label: ExportedLabel, item: StepLabelRecord, ratings: list[int | None], neutral_switch: str
) -> Json:
    """The steps before the alternative, then the alternative: what a trainer needs to learn from it."""
    (rating,) = apply_neutral_switch([item.rating], neutral_switch)
    steps = [*label.trace.steps[: item.step_index], item.text or ""]
    labels = [*ratings[: item.step_index], rating]
    row = _neutral_row(label, steps, None, None, item.step_index if rating == -1 else None, labels)
    row["step_sources"] = [*row["step_sources"][:-1], None if rating is None else label.labeler_kind]
    row["verdict"] = None  # the label's verdict is about the trace
    row["label"]["alternative_at_step"] = item.step_index
    return whole_row(row, label.trace.metadata)


def whole_row(row: Json, metadata: Json) -> Json:
    """The known keys in the order of docs/formats.md, then the trace's own further keys.

    A known key among the further keys (`verdict`, `label`) is dropped: it comes from an earlier export of ours and is
    about another label.
    """
    if not metadata:
        return row
    rest = {key: value for key, value in metadata.items() if key != RESERVED_KEY and key not in row}
    given = metadata.get(RESERVED_KEY, {})
    return {**row, **given, **rest}


def first_error_of(verdict: int | None, ratings: Sequence[int | None], neutral: str) -> int | None:
    """The label's verdict: a step, -1 for no error, or null if it does not say.

    If the switch `neutral` turns the rating 0 into an error, the first error is the first step rated 0 before the
    verdict's step. `ratings` are those that were typed.
    """
    if verdict is None or neutral != "negative":
        return verdict
    end = len(ratings) if verdict < 0 else verdict
    return next((step for step in range(end) if ratings[step] == 0), verdict)


KIND_OF_MISTAKE: Columns = {
    "scheme": TEXT,
    "scheme_version": WHOLE,
    "code": TEXT,
    "clause": TEXT,
    "corrected_step": TEXT,
}
MISTAKE: Columns = {
    "progress": TEXT,
    "explanation": TEXT,
    "kind": TEXT,
    **KIND_OF_MISTAKE,
    "explanations": [{"text": TEXT, "rating": WHOLE, "flagged": YES_NO}],
}
RUN: Columns = {
    "decisive_error": WHOLE,
    "recovered_at": WHOLE,
    "outcome": TEXT,
    "safety": TEXT,
    "clause": TEXT,
    "comment": TEXT,
    "acts": [
        {"step": WHOLE, **dict.fromkeys(("clause", "text", "verdict", "severity", "comment"), TEXT)},
    ],
}
LABEL: Columns = {
    "labeler": TEXT,
    "round": WHOLE,
    "submitted_at": TEXT,
    "finish_reason": TEXT,
    "finish_detail": {"kind": TEXT, "text": TEXT},
    "noticed_at_step": WHOLE,
    "mistake": MISTAKE,
    "run": RUN,
    "total_ms": WHOLE,
    "active_ms": WHOLE,
    "guideline_version": WHOLE,
    "ruling": YES_NO,
    "alternative_at_step": WHOLE,
    "comments": [{"step": WHOLE, "text": TEXT}],
    "reports": [{"kind": TEXT, "step": WHOLE, "text": TEXT}],
    "calculations": [{"input": TEXT, "result": TEXT}],
}
COLUMNS: Columns = {
    "source": TEXT,
    "problem_id": TEXT,
    "problem": TEXT,
    "ground_truth_answer": TEXT,
    "ground_truth_solution": TEXT,
    "generator": TEXT,
    "steps": [TEXT],
    "typed_steps": TEXT,
    "final_answer": TEXT,
    "final_answer_correct": YES_NO,
    "first_error": WHOLE,
    "step_labels": [WHOLE],
    "step_sources": [TEXT],
    "verdict": WHOLE,
    "subject": TEXT,
    "level": TEXT,
    "licence": TEXT,
    "split": TEXT,
    "ground_truth_answers": [TEXT],
    "label": LABEL,
    FURTHER_KEYS: TEXT,
}
FORMAT = ExportFormat(
    name="neutral",
    title="Traces",
    kind="labels",
    means="One trace per line with its ratings. Imported as Traces.",
    loses="Which alternatives were flagged or chosen; alternatives, unless exported as separate rows; time per step; "
    "reasons of confirmations.",
    group="label",
    switches=(NEUTRAL, AFTER_ERROR, ALTERNATIVES, HUMAN_STEPS, *WHOSE),
    columns=COLUMNS,
    rows=_rows,
    remarks=True,
    even=True,
)
