"""Units after a number: which words are units, and how two units of the same dimension convert."""

import re
from fractions import Fraction
from typing import NamedTuple

PERCENT = "%"


class Unit(NamedTuple):
    """`name` normalised; `dimension` and `factor` (to that dimension's base unit) if the unit is known."""

    name: str
    dimension: str | None = None
    factor: Fraction = Fraction(1)


def _table() -> dict[str, Unit]:
    rows = {
        "length": "mm millimeter:1/1000 cm centimeter:1/100 m meter:1 km kilometer:1000 in inch inches:127/5000"
        " ft foot feet:381/1250 yd yard:1143/1250 mile:201168/125",
        "time": "ms millisecond:1/1000 s sec second:1 min minute:60 h hr hour:3600 day:86400 week:604800",
        "mass": "mg milligram:1/1000 g gram:1 kg kilogram:1000 lb pound:45359237/100000 oz ounce:45359237/1600000",
        "volume": "ml mL milliliter:1/1000 l L liter:1",
        "money": "cent:1/100 dollar usd:1",
        "angle": "degree deg:1",
        "share": "% percent percentage:1",
        "force": "N newton:1",
        "energy": "J joule:1 kJ kilojoule:1000 cal calorie:523/125",
        "power": "W watt:1 kW kilowatt:1000",
        "frequency": "Hz hertz:1 kHz kilohertz:1000",
        "voltage": "V volt:1",
        "current": "ampere amp:1",
        "pressure": "Pa pascal:1 kPa kilopascal:1000 atm atmosphere:101325",
    }
    table = {}
    for dimension, words in rows.items():
        names: list[str] = []
        for word in words.split():
            name, _, factor = word.partition(":")
            names.append(name)
            if factor:
                table.update({name: Unit(names[0], dimension, Fraction(factor)) for name in names})
                names = []
    return table


KNOWN = _table()
MONEY = "money^1"
# Signs before a number. The rate of pounds or yen to dollars is unknown, so these have no dimension.
CURRENCIES = {"$": Unit("dollar^1", MONEY), "€": Unit("euro"), "£": Unit("pound sterling"), "¥": Unit("yen")}
BRITISH = (("metre", "meter"), ("litre", "liter"))
SQUARED = {"square": 2, "sq": 2, "cubic": 3}
# Words of mathematics, which are therefore no units.
FUNCTIONS = frozenset(
    [
        "sin",
        "cos",
        "tan",
        "cot",
        "sec",
        "csc",
        "log",
        "ln",
        "exp",
        "sqrt",
        "pi",
        "mod",
        "and",
        "or",
        "if",
        "for",
        "where",
        "times",
    ]
)


def unit_of(text: str) -> Unit | None:
    """Return the unit after a number, or None if the text is no unit: `3x`, `5 sin x`.

    A single letter is a unit only after a space (`5 m`), and so is an unknown word of three or more letters.
    """
    words = text.replace(".", "").strip()
    for british, ours in BRITISH:
        words = words.replace(british, ours)
    if text[0] != " " and len(words) == 1 and words != PERCENT:
        return None
    parts = [_known_unit(part) for part in re.split(r" ?/ ?| per ", words)]
    if all(parts):
        return _quotient([part for part in parts if part])
    names = re.findall(r"[a-z]+", words.casefold())
    prose = re.fullmatch(r"[a-z][a-z '/-]*(?:\^ ?\{?[23]\}?)?", words.casefold()) and any(
        len(name) >= 3 for name in names
    )
    if not prose or text[0] != " " or FUNCTIONS & set(names):
        return None
    return Unit(" ".join(name.removesuffix("s") for name in names))


def _known_unit(words: str) -> Unit | None:
    """Return a known unit, to a power: `cm`, `cm^2`, `square feet`. Only symbols (two letters) tell `m` from `M`."""
    match = re.fullmatch(r"(?:(square|sq|cubic) )?([A-Za-z%]+)(?: ?\^ ?\{? ?([23]) ?\}?)?", words)
    if match is None:
        return None
    word = match[2] if len(match[2]) <= 2 else match[2].casefold()
    known = KNOWN.get(word) or KNOWN.get(word.removesuffix("s"))
    if known is None:
        return None
    power = SQUARED.get(match[1], 1) * int(match[3] or 1)
    return Unit(f"{known.name}^{power}", f"{known.dimension}^{power}", known.factor**power)


def _quotient(parts: list[Unit]) -> Unit:
    """Return a quotient, such as meters per second: the first unit over the others."""
    factor = parts[0].factor
    for part in parts[1:]:
        factor /= part.factor
    return Unit("/".join(part.name for part in parts), "/".join(str(part.dimension) for part in parts), factor)
