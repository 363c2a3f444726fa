"""Solutions in one text in which a tag, the Cyrillic ки, ends each step: Math-Shepherd, OpenR and their successors."""

import re

TAG = "ки"
FIRST_STEP = re.compile(r"\bStep 1:", re.IGNORECASE)
ANSWER = re.compile(r"[Tt]he answer is:?")
LONGEST_ANSWER = 300  # characters


def parts_of(text: str) -> tuple[list[str], str]:
    """Return the text before each tag, and what remains after the last one."""
    *parts, rest = text.split(TAG)
    return parts, rest


def problem_and_first_step(text: str) -> tuple[str, str] | None:
    """Split a text that begins with the problem before its last `Step 1:`; None if it has none."""
    places = list(FIRST_STEP.finditer(text))
    problem = text[: places[-1].start()].rstrip() if places else ""
    return (problem, text[len(problem) :]) if problem else None


def steps_of(parts: list[str]) -> list[str]:
    """Return the steps, without `Step 1: ` etc. if all are numbered like this."""
    steps = [part.strip() for part in parts]
    heads = [f"Step {number}: " for number in range(1, len(steps) + 1)]
    if steps and all(step.startswith(head) for step, head in zip(steps, heads, strict=True)):
        return [step[len(head) :] for step, head in zip(steps, heads, strict=True)]
    return steps


def final_answer_of(steps: list[str]) -> str | None:
    """Return what the last step calls the answer; None if there is none or it is too long."""
    found = ANSWER.search(steps[-1]) if steps else None
    answer = steps[-1][found.end() :].strip() if found else ""
    return answer if 0 < len(answer) <= LONGEST_ANSWER else None
