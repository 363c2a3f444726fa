"""ReasonEval's data (arXiv 2404.05692), and MR-GSM8K, the source of part of it: people's first errors, counted from 1;
ratings in which 0 is a step without use; and PRM800K solutions in which one step was changed.
"""

from typing import Any

from labeling.formats.faults import Fault, shown
from labeling.formats.imports.import_format import ImportFormat, Json, Parsed
from labeling.formats.imports.renamed import read_renamed

IN_PARTS, IN_STEPS, CHANGED = "model_output_step_format", "model_output_steps", "hypothesis_steps"
STEP_KEYS = (IN_PARTS, IN_STEPS, CHANGED)
RIGHT, FIRST = "model_output_solution_correctness", "model_output_solution_first_error_step"
ANSWERED = "model_output_answer_correctness"
PLACED = ("random number", "random operation")  # kinds of change for which `tags` is the changed step
UNKNOWN = ("N/A", "", None)


def parse(row: Json, line: int) -> Parsed:
    """Return the problem, the trace and what is recorded about it, or every fault."""
    key = next((name for name in STEP_KEYS if name in row), IN_PARTS)
    steps = _joined(row.get(key))
    told = {**row, key: steps, "source": row.get("source") or "ReasonEval"}
    names = {"problem": "question", "steps": key, "problem_id": "uuid" if "uuid" in row else "id"}
    first, fault = _first_error(row, len(steps) if isinstance(steps, list) else 0, line)
    recorded = {"first_error": first, "step_labels": row.get("rating"), **_outcome(row)}
    names["step_labels"] = "rating"
    given = {**recorded, "problem_id": None}
    parsed, faults = read_renamed(told, line, names, used=[RIGHT, FIRST, ANSWERED], given=given)
    faults = faults or ([fault] if fault else [])
    return (None, faults) if faults else (parsed, [])


def _joined(steps: Any) -> Any:
    """Rejoin steps that were split at their line breaks."""
    if not isinstance(steps, list):
        return steps
    return ["\n".join(step) if _texts(step) else step for step in steps]


def _texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(part, str) for part in value)


def _outcome(row: Json) -> Json:
    said = row.get(ANSWERED)
    return {"final_answer_correct": {"correct": True, "wrong": False}.get(said) if isinstance(said, str) else None}


def _first_error(row: Json, steps: int, line: int) -> tuple[int | None, Fault | None]:
    """Return the first wrong step from 0; -1 if people found none, None if the row does not say."""
    if CHANGED in row:
        tag = row.get("tags")
        placed = row.get("error_type") in PLACED and type(tag) is int and 0 <= tag < steps
        return (tag if placed else None), None
    said = row.get(FIRST)
    if row.get(RIGHT) == "correct":
        return -1, None
    if said in UNKNOWN:
        return None, None
    try:
        number = int(said) if isinstance(said, str | int) and not isinstance(said, bool) else 0
    except ValueError:
        number = 0
    if 1 <= number <= max(1, steps):
        return number - 1, None
    return None, Fault("no_such_step", line, FIRST, shown(said), f"Number steps from 1 to {steps}, or write N/A.")


def _marks(row: Json) -> int:
    if IN_PARTS in row or IN_STEPS in row:
        return 3
    return 3 if CHANGED in row and "error_type" in row else 0


FORMAT = ImportFormat(
    name="reasoneval",
    title="ReasonEval and MR-GSM8K",
    means="Solutions with people's first errors, ratings or one changed step, for evaluation. Always held out.",
    looks_like="`question`, and `model_output_step_format`, `model_output_steps` or `hypothesis_steps`.",
    leaves="No first error is recorded where a step was swapped, removed or repeated. Line breaks inside a step are"
    " restored.",
    sniff=_marks,
    read=parse,
    always_held_out=True,
    problem_field="question",
)
