"""Solutions in one text in which a tag, the Cyrillic ки, ends each step: Math-Shepherd, OpenR and what follows them."""

import re

TAG = "ки"
FIRST_STEP = re.compile(r"\bStep 1:", re.IGNORECASE)
ANSWER = re.compile(r"[Tt]he answer is:?")
LONGEST_ANSWER = 300  # characters


def parts_of(text: str) -> tuple[list[str], str]:
    """What stands before each tag, and what is left behind the last one."""
    *parts, rest = text.split(TAG)
    return parts, rest


def problem_and_first_step(text: str) -> tuple[str, str] | None:
    """A text that begins with the problem, parted before its last `Step 1:`; None where it has none."""
    places = list(FIRST_STEP.finditer(text))
    problem = text[: places[-1].start()].rstrip() if places else ""
    return (problem, text[len(problem) :]) if problem else None


def steps_of(parts: list[str]) -> list[str]:
    """The steps, without `Step 1: ` and so on where every one is numbered in that way."""
    steps = [part.strip() for part in parts]
    heads = [f"Step {number}: " for number in range(1, len(steps) + 1)]
    if steps and all(step.startswith(head) for step, head in zip(steps, heads, strict=True)):
        return [step[len(head) :] for step, head in zip(steps, heads, strict=True)]
    return steps


def final_answer_of(steps: list[str]) -> str | None:
    """What the last step calls the answer."""
    found = ANSWER.search(steps[-1]) if steps else None
    answer = steps[-1][found.end() :].strip() if found else ""
    return answer if 0 < len(answer) <= LONGEST_ANSWER else None
