"""When two answers count as the same vote. Cheap and exact: it never loads a computer algebra system."""

import re

from labeling.grading.plain_answers import cleaned, plain_number, text_key

NAMED = re.compile(r"[A-Za-z](?:_\w)?=(.+)", re.DOTALL)


def answer_key(answer: str | None) -> str | None:
    """Return the text under which equal answers are counted together, None for no answer.

    Numbers count by value (`40,000` is `40000`, `0.25` is `\\frac14`, `x=5` is `5`), amounts with their unit in the
    base unit of its dimension, everything else by its cleaned text without spaces. Answers that only algebra shows to
    be equal stay separate.
    """
    text = cleaned(answer or "")
    if not text:
        return None
    key = text_key(text)
    named = NAMED.fullmatch(key)
    number = plain_number(text.partition("=")[2].strip() if named else text)
    if number is None:
        return named[1] if named else key
    if number.unit is None:
        return str(number.value)
    if number.unit.dimension is None:
        return f"{number.value} {number.unit.name}"
    return f"{number.value * number.unit.factor} {number.unit.dimension}"
