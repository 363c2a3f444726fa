"""Grades one answer. Loads sympy and may never return, so `process_pool` runs it in a process that can be killed."""

import re
import unicodedata
from functools import lru_cache

from labeling.grading import (
    CHOICE,
    CORRECT,
    EXACT,
    NONE,
    NUMERIC,
    UNGRADED,
    WRONG,
    Grade,
    Question,
)
from labeling.grading.extraction import Extracted, extract_answer
from labeling.grading.numbers import units_to_compare
from labeling.grading.plain_answers import cleaned, plain_number
from labeling.grading.structure import compare
from labeling.grading.values import value_of
from labeling.grading.verdict import Verdict

MOST_CHARACTERS = 2_000  # of an answer; no final answer is longer
SHOWN = 500  # characters of the found answer that are stored with the grade
REMEMBERED = 1_024  # comparisons: a problem's rollouts give few distinct answers, each of which is compared once

LETTER = r"\(?\s*([A-Za-z])\s*\)?"
ONE_OPTION = re.compile(
    rf"(?:(?:choice|option|answer)(?: |\\?_)*)?{LETTER}\s*(?:[.:]?\s*\Z|[).:]\s.*|\s(?=\S{{2}}).*)",
    re.IGNORECASE | re.DOTALL,
)
SEVERAL_OPTIONS = re.compile(rf"{LETTER}(?:\s*(?:,|;|&|and|,\s*and)\s*{LETTER})+\.?", re.IGNORECASE)


def grade(question: Question) -> Grade:
    """Grade one answer by the project's kind of answer. If nothing is found or decided, it is ungraded."""
    if question.kind == NONE:
        return Grade(UNGRADED, "not_graded")
    found = find_answer(question)
    if found is None:
        return Grade(UNGRADED, "no_answer")
    shown = (found.rule, found.text[:SHOWN])
    truths = [truth for truth in dict.fromkeys((question.truth, *question.accepted)) if truth and truth.strip()]
    if not truths:
        return Grade(UNGRADED, "no_truth", *shown)
    verdict = _compare_any(found.text, tuple(truths), question.kind, question.tolerance)
    outcome = {True: CORRECT, False: WRONG, None: UNGRADED}[verdict.equal]
    return Grade(outcome, verdict.reason, *shown)


@lru_cache(REMEMBERED)
def _compare_any(answer: str, truths: tuple[str, ...], kind: str, tolerance: float) -> Verdict:
    """Return right if any truth is met, wrong if it is proven to be none of them."""
    undecided = different = None
    for truth in truths:
        verdict = _compare(answer, truth, kind, tolerance)
        if verdict.equal is True:
            return verdict
        if verdict.equal is None:
            undecided = undecided or verdict
        different = different or verdict
    assert different
    return undecided or different


def find_answer(question: Question) -> Extracted | None:
    """Return the recorded final answer, or what the rules find in it or in the steps."""
    options = question.kind == CHOICE
    recorded = (question.final_answer or "").strip()
    if recorded:
        return extract_answer([recorded]) or Extracted(recorded, "recorded")
    return extract_answer(question.steps, options=options)


def _compare(answer: str, truth: str, kind: str, tolerance: float) -> Verdict:
    if max(len(answer), len(truth)) > MOST_CHARACTERS:
        return Verdict(None, "answer_too_long")
    if kind == EXACT:
        equal = _exact(answer) == _exact(truth)
        return Verdict(equal, "same_text" if equal else "other_text")
    if kind == CHOICE:
        return _compare_choices(answer, truth)
    given, truth = cleaned(answer), cleaned(truth)
    if not given:
        return Verdict(None, "no_answer")
    if not truth:
        return Verdict(None, "no_truth")
    if kind == NUMERIC:
        return _compare_numbers(given, truth, tolerance)
    return compare(given, truth)


def _exact(text: str) -> str:
    """Return the text with its white space and Unicode form normalised."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _compare_choices(answer: str, truth: str) -> Verdict:
    true_options, given = options_of(truth), options_of(answer)
    if true_options is None:
        return Verdict(True, "same_text") if _exact(answer) == _exact(truth) else Verdict(None, "truth_is_no_option")
    if given is None:
        return Verdict(None, "answer_is_no_option")
    return Verdict(True, "same_option") if given == true_options else Verdict(False, "other_option")


def options_of(text: str) -> frozenset[str] | None:
    """Return the option letters an answer names: `(B)`, `B.`, `B: 5 m`, `Choice_B`, `A and C`; None if it
    names none.
    """
    plain = cleaned(text)
    if SEVERAL_OPTIONS.fullmatch(plain):
        return frozenset(letter.upper() for letter in re.findall(r"\b[A-Za-z]\b", plain))
    match = ONE_OPTION.fullmatch(plain)
    if match is None or (match[1].islower() and len(plain) > 4):  # `a bird` does not name option A
        return None
    return frozenset(match[1].upper())


def _compare_numbers(given: str, truth: str, tolerance: float) -> Verdict:
    true_value, value = _number(truth), _number(given)
    if true_value is None:
        return Verdict(None, "truth_is_no_number")
    if value is None:
        return Verdict(None, "answer_is_no_number")
    one, other = plain_number(given), plain_number(truth)
    units = units_to_compare(one, other) if one and other else None
    if units and units[0].name != units[1].name:
        if not (units[0].dimension and units[1].dimension):
            return Verdict(None, "unknown_units")
        if units[0].dimension != units[1].dimension:
            return Verdict(False, "other_unit")
        value *= float(units[0].factor / units[1].factor)
    near = abs(value - true_value) <= tolerance * (abs(true_value) or 1) * (1 + 1e-12)
    return Verdict(near, "within_tolerance" if near else "outside_tolerance")


def _number(text: str) -> float | None:
    text = text.rpartition("=")[2].strip()
    plain = plain_number(text)
    return float(plain.value) if plain else value_of(text)
