"""Checks of a trace that need no model: equations computed again, and numbers without an origin.

A false equation is evidence against its step; everything else is counted and shown, and marks nothing. Definitions:
- *from nowhere*: a number of a step that is neither in the problem (also in words) nor in earlier steps, and is not one
  binary operation (+ − × ÷) or a factor of 100 away from two numbers that are.
- *agreement*: for the numbers of a step that are not in the problem, the share of the problem's other traces that
  contain each; traces with the same step are left out.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from labeling.sources.equations import cleaned, equations_of
from labeling.sources.marks import Marked

# Since 2, an equation followed by a remark, "16 + 9 = 24 (left: 24)", is computed again too. Since 3, so is calculator
# input, "60 x 3 = <<60*3=180>>180", and the problem's numbers in words are known.
VERSION = "verifier/3"
SECOND, FIRST = "verifier/2", "verifier/1"
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
MOST_KNOWN = 60  # numbers of which all pairs are tried: the last ones, which are most likely used
SHOWN = 3  # numbers listed in a sentence
COUNTED = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
COUNTED += " eighteen nineteen twenty"
TENS = "ten twenty thirty forty fifty sixty seventy eighty ninety"
PARTS = {
    2: "half halves twice double doubles doubled pair couple",
    3: "third thirds thrice triple triples tripled",
    4: "fourth quarter quarters",
    12: "dozen",
    100: "hundred",
    1_000: "thousand",
    1_000_000: "million",
}
IN_WORDS = {
    **{word: 10 * place for place, word in enumerate(TENS.split(), 1)},
    **{word: place for place, word in enumerate(COUNTED.split(), 1)},
    **{word: number for number, words in PARTS.items() for word in words.split()},
}
WORD = re.compile(rf"\b(?:{'|'.join(IN_WORDS)})\b", re.IGNORECASE)


@dataclass(frozen=True)
class Checked:
    """One step: its equations and those that do not hold (as sentences), its numbers, and the agreement of other
    traces.
    """

    equations: int
    false: tuple[str, ...]
    numbers: int
    new: int
    from_nowhere: tuple[float, ...]
    agreement: float | None  # the mean over the numbers not in the problem; None without such numbers or other traces
    others: int

    def words(self) -> list[str]:
        """Return the sentences that people read."""
        said = list(self.false)
        if self.from_nowhere:
            named = ", ".join(shown(one) for one in self.from_nowhere[:SHOWN])
            more = len(self.from_nowhere) - SHOWN
            said.append(f"{named}{f' and {more} more' if more > 0 else ''}: neither given nor one operation away")
        if self.agreement is not None and self.agreement < 0.5:
            said.append(f"{self.agreement:.0%} of {self.others} other traces hold its numbers")
        return said


def check(
    problem: str, steps: Sequence[str], others: Sequence[Sequence[str]] = (), *, version: str = VERSION
) -> list[Checked]:
    """Return what the checks of a version find in each step; `others` are the problem's other traces."""
    known = list(numbers_of(problem))
    given, before, found = set(known), set(known), []
    if version not in (FIRST, SECOND):
        known += [float(IN_WORDS[word.lower()]) for word in WORD.findall(problem)]
    pool = [(set(other), set(numbers_of("\n".join(other)))) for other in others]
    for step in steps:
        mine = list(dict.fromkeys(numbers_of(step)))
        new = [one for one in mine if one not in before]
        before.update(new)
        equations = list(equations_of(step, remarks=version != FIRST, calculator=version not in (FIRST, SECOND)))
        false = tuple(dict.fromkeys(_said(one.text, one.left) for one in equations if not one.holds))
        agreement, count = _agreement(step, [one for one in mine if one not in given], pool)
        strange = tuple(_from_nowhere(new, known))
        found.append(Checked(len(equations), false, len(mine), len(new), strange, agreement, count))
    return found


def marked(
    checks: Sequence[Checked], symbolic: dict[int, list[str]] | None = None, *, version: str = VERSION
) -> Marked:
    """Return the checks as marks: 0 for a step with a false equation, 1 if all hold, nothing if it has none.

    `symbolic`: by step, sentences of the grading processes about sides with roots and the like. Finding no false
    equation is no verdict of "no error": most errors are not arithmetic.
    """
    symbolic = symbolic or {}
    wrong = [bool(one.false or symbolic.get(place)) for place, one in enumerate(checks)]
    steps = [0.0 if bad else 1.0 if one.equations else None for bad, one in zip(wrong, checks, strict=True)]
    first = wrong.index(True) if True in wrong else None
    evidence: dict[str, Any] = {
        "version": version,
        "words": [[*symbolic.get(place, []), *one.words()] for place, one in enumerate(checks)],
        "equations": [one.equations for one in checks],
        "false": [len(one.false) + len(symbolic.get(place, [])) for place, one in enumerate(checks)],
        "from_nowhere": [list(one.from_nowhere) for one in checks],
        "agreement": [one.agreement for one in checks],
    }
    return Marked(steps, first, "" if first is not None else "nothing_false", evidence)


def numbers_of(text: str) -> Iterable[float]:
    """Yield the numbers that a text writes in digits, in order; 12,000 is one, and numbers too large for a float are
    skipped.
    """
    found = (float(written.replace(",", "")) for written in NUMBER.findall(cleaned(text)))
    yield from filter(math.isfinite, found)


def _from_nowhere(new: Sequence[float], known: list[float]) -> Iterable[float]:
    """Yield those of a step's new numbers that nothing before leads to; all of them become known, in order."""
    for one in new:
        if not is_derived(one, known):
            yield one
        known.append(one)


def is_derived(number: float, known: Sequence[float]) -> bool:
    """Whether a number is one operation away from known ones."""
    near = known[-MOST_KNOWN:]
    if any(_same(number, one * factor) for one in near for factor in (1, 100, 0.01)):
        return True
    return any(
        _same(number, found)
        for place, one in enumerate(near)
        for other in near[place:]
        for found in (one + other, abs(one - other), one * other, *_quotients(one, other))
    )


def _quotients(one: float, other: float) -> tuple[float, ...]:
    return tuple(top / bottom for top, bottom in ((one, other), (other, one)) if bottom)


def _same(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-6 * max(1.0, abs(one)) or (abs(one - other) <= 0.005 and one != round(one))


def _agreement(step: str, mine: list[float], pool: list[tuple[set[str], set[float]]]) -> tuple[float | None, int]:
    rest = [numbers for steps, numbers in pool if step not in steps]
    if not mine or not rest:
        return None, len(rest)
    return sum(sum(one in numbers for numbers in rest) / len(rest) for one in mine) / len(mine), len(rest)


def _said(equation: str, left: float) -> str:
    return f"{equation} does not hold ({shown(left)})"


def shown(number: float) -> str:
    """Return a number as people write it."""
    return f"{number:,.0f}" if number == round(number) else f"{number:,.4g}"
