"""What a generator is asked about a step that may be wrong, and how its answer is read. Pure.

A prompt is identified by name and version (`mistake/1`). Its text never changes: another text is another version.
"""

import re

PROMPTS = {
    "mistake/1": {
        "explanation": (
            "Below are a problem and the beginning of a solution. A reviewer says that the last step is wrong. Say in "
            "one or two sentences what the mistake in that step is: the exact place, and why it is wrong. If you see "
            "none, say what a reviewer may object to. No greeting, no solution of the rest."
        ),
        "alternative": (
            "Below are a problem and the beginning of a solution. The last step is wrong. Write the one step that "
            "should stand in its place: one idea, in the style of the steps before. Only the step, nothing else."
        ),
    },
}
LONGEST = 4_000  # stored per answer
BLANK_LINES = re.compile(r"\n\s*\n")


def version_of(prompt: str) -> str:
    """Return the prompt's name and version. Raises KeyError if this version has no prompt of that name."""
    PROMPTS[prompt]
    return prompt


def write_prompt(prompt: str, kind: str, problem: str, before: list[str], step: str) -> str:
    """Return the request for an explanation or an alternative."""
    steps = [f"Step {number}: {text}" for number, text in enumerate([*before, step], start=1)]
    return "\n\n".join([PROMPTS[prompt][kind], f"Problem: {problem}", *steps])


def read_texts(kind: str, answers: list[str]) -> list[str]:
    """Return the texts to store: not blank, no duplicates, and of a next step only its first paragraph."""
    found: dict[str, str] = {}
    for answer in answers:
        text = answer.strip()
        if kind == "alternative":
            text = re.sub(r"\AStep \d+:\s*", "", BLANK_LINES.split(text)[0])
        if text:
            found.setdefault(text, text[:LONGEST])
    return list(found.values())
