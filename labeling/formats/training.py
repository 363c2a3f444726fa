"""Labels as training rows: JSON lines that `worker.prm.examples` reads. Pure.

A row has the steps that its round's protocol allows to be rated (`first_error`: up to the first -1), the ratings that
count, the round, and whether the trace was drawn at random. It does not say who labeled it. A trainer learns every
rating in a row.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import orjson

from labeling.formats.exporting import CORRECT, ExportedLabel
from labeling.formats.exports.rated_path import counted_path
from labeling.formats.exports.switches import apply_neutral_switch
from labeling.formats.run_texts import OBSERVED, units_read

Json = dict[str, Any]

MOST_SYNTHETIC = 8  # wrong steps that a trainer makes for each right one; same as in worker/prm/options.py
DTYPES = ("float32", "bfloat16")  # likewise
# The first value of each switch is the default.
SWITCHES: dict[str, tuple[str, ...]] = {
    "neutral": ("positive", "negative", "drop"),
    "after_error": ("truncate",),
    "alternatives": ("none", "rows"),
    "human_steps": ("include", "exclude"),
    "observed": ("folded", "left_out"),
    "surplus": ("include", "exclude"),
    "hasty": ("include", "exclude"),
    "imported": ("include", "exclude"),
    "aggregate": ("each", "majority", "adjudicated"),
}
FINISH = ("found_error", "solution")


def resolved_switches(asked: Mapping[str, str]) -> dict[str, str]:
    """Return every switch with its value. `asked` must have no faults."""
    return {name: asked.get(name, values[0]) for name, values in SWITCHES.items()}


def characters_observed(switches: Mapping[str, str]) -> int | None:
    """Return how many characters of each thing an agent saw before a unit are read with it. None: only units are read,
    as was always the case before this switch existed.
    """
    return OBSERVED if switches.get("observed") == "folded" else None


def switch_faults(asked: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return what is wrong with the given switches, per switch; empty if nothing is."""
    faults = {}
    for name, value in asked.items():
        if name not in SWITCHES:
            faults[name] = [f"There is no such switch. The switches are {', '.join(SWITCHES)}."]
        elif value not in SWITCHES[name]:
            faults[name] = [f"Choose one of {', '.join(SWITCHES[name])}."]
    return faults


def training_rows(labels: Iterable[ExportedLabel], switches: Mapping[str, str]) -> Iterator[Json]:
    """Yield the rows of labels that come trace by trace: each label's own, or with `majority` one label's per trace.

    Which labels are `adjudicated` was decided when they were read.
    """
    for _trace, group in groupby(labels, key=lambda label: label.trace.id):
        of_trace = list(group)
        for label in majority(of_trace) if switches["aggregate"] == "majority" else of_trace:
            yield from rows_of_label(label, switches)


def majority(labels: Sequence[ExportedLabel]) -> list[ExportedLabel]:
    """Return the first label with the verdict that most labels of the trace have; none if two verdicts tie."""
    verdicts = [label.verdict for label in labels]
    counted = Counter(verdict for verdict in verdicts if verdict is not None).most_common(2)
    if not counted or (len(counted) == 2 and counted[0][1] == counted[1][1]):
        return []
    return [labels[verdicts.index(counted[0][0])]]


def rows_of_label(label: ExportedLabel, switches: Mapping[str, str]) -> Iterator[Json]:
    """Yield the trace with its ratings and, with `alternatives` = rows, one more row per rated alternative."""
    steps, kept = counted_path(label, switches)
    if any(rating is not None for rating in kept):
        trace = label.trace
        yield _row(label, steps, kept) | as_read(trace.problem.text, trace.typed_steps, steps, switches)
    if switches["alternatives"] == "rows":
        for item in label.step_labels:
            if item.text is not None and item.rating is not None:
                (rating,) = apply_neutral_switch([item.rating], switches["neutral"])
                path = label.trace.steps[: item.step_index]
                if rating is not None:
                    yield _row(label, [*path, item.text], [*[None] * len(path), rating])


def as_read(problem: str, typed: Sequence[Json] | None, steps: Sequence[str], switches: Mapping[str, str]) -> Json:
    """For runs, return `steps` as a PRM reads them and the characters of each that are `context`; for others,
    nothing."""
    observed = characters_observed(switches)
    if typed is None or observed is None:
        return {}
    units = units_read(problem, typed, steps, observed)
    return {"steps": [unit.text for unit in units], "context": [unit.seen for unit in units]}


def as_line(row: Json) -> bytes:
    """Return one line of the file, with its newline."""
    return orjson.dumps(row) + b"\n"


def _row(label: ExportedLabel, steps: list[str], ratings: Sequence[int | None]) -> Json:
    problem, drawn = label.trace.problem, label.drawn
    return {
        "problem_id": problem.id,
        "problem": problem.text,
        "generator": label.trace.generator or None,
        "steps": steps,
        "step_labels": list(ratings),
        "final_answer_correct": CORRECT[label.trace.outcome],
        **({"round": drawn.round, "by_chance": drawn.by_chance} if drawn else {}),
    }


class MachineCounts:
    """The content of each source's rows, counted as they pass."""

    def __init__(self) -> None:
        self.by_source: dict[str, Counts] = {}

    def add(self, row: Json) -> None:
        """Count one row."""
        self.by_source.setdefault(row["source"], Counts()).add(row)

    def as_json(self) -> dict[str, dict[str, int]]:
        """Return the counts by the source's name."""
        return {name: counts.as_json() for name, counts in self.by_source.items()}


class Counts:
    """The content of the rows, counted as they pass, for the page and the model card."""

    def __init__(self) -> None:
        self.rows = self.steps = self.wrong_steps = self.traces_with_error = 0
        self.right_answers = self.wrong_answers = 0
        self.problems: set[int] = set()

    def add(self, row: Json) -> None:
        """Count one row."""
        rated = [one for one in (row.get("progress") or row["step_labels"]) if one is not None]
        self.rows += 1
        self.steps += len(rated)
        self.wrong_steps += row["step_labels"].count(-1)
        self.traces_with_error += -1 in row["step_labels"]
        self.right_answers += row["final_answer_correct"] is True
        self.wrong_answers += row["final_answer_correct"] is False
        self.problems.add(row["problem_id"])

    def as_json(self) -> dict[str, int]:
        """Return the counts by name."""
        return {
            "rows": self.rows,
            "steps": self.steps,
            "wrong_steps": self.wrong_steps,
            "rows_with_error": self.traces_with_error,
            "right_answers": self.right_answers,
            "wrong_answers": self.wrong_answers,
            "problems": len(self.problems),
        }
