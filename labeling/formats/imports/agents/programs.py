"""Programs that a model wrote, line by line, with what was recorded when they ran. Nothing is run here."""

from typing import Any

from labeling.formats.imports.agents.run import NoRun, Run, run_format
from labeling.formats.imports.agents.turns import as_text
from labeling.formats.typed_steps import AGENT

Json = dict[str, Any]
PROGRAMS = ("program", "code", "completion", "solution")
TASKS = ("problem", "prompt", "question", "task", "specification")
MOST_EXECUTIONS, MOST_STATES = 200, 2_000
LONGEST = 20_000


def _marks(row: Json) -> int:
    executions = row.get("executions")
    fits = isinstance(executions, list) and all(isinstance(one, dict) for one in executions)
    return 7 if fits and any(isinstance(row.get(name), str) for name in PROGRAMS) else 0


def _run(row: Json) -> Run:
    program = next((row[name] for name in PROGRAMS if isinstance(row.get(name), str)), "")
    if not program.strip():
        raise NoRun("program", program, "Give `program`: the text that was run.")
    lines, step_of = _lines(program)
    executions = [_execution(one, place, step_of) for place, one in enumerate(row["executions"][:MOST_EXECUTIONS])]
    passed = [one["executed"]["passed"] for one in executions if one["executed"]["passed"] is not None]
    return Run(
        task=next((row[name] for name in TASKS if isinstance(row.get(name), str)), ""),
        steps=[*executions, *lines],
        problem_id=str(row.get("id") or row.get("task_id") or ""),
        source=str(row.get("source") or "program"),
        generator=str(row.get("model") or ""),
        outcome=("correct" if all(passed) else "wrong") if passed else "ungraded",
        metadata={"language": row.get("language")},
    )


def _lines(program: str) -> tuple[list[Json], dict[int, int]]:
    """Return a step for each non-blank line, including the blank lines before it; and the step of each line, from 1."""
    steps: list[Json] = []
    step_of: dict[int, int] = {}
    waiting = ""
    for number, line in enumerate(program.split("\n"), start=1):
        step_of[number] = len(steps)
        if not line.strip():
            waiting += "\n"
            continue
        about = {"kind": "text", "actor": AGENT, "turn": len(steps), "line": number}
        ref = {"format": "program", "step_id": number}
        steps.append({**about, "text": f"{waiting}{line}".rstrip("\r"), "source_ref": ref})
        waiting = ""
    return steps, step_of


def _execution(one: Json, place: int, step_of: dict[int, int]) -> Json:
    """Return a recorded run of the program. It comes before the program, as it is read alongside each of its lines."""
    error = as_text(one.get("error"))[:LONGEST]
    passed = one.get("passed")
    if not isinstance(passed, bool):
        passed = None if "expected" not in one or "output" not in one else one["expected"] == one["output"]
    executed: Json = {
        "passed": False if error and passed is None else passed,
        **{name: as_text(one.get(name))[:LONGEST] for name in ("input", "expected", "output")},
        "error": error,
    }
    line = one.get("line")
    if type(line) is int and line in step_of:
        executed["line"] = line
    states = one.get("states")
    if isinstance(states, list):
        executed["states"] = [
            {"line": state["line"], "text": as_text(state.get("state", state.get("variables")))[:LONGEST]}
            for state in states[:MOST_STATES]
            if isinstance(state, dict) and state.get("line") in step_of
        ]
    step: Json = {"kind": "observation", "actor": "tool", "text": error or executed["output"], "executed": executed}
    if type(one.get("seconds")) in (int, float):
        step["seconds"] = one["seconds"]
    if error:
        step["is_error"] = True
    return step | {"turn": f"run-{place}", "source_ref": {"format": "program", "event_id": str(place)}}


PROGRAM = run_format(
    _run,
    name="program",
    title="Programs with recorded runs",
    means="A program, each line a step, with the input, output and expected output of its runs. Nothing is run.",
    looks_like="`program` (or `code`) and `executions`: a list of objects with input, output, expected, error.",
    sniff=_marks,
)
