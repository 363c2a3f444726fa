r"""Answers of several parts: lists, tuples, intervals, unions, inequalities and assignments, compared part by part.

Answers without parts are compared as text, as numbers with units, and last by `labeling.grading.symbolic`. Parts, too,
differ only by proof: a part of one answer differs from every part of the other, or the same place of two tuples holds
values that differ. Anything else is undecided.
"""

import re
from collections.abc import Sequence

from labeling.grading.numbers import compare_amounts, compare_bases, compare_numbers, sum_of_amounts
from labeling.grading.parts import (
    Parts,
    Reading,
    assignments,
    cells_of,
    leaves,
    other_readings,
    parts_of,
    several_signs,
    split,
    without_names,
)
from labeling.grading.plain_answers import plain_number, text_key
from labeling.grading.regions import compare_regions, region_of
from labeling.grading.sentences import compare_words, is_prose
from labeling.grading.symbolic import compare_expressions
from labeling.grading.values import alike, closed_value, real_value
from labeling.grading.verdict import Verdict

OPTION = re.compile(r"\(?\s*([A-F])\s*\)?")
COMPOUND = re.compile(r"[,;\[({<>]|\\(?:pm|mp|cup|R|in|le|ge|ne|begin|setminus|emptyset)(?![A-Za-z])| and | or |\breal")


def compare(given: str, truth: str) -> Verdict:
    """Compare two cleaned answers: the same in any of their readings, different only if so in all of them."""
    verdict = _compare(given, truth)
    if verdict.equal is True:
        return verdict
    for one in (Reading(given, True), *other_readings(given)):
        for other in (Reading(truth, True), *other_readings(truth)):
            if (one.text, other.text) == (given, truth):
                continue
            found = _compare(one.text, other.text)
            if found.equal is True and one.sure and other.sure:
                return found
            if found.equal is not False and verdict.equal is False:
                verdict = Verdict(None, "two_readings")
    return verdict


def _compare(given: str, truth: str) -> Verdict:
    """Compare one reading. Every rule either decides or leaves it to the next."""
    if text_key(given) == text_key(truth):
        return Verdict(True, "same_text")
    given, truth, other_names = without_names(given, truth)
    if other_names:
        return Verdict(None, "other_names")
    for rule in RULES:
        verdict = rule(given, truth)
        if verdict is not None:
            return verdict
    return compare_expressions(given, truth)


def _texts(given: str, truth: str) -> Verdict | None:
    return Verdict(True, "same_text") if text_key(given) == text_key(truth) else None


def _options(given: str, truth: str) -> Verdict | None:
    """Compare two options: `(B)` and `C`."""
    one, other = OPTION.fullmatch(given), OPTION.fullmatch(truth)
    if one is None or other is None:
        return None
    return Verdict(one[1] == other[1], "same_option" if one[1] == other[1] else "other_option")


def _chains(given: str, truth: str) -> Verdict | None:
    r"""Read `\frac{6}{4} = 1.5` as 1.5 if it holds, and `12\pi \approx 37.7` as what is before the sign."""
    if "=" not in given + truth and r"\approx" not in given + truth:
        return None
    texts = []
    for text in (given, truth):
        before, approximately, _ = text.partition(r"\approx")
        if approximately and not before.strip():
            return Verdict(None, "approximate")
        chain = split(before.strip(), ("=",))
        values = [closed_value(link) for link in chain]
        known = [value for value in values if value is not None]
        if len(known) == len(chain) > 1 and not all(alike(value, known[0]) for value in known):
            return Verdict(None, "false_equation")
        texts.append(chain[-1] if len(known) == len(chain) else before.strip())
    return None if texts == [given, truth] else compare(*texts)


def _prose(given: str, truth: str) -> Verdict | None:
    """Compare words; a list of them may be in another order."""
    verdict = compare_words(given, truth, compare)
    if verdict is None or verdict.equal is not None:
        return verdict
    for rule in (_regions, _parts):
        found = rule(given, truth)
        if found is not None and found.equal is True:
            return found
    return verdict


def _sums(given: str, truth: str) -> Verdict | None:
    """Compare sums of amounts: `2 hours and 30 minutes` is 150 minutes."""
    one, other = sum_of_amounts(given), sum_of_amounts(truth)
    if one is None or other is None:
        return None
    return Verdict(True, "same_number") if one == other else Verdict(None, "unknown_units")


def _regions(given: str, truth: str) -> Verdict | None:
    """Compare sets of numbers if at least one surely is one: a pair of numbers in brackets may also be a point."""
    if not (COMPOUND.search(given) or COMPOUND.search(truth)):
        return None
    one, other = region_of(given), region_of(truth)
    if not ((one and one.sure) or (other and other.sure)):
        return None
    if one and other:
        return compare_regions(one, other)
    if real_value(given) is not None or real_value(truth) is not None:
        return Verdict(None, "other_kind")  # `x > 3` for 4, its least whole number
    found = _parts(given, truth) or compare_expressions(given, truth)
    return found if found.equal is True else Verdict(None, "other_kind")


def _named(given: str, truth: str) -> Verdict | None:
    """Compare `x=1, y=2` in any order. Other names may mean other things or the same ones: undecided."""
    one, other = assignments(given), assignments(truth)
    if one is None or other is None:
        return None
    if one.keys() != other.keys():
        return Verdict(None, "other_names")
    return _in_order([one[name] for name in one], [other[name] for name in one])


