"""How a generator is asked for a sample, and what becomes of it: a trace, or nothing and a one-word reason.

A sample is known by its number within the round and the problem. Its seed follows from that, so asking again asks for
the same; how samples are put together into requests changes nothing on servers that count seeds up (vLLM, llama.cpp).
"""

import hashlib
from typing import NamedTuple

from labeling.generation.splitting import Splitter
from labeling.grading.extraction import extract_answer

MOST_STEPS = 2_000  # as for imports (labeling.formats.row_checks.STEP_LIMIT)
SEEDS = 1 << 31  # servers take a seed of 31 bits, some no more
FINISHED = ("stop", "eos", "eos_token", "stop_sequence", "end_turn", "")  # "": a server that says nothing is believed

# Why a sample becomes no trace. `refused`: the server takes the others, but not this prompt.
OVER_LENGTH, NO_ANSWER, BLANK, UNFINISHED, REFUSED, DUPLICATE = (
    "over_length",
    "no_answer",
    "blank",
    "unfinished",
    "refused",
    "duplicate",
)


class Sample(NamedTuple):
    """One answer of a generator; `finish_reason` in the server's word: stop, length, content_filter, …; or refused."""

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
    """The seed of a problem's sample: 31 bits, one more from each sample to the next."""
    first = hashlib.sha256(str(round_seed).encode() + b":" + problem_key).digest()
    return (int.from_bytes(first[:8], "big") + number) % SEEDS


def runs(numbers: list[int], longest: int) -> list[list[int]]:
    """Consecutive numbers together, at most `longest`: what one request can ask for. `numbers` ascend."""
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][-1] + 1 and len(found[-1]) < longest:
            found[-1].append(number)
        else:
            found.append([number])
    return found


def judge(sample: Sample, splitter: Splitter, *, answered: bool, options: bool = False) -> Candidate | str:
    """The sample in steps with its final answer, or why it is dropped.

    `answered`: one without a final answer is dropped. `options`: a lone `(B)` is an answer (grading.extraction).
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
    """The text without what Postgres cannot keep: NUL is left out, half a surrogate pair becomes the mark U+FFFD."""
    return text.replace("\x00", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
