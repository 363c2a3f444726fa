"""What a row of PRM800K must contain: faults in its structure, reported before anything is read from it."""

from collections.abc import Iterator
from typing import Any

from labeling.formats.faults import Fault, json_type, shown
from labeling.formats.row_checks import STEP_LIMIT, step_faults, wrong_type
from labeling.protocol.submission import FINISH_REASONS

COMPLETION_LIMIT = 1000  # completions offered for one step
LABELER_LENGTH = 200
Json = dict[str, Any]


def row_faults(row: Json, line: int) -> Iterator[Fault]:
    """Yield every fault in a row's structure. Odd but harmless content (unknown keys, missing times) is not a fault."""
    labeler = row.get("labeler")
    if not isinstance(labeler, str) or not 0 < len(labeler) <= LABELER_LENGTH:
        yield wrong_type(row, "labeler", line, f"a text of 1 to {LABELER_LENGTH} characters")
    question, label = row.get("question"), row.get("label")
    if not isinstance(question, dict):
        yield wrong_type(row, "question", line, "an object")
    else:
        yield from _question_faults(question, line)
    if not isinstance(label, dict):
        yield wrong_type(row, "label", line, "an object")
        return
    if label.get("finish_reason") not in FINISH_REASONS:
        do = f"Expected one of {', '.join(FINISH_REASONS)}."
        yield Fault("bad_finish_reason", line, "label.finish_reason", shown(label.get("finish_reason")), do)
    if not isinstance(label.get("steps"), list):
        yield _inside("label", wrong_type(label, "steps", line, "a list of objects"))
        return
    if len(label["steps"]) > STEP_LIMIT:
        do = f"A trace may have at most {STEP_LIMIT:,} steps. Leave the row out."
        yield Fault("too_many_steps", line, "label.steps", f"{len(label['steps']):,} steps", do)
    for index, step in enumerate(label["steps"]):
        yield from _step_faults(step, f"label.steps[{index}]", line)


def _question_faults(question: Json, line: int) -> Iterator[Fault]:
    problem = question.get("problem")
    if not isinstance(problem, str):
        yield _inside("question", wrong_type(question, "problem", line, "a text"))
    elif not problem.strip():
        yield Fault("empty_problem", line, "question.problem", shown(problem), "Give the problem's text.")
    if "pre_generated_steps" not in question:
        return
    steps = question["pre_generated_steps"]
    if isinstance(steps, list):
        yield from step_faults(steps, line, "question.pre_generated_steps")
    else:
        yield _inside("question", wrong_type(question, "pre_generated_steps", line, "a list of texts"))


def _step_faults(step: Any, path: str, line: int) -> Iterator[Fault]:
    if not isinstance(step, dict):
        yield Fault("wrong_type", line, path, json_type(step), "Expected an object with `completions`.")
        return
    completions = step.get("completions")
    if completions is not None and not isinstance(completions, list):
        yield _inside(path, wrong_type(step, "completions", line, "a list of objects or null"))
    elif completions and len(completions) > COMPLETION_LIMIT:
        found = f"{len(completions):,} completions"
        do = f"A step may have at most {COMPLETION_LIMIT:,}. Leave the row out."
        yield Fault("too_many_completions", line, f"{path}.completions", found, do)
    else:
        for index, completion in enumerate(completions or []):
            yield from _completion_faults(completion, f"{path}.completions[{index}]", line)
    human = step.get("human_completion")
    if isinstance(human, dict):
        if not isinstance(human.get("text"), str):
            yield _inside(f"{path}.human_completion", wrong_type(human, "text", line, "a text"))
    elif human is not None and not isinstance(human, str):
        yield _inside(path, wrong_type(step, "human_completion", line, "an object, a text or null"))


def _completion_faults(completion: Any, path: str, line: int) -> Iterator[Fault]:
    if not isinstance(completion, dict):
        yield Fault("wrong_type", line, path, json_type(completion), "Expected an object with `text` and `rating`.")
        return
    if not isinstance(completion.get("text"), str):
        yield _inside(path, wrong_type(completion, "text", line, "a text"))
    rating = completion.get("rating")
    if rating is not None and (type(rating) is not int or rating not in (-1, 0, 1)):
        yield Fault("bad_rating", line, f"{path}.rating", shown(rating), "A rating is -1, 0, 1, or null.")


def _inside(path: str, fault: Fault) -> Fault:
    return Fault(fault.kind, fault.line, f"{path}.{fault.field}", fault.found, fault.do)
