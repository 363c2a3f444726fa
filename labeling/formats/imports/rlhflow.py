"""RLHFlow's conversations: the user gives a step, the model answers + or -. The problem comes before the first step.

Nothing marks the end of the problem: RLHFlow joins it to the first step with one space. It is taken from a key
`problem` (`prompt`, `question`) next to the conversation; else from the text before `Step 1:`; else it is the longest
known problem with which the turn begins; else it ends after the turn's only question mark.
"""

import re
from typing import Any

from labeling.formats.faults import Fault, shown
from labeling.formats.imports.import_format import ImportFormat, Json, Parsed
from labeling.formats.imports.marks import marked
from labeling.formats.imports.renamed import read_renamed
from labeling.formats.imports.tagged import final_answer_of, problem_and_first_step, steps_of

PROBLEM_KEYS = ("problem", "prompt", "question")
QUESTION = re.compile(r"\?(?=\s)")
A_TURN = "Alternate turns of the form `{role, content}`: user with a step, assistant with + or -."


def parse(row: Json, line: int) -> Parsed:
    """Return the problem, the trace and its marks, or every fault."""
    faults = _turn_faults(row.get("conversations"), line)
    if faults:
        return None, faults
    turns = row["conversations"]
    said, marks = [turn["content"] for turn in turns[::2]], [turn["content"].strip() for turn in turns[1::2]]
    told = _parted(row, said[0])
    if told is None:
        do = (
            "Show where the problem ends: import the problems first, or add the problem's text to the row as `problem`."
        )
        return None, [Fault("unclear_problem", line, "conversations[0].content", shown(said[0]), do)]
    steps = steps_of([told[1], *said[1:]])
    kept = {key: value for key, value in row.items() if key not in ("conversations", *PROBLEM_KEYS, "steps")}
    read = read_renamed({"final_answer": final_answer_of(steps), **kept, "problem": told[0], "steps": steps}, line, {})
    return marked((read[0], [_at_its_turn(fault) for fault in read[1]]), marks, line, "conversations")


def _parted(row: Json, first: str) -> tuple[str, str] | None:
    """Return the problem and the first step."""
    for key in PROBLEM_KEYS:
        problem = row.get(key)
        if isinstance(problem, str) and problem.strip() and first.startswith(problem) and first[len(problem) :].strip():
            return problem, first[len(problem) :].lstrip()
    if by_number := problem_and_first_step(first):
        return by_number
    marks = list(QUESTION.finditer(first))
    if len(marks) != 1 or not first[marks[0].end() :].strip():
        return None
    return first[: marks[0].end()], first[marks[0].end() :].lstrip()


def joined(row: Json) -> str | None:
    """Return the first turn if neither a key nor `Step 1:` shows where its problem ends."""
    turns = row.get("conversations")
    first = turns[0].get("content") if isinstance(turns, list) and turns and isinstance(turns[0], dict) else None
    told = any(key in row for key in PROBLEM_KEYS) or not isinstance(first, str)
    return None if told or not isinstance(first, str) or problem_and_first_step(first) else first


def _turn_faults(turns: Any, line: int) -> list[Fault]:
    if not isinstance(turns, list) or not turns or len(turns) % 2:
        return [Fault("wrong_type", line, "conversations", shown(turns), A_TURN)]
    for index, turn in enumerate(turns):
        place, role = f"conversations[{index}]", ("user", "assistant")[index % 2]
        if not isinstance(turn, dict) or turn.get("role") != role or not isinstance(turn.get("content"), str):
            return [Fault("wrong_type", line, place, shown(turn), A_TURN)]
        if index % 2 and turn["content"].strip() not in ("+", "-"):
            return [Fault("bad_mark", line, f"{place}.content", shown(turn["content"]), A_TURN)]
    return []


def _at_its_turn(fault: Fault) -> Fault:
    step = re.match(r"steps\[(\d+)\]", fault.field)
    turn = 2 * int(step[1]) if step else 0
    if not step and fault.field not in ("problem", "steps"):
        return fault
    return Fault(fault.kind, fault.line, f"conversations[{turn}].content", fault.found, fault.do)


def _marks(row: Json) -> int:
    turns = row.get("conversations")
    if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
        return 0
    answers = [turn.get("content") for turn in turns if turn.get("role") == "assistant"]
    return 3 if answers and all(answer in ("+", "-") for answer in answers) else 0


FORMAT = ImportFormat(
    name="rlhflow",
    title="RLHFlow conversations",
    means="A chat in which each step gets the answer + or -.",
    looks_like="`conversations`, in which every answer is + or -.",
    leaves="`Step 1: ` before the steps if all are numbered like this; white space around steps. Rows that do not show"
    " where the problem ends are faults.",
    sniff=_marks,
    read=parse,
    marks_by="RLHFlow",
    problem_field="conversations",
    joined=joined,
)
