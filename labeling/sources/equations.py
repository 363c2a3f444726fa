"""Equations that a step writes out, computed again: `12 x 7 = 86` does not hold.

Only equations with a number on both sides are judged, after LaTeX, units and money signs are removed; an equation with
a variable makes no claim about numbers and is skipped. Nothing is ever executed: the expression is parsed by Python's
grammar, and a fixed list of operations is computed on it. Roots, logarithms and the like are left to the killable
grading processes (`symbolic_sides`).
"""

import ast
import operator
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

LONGEST = 300  # characters of a side
LOOKED_AT = 2 * LONGEST  # characters next to a sign
POWERS = 20  # no higher power is computed
LARGEST = 1e15  # beyond it, floats are not exact
NEAR = 1e-6  # of the larger side
ABOUT = 0.01  # allowed by `≈`
OPERATIONS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
TEXT = re.compile(r"\\(?:text|mathrm|textbf|mbox)\s*\{[^{}]*\}")
SIGNS = {
    r"\times": "*", r"\cdot": "*", r"\div": "/", "×": "*", "·": "*", "÷": "/", "−": "-", "–": "-",
    r"\left": "", r"\right": "", r"\,": "", r"\!": "", r"\;": "", r"\ ": " ", "\\$": "", "$": "", "\\%": "%", "€": "",
    "£": "", r"\approx": "≈", r"\quad": " ",
}  # fmt: skip
BETWEEN = re.compile(r"(≈|(?<![<>!=:])=(?![=>]))")
# A side's end (left of the sign) or beginning (right of it): everything that may be an expression. Possessive (`++`):
# digits can be split in so many ways that 30 of them took minutes.
PIECE = r"(?:(?<=\d)\s*[xX]\s*(?=[\d(.])|\d[\d,]*(?:\.\d+)?|\.\d+|[-+*/^().%\s])"
LEFT, RIGHT = re.compile(rf"{PIECE}++\Z"), re.compile(rf"\A{PIECE}++")
TIMES = re.compile(r"(?<=[\d)%])\s*[xX]\s*(?=[\d(.])")
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
TOUCHING = "\\_{}^√π!'|[]<>:"
WORDS = frozenset(
    "of times plus minus by over divided less more twice half double mod modulo per squared cubed".split()  # noqa: SIM905
)
WORDS_BEHIND = WORDS - {"of", "less", "more", "twice", "half", "double", "per"}
# A remark in parentheses, "24 (left: 24)", is not part of what precedes it; if a sign cuts the remark, its end is
# missing. What follows the remark may belong to the calculation.
REMARK = re.compile(r"\s*\((?:\s*|(?P<word>[A-Za-z]{2,})[^()]*)(?:\)(?!\s*[-+*/^(\d])|\Z)")
FUNCTIONS = frozenset("sqrt root log ln exp sin cos tan abs min max pi".split())  # noqa: SIM905
GOES_ON = re.compile(r"\A\s*[A-Za-z]+\s*[-+*/]\s*[\d(]")
ANOTHER_ARITHMETIC = re.compile(r"\bmod|\\p?mod|\bbase\b|≡|_\{?\d", re.IGNORECASE)
UNIT = re.compile(r"\A\s*(?:[A-Za-z]{2,}\.?(?:\s+[A-Za-z]{2,}\.?)*)?\s*\Z")
FORMULA = re.compile(r"\$([^$]+)\$|\\\(((?:(?!\\[()]).)+)\\\)|\\\[((?:(?!\\[\[\]]).)+)\\\]", re.DOTALL)
SYMBOLIC = re.compile(r"\\sqrt|\\pi|π|√|\\log|\\ln|\\sin|\\cos|\\tan")
LETTERS = re.compile(r"(?<![\\A-Za-z])[A-Za-z](?![A-Za-z])")
# GSM8K's solutions contain calculator input: `60 x 3 = <<60*3=180>>180`.
CALCULATED = re.compile(r"<<([^<>\n]*)>>")


class Equation(NamedTuple):
    """`left = right` as written, with the values of both; `holds` by `holds_between`."""

    text: str
    left: float
    right: float
    holds: bool


def equations_of(step: str, *, remarks: bool = True, calculator: bool = True) -> Iterator[Equation]:
    """Yield the equations between numbers in a step; a chain `a = b = c` gives its pairs.

    `remarks`: also those followed by a remark in parentheses, as the checks do since their version 2. `calculator`:
    also those inside calculator marks, if they are not written out as well, and those around the marks, as the checks
    do since version 3.
    """
    beside = list(_written(CALCULATED.sub("", step) if calculator else step, remarks=remarks))
    yield from beside
    if calculator:
        said = {one.text for one in beside}
        asked = (one for mark in CALCULATED.findall(step) for one in _written(mark, remarks=remarks))
        yield from (one for one in asked if one.text not in said)


def _written(text: str, *, remarks: bool) -> Iterator[Equation]:
    for sentence in re.split(r"[;\n]|(?<=[.,])\s|\\\\|&", cleaned(text)):
        parts = [] if ANOTHER_ARITHMETIC.search(sentence) else BETWEEN.split(sentence)
        for place in range(0, len(parts) - 2, 2):
            ends = place == 0, place + 2 == len(parts) - 1
            right = _without_remark(parts[place + 2]) if remarks else parts[place + 2]
            sides = _side(parts[place], LEFT, alone=not ends[0]), _side(right, RIGHT, alone=not ends[1])
            found = _equation(*sides, parts[place + 1])
            if found is not None:
                yield found


