"""Texts with millions of white space characters are read as fast as others."""

from labeling.formats.imports.tagged import final_answer_of, problem_and_first_step

ENDLESS = " " * 3_000_000


def test_a_tagged_text_is_parted_whatever_white_space_it_holds():
    """Searching again from every space would take longer than the test may run."""
    assert problem_and_first_step(f"What?{ENDLESS}Step 1: Add.") == ("What?", f"{ENDLESS}Step 1: Add.")
    assert problem_and_first_step(f"What?{ENDLESS}Add.") is None
    assert problem_and_first_step("Step 1: Add.") is None


def test_an_answer_is_found_behind_and_before_any_white_space():
    assert final_answer_of([f"So the answer is:{ENDLESS}7{ENDLESS}"]) == "7"
    assert final_answer_of([f"The answer is{ENDLESS}"]) is None
