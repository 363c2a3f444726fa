"""The answers to the demo problems, computed here by brute force or sympy, never by the reference solution's method."""

from collections.abc import Callable
from itertools import combinations, permutations, product
from math import factorial

import sympy
from sympy import Rational, integrate, sqrt, symbols
from sympy.calculus.util import maximum

x, y = symbols("x y", real=True)
ROLLS = list(product(range(1, 7), repeat=2))
RIGHT_ANGLED = sympy.Triangle(sympy.Point(0, 0), sympy.Point(9, 0), sympy.Point(0, 12))
CONE_SECTION = sympy.Triangle(sympy.Point(-6, 0), sympy.Point(6, 0), sympy.Point(0, 8))


def _difference_of_cubes() -> sympy.Expr:
    solutions = sympy.solve([x + y - 9, x**2 + y**2 - 53], [x, y])
    return next(a**3 - b**3 for a, b in solutions if a > b)


def _product_over_the_roots() -> sympy.Expr:
    roots = sympy.Poly(2 * x**3 - 5 * x**2 + 4 * x - 7).nroots(n=30)
    return sympy.nsimplify(sympy.re(sympy.prod(root + 1 for root in roots)), tolerance=1e-20)


def _long_sum() -> sympy.Expr:
    terms = [(1 / (n * sqrt(n + 1) + (n + 1) * sqrt(n))).evalf(30) for n in range(1, 100)]
    return sympy.nsimplify(sum(terms), tolerance=1e-20)


def _minute_the_cistern_is_full() -> int:
    litres, minute = Rational(600), 0
    while litres < 2400:
        litres += Rational(2400, 6 * 60)
        litres += Rational(2400, 8 * 60) if minute >= 90 else 0
        litres -= Rational(2400, 12 * 60) if 120 <= minute < 180 else 0
        minute += 1
    return minute


def _zeros_in_base_12() -> int:
    number, zeros = factorial(100), 0
    while number % 12 == 0:
        number, zeros = number // 12, zeros + 1
    return zeros


def _paths(right: int, up: int) -> int:
    """Count grid paths to (right, up) that miss (2, 2), one last step at a time."""
    if (right, up) == (2, 2) or right < 0 or up < 0:
        return 0
    return 1 if (right, up) == (0, 0) else _paths(right - 1, up) + _paths(right, up - 1)


def _fixed_points(order: tuple[int, ...]) -> int:
    return sum(place == number for place, number in enumerate(order))


def _area_in_the_square() -> sympy.Expr:
    a, b, c, d = sympy.Point(0, 6), sympy.Point(6, 6), sympy.Point(6, 0), sympy.Point(0, 0)
    (p,) = sympy.Segment(a, c).intersection(sympy.Segment(d, b.midpoint(c)))
    return abs(sympy.Triangle(a, p, d).area)


def _two_red_of_three() -> Rational:
    draws = [draw.count("r") == 2 for draw in combinations("rrrrrbbb", 3)]
    return Rational(sum(draws), len(draws))


def _defective_from_b() -> Rational:
    defective = [machine for machine, made, percent in (("A", 600, 2), ("B", 400, 5)) for _ in range(made * percent)]
    return Rational(defective.count("B"), len(defective))


def _tosses_to_two_heads() -> sympy.Expr:
    """Use the fundamental matrix of the chain: tosses spent in each state before the end."""
    half = Rational(1, 2)
    between = sympy.Matrix([[half, half], [half, 0]])
    return sum((sympy.eye(2) - between).inv().row(0))


ANSWERS: dict[str, Callable[[], sympy.Expr | int]] = {
    "demo-algebra-1": lambda: sympy.solve((3 * x - 7) / 4 - (x + 5) / 2, x)[0],
    "demo-algebra-2": lambda: next(a for a in range(121) if 8 * a + 5 * (120 - a) == 756),
    "demo-algebra-3": _difference_of_cubes,
    "demo-algebra-4": _product_over_the_roots,
    "demo-algebra-5": lambda: sympy.solve(sympy.log(x, 2) + sympy.log(x - 6, 2) - 4, x)[0],
    "demo-algebra-6": _long_sum,
    "demo-algebra-7": _minute_the_cistern_is_full,
    "demo-number-theory-1": lambda: pow(7, 100, 13),
    "demo-number-theory-2": lambda: sum(360 % n == 0 for n in range(1, 361)),
    "demo-number-theory-3": lambda: next(n for n in range(1, 316) if (n % 5, n % 7, n % 9) == (2, 3, 4)),
    "demo-number-theory-4": _zeros_in_base_12,
    "demo-number-theory-5": lambda: sum(12 * (a + b) == a * b for b in range(1, 157) for a in range(1, b + 1)),
    "demo-number-theory-6": lambda: max(n for n in range(1, 463) if 1071 % n == 462 % n == 0),
    "demo-counting-1": lambda: sum("AA" not in "".join(row) for row in set(permutations("BANANA"))),
    "demo-counting-2": lambda: sum(len(set(four)) == 2 for four in combinations("wwwwwwmmmmm", 4)),
    "demo-counting-3": lambda: _paths(5, 4),
    "demo-counting-4": lambda: sum(sum(map(int, str(n))) == 9 for n in range(1000, 10000)),
    "demo-counting-5": lambda: sum(sum(shares) == 10 for shares in product(range(6), repeat=3)),
    "demo-counting-6": lambda: sum(_fixed_points(order) == 2 for order in permutations(range(6))),
    "demo-geometry-1": lambda: RIGHT_ANGLED.altitudes[RIGHT_ANGLED.vertices[0]].length,
    "demo-geometry-2": lambda: sympy.Triangle(sss=(13, 14, 15)).circumradius,
    "demo-geometry-3": lambda: sqrt(10**2 - 6**2) + sqrt(10**2 - 8**2),
    "demo-geometry-4": _area_in_the_square,
    "demo-geometry-5": lambda: Rational(4, 3) * sympy.pi * CONE_SECTION.inradius**3,
    "demo-probability-1": lambda: Rational(sum(sympy.isprime(a + b) for a, b in ROLLS), len(ROLLS)),
    "demo-probability-2": _two_red_of_three,
    "demo-probability-3": _defective_from_b,
    "demo-probability-4": lambda: Rational(sum({6: 15, 5: 6, 4: 6}.get(roll, 0) - 4 for roll in range(1, 7)), 6),
    "demo-probability-5": _tosses_to_two_heads,
    "demo-calculus-1": lambda: sympy.diff(x**2 * sympy.exp(3 * x), x).subs(x, 1),
    "demo-calculus-2": lambda: integrate(x * sympy.exp(2 * x), (x, 0, 1)),
    "demo-calculus-3": lambda: sympy.limit((1 - sympy.cos(3 * x)) / (x * sympy.sin(2 * x)), x, 0),
    "demo-calculus-4": lambda: maximum(x * (12 - 2 * x) ** 2, x, sympy.Interval(0, 6)),
    "demo-calculus-5": lambda: integrate(2 * x + 3 - x**2, (x, -1, 3)),
}
