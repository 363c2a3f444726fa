"""PRMBench (arXiv 2501.03124): solutions with planted errors, and the steps that are wrong, counted from 1."""

from collections.abc import Iterator
from typing import Any

from labeling.formats.faults import Fault, shown
from labeling.formats.imports.import_format import ImportFormat, Json, Parsed
from labeling.formats.imports.renamed import read_renamed
from labeling.formats.row_checks import wrong_type

NAMES = {"problem": "modified_question", "steps": "modified_process", "problem_id": "idx", "subject": "classification"}


def parse(row: Json, line: int) -> Parsed:
    """Return the changed problem and solution with the ratings derived from `error_steps`, or every fault."""
    parsed, faults = read_renamed(row, line, NAMES, used=["error_steps"], given={"source": "PRMBench"})
    steps = row.get("modified_process")
    found = list(_error_faults(row.get("error_steps"), len(steps) if isinstance(steps, list) else None, row, line))
    if faults or found or parsed is None or parsed.trace is None:
        return None, [*faults, *found]
    wrong = {number - 1 for number in row["error_steps"]}
    ratings: list[int | None] = [-1 if step in wrong else 1 for step in range(len(parsed.trace.steps))]
    trace = parsed.trace._replace(recorded_first_error=min(wrong, default=-1), recorded_ratings=ratings)
    return parsed._replace(trace=trace), []


def _error_faults(numbers: Any, steps: int | None, row: Json, line: int) -> Iterator[Fault]:
    if not isinstance(numbers, list):
        yield wrong_type(row, "error_steps", line, "a list of step numbers from 1; empty where there is no error")
        return
    for index, number in enumerate(numbers):
        if type(number) is not int or number < 1 or (steps is not None and number > steps):
            do = f"Number steps from 1{f' to {steps}' if steps else ''}."
            yield Fault("no_such_step", line, f"error_steps[{index}]", shown(number), do)


def _marks(row: Json) -> int:
    return 3 if {"modified_process", "error_steps"} <= row.keys() else 0


FORMAT = ImportFormat(
    name="prmbench",
    title="PRMBench",
    means="Solutions with planted errors of nine classes, for evaluation. Always held out.",
    looks_like="`modified_question`, `modified_process` and `error_steps`.",
    leaves="The question and solution before the errors were planted: they are kept with the trace, but are not a"
    " trace.",
    sniff=_marks,
    read=parse,
    always_held_out=True,
    problem_field="modified_question",
)
