"""Marks from rollouts (Monte-Carlo estimates) in the shapes that trainers read: Math-Shepherd's text, and a question
with steps.

A mark says whether one completer reached the right answer after the step. It does not say whether the step is correct
(*Math-Shepherd*, arXiv 2312.08935, §3.3). Rows therefore also have the counts, and people's verdicts in a separate
column.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from labeling.errors import LabelNotCarried
from labeling.formats.exporting import ExportedLabel, ExportedTrace
from labeling.formats.exports.containers import NUMBER, TEXT, WHOLE, Columns
from labeling.formats.exports.export_format import ExportFormat
from labeling.formats.exports.math_shepherd import TAG, tagged
from labeling.formats.exports.qwen import MARKER
from labeling.formats.exports.switches import ALTERNATIVES, WHOSE

Json = dict[str, Any]
ROLLOUTS, OWN_ANSWER = "rollouts", "own_answer"  # the source of a step's mark
ON_THE_PATH = ALTERNATIVES.only("none", because="Rollouts start from the trace's own path.")


class Reached(NamedTuple):
    """What one source of rollouts counted after each step of a trace. Every step has a count."""

    trace: ExportedTrace
    hits: list[int]
    n: list[int]
    about: Json  # the columns of both formats


def _reached(labels: Sequence[ExportedLabel]) -> Iterator[Reached]:
    """One entry per source of rollouts, if it has a mark for every step, as readers need one for each.

    A step has no mark if it had no rollouts, or if fewer than half of those wanted were graded. `labels`: all of one
    trace.
    """
    trace, verdicts = labels[0].trace, [label.verdict for label in labels if label.verdict is not None]
    for counted in trace.rollouts:
        hits, n = counted["hits"][1:], counted["n"][1:]
        if len(n) != len(trace.steps) or not all(count and 2 * count >= counted["wanted"] for count in n):
            continue
        own = bool(counted["own_answer"])
        about = {
            "hits": hits,
            "n": n,
            "hits_before": counted["hits"][0],
            "n_before": counted["n"][0],
            "step_sources": [*[ROLLOUTS] * (len(n) - own), *[OWN_ANSWER] * own],
            "people_verdicts": verdicts,
            "completer": counted["prover"],
            "completer_settings": counted["completer"],
            "seed": counted["seed"],
            "marks_by": counted["source"],
        }
        yield Reached(trace, hits, n, about)


def _refuse(label: ExportedLabel, mark: str, what: str) -> None:
    trace = label.trace
    if any(mark in text for text in (trace.problem.text, *trace.steps)):
        raise LabelNotCarried(f"The texts of label {label.id} contain {mark}, where {what}.")


def _tagged_rows(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    found = list(_reached(labels))
    if found:
        _refuse(labels[0], TAG, "readers of Math-Shepherd's rows split the steps. Export as mc_qwen instead")
    return [
        {
            **tagged(one.trace, one.trace.steps, ["+" if hits else "-" for hits in one.hits]),
            **one.about,
        }
        for one in found
    ]


def _listed_rows(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    found = list(_reached(labels))
    if found:
        _refuse(labels[0], MARKER, "PRMs of this kind read a step")
    return [
        {
            "question": one.trace.problem.text,
            "steps": one.trace.steps,
            "soft_labels": [hits / n for hits, n in zip(one.hits, one.n, strict=True)],
            "hard_labels": [int(hits > 0) for hits in one.hits],
            **one.about,
        }
        for one in found
    ]


ABOUT: Columns = {
    "hits": [WHOLE],
    "n": [WHOLE],
    "hits_before": WHOLE,
    "n_before": WHOLE,
    "step_sources": [TEXT],
    "people_verdicts": [WHOLE],
    "completer": TEXT,
    "completer_settings": TEXT,
    "seed": WHOLE,
    "marks_by": TEXT,
}
LOSES = (
    "Traces without rollouts, and traces with a step that has no mark (a search covers few prefixes); which labeler"
    " rated, and every rating except the verdict; the rollouts themselves."
)
FIXED = "Marks come from rollouts. Of people's ratings, rows only have the verdicts."
MC_SHEPHERD = ExportFormat(
    name="mc_math_shepherd",
    title="Math-Shepherd, marks of rollouts",
    kind="steps",
    means="One text per trace whose steps end in ки, and the same text with + where a rollout after the step reached"
    " the right answer: Math-Shepherd's own rows, with the counts.",
    loses=LOSES,
    group="trace",
    switches=(ON_THE_PATH, *WHOSE),
    fixed_because=FIXED,
    columns={"input": TEXT, "label": TEXT, "task": TEXT, **ABOUT},
    rows=_tagged_rows,
    rollouts=True,
)
MC_QWEN = ExportFormat(
    name="mc_qwen",
    title="Qwen style, marks of rollouts",
    kind="steps",
    means="Question, steps and, for each step, the share of rollouts after it that reached the right answer"
    " (soft_labels) and whether any did (hard_labels): ActivePRM's rows, with the counts.",
    loses=LOSES,
    group="trace",
    switches=(ON_THE_PATH, *WHOSE),
    fixed_because=FIXED,
    columns={"question": TEXT, "steps": [TEXT], "soft_labels": [NUMBER], "hard_labels": [WHOLE], **ABOUT},
    rows=_listed_rows,
    rollouts=True,
)