def _equation(left: str | None, right: str | None, sign: str) -> Equation | None:
    if left is None or right is None or not (_is_calculation(left) or _is_calculation(right)):
        return None
    one, other = value_of(left), value_of(right)
    if one is None or other is None:
        return None
    holds = holds_between(one, other, right, about=sign == "≈") or holds_between(other, one, left, about=sign == "≈")
    return Equation(f"{_shown(left)} {sign} {_shown(right)}", one, other, holds)


def holds_between(exact: float, written: float, as_written: str, *, about: bool = False) -> bool:
    """Whether a number is the result of a calculation: up to rounding of its last decimal, or as a percentage."""
    decimals = re.search(r"\.(\d+)\s*%?\s*\Z", as_written.strip())
    printed = 0.5000001 * 10 ** -len(decimals[1]) if decimals else 0.0
    for factor in (1, 100, 0.01):
        allowed = max(NEAR * max(1.0, abs(exact)), printed, ABOUT * abs(exact) if about else 0.0)
        if abs(exact * factor - written) <= allowed * (factor if factor > 1 else 1):
            return True
    return False


def cleaned(text: str) -> str:
    """Return the text with LaTeX numbers and signs as plain ones."""
    text = TEXT.sub(" ", text)
    for _ in range(3):  # fractions within fractions
        text = FRACTION.sub(r"((\1)/(\2))", text)
    for sign, plain in SIGNS.items():
        text = text.replace(sign, plain)
    return re.sub(r"\^\{([^{}]*)\}", r"^(\1)", text.replace(r"\[", "\n").replace(r"\]", "\n"))


def value_of(text: str) -> float | None:
    """Return the value of an arithmetic expression; None if it is not one, or too large to be certain."""
    text = THOUSANDS.sub("", TIMES.sub("*", text)).strip()
    text = re.sub(r"([\d.)]+)\s*%", r"(\1/100)", text).replace("^", "**")
    text = re.sub(r"(?<=[\d)])\(", "*(", text)  # 2(3 + 4)
    if not text or len(text) > LONGEST or re.search(r"\d\s+\d|\)\s*\d|\d\s+\(", text) or re.search(r"\b0\d", text):
        return None
    try:
        found = _computed(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return None
    return found if abs(found) <= LARGEST else None


def _computed(node: ast.expr) -> float:
    """Compute a node. Raises ValueError if it is not arithmetic."""
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return float(number)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_computed(inner)
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            return _computed(inner)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            base, power = _computed(left), _computed(right)
            if abs(power) > POWERS or (base < 0 and power != int(power)):
                raise ValueError
            return float(base**power)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATIONS:
            return OPERATIONS[type(op)](_computed(left), _computed(right))
    raise ValueError


def _without_remark(text: str) -> str:
    """Return a right side up to the first remark after its number; all of it if the remark may belong to the
    calculation.
    """
    found = REMARK.search(text[:LOOKED_AT])
    if found is None or (found["word"] or "").lower() in WORDS | FUNCTIONS:
        return text
    return text[: found.start()]


def _side(text: str, shape: re.Pattern[str], *, alone: bool) -> str | None:
    """Return the expression next to a sign; None if something touches it that is neither a unit nor a sentence.

    `alone`: it is between two signs, so all of it is the side.
    """
    if alone and len(text) > LOOKED_AT:
        return None
    text = text[-LOOKED_AT:] if shape is LEFT else text[:LOOKED_AT]
    found = shape.search(text)
    if found is None or not any(character.isdigit() for character in found[0]):
        return None
    before = shape is LEFT
    rest = text[: found.start()] if before else text[found.end() :]
    side = found[0].strip() if before else found[0].strip().rstrip(".,")
    if alone and not UNIT.match(rest):
        return None
    return None if _is_part_of_more(side, rest, found[0], before=before) else side


def _is_part_of_more(side: str, rest: str, run: str, *, before: bool) -> bool:
    """Whether the text continues with something other than a number that belongs to the calculation."""
    words = rest.split()
    near = (words[-1] if before else words[0]).strip(".,:()").lower() if words else ""
    apart = run[:1].isspace() if before else run[-1:].isspace()
    touching = rest[-1:] if before else rest[:1]
    if touching and not apart and (touching.isalnum() or touching in TOUCHING):
        return True
    is_variable = len(near) == 1 and near.isalpha() and near not in "ai"
    if is_variable or near in (WORDS if before else WORDS_BEHIND) or any(one in near for one in TOUCHING):
        return True
    if before:
        apart_from_sign = side[:1] == "-" and (side[1:2].isspace() or (bool(near) and rest.rstrip()[-1:] not in ":,."))
        return side[:1] in "+*/^%)" or apart_from_sign
    return GOES_ON.match(rest) is not None


def _is_calculation(text: str) -> bool:
    return re.search(r"[\d)%]\s*[-+*/^xX]", text) is not None


def _shown(text: str) -> str:
    return " ".join(text.replace("*", " x ").split())


def symbolic_sides(step: str) -> list[tuple[str, str]]:
    """Return pairs of sides with roots, pi or logarithms but no variable, for the killable processes of the grader."""
    found = []
    for formula in FORMULA.findall(step):
        parts = [part.strip(" .,") for part in re.split(r"(?<![<>!])=", next(filter(None, formula), ""))]
        for left, right in zip(parts, parts[1:], strict=False):
            both = f"{left} {right}"
            if SYMBOLIC.search(both) and not _has_variable(both) and left and right and len(both) <= LONGEST:
                found.append((left, right))
    return found


def _has_variable(text: str) -> bool:
    return LETTERS.search(re.sub(r"\\[A-Za-z]+", " ", text)) is not None or "\\text" in text
