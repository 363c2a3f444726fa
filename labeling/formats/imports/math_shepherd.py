"""Math-Shepherd (peiyi9979/Math-Shepherd): a text whose steps end in ки, and the same text with + or - in its place.

`+` and `-` also occur in arithmetic, so the marks are found by comparing both texts, never by counting.
"""

from labeling.formats.faults import Fault, shown
from labeling.formats.imports.import_format import ImportFormat, Json, Parsed
from labeling.formats.imports.marks import marked
from labeling.formats.imports.renamed import read_renamed
from labeling.formats.imports.tagged import TAG, final_answer_of, parts_of, problem_and_first_step, steps_of
from labeling.formats.row_checks import wrong_type

NAMES = {"problem": "input", "steps": "input"}


def parse(row: Json, line: int) -> Parsed:
    """Return the problem, the trace and its marks, or every fault."""
    faults = [
        wrong_type(row, name, line, "a text") for name in ("input", "label") if not isinstance(row.get(name), str)
    ]
    if faults:
        return None, faults
    parts, rest = parts_of(row["input"])
    told = problem_and_first_step(parts[0]) if parts else None
    if told is None or rest.strip():
        return None, [_untagged(row, line) if not parts or rest.strip() else _no_problem(row, line)]
    marks, fault = _marks_in(row["label"], parts, line)
    if fault:
        return None, [fault]
    steps = steps_of([told[1], *parts[1:]])
    parsed = read_renamed({**_kept(row), "problem": told[0], "steps": steps}, line, {})
    return marked((parsed[0], [_in_input(one) for one in parsed[1]]), marks, line, "label")


def _kept(row: Json) -> Json:
    """Return the other keys. The task is the problem's source."""
    kept = {key: value for key, value in row.items() if key not in ("input", "label", "task", "problem", "steps")}
    task = row.get("task")
    if task not in (None, "", "unknown"):
        kept.setdefault("source", task)
    parts, _ = parts_of(row["input"])
    return {"final_answer": final_answer_of(parts), **kept}


def _marks_in(label: str, parts: list[str], line: int) -> tuple[list[str], Fault | None]:
    """Return the + or - after each step. Apart from those, `label` must equal `input`."""
    at, marks = 0, []
    for number, part in enumerate(parts, start=1):
        end = at + len(part)
        if label[at:end] != part or label[end : end + 1] not in ("+", "-"):
            found = f"after step {number}: {shown(label[end : end + 20])}"
            do = (
                f"`label` must be `input` with a + or - in place of each {TAG} and otherwise identical. Correct it, or"
                " leave the row out."
            )
            return [], Fault("marks_do_not_match_steps", line, "label", found, do)
        marks.append(label[end])
        at = end + 1
    if label[at:].strip():
        do = f"Give `label` as many marks as `input` has {TAG}."
        return [], Fault("marks_do_not_match_steps", line, "label", f"more after step {len(parts)}", do)
    return marks, None


def _untagged(row: Json, line: int) -> Fault:
    return Fault("no_tag", line, "input", shown(row["input"][-60:]), f"End each step, including the last, with {TAG}.")


def _no_problem(row: Json, line: int) -> Fault:
    do = "Begin with the problem, then the first step with `Step 1:`. That marks the end of the problem."
    return Fault("unclear_problem", line, "input", shown(row["input"]), do)


def _in_input(fault: Fault) -> Fault:
    """Return a fault of the problem or of a step as one of `input`, which contains both."""
    if not fault.field.startswith(("problem", "steps")):
        return fault
    return Fault(fault.kind, fault.line, "input", f"{fault.field}: {fault.found}", fault.do)


def _marks(row: Json) -> int:
    texts = isinstance(row.get("input"), str) and isinstance(row.get("label"), str)
    return 3 if texts and TAG in row["input"] else 0


FORMAT = ImportFormat(
    name="math_shepherd",
    title="Math-Shepherd",
    means="One text per trace whose steps end in ки, and the same text with + or - instead.",
    looks_like="`input` with ки, and `label`.",
    leaves="`Step 1: ` before the steps if all are numbered like this; white space around steps.",
    sniff=_marks,
    read=parse,
    marks_by="Math-Shepherd",
    problem_field="input",
)
