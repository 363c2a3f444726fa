"""A language model asked for the first wrong step: templates, and how its answers and votes are read.

A template is identified by name and version, and its text never changes. `processbench/1` is QwenLM/ProcessBench's
(code/templates/critique_template.txt), `thinkprm/1` that of mukhal/thinkprm (README); `worker.prm` has both too, for
judges that select, and a test checks that they are equal. A custom one contains `{problem}` and `{solution}`, and asks
for the index of the first wrong step in \\boxed{}, counted from 0, or -1 for none.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from labeling.protocol.interface import NO_ERROR
from labeling.sources.marks import Marked

PROBLEM, SOLUTION = "{problem}", "{solution}"
MARK = re.compile(f"{re.escape(PROBLEM)}|{re.escape(SOLUTION)}")
LONGEST = 20_000  # characters of a template
DIGITS = 9  # of an index: no trace has that many steps
TEMPLATES = {
    "processbench/1": (
        "The following is a math problem and a solution (split into paragraphs, enclosed with tags and indexed from 0):"
        "\n\n[Math Problem]\n\n{problem}\n\n[Solution]\n\n{solution}\n\nYour task is to review and critique the "
        "solution paragraph by paragraph. Once you identify an error in a paragraph, return the index of the paragraph "
        'where the earliest error occurs. Otherwise, return the index of -1 (which typically denotes "not found").\n\n'
        "Please put your final answer (i.e., the index) in \\boxed{}.\n"
    ),
    "thinkprm/1": (
        "You are given a math problem and a proposed step-by-step solution:\n\n[Math Problem]\n\n{problem}\n\n"
        "[Solution]\n\n{solution}\n\nReview and critique each step in the proposed solution to determine whether each "
        "step is correct. If the solution is incomplete, only verify the provided steps."
    ),
}
BY_STEP = ("thinkprm/1",)  # templates answered by a verdict per step
BEFORE = "\n\nYou reviewed it before, and wrote:\n\n"
AGAIN = "\n\nRead the solution once more and check that review. Put your final answer in \\boxed{} as before."
BOXED = re.compile(r"\\boxed\{\s*(-?\d+|correct|incorrect|\\text\{\s*(?:in)?correct\s*\})\s*\}")


class UnusableTemplate(ValueError):
    """The template does not say where problem and solution go, or is too long; the message says what to do."""


class Vote(NamedTuple):
    """What one answer says: the first wrong step, NO_ERROR, or None with the reason in `why`; `verdicts` by step, if
    any.
    """

    first_error: int | None
    why: str = ""
    verdicts: tuple[bool, ...] = ()


def template_of(template: str) -> str:
    """Return the text of a built-in template, or a custom one. Raises UnusableTemplate."""
    text = TEMPLATES.get(template, template)
    if PROBLEM not in text or SOLUTION not in text:
        known = ", ".join(TEMPLATES)
        raise UnusableTemplate(f"Put {PROBLEM} and {SOLUTION} where they belong, or name one of {known}.")
    if len(text) > LONGEST:
        raise UnusableTemplate(f"A template has at most {LONGEST:,} characters.")
    return text


def write_prompt(template: str, problem: str, steps: Sequence[str]) -> str:
    """Return what the judge reads; neither problem nor solution is searched for the other's placeholder."""
    if template in BY_STEP:
        solution = "\n".join(f"Step {number}: {step}" for number, step in enumerate(steps, start=1))
    else:
        tagged = [f"<paragraph_{number}>\n{step}\n</paragraph_{number}>" for number, step in enumerate(steps)]
        solution = "\n\n".join(tagged)
    texts = {PROBLEM: problem, SOLUTION: solution}
    return MARK.sub(lambda mark: texts[mark.group()], template_of(template))


def ask_again(prompt: str, critique: str) -> str:
    """Return the prompt with the judge's previous answer, to be checked (temporal consistency, arXiv 2503.14495)."""
    return prompt + BEFORE + critique + AGAIN


def read_vote(template: str, text: str, steps: int) -> Vote:
    """Return what an answer says, or why it cannot be read."""
    if not text.strip():
        return Vote(None, "the answer is empty")
    found = BOXED.findall(text)
    if not found:
        return Vote(None, "no verdict in \\boxed{}")
    return _read_steps(found, steps) if template in BY_STEP else _read_index(found[-1], steps)


def _read_index(last: str, steps: int) -> Vote:
    digits = last.removeprefix("-")
    if not digits.isdigit():
        return Vote(None, f"\\boxed{{{last}}} is not an index")
    if len(digits) > DIGITS:
        return Vote(None, f"an index of {len(digits):,} digits")
    index = int(last)
    if not NO_ERROR <= index < steps:
        return Vote(None, f"index {index} of a solution with {steps} steps")
    return Vote(index)


def _read_steps(found: Sequence[str], steps: int) -> Vote:
    verdicts = tuple("incorrect" not in one for one in found if "correct" in one)[:steps]
    if False in verdicts:
        return Vote(verdicts.index(False), "", verdicts)
    if len(verdicts) < steps:
        return Vote(None, f"verdicts on {len(verdicts)} of {steps} steps", verdicts)
    return Vote(NO_ERROR, "", verdicts)


def marked(votes: Sequence[Vote], steps: int) -> Marked:
    """Return the result of the votes: the first error named most often, and the share of votes that call each step
    right.
    """
    read = [vote.first_error for vote in votes if vote.first_error is not None]
    evidence = {
        "votes": [vote.first_error for vote in votes],
        "unread": [{"vote": place, "why": vote.why} for place, vote in enumerate(votes) if vote.first_error is None],
        "by_step": [sum(vote == step for vote in read) for step in range(steps)],
    }
    if not read:
        return Marked([None] * steps, None, "unread", evidence)
    (first, most), *others = Counter(read).most_common(2)
    split = bool(others) and others[0][1] == most
    shares = [math.exp(one) for one in log_shares(read, steps)]
    return Marked(shares, None if split else first, "split" if split else "", evidence)


def log_shares(votes: Sequence[int], steps: int) -> list[float]:
    """Return log P(step correct | all earlier ones correct): the share of votes, with half a vote added on
    each side.
    """
    logs = []
    for step in range(steps):
        still = [vote for vote in votes if vote == NO_ERROR or vote >= step]
        right = sum(vote != step for vote in still)
        logs.append(math.log((right + 0.5) / (len(still) + 1)))
    return logs
