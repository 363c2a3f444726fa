"""Plain numbers compared exactly: with units, percents, and numerals with a written base."""

import re
from fractions import Fraction

from sympy import Float

from labeling.grading.parts import split
from labeling.grading.plain_answers import PlainNumber, plain_number, same_number
from labeling.grading.units import KNOWN, PERCENT, Unit, unit_of
from labeling.grading.values import DIGITS, Value, alike, closed_value, differ, value_of_pi
from labeling.grading.verdict import Verdict

AMOUNT = re.compile(r"(?P<value>.*?[\d)}ie])(?P<unit>\s+[A-Za-z].*)")
IN_BASE = re.compile(r"(?P<digits>\d[0-9A-Za-z]*)_\{?(?P<base>\d{1,2})\}?", re.ASCII)
# After a number, these words count things: 2 dozen are 24, and 3 quarters may be 75 cents.
COUNT_WORDS = (
    "dozen pair couple score gross hundred thousand million billion trillion half halve third quarter"
    " fifth tenth hundredth thousandth penny nickel dime fortnight decade century bit byte ton tonne pint"
    " gallon cup acre"
)
COUNTS = frozenset(COUNT_WORDS.split())
TWO_MEANINGS = {"length^1", "time^1"}  # `5 m` may be minutes


def compare_numbers(given: str, truth: str) -> Verdict | None:
    """Compare two plain numbers; None if one is not a plain number."""
    one, other = plain_number(given), plain_number(truth)
    if one is None or other is None:
        return None
    units = units_to_compare(one, other)
    if units and units[0].name != units[1].name:
        return _with_units(one.value, units[0], other.value, units[1])
    percents = [number.unit is not None and number.unit.name == f"{PERCENT}^1" for number in (one, other)]
    equal = same_number(one, other)
    if not equal and percents[0] != percents[1]:  # 50% is 0.5 as well as 50
        one, other = (_share(number, percent) for number, percent in zip((one, other), percents, strict=True))
        equal = same_number(one, other)
    if not equal and (one.unit is None) != (other.unit is None) and _may_be_converted(one, other):
        return Verdict(None, "unit_unclear")
    return Verdict(equal, "same_number" if equal else "other_number")


def units_to_compare(one: PlainNumber, other: PlainNumber) -> tuple[Unit, Unit] | None:
    """Return the units of two amounts, None if one has none: `$5` and `5 cents` are both money."""
    if one.money and other.money:
        return one.money, other.money
    return (one.unit, other.unit) if one.unit and other.unit else None


def _with_units(value: Fraction, unit: Unit, other: Fraction, others: Unit) -> Verdict:
    if unit.dimension and others.dimension:
        if unit.dimension == others.dimension:
            equal = value * unit.factor == other * others.factor
            return Verdict(equal, "same_number" if equal else "other_number")
        if {unit.dimension, others.dimension} != TWO_MEANINGS:
            return Verdict(False, "other_unit")
    return Verdict(None, "unknown_units")


def _may_be_converted(one: PlainNumber, other: PlainNumber) -> bool:
    """Whether the number without a unit may be the other one in a unit that the question asks for: `5 m` for 500."""
    with_unit, bare = (one, other) if one.unit else (other, one)
    assert with_unit.unit
    if with_unit.unit.dimension is None:
        return counts_something(with_unit.unit)
    return any(with_unit.value * factor == bare.value for factor in conversions(with_unit.unit))


def counts_something(unit: Unit) -> bool:
    """Whether an unknown unit contains a count: `5 dozen eggs`."""
    return bool(COUNTS & {word.removesuffix("s") for word in re.findall("[a-z]+", unit.name)})


def conversions(unit: Unit) -> set[Fraction]:
    """Return the factors that convert an amount to the other units of its dimension; for a quotient, one for each of
    its units.
    """
    factors = {Fraction(1)}
    for place, (part, power) in enumerate(re.findall(r"([a-z]+)\^(\d)", unit.dimension or "")):
        known = [one.factor ** int(power) for one in KNOWN.values() if one.dimension == part]
        factors = {factor * (one if place else 1 / one) for factor in factors for one in known}
    return {factor * unit.factor for factor in factors}


