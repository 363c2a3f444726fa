"""ProcessBench as its authors publish it (arXiv 2412.06559, Qwen/ProcessBench): a trace and its first error per line.

Row: `{id, generator, problem, steps[], final_answer_correct, label}`; `label` counts from 0, -1: no error was found. It
is a benchmark: its problems are held out, whatever a row says.
"""

import re
from collections.abc import Iterator
from typing import Any

from labeling.formats.faults import Fault, shown
from labeling.formats.imports import neutral
from labeling.formats.imports.import_format import ImportFormat
from labeling.formats.records import ParsedRow
from labeling.formats.row_checks import wrong_type

SOURCE = "ProcessBench"
NUMBERED = re.compile(r"(.{1,100})-\d+")  # gsm8k-12: the twelfth problem of a part, which becomes the subject
TAKEN = {"problem_id": "id", "first_error": "label"}  # keys of `neutral` that are named differently here


def parse(row: dict[str, Any], line: int) -> tuple[ParsedRow | None, list[Fault]]:
    """Return the held-out problem, the trace and the first error of one row, or every fault in it."""
    row = neutral.with_whole_numbers(row, "label")
    named = {name: value for name, value in row.items() if name not in ("id", "label", *TAKEN)}
    if "id" in row:
        named["problem_id"] = row["id"]
    parsed, found = neutral.parse({**_defaults(row), **named, "split": "held_out"}, line)
    faults = [*_label_faults(row, line), *(_under_its_name(fault) for fault in found)]
    if faults or parsed is None or parsed.trace is None:
        return None, faults
    return parsed._replace(trace=parsed.trace._replace(recorded_first_error=row["label"])), []


def _defaults(row: dict[str, Any]) -> dict[str, Any]:
    """Return what the format says about a row: its source, and its part of the benchmark."""
    part = NUMBERED.fullmatch(row["id"]) if isinstance(row.get("id"), str) else None
    return {"source": SOURCE, "subject": part[1] if part else ""}


def _label_faults(row: dict[str, Any], line: int) -> Iterator[Fault]:
    label, steps = row.get("label"), row.get("steps")
    if type(label) is not int:
        yield wrong_type(row, "label", line, "the first wrong step from 0, or -1 for none")
    elif isinstance(steps, list) and steps and not -1 <= label < len(steps):
        do = f"Use -1 (no error) or a step's number from 0 to {len(steps) - 1}."
        yield Fault("no_such_step", line, "label", shown(label), do)
    for name, ours in TAKEN.items():
        if name in row:
            do = f"Import the file as `neutral`, or remove `{name}`: in this format the key is `{ours}`."
            yield Fault("unexpected_key", line, name, shown(row[name]), do)


def _under_its_name(fault: Fault) -> Fault:
    """Return a fault of the neutral format under the key that this file uses."""
    if fault.field != "problem_id":
        return fault
    return Fault(fault.kind, fault.line, "id", fault.found, fault.do.replace("`problem_id`", "`id`"))


def _marks(row: dict[str, Any]) -> int:
    return 3 if "steps" in row and type(row.get("label")) is int and "first_error" not in row else 0


FORMAT = ImportFormat(
    name="processbench",
    title="ProcessBench",
    means="Traces with their first errors, for evaluation. Always held out, never trained on.",
    looks_like="`steps`, and `label` with the first wrong step as a whole number.",
    leaves="Nothing: further keys are kept.",
    sniff=_marks,
    read=parse,
    always_held_out=True,
)
