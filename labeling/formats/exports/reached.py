"""Rows of marks that rollouts gave (Monte-Carlo estimates), in the shapes that trainers read: Math-Shepherd's text, and
question with steps.

A mark says whether the right answer was reached from behind the step, for one completer, and not whether the step is
correct (*Math-Shepherd*, arXiv 2312.08935, §3.3): counts stand beside it, and people's verdicts in a column apart.
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
ROLLOUTS, OWN_ANSWER = "rollouts", "own_answer"  # where a step's mark is from
ON_THE_PATH = ALTERNATIVES.only("none", because="Rollouts begin on the trace's own path.")


class Reached(NamedTuple):
    """What one source counted behind each step of a trace; every step has been counted."""

    trace: ExportedTrace
    hits: list[int]
    n: list[int]
    about: Json  # the columns that both formats have


def _reached(labels: Sequence[ExportedLabel]) -> Iterator[Reached]:
    """By source of rollouts. A trace with a step that has no mark is not told, as readers want one for each: rollouts
    of which fewer than half were graded are none, nor is what was not asked. `labels`: all of one trace."""
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
        raise LabelNotCarried(f"The texts of label {label.id} hold {mark}, at which {what}.")


def _tagged_rows(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    found = list(_reached(labels))
    if found:
        _refuse(labels[0], TAG, "readers of Math-Shepherd's rows part the steps. Export as mc_qwen instead")
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
        _refuse(labels[0], MARKER, "a PRM of this kind reads a step")
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
    "Traces without rollouts, and those of which a step has no mark (a search asks few prefixes); which labeler"
    " rated, and every rating but the verdict; the rollouts themselves."
)
FIXED = "Marks are of rollouts: ratings of people stand beside them as verdicts alone."
MC_SHEPHERD = ExportFormat(
    name="mc_math_shepherd",
    title="Math-Shepherd, marks of rollouts",
    kind="steps",
    means="One text a trace whose steps end in ки, and the same with + where a rollout from behind the step came to the"
    " right answer: Math-Shepherd's own rows, with the counts.",
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
    means="Question, steps and for each the share of rollouts from behind it that came to the right answer"
    " (soft_labels), and whether any did (hard_labels): ActivePRM's rows, with the counts.",
    loses=LOSES,
    group="trace",
    switches=(ON_THE_PATH, *WHOSE),
    fixed_because=FIXED,
    columns={"question": TEXT, "steps": [TEXT], "soft_labels": [NUMBER], "hard_labels": [WHOLE], **ABOUT},
    rows=_listed_rows,
    rollouts=True,
)
