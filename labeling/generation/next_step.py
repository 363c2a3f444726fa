"""The next step of a path: which part of a generator's answer is the step, and whether a step ends the
solution. Pure.
"""

from labeling.generation.sampling import BLANK, FINISHED, OVER_LENGTH, REFUSED, UNFINISHED, Sample, storable
from labeling.generation.splitting import Splitter
from labeling.grading.extraction import extract_answer

PARAGRAPHS = Splitter("blank_line")
LONGEST_STEP = 20_000  # characters
# Rules that find a marked answer. A sentence about "the answer" may occur anywhere in a solution.
MARKS = ("boxed", "answer_block", "hashes")


def completion_of(sample: Sample) -> tuple[str, str]:
    """Return (the step, "") or ("", why there is none). If a generator writes more, the step is the first paragraph."""
    if sample.finish_reason == REFUSED:
        return "", REFUSED
    steps = PARAGRAPHS.split(storable(sample.text))
    if not steps:
        return "", BLANK
    if (sample.finish_reason == "length" and len(steps) == 1) or len(steps[0]) > LONGEST_STEP:
        return "", OVER_LENGTH
    if sample.finish_reason not in (*FINISHED, "length"):
        return "", UNFINISHED
    return steps[0], ""


def holds_answer(step: str) -> bool:
    """Whether a step states the final answer, so that choosing it ends the path."""
    found = extract_answer([step])
    return found is not None and found.rule in MARKS