def _matrices(given: str, truth: str) -> Verdict | None:
    """Compare cell by cell. A column is the tuple of its cells; a row may mean a column, and a tuple may mean a row."""
    one, other = cells_of(given), cells_of(truth)
    if one is None and other is None:
        return None
    if one and other and (len(one), len(one[0])) == (len(other), len(other[0])):
        verdict = _in_order(_joined(one), _joined(other))
        return verdict if verdict.equal is not None else _algebra_after(given, truth, verdict)
    items = [_joined(cells) if cells else _items(text) for cells, text in ((one, given), (other, truth))]
    if (one is None or other is None) and len(items[0]) == len(items[1]) > 1 and 1 in _sizes(one or other):
        verdict = _in_order(*items)
        if verdict.equal is True:
            return verdict
    return _by_leaves(given, truth) or Verdict(None, "other_shape")


def _algebra_after(given: str, truth: str, verdict: Verdict) -> Verdict:
    found = compare_expressions(given, truth)
    return found if found.equal is True else verdict


def _joined(cells: list[list[str]]) -> list[str]:
    return [cell for row in cells for cell in row]


def _items(text: str) -> list[str]:
    parts = parts_of(text)
    return list(parts.items) if parts else [text]


def _sizes(cells: list[list[str]] | None) -> tuple[int, int]:
    return (len(cells), len(cells[0])) if cells else (0, 0)


def _parts(given: str, truth: str) -> Verdict | None:
    one, other = parts_of(given), parts_of(truth)
    if one is None and other is None:
        return None
    # A single part against several: `5` is a list of one.
    one, other = one or Parts("", (given,), ""), other or Parts("", (truth,), "")
    if len(one.items) == len(other.items) == 1:
        if one.opening and other.opening and (one.opening == "{") != (other.opening == "{"):
            return Verdict(None, "brackets_unclear")
        return None if (one.items[0], other.items[0]) == (given, truth) else compare(one.items[0], other.items[0])
    verdict = _compare_parts(one, other)
    if verdict.equal is None and not several_signs(given) and not several_signs(truth):
        return _by_leaves(given, truth) or verdict
    if verdict.equal is False and (several_signs(given) or several_signs(truth)):
        return Verdict(None, "signs_unclear")
    return verdict


def _compare_parts(one: Parts, other: Parts) -> Verdict:
    """Compare parts by place if both are ordered, else as sets."""
    same_length = len(one.items) == len(other.items)
    if one.ordered and other.ordered:
        brackets = (one.opening, one.closing) == (other.opening, other.closing)
        if not brackets:
            return Verdict(None, "brackets_unclear")
        if same_length:
            verdict = _in_order(one.items, other.items)
            # `[2,1]` is not an interval, but perhaps a list in which order does not matter.
            permuted = one.opening == "[" and verdict.equal is False
            return Verdict(None, "order_unclear") if permuted else verdict
        return Verdict(None, "other_count")
    if one.ordered != other.ordered:  # `1,2` and `(1,2)`: right in the same order, unclear in another
        verdict = _in_order(one.items, other.items) if same_length else Verdict(None, "other_count")
        return verdict if verdict.equal is True else Verdict(None, "order_unclear")
    return _in_any_order(one, other)


def _in_order(given: Sequence[str], truth: Sequence[str]) -> Verdict:
    verdicts = [compare(*pair) for pair in zip(given, truth, strict=True)]
    for verdict in verdicts:
        if verdict.equal is False:
            return Verdict(False, "other_part")
    return next((verdict for verdict in verdicts if verdict.equal is None), Verdict(True, "same_parts"))


def _in_any_order(one: Parts, other: Parts) -> Verdict:
    """Compare two sets: each part of one is a part of the other, and equally often unless both are in braces."""
    found = {(a, b): compare(a, b) for a in one.items for b in other.items}
    table = [[found[a, b].equal for b in other.items] for a in one.items]
    columns = [list(column) for column in zip(*table, strict=True)]
    if all(True in row for row in (*table, *columns)):
        # Repetition does not matter in a set: {2,2} is {2}. In a bare list it may.
        matched = len(one.items) == len(other.items) and _as_often(table)
        braces = one.opening == other.opening == "{"
        return Verdict(True, "same_parts") if matched or braces else Verdict(None, "repetition_unclear")
    alike_made = len({_is_compound(item) for item in (*one.items, *other.items)}) == 1
    if alike_made and any(all(equal is False for equal in row) for row in (*table, *columns)):
        return Verdict(False, "other_part")
    unclear = next((verdict for verdict in found.values() if verdict.equal is None), None)
    return unclear or Verdict(None, "undecided")


def _as_often(table: list[list[bool | None]]) -> bool:
    """Whether each part has its own partner. Equality is taken as transitive, so the first partner will do."""
    left = list(range(len(table[0])))
    for row in table:
        partner = next((place for place in left if row[place] is True), None)
        if partner is None:
            return False
        left.remove(partner)
    return True


def _is_compound(text: str) -> bool:
    parts = parts_of(text)
    return cells_of(text) is not None or (parts is not None and len(parts.items) > 1)


def _by_leaves(given: str, truth: str) -> Verdict | None:
    """Prove a difference whatever order and brackets mean: a value of one answer that is nowhere in the other."""
    one, other = leaves(given), leaves(truth)
    if (one, other) == ([given], [truth]):
        return None
    amounts = [number for number in map(plain_number, (*one, *other)) if number and number.unit]
    if len(one) != len(other) and amounts:
        return None  # 4 red boxes and 6 blue ones may be 10 boxes
    table = [[compare(a, b).equal for b in other] for a in one]
    columns = [list(column) for column in zip(*table, strict=True)]
    if any(all(equal is False for equal in row) for row in (*table, *columns)) and not (
        is_prose(given) or is_prose(truth)
    ):
        return Verdict(False, "other_part")
    return None


RULES = (
    *(_texts, _options, compare_numbers, compare_bases, _chains, compare_amounts),
    *(_sums, _prose, _regions, _named, _matrices, _parts),
)
