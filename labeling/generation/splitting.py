r"""Where the steps of a written solution begin: versioned rules; each trace records the rule that split it.

Steps are slices of the text in order, with only white space between two of them: nothing is lost or added. A step may
begin only at the start of a line, and never inside a block that belongs together: fenced code, `$$ … $$`, `\[ … \]`,
`[asy] … [/asy]` and environments for mathematics, tables or drawings. A block that is never closed is ignored. If
paragraphs or lines are steps, a sentence that leads into a block, or continues after it in lower case, stays with it. A
last line with only the answer (`# Answer`, `#### 14`, `A: 14`) stays with the step before it, as in PRM800K.

If you change a rule, increase its number in VERSIONS: the same version must always split the same text the same way.
"""

import hashlib
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

KINDS = ("blank_line", "newline", "numbered", "step", "custom")
VERSIONS = dict.fromkeys(KINDS, 1)
LONGEST_PATTERN = 100  # characters
NUMBER = "{n}"  # stands for a number in a custom pattern
# Possessive: with several numbers in a row, backtracking would try as many ways as there are to cut a text.
DIGITS = r"\d{1,9}+"

# Up to two spaces (a list inside an item has three), and Markdown's marks for headings, quotations, lists and bold
# text.
DRESS = r"[ ]{0,2}(?:[#>*_-]{1,6}[ ]?){0,3}"
NUMBERED = re.compile(DRESS + r"\d{1,3}[.)](?:[*_]{1,3})?(?=\s|\Z)")
STEP = re.compile(DRESS + r"step[ ]{0,3}\d{1,3}[*_]{0,3}(?:[ ]?[:.)\u2013\u2014-]|\s*\Z)", re.IGNORECASE)
LINE = re.compile(r"[^\n]*(?:\n|\Z)")
FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})([^\n]*)")
# An escaped character first: `\\[2pt]` is a line break in a formula and opens no block.
# Other environments (`proof`, `enumerate`, `document`) may contain any number of steps.
ENVIRONMENT = (
    r"((?:align|aligned|alignat|equation|eqnarray|gather|gathered|multline|split|cases|array|[pbBvV]?(?:small)?matrix"
    r"|tabular|tikzpicture|verbatim)\*?)"
)
MATHS = re.compile(
    rf"\\begin\{{{ENVIRONMENT}\}}|\\end\{{{ENVIRONMENT}\}}|(\\\[|\[asy\])|(\\\]|\[/asy\])|\\.|(\$\$)", re.DOTALL
)
CLOSES = {"\\]": "\\[", "[/asy]": "[asy]"}
LONGEST_ANSWER = 500  # characters
ANSWER_HEADING = re.compile(r"[ ]{0,3}#{1,3}[ \t]*Answer[ \t]*:?[ \t]*", re.IGNORECASE)
ANSWER_LINE = re.compile(r"(?:####|A:)[ \t]*[^\n:]{1,60}")


class UnknownSplitter(ValueError):
    """An unknown kind, or a pattern that is missing, blank, too long, or not allowed here. The message says
    what to do.
    """


class Line(NamedTuple):
    """A line of the text with its line break; `start` counts characters from the beginning of the text."""

    start: int
    text: str


@dataclass(frozen=True)
class Splitter:
    """One of KINDS. `custom` begins a step at each line that starts with `pattern`, ignoring spaces before it.

    A pattern is plain text in which `{n}` stands for a number (`Claim {n}:`). It is not a regular expression, which
    could keep a process busy forever. Raises UnknownSplitter.
    """

    kind: str
    pattern: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UnknownSplitter(f"There is no splitter {self.kind}. Choose one of {', '.join(KINDS)}.")
        if (self.kind == "custom") != bool(self.pattern.strip()):
            raise UnknownSplitter("The kind custom needs the text with which each step begins; other kinds take none.")
        if len(self.pattern) > LONGEST_PATTERN or "\n" in self.pattern:
            raise UnknownSplitter(f"A pattern is one line of at most {LONGEST_PATTERN} characters.")

    @property
    def version(self) -> str:
        """The name stored with each trace, up to 40 characters: `blank_line/1`, `custom/1-3fa4c2d1` (hash of the
        pattern).
        """
        version = f"{self.kind}/{VERSIONS[self.kind]}"
        if self.kind != "custom":
            return version
        return f"{version}-{hashlib.sha256(self.pattern.encode(errors='replace')).hexdigest()[:8]}"

    def split(self, text: str) -> list[str]:
        """Return the steps: none of them blank, and at least one unless the whole text is blank."""
        written = len(text) - len(text.lstrip())
        begins = [start for start in self._begins(text) if start > written]
        steps = [
            _without_blank_lines(text[start:end])
            for start, end in zip([0, *begins], [*begins, len(text)], strict=True)
            if text[start:end].strip()
        ]
        return [steps[0].lstrip(), *steps[1:]] if steps else []

    def _begins(self, text: str) -> Iterator[int]:
        """Yield where steps begin after the first one, in order."""
        lines = [Line(match.start(), match.group()) for match in LINE.finditer(text) if match.group()]
        blocks = closed_blocks(text, lines)
        begins_step = self._rule()
        answer = _answer_start(text, lines)
        sentences = self.kind in ("blank_line", "newline")
        before, after_blank = Line(0, ""), False
        for line in lines:
            if line.start >= answer:
                return
            if not line.text.strip():
                after_blank = True
                continue
            whole = _inside(line.start, blocks) or (sentences and _goes_on(before, line, blocks))
            if begins_step(line.text, after_blank) and not whole:
                yield line.start
            before, after_blank = line, False

    def _rule(self) -> Callable[[str, bool], bool]:
        """Return a function that tells, from a line and whether a blank line precedes it, if it may begin a step."""
        if self.kind == "blank_line":
            return lambda line, after_blank: after_blank
        if self.kind == "newline":
            return lambda line, after_blank: True
        parts = (re.escape(part) for part in self.pattern.split(NUMBER))
        mark = {"numbered": NUMBERED, "step": STEP}.get(self.kind) or re.compile(r"\s*" + DIGITS.join(parts))
        return lambda line, after_blank: mark.match(line) is not None


