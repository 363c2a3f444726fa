"""The next step of a path: what of a generator's answer is the step, and whether a step ends the solution. Pure."""

from labeling.generation.sampling import BLANK, FINISHED, OVER_LENGTH, REFUSED, UNFINISHED, Sample, storable
from labeling.generation.splitting import Splitter
from labeling.grading.extraction import extract_answer

PARAGRAPHS = Splitter("blank_line")
LONGEST_STEP = 20_000  # characters
# An answer that is marked as such. A sentence about "the answer" may stand anywhere in a solution.
MARKS = ("boxed", "answer_block", "hashes")


def completion_of(sample: Sample) -> tuple[str, str]:
    """(the step, "") or ("", why there is none). Of a generator that goes on, the first paragraph is the step."""
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
    """Whether a step says the final answer, so that choosing it ends the path."""
    found = extract_answer([step])
    return found is not None and found.rule in MARKS
