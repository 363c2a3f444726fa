r"""Which steps are the same, so that no labeler rates the same text twice. Pure.

A step is identified by its problem, the steps before it and its own text, all normalised: white space, `$` and the
spelling of TeX are ignored (`$\dfrac12 x$` equals `\(\frac{1}{2}x\)`). A key hashes the previous key and the text, so
the keys of a trace are a chain, and an alternative at a step has the key it would have as the trace's own step.

A rating that is carried over is shown to the labeler, marked and editable. Still, two texts must share a key only if no
careful reader would rate them differently. So case, punctuation, the order of terms and digits all count, and a space
between words or digits stays a space (`1 1/2` is not `11/2`); a needless difference only costs a second judgement.
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
# Applied in this order; each rule writes a form that no rule changes again. The first text of each rule occurs in
# everything the rule changes: most rules change nothing in most steps, and `in` is faster than a pattern.
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
        # White space next to a symbol means nothing. Between words, digits, full stops and commas it is one space.
        ("", r"\s+", " "),
        ("", r" ?([-+*/=<>(){}\[\]^_|&:]) ?", r"\1"),
        (" \\", r" (?=\\)", ""),
    )
]
PASSES = 8


def normalised_step(text: str) -> str:
    """Return a step's text in the form that is compared. Normalising a normalised text changes nothing."""
    text = unicodedata.normalize("NFC", text).translate(SYMBOLS)
    # A removal by one rule may bring together text that another rule respells; a few passes settle real text.
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
    """Return the key (SHA-256, 32 bytes) of a step or an alternative. `before` is the key of the step before it, or the
    problem's key for the first step.
    """
    return hashlib.sha256(before + hashlib.sha256(normalised_step(text).encode()).digest()).digest()


class KeysAsAsked:
    """The keys of a trace's steps, each computed when it or a later one is read: mostly only the first is needed."""

    def __init__(self, problem: bytes, steps: Sequence[str]) -> None:
        self._before, self._steps = problem, steps
        self._keys: list[bytes] = []

    def __getitem__(self, step: int) -> bytes:
        """Return the key of a step. Raises IndexError."""
        while len(self._keys) <= step:
            self._before = step_key(self._before, self._steps[len(self._keys)])
            self._keys.append(self._before)
        return self._keys[step]


def step_keys(problem: bytes, steps: Sequence[str]) -> list[bytes]:
    """Return the keys of a trace's steps, each of which identifies all steps up to it."""
    keys = KeysAsAsked(problem, steps)
    return [keys[step] for step in range(len(steps))]


def carried_over(problem: bytes, steps: Sequence[str], rated: Mapping[bytes, Source]) -> list[Source | None]:
    """Return the source of each step's rating, None for a step that was never rated. `rated` holds one labeler's
    earlier step labels by key; it must not hold those of others.
    """
    return [rated.get(key) for key in step_keys(problem, steps)]
