"""PRM800K, as OpenAI published it: one label per line, with every rating and alternative."""

from collections.abc import Mapping, Sequence
from typing import Any

from labeling.errors import LabelNotCarried
from labeling.formats import prm800k
from labeling.formats.exporting import ExportedLabel
from labeling.formats.exports.containers import FURTHER_KEYS, NUMBER, TEXT, WHOLE, YES_NO, Columns
from labeling.formats.exports.export_format import ExportFormat
from labeling.formats.exports.switches import (
    AFTER_ERROR,
    AGGREGATE,
    AIDED,
    ALTERNATIVES,
    GOLD,
    HASTY,
    HUMAN_STEPS,
    IMPORTED,
    MEASURED,
    NEUTRAL,
    SURPLUS,
)
from labeling.formats.prm800k import EXTRA_KEY, VERIFIER_SCORE, LabelOut
from labeling.protocol.choose_step import CHOOSE_STEP
from labeling.protocol.first_error import FIRST_ERROR

Json = dict[str, Any]


def _rows(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    return [prm800k_row(label) for label in labels]


def prm800k_row(label: ExportedLabel) -> Json:
    """A PRM800K row. Imported labels stay as they came; our own follow the rules of phase 2, paths those of phase 1.

    Raises LabelNotCarried for labels of rounds with any other protocol.
    """
    if label.protocol not in (FIRST_ERROR.name, CHOOSE_STEP.name):
        raise LabelNotCarried(
            f"Label {label.id} was made with the protocol {label.protocol}, but PRM800K's rows end at the first error."
            " Export those rounds as neutral."
        )
    trace, problem = label.trace, label.trace.problem
    imported = EXTRA_KEY in label.extra
    own: Json = prm800k.facts_of(label.extra) if imported else _own_facts(label)
    if label.protocol == CHOOSE_STEP.name:  # phase 1, whose rows have no generation
        own |= _own_facts(label) | {"generation": None}
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


COMPLETION: Columns = {
    "text": TEXT,
    "rating": WHOLE,
    "flagged": YES_NO,
    "source": TEXT,
    "corrected_rating": WHOLE,
}
STEP: Columns = {"completions": [COMPLETION], "human_completion": COMPLETION, "chosen_completion": WHOLE}
QUESTION: Columns = {
    "problem": TEXT,
    "ground_truth_solution": TEXT,
    "ground_truth_answer": TEXT,
    "pre_generated_steps": [TEXT],
    "pre_generated_answer": TEXT,
    "pre_generated_verifier_score": NUMBER,
}
COLUMNS: Columns = {
    "labeler": TEXT,
    "timestamp": TEXT,
    "generation": WHOLE,
    "is_quality_control_question": YES_NO,
    "is_initial_screening_question": YES_NO,
    "question": QUESTION,
    "label": {"steps": [STEP], "total_time": WHOLE, "finish_reason": TEXT},
    FURTHER_KEYS: TEXT,
}
FORMAT = ExportFormat(
    name="prm800k",
    title="PRM800K",
    kind="labels",
    means="OpenAI's rows: every completion, rating, time and flag of each label.",
    loses="Comments, reports, what a mistake was, explanations of it and when it was noticed; active time and the"
    " guideline's version; subject, level, licence and split; the trace's source, generator, outcome and further keys.",
    group="label",
    # Rows contain every rating, every alternative and their own gold flags, so there is nothing to switch off.
    switches=(
        NEUTRAL.only("keep3"),
        AFTER_ERROR.only("keep_unlabelled"),
        ALTERNATIVES.only("rows"),
        HUMAN_STEPS.only("include"),
        GOLD.with_default("include"),
        AGGREGATE.only("each"),
        SURPLUS,
        HASTY,
        AIDED,
        IMPORTED,
        MEASURED,
    ),
    fixed_because="prm800k rows contain everything: leave this switch out, or export as neutral.",
    columns=COLUMNS,
    rows=_rows,
)