def _share(number: PlainNumber, percent: bool) -> PlainNumber:
    if not percent:
        return number
    return number._replace(value=number.value / 100, place=number.place and number.place / 100)


def compare_amounts(given: str, truth: str) -> Verdict | None:
    r"""Compare closed values followed by a unit: `8\sqrt{3} cm`. None if neither has one."""
    (one, first), (other, second) = _amount_of(given), _amount_of(truth)
    if (first is None and second is None) or one is None or other is None:
        return None
    if first and second and first.name != second.name:
        if not first.dimension or first.dimension != second.dimension:
            return Verdict(None, "unknown_units")
        one, other = _times(one, first.factor), _times(other, second.factor)
    elif first is None or second is None:
        unit, bare, amount = (first, other, one) if first else (second, one, other)
        assert unit
        if unit.name == "degree^1" and alike(_times(amount, Fraction(1, 180), value_of_pi()), bare):
            return Verdict(True, "same_value")
        converted = unit.dimension and any(alike(_times(amount, by), bare) for by in conversions(unit) if by != 1)
        if not alike(one, other) and (converted or counts_something(unit)):
            return Verdict(None, "unit_unclear")
    if alike(one, other):
        return Verdict(True, "same_value")
    return Verdict(False, "other_value") if differ(one, other) else None


def _amount_of(text: str) -> tuple[Value | None, Unit | None]:
    number = plain_number(text)
    if number is not None and number.unit is not None:
        return closed_value(str(number.value)), number.unit
    found = AMOUNT.fullmatch(text)
    unit = unit_of(found["unit"]) if found else None
    return (closed_value(found["value"]), unit) if found and unit else (closed_value(text), None)


def _times(value: Value, factor: Fraction, by: Float | int = 1) -> Value:
    scale = Float(factor.numerator, DIGITS) / factor.denominator * by
    return Value(value.real * scale, value.imaginary * scale)


def sum_of_amounts(text: str) -> tuple[Fraction, str] | None:
    """Return one amount or several added ones in the base unit of their dimension: `5 feet 6 inches`, `2 hours and 5
    min`.
    """
    text = re.sub(r"(?<=[a-z])(?<! and)\s+(?=\d)", " and ", text)
    numbers = [number for part in split(text, (" and ",)) if (number := plain_number(part.rstrip(",")))]
    units = [number.unit for number in numbers if number.unit and number.unit.dimension]
    if len(units) != len(split(text, (" and ",))) or len({unit.name for unit in units}) != len(units):
        return None
    if len({unit.dimension for unit in units}) != 1 or units[0].dimension is None:
        return None
    total = sum((number.value * unit.factor for number, unit in zip(numbers, units, strict=True)), Fraction())
    return total, units[0].dimension


def compare_bases(given: str, truth: str) -> Verdict | None:
    """Compare numerals with a written base: `7602_8`. Against a bare numeral, equal digits match and equal values are
    unclear.
    """
    one, other = IN_BASE.fullmatch(given), IN_BASE.fullmatch(truth)
    if not (one or given.isdecimal()) or not (other or truth.isdecimal()) or not (one or other):
        return None
    if (one["digits"] if one else given) == (other["digits"] if other else truth):
        same_base = not (one and other) or one["base"] == other["base"]
        return Verdict(same_base, "same_number" if same_base else "other_number")
    if (one and int(one["base"]) < 2) or (other and int(other["base"]) < 2):
        return None
    equal = _in_base(one, given) == _in_base(other, truth)
    if equal and not (one and other):
        return Verdict(None, "base_unclear")
    return Verdict(equal, "same_number" if equal else "other_number")


def _in_base(match: re.Match[str] | None, text: str) -> int:
    """Return the value; a digit too large for the base counts with its usual value."""
    base, value = int(match["base"]) if match else 10, 0
    for digit in match["digits"] if match else text:
        value = value * base + int(digit, 36)
    return value