def closed_blocks(text: str, lines: list[Line]) -> list[tuple[int, int]]:
    """Return (start, end) of every outermost block that must stay whole, in order and without overlap."""
    fences = list(_fenced(lines))
    found = sorted([*fences, *_formulas(text, fences)])
    outermost: list[tuple[int, int]] = []
    for start, end in found:
        if outermost and start < outermost[-1][1]:
            outermost[-1] = (outermost[-1][0], max(end, outermost[-1][1]))
        else:
            outermost.append((start, end))
    return outermost


def _fenced(lines: list[Line]) -> Iterator[tuple[int, int]]:
    """Yield fenced code as in CommonMark (4.5), but only if the closing fence exists."""
    marks = [(line, match) for line in lines if (match := FENCE.match(line.text))]
    closing = Counter(match.group(1)[0] for _, match in marks if not match.group(2).strip())
    opened: tuple[int, str] | None = None
    for line, match in marks:
        fence, rest = match.group(1), match.group(2).strip()
        closing[fence[0]] -= not rest
        if opened is None:
            if closing[fence[0]] and "`" not in rest:
                opened = line.start, fence
        elif not rest and fence.startswith(opened[1]):
            yield opened[0], line.start + len(line.text)
            opened = None


def _formulas(text: str, fences: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield displayed mathematics and environments outside code, from their first character to their last."""
    opened: list[tuple[str, int]] = []
    names: Counter[str] = Counter()
    for mark in MATHS.finditer(text):
        if _inside(mark.start(), fences) or mark.lastindex is None:
            continue
        environment, ended, bracket, closed, _ = mark.groups()
        opens, closes = environment or bracket, ended or CLOSES.get(closed)
        if not opens and not closes:  # two dollar signs open a formula, or close the open one
            opens, closes = (None, "$$") if names["$$"] else ("$$", None)
        if opens:
            opened.append((opens, mark.start()))
            names[opens] += 1
        while closes and names[closes]:  # what was opened later and never closed is no block
            name, start = opened.pop()
            names[name] -= 1
            if name == closes:
                yield start, mark.end()
                break


def _inside(position: int, blocks: list[tuple[int, int]]) -> bool:
    """Whether a cut at `position` would split one of the blocks, which are in order and do not overlap."""
    before = bisect_left(blocks, (position, 0)) - 1
    return before >= 0 and position < blocks[before][1]


def _goes_on(before: Line, line: Line, blocks: list[tuple[int, int]]) -> bool:
    """Whether the line continues the sentence of the non-blank line before it, into a block or out of one."""
    begins = line.start + len(line.text) - len(line.text.lstrip())
    into = bisect_left(blocks, (begins, 0))
    if into < len(blocks) and blocks[into][0] == begins:
        last = before.text.rstrip().rstrip("*_")[-1:]
        return last.isalnum() or last in (":", ",")
    out_of = into > 0 and blocks[into - 1][1] >= before.start + len(before.text.rstrip())
    return out_of and line.text.lstrip()[0].islower()


def _answer_start(text: str, lines: list[Line]) -> int:
    """Return where the lines at the end begin that contain only the final answer; the text's length if there
    are none.
    """
    written = [line for line in lines if line.text.strip()]
    if not written:
        return len(text)
    if ANSWER_LINE.fullmatch(written[-1].text.strip()):
        return written[-1].start
    for line in reversed(written[-10:]):
        if len(text) - line.start > LONGEST_ANSWER:
            break
        if ANSWER_HEADING.fullmatch(line.text.rstrip()):
            return line.start
    return len(text)


def _without_blank_lines(piece: str) -> str:
    """Return the piece without leading blank lines and trailing white space; the first line keeps its indentation."""
    first = len(piece) - len(piece.lstrip())
    return piece[piece.rfind("\n", 0, first) + 1 :].rstrip()
