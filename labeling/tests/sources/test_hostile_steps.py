"""Steps that models really write, or that are meant to stall the checks: each is checked, and quickly."""

import subprocess
import sys

from labeling.sources.equations import equations_of
from labeling.sources.verifier import check, marked

DIGITS = "1234567890" * 40
SLOW = 60  # seconds, within which the expression that this replaced did not finish
ALONE = f"""
from labeling.sources.equations import equations_of, symbolic_sides
assert not list(equations_of("The number {DIGITS} apples = 5"))
assert not list(equations_of("1" + " " * 300_000 + "! = 2 + " + "9" * 300_000 + "x = 4"))
assert not symbolic_sides(r"\\(" * 300_000)
"""


def test_a_long_number_beside_words_is_no_work_without_an_end() -> None:
    subprocess.run([sys.executable, "-c", ALONE], check=True, timeout=SLOW)  # in a process that can be ended


def test_a_number_larger_than_any_float_is_passed_over() -> None:
    found = check("What is 2 + 3?", [f"It is {'9' * 400}, and 2 x 3 = 7."])
    assert marked(found).first_error == 0
    assert [one.numbers for one in found] == [3]


def test_a_product_written_with_an_x_is_one_side() -> None:
    assert [(one.left, one.right, one.holds) for one in equations_of("so 12 x 5 x 2 = 120.")] == [(120, 120, True)]
