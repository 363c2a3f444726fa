r"""The structure of an answer: names, lists, tuples, matrices, plus-minus, and the other ways to read it.

Only about the text; `labeling.grading.structure` compares what is found here.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

OPENING, CLOSING = "([{", ")]}"
SIGNS = r"(?:<|>|\\le |\\ge )"
CHAIN = re.compile(rf"(?P<low>[^<>=]+?)\s*(?P<left>{SIGNS})\s*\\?[A-Za-z]+\s*(?P<right>{SIGNS})\s*(?P<high>[^<>=]+)")
ONE_SIDED = re.compile(rf"\\?[A-Za-z]\s*(?P<sign>{SIGNS})\s*(?P<bound>[^<>=]+)")
TURNED = re.compile(rf"(?P<bound>[^<>=A-Za-z]+?)\s*(?P<sign>{SIGNS})\s*\\?[A-Za-z]")
OTHER_WAY = {"<": ">", ">": "<", r"\le": r"\ge", r"\ge": r"\le"}
MEMBERSHIP = re.compile(r"\\?[A-Za-z](?:\([A-Za-z]\))?\s*\\in(?![A-Za-z])\s*(.+)")
SET_BUILDER = re.compile(r"\\\{\s*([A-Za-z])\s*(?:\||:|\\mid(?![A-Za-z]))\s*(\1?.+)\\\}")
NAME = r"\\?[A-Za-z]+(?:_\{?\w+\}?)?(?:\([A-Za-z](?:,\s*[A-Za-z])*\))?"
ASSIGNMENT = re.compile(rf"(?P<name>{NAME}|\({NAME}(?:,\s*{NAME})+\))\s*=\s*(?P<value>[^=<>]+)")
FUNCTION = re.compile(r"(?P<function>[A-Za-z]\w*)\((?P<arguments>[A-Za-z](?:,\s*[A-Za-z])*)\)")
PLUS_MINUS = re.compile(r"\\pm(?![A-Za-z])|\\mp(?![A-Za-z])")
JOINED = re.compile(r"(?<=[)\]}\d])\s*(?<![A-Za-z])(and|or)(?![A-Za-z])\s*(?=[(\[{\d\\-])")
MATRIX = re.compile(
    r"[(\[]?\s*\\begin\s*\{([pbB]?matrix|array)\}\s*(?:\{[lcr| ]*\})?(?P<rows>.*)\\end\s*\{\1\}\s*[)\]]?", re.DOTALL
)
TRANSPOSED = re.compile(r"(?P<row>\(.*\)|\[.*\])\s*\^\s*\{?\s*(?:T|\\top|\\intercal)\s*\}?")
GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?!\d|,\d)")
COMMA_DECIMAL = re.compile(r"(-?\d+),(\d+)")
MOST_PARTS = 200


class Parts(NamedTuple):
    """`opening` and `closing` are the brackets, empty for a bare list; `{` means that order does not count."""

    opening: str
    items: tuple[str, ...]
    closing: str

    @property
    def ordered(self) -> bool:
        """Whether the order of the parts matters."""
        return self.opening not in ("", "{")


class Reading(NamedTuple):
    """Another way to read an answer. Answers that are equal only in an unsure reading are undecided."""

    text: str
    sure: bool


def without_names(given: str, truth: str) -> tuple[str, str, bool]:
    r"""Return both answers without names: `x=5` and `5`, `x \in (1,3)` and `(1,3)`, `f(y)=2y` and `f(x)=2x`.

    The last value is true if their names differ, so that nothing can be decided: x=1 is not y=1, nor proven not to be.
    """
    given, truth = (_without_membership(text) for text in (given, truth))
    one, other = ASSIGNMENT.fullmatch(given), ASSIGNMENT.fullmatch(truth)
    if one and other and one["name"] != other["name"]:
        renamed = _renamed(one, other)
        return (renamed, other["value"].strip(), False) if renamed else (given, truth, True)
    if one and "=" not in (other["value"] if other else truth):
        given = one["value"]
    if other and "=" not in given:
        truth = other["value"]
    return given.strip(), truth.strip(), False


def _without_membership(text: str) -> str:
    built = SET_BUILDER.fullmatch(text)
    return MEMBERSHIP.sub(r"\1", built[2].strip() if built else text)


def _renamed(one: re.Match[str], other: re.Match[str]) -> str | None:
    """Return the body of the function `one` in the variables of `other`, if they are the same function."""
    mine, theirs = FUNCTION.fullmatch(one["name"]), FUNCTION.fullmatch(other["name"])
    if mine is None or theirs is None or mine["function"] != theirs["function"]:
        return None
    old, new = (re.findall("[A-Za-z]", name["arguments"]) for name in (mine, theirs))
    letters = re.findall(r"\\[A-Za-z]+|[A-Za-z]", one["value"])
    if len(old) != len(new) or any(letter in letters for letter in set(new) - set(old)):
        return None
    names = dict(zip(old, new, strict=True))
    return re.sub(r"\\[A-Za-z]+|[A-Za-z]", lambda found: names.get(found[0], found[0]), one["value"]).strip()


def assignments(text: str) -> dict[str, str] | None:
    """Return `x=1, y=2` by name; None if a part has no name or two have the same."""
    items = split(text, (",", ";", " and "))
    found = [ASSIGNMENT.fullmatch(item.removeprefix("and ")) for item in items]
    named = {match["name"]: match["value"].strip() for match in found if match}
    return named if 1 < len(named) == len(items) else None


def parts_of(text: str) -> Parts | None:
    """Return the parts of a list, tuple, interval, union, chain of inequalities or plus-minus; None for a
    single value.
    """
    interval = interval_of(text)
    if interval:
        return interval
    text = JOINED.sub(r" \1 ", text)
    union = split(text, (r"\cup",))
    if len(union) > 1:
        return Parts("", tuple(union), "")
    bare = split(text, (",", ";", " and ", " or "))
    if len(bare) > 1:
        bare = [part.removeprefix("and ").removeprefix("or ") for part in bare]
    if len(bare) > 1 or (PLUS_MINUS.search(text) and not text.startswith("\\{")):
        return Parts("", tuple(one for part in bare for one in _both_signs(part)), "")
    opening, closing = ("\\{", "\\}") if text.startswith("\\{") else (text[:1], text[-1:])
    if opening[-1:] not in OPENING or closing[-1:] not in CLOSING or not text.endswith(closing) or len(text) < 3:
        return None
    inside = text[len(opening) : -len(closing)]
    if not _balanced(inside):
        return None
    items = split(inside, (",", ";"))
    if opening[-1:] == "{":
        items = [one for item in items for one in _both_signs(item)]
    return Parts(opening[-1:], tuple(items), closing[-1:])


def _both_signs(text: str) -> tuple[str, ...]:
    r"""Return `1 \pm 2` as two; `\mp` is the opposite sign. Several signs go together: all upper ones or all
    lower ones.
    """
    if not PLUS_MINUS.search(text):
        return (text,)
    upper = PLUS_MINUS.sub(lambda sign: "+" if sign[0] == r"\pm" else "-", text)
    lower = PLUS_MINUS.sub(lambda sign: "-" if sign[0] == r"\pm" else "+", text)
    return tuple(re.sub(r"(^|[(=,{])\s*\+\s*", r"\1", each).strip() for each in (upper, lower))


def several_signs(text: str) -> bool:
    r"""Whether a part has more than one `\pm`: they may go together or vary independently."""
    return any(len(PLUS_MINUS.findall(part)) > 1 for part in split(text, (",", ";", " and ", " or ")))


def interval_of(text: str) -> Parts | None:
    r"""Read `1<x\le 3` as `(1,3]`, and `x>3` and `3<x` as `(3,\infty)`."""
    chain = CHAIN.fullmatch(text)
    if chain:
        low, left, right, high = (chain[name].strip() for name in ("low", "left", "right", "high"))
        if (left in ("<", r"\le")) != (right in ("<", r"\le")):
            return None
        if left in (">", r"\ge"):
            low, left, right, high = high, right, left, low
        return Parts("(" if left in "<>" else "[", (low, high), ")" if right in "<>" else "]")
    one_sided, turned = ONE_SIDED.fullmatch(text), TURNED.fullmatch(text)
    if one_sided is None and turned is None:
        return None
    if one_sided:
        sign, bound = one_sided["sign"].strip(), one_sided["bound"].strip()
    else:
        assert turned
        sign, bound = OTHER_WAY[turned["sign"].strip()], turned["bound"].strip()
    if sign in (">", r"\ge"):
        return Parts("(" if sign == ">" else "[", (bound, r"\infty"), ")")
    return Parts("(", (r"-\infty", bound), ")" if sign == "<" else "]")


def cells_of(text: str) -> list[list[str]] | None:
    r"""Return the rows of a matrix; a tuple with `^T` is a column. None for anything else."""
    transposed = TRANSPOSED.fullmatch(text)
    if transposed:
        row = parts_of(transposed["row"])
        return [[item] for item in row.items] if row and len(row.items) > 1 else None
    matrix = MATRIX.fullmatch(text)
    if matrix is None:
        return None
    rows = [row.strip() for row in re.split(r"\\\\(?:\s*\[[^\]]*\])?", matrix["rows"])]
    cells = [[cell.strip() for cell in row.split("&")] for row in rows if row]
    return cells if cells and len({len(row) for row in cells}) == 1 and all(all(row) for row in cells) else None


def leaves(text: str) -> list[str]:
    """Return the single values of an answer, without names, brackets and order."""
    named = ASSIGNMENT.fullmatch(text)
    if named:
        return leaves(named["value"].strip())
    cells = cells_of(text)
    items: Sequence[str] = [cell for row in cells for cell in row] if cells else ()
    if not items:
        parts = parts_of(text)
        items = parts.items if parts else ()
    if not items or list(items) == [text]:
        return [text]
    return [leaf for item in items[:MOST_PARTS] for leaf in leaves(item)][:MOST_PARTS]


def other_readings(text: str) -> Iterator[Reading]:
    """Yield what else a text may mean: `x=1, y=2 or x=3, y=4` two pairs, `1,000\\pi` one number, `3,4` a decimal."""
    if "," not in text and ")" not in text:
        return
    pairs = _pairs(text)
    if pairs:
        yield Reading(pairs, sure=True)
    grouped = GROUPED.findall(text)
    if grouped == [text] and ",0" not in text:
        yield Reading(text.replace(",", ", "), sure=False)
    elif grouped:
        ungrouped = GROUPED.sub(lambda number: number[0].replace(",", ""), text)
        alone = len(grouped) == 1 and "," not in ungrouped and not text.startswith(("(", "[", "\\{"))
        yield Reading(ungrouped, sure=alone or any(",0" in number for number in grouped))
    elif COMMA_DECIMAL.fullmatch(text):
        yield Reading(text.replace(",", "."), sure=False)
    if re.search(r",[^()]*\)\s*\([^()]*,", text):
        yield Reading(re.sub(r"\)\s*\(", "), (", text), sure=False)


def _pairs(text: str) -> str | None:
    """Read `1 and 2, 3 and 4`, `x=1, y=2 or x=3, y=4` and `1,2; 3,4` as lists of tuples."""
    words = (" and ", " or ", ";")
    for outer, inner in ((words, (",",)), ((",", ";"), (" and ",))):
        groups = [split(group, inner) for group in split(JOINED.sub(r" \1 ", text), outer)]
        if len(groups) > 1 and len(groups[0]) > 1 and len({len(group) for group in groups}) == 1:
            return ", ".join(f"({', '.join(_by_name(group))})" for group in groups)
    return None


def _by_name(group: list[str]) -> list[str]:
    return sorted(group) if all(ASSIGNMENT.fullmatch(item) for item in group) else group


def split(text: str, separators: Sequence[str]) -> list[str]:
    """Split the text at separators outside of all brackets; empty parts are left out."""
    parts, depth, start, position = [], 0, 0, 0
    while position < len(text):
        depth += (text[position] in OPENING) - (text[position] in CLOSING)
        found = next((mark for mark in separators if text.startswith(mark, position)), "") if depth == 0 else ""
        if found:
            parts.append(text[start:position])
            start = position = position + len(found)
        else:
            position += 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()][:MOST_PARTS]


def _balanced(text: str) -> bool:
    """Whether no bracket of `text` closes one that was opened before it."""
    depth = 0
    for character in text:
        depth += (character in OPENING) - (character in CLOSING)
        if depth < 0:
            return False
    return depth == 0
