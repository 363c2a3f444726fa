r"""Which steps are the same, so that nobody rates the same text twice. Pure.

A step is known by its problem, the steps before it and its own text, all of them normalised: white space, `$` and the
spelling of TeX do not count (`$\dfrac12 x$` is `\(\frac{1}{2}x\)`). A key hashes what came before and the text, so
the keys of a trace are a chain, and an alternative at a step has the key it would have as the trace's own step.

What is carried over is shown to the labeler, marked and editable. Still, two texts must share a key only if no careful
reader would rate them differently. So case, punctuation, the order of terms and digits all count, and a space between
words or digits stays a space (`1 1/2` is not `11/2`); a needless difference only costs a second judgment.
"""

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import TypeVar

Source = TypeVar("Source")

SYMBOLS = str.maketrans(
    {
        "−": "-",
        "×": r"\times ",
        "·": r"\cdot ",
        "⋅": r"\cdot ",
        "÷": r"\div ",
        "≤": r"\le ",
        "≥": r"\ge ",
        "≠": r"\ne ",
        "≈": r"\approx ",
        "→": r"\to ",
        "∞": r"\infty ",
        "π": r"\pi ",
        "°": r"^\circ ",
        "²": "^2",
        "³": "^3",
        "…": r"\dots ",
        "’": "'",
        "“": '"',
        "”": '"',
    }
)
# In this order; each rule writes a form that no rule changes again. The first text of each stands in whatever it
# changes: most steps have nothing for most rules, and a text is found to be missing sooner than a pattern is.
SPELLINGS = [
    (within, re.compile(pattern), replacement)
    for within, pattern, replacement in (
        ("\\", r"(?<!\\)\\!|\\(?:displaystyle|textstyle|limits)(?![A-Za-z])", ""),
        ("\\", r"(?<!\\)\\[,;: ]|\\q?quad(?![A-Za-z])", " "),
        ("~", r"(?<!\\)~", " "),
        ("\\", r"\\(?:left|right|[Bb]igg?[lr]?)(?![A-Za-z])\.?", ""),
        ("frac", r"\\[dtc]frac(?![A-Za-z])", r"\\frac"),
        (r"\leq", r"\\leq(?![A-Za-z])", r"\\le"),
        (r"\geq", r"\\geq(?![A-Za-z])", r"\\ge"),
        (r"\neq", r"\\neq(?![A-Za-z])", r"\\ne"),
        (r"\rightarrow", r"\\rightarrow(?![A-Za-z])", r"\\to"),
        ("\\", r"\\(?:implies|Longrightarrow)(?![A-Za-z])", r"\\Rightarrow"),
        (r"\ldots", r"\\ldots(?![A-Za-z])", r"\\dots"),
        ("\\", r"\\(?:text|textrm|mathrm|mbox)\s*\{([^{}\\$]*)\}", r"\1"),
        (r"\sqrt", r"\\sqrt\s*([0-9A-Za-z])(?![0-9A-Za-z])", r"\\sqrt{\1}"),
        (r"\frac", r"\\frac\s*([0-9])\s*([0-9])(?![0-9])", r"\\frac{\1}{\2}"),
        (r"\frac", r"\\frac\s*([0-9])\s*\{", r"\\frac{\1}{"),
        (r"\frac", r"(\\frac\s*\{[^{}]*\})\s*([0-9A-Za-z])(?![0-9A-Za-z])", r"\1{\2}"),
        ("{", r"([\^_])\s*\{\s*([0-9A-Za-z])\s*\}", r"\1\2"),
        ("\\", r"(?<!\\)\\[()\[\]]", ""),
        ("$", r"(?<!\\)\$", ""),
        # White space says nothing beside a symbol. Between words, digits, full stops and commas it is one space.
        ("", r"\s+", " "),
        ("", r" ?([-+*/=<>(){}\[\]^_|&:]) ?", r"\1"),
        (" \\", r" (?=\\)", ""),
    )
]
PASSES = 8


def normalised_step(text: str) -> str:
    """A step's text as it is compared. Normalising a normalised text changes nothing."""
    text = unicodedata.normalize("NFC", text).translate(SYMBOLS)
    # What one rule takes away may bring together what another one respells; a few passes settle real text.
    for _ in range(PASSES):
        before = text
        for within, pattern, replacement in SPELLINGS:
            if within in text:
                text = pattern.sub(replacement, text)
        text = text.strip()
        if text == before:
            break
    return text


def step_key(before: bytes, text: str) -> bytes:
    """The key (SHA-256, 32 bytes) of a step or an alternative. `before` is the key of the step before it, or the
    problem's key for the first step."""
    return hashlib.sha256(before + hashlib.sha256(normalised_step(text).encode()).digest()).digest()


class KeysAsAsked:
    """The keys of a trace's steps, each made when it or one behind it is asked for: of most traces it is the first."""

    def __init__(self, problem: bytes, steps: Sequence[str]) -> None:
        self._before, self._steps = problem, steps
        self._keys: list[bytes] = []

    def __getitem__(self, step: int) -> bytes:
        """Raises IndexError."""
        while len(self._keys) <= step:
            self._before = step_key(self._before, self._steps[len(self._keys)])
            self._keys.append(self._before)
        return self._keys[step]


def step_keys(problem: bytes, steps: Sequence[str]) -> list[bytes]:
    """The keys of a trace's steps, each one standing for all the steps up to it."""
    keys = KeysAsAsked(problem, steps)
    return [keys[step] for step in range(len(steps))]


def carried_over(problem: bytes, steps: Sequence[str], rated: Mapping[bytes, Source]) -> list[Source | None]:
    """For each step of a trace where its rating comes from, None where it was never rated. `rated` holds one labeler's
    earlier step labels by key; other people's must not be in it."""
    return [rated.get(key) for key in step_keys(problem, steps)]
