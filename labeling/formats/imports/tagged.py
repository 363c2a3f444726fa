"""Solutions in one text in which a tag, the Cyrillic ки, ends each step: Math-Shepherd, OpenR and what follows them."""

import re

TAG = "ки"
FIRST_STEP = re.compile(r"\s*\bStep 1:", re.IGNORECASE)
ANSWER = re.compile(r"[Tt]he answer is:?\s*(.+?)\s*\Z", re.DOTALL)
LONGEST_ANSWER = 300  # characters


def parts_of(text: str) -> tuple[list[str], str]:
    """What stands before each tag, and what is left behind the last one."""
    *parts, rest = text.split(TAG)
    return parts, rest


def problem_and_first_step(text: str) -> tuple[str, str] | None:
    """A text that begins with the problem, parted before its last `Step 1:`; None where it has none."""
    places = list(FIRST_STEP.finditer(text))
    if not places or not text[: places[-1].start()].strip():
        return None
    return text[: places[-1].start()], text[places[-1].start() :]


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
    return found[1] if found and len(found[1]) <= LONGEST_ANSWER else None
