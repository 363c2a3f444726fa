"""How a generator is asked for a sample, and the result: a trace, or nothing and a one-word reason.

A sample is identified by its number within the round and the problem. Its seed follows from that, so asking again asks
for the same sample. On servers that count seeds up (vLLM, llama.cpp), it does not matter how samples are grouped into
requests.
"""

import hashlib
from typing import NamedTuple

from labeling.generation.splitting import Splitter
from labeling.grading.extraction import extract_answer

MOST_STEPS = 2_000  # as for imports (labeling.formats.row_checks.STEP_LIMIT)
SEEDS = 1 << 31  # servers take seeds of 31 bits, some no larger ones
FINISHED = ("stop", "eos", "eos_token", "stop_sequence", "end_turn", "")  # "": a missing reason counts as finished

# Why a sample gives no trace. `refused`: the server accepts the others, but not this prompt.
OVER_LENGTH, NO_ANSWER, BLANK, UNFINISHED, REFUSED, DUPLICATE = (
    "over_length",
    "no_answer",
    "blank",
    "unfinished",
    "refused",
    "duplicate",
)


class Sample(NamedTuple):
    """One answer of a generator; `finish_reason` as the server calls it: stop, length, content_filter, …; or
    refused.
    """

    number: int
    seed: int
    text: str
    finish_reason: str


class Candidate(NamedTuple):
    """A sample that becomes a trace."""

    sample: Sample
    steps: list[str]
    final_answer: str | None


def seed_of(round_seed: int, problem_key: bytes, number: int) -> int:
    """Return the seed of a problem's sample: 31 bits, increasing by one from each sample to the next."""
    first = hashlib.sha256(str(round_seed).encode() + b":" + problem_key).digest()
    return (int.from_bytes(first[:8], "big") + number) % SEEDS


def runs(numbers: list[int], longest: int) -> list[list[int]]:
    """Group consecutive numbers, at most `longest` together: what one request can ask for. `numbers` ascend."""
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][-1] + 1 and len(found[-1]) < longest:
            found[-1].append(number)
        else:
            found.append([number])
    return found


def judge(sample: Sample, splitter: Splitter, *, answered: bool, options: bool = False) -> Candidate | str:
    """Split the sample into steps and find its final answer, or return why it is dropped.

    `answered`: a sample without a final answer is dropped. `options`: a lone `(B)` is an answer (grading.extraction).
    """
    if sample.finish_reason == "length":
        return OVER_LENGTH
    if sample.finish_reason == REFUSED:
        return REFUSED
    if sample.finish_reason not in FINISHED:
        return UNFINISHED
    steps = splitter.split(storable(sample.text))
    if not steps:
        return BLANK
    if len(steps) > MOST_STEPS:
        return OVER_LENGTH
    answer = extract_answer(steps, options=options)
    if answer is None and answered:
        return NO_ANSWER
    return Candidate(sample, steps, answer.text if answer else None)


def storable(text: str) -> str:
    """Return the text without what Postgres cannot store: NUL is removed, half a surrogate pair becomes U+FFFD."""
    return text.replace("\x00", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
