"""Finds a solution's final answer. Each rule has a name, which is stored with the grade."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# Answers are at the end: rules read only this many characters, so that no trace can make them slow.
TAIL = 20_000

ANSWER_BLOCK = re.compile(r"^#{1,3}[ \t]*Answer[ \t]*:?[ \t]*\n+(.+)\Z", re.MULTILINE | re.DOTALL)
HASHES = re.compile(r"^####[ \t]*(\S.*)$", re.MULTILINE)
A_LINE = re.compile(r"\AA:[ \t]*(\S.*)\Z", re.DOTALL)
ANSWER_IS = re.compile(r"\banswers?\b[^.:=\n]{0,60}?(?:\bis\b|\bare\b|:|=)(?:[ \t]*:)?[ \t]*(?=\S)", re.IGNORECASE)
SENTENCE_END = re.compile(r"\.(?=\s|\Z)|\n|;\s|, (?:so|because|since|which)\b")
OPTION = re.compile(r"\(([A-Z])\)|\b(?:choice|option)(?: |\\?_)\(?([A-Za-z])\b\)?", re.IGNORECASE)
NONE_OF_THEM = re.compile(r"\bnone of\b", re.IGNORECASE)


class Extracted(NamedTuple):
    """The text of an answer and the name of the rule that found it."""

    text: str
    rule: str


def extract_answer(steps: Sequence[str], *, options: bool = False) -> Extracted | None:
    """Return the final answer of a solution, by the first rule that finds one; None if none does.

    `options`: the problem has lettered options, so a lone `(B)` in the last step is an answer.
    """
    if not steps:
        return None
    text = "\n".join(steps)[-TAIL:]
    last = steps[-1][-TAIL:]
    for rule, found in _candidates(text, last, options):
        if found is not None and found.strip():
            return Extracted(found.strip(), rule)
    return None


def _candidates(text: str, last: str, options: bool) -> Iterator[tuple[str, str | None]]:
    yield "boxed", last_boxed(text)
    yield "answer_block", _group(ANSWER_BLOCK.search(text))
    yield "hashes", _last(HASHES.findall(text))
    if options:
        yield "answer_is", _answer_is(last)
        if not NONE_OF_THEM.search(last):
            yield "option", _last([one or other for one, other in OPTION.findall(last)])
    else:  # with options, `A: …` lists the first of them
        yield "a_line", _group(A_LINE.search(last.strip().rsplit("\n", 1)[-1]))
    yield "answer_is", _answer_is(last) or _answer_is(text)


def last_boxed(text: str) -> str | None:
    r"""Return the contents of the last `\boxed{…}` (or `\fbox{…}`) whose braces are balanced, at any depth."""
    ends = closing_braces(text)
    for mark in reversed(list(re.finditer(r"\\(?:boxed|fbox)\s*", text))):
        start = mark.end()
        if start in ends:
            return text[start + 1 : ends[start]]
        bare = re.match(r"[\w.,/-]+", text[start:])
        if bare:
            return bare.group()
    return None


def closing_braces(text: str) -> dict[int, int]:
    r"""Return where each opening brace of the text is closed. `\{` and `\}` do not count."""
    ends, opened = {}, []
    position = 0
    while position < len(text):
        character = text[position]
        if character == "{":
            opened.append(position)
        elif character == "}" and opened:
            ends[opened.pop()] = position
        position += 2 if character == "\\" else 1
    return ends


def _answer_is(text: str) -> str | None:
    """Return what follows the last "the answer is", up to the end of its sentence."""
    for mark in reversed(list(ANSWER_IS.finditer(text))):
        rest = text[mark.end() :]
        end = SENTENCE_END.search(rest)
        found = (rest[: end.start()] if end else rest).strip(" *_\t")
        if any(character.isalnum() for character in found):
            return found
    return None


def _group(match: re.Match[str] | None) -> str | None:
    return match.group(1) if match else None


def _last(found: Sequence[str]) -> str | None:
    return found[-1] if found else None
