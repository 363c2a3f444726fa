"""Seeds and numbers of samples, and what happens to a sample: with generated values."""

from hypothesis import given
from hypothesis import strategies as st

from labeling.formats.row_checks import STEP_LIMIT
from labeling.generation.prompts import PROMPTS, template_of, write_prompt
from labeling.generation.sampling import MOST_STEPS, SEEDS, Candidate, Sample, judge, runs, seed_of, storable
from labeling.generation.splitting import Splitter

numbers = st.sets(st.integers(0, 60)).map(sorted)


@given(numbers, st.integers(1, 9))
def test_runs_are_the_numbers_in_order_each_consecutive_and_short_enough(found: list[int], longest: int) -> None:
    pieces = runs(found, longest)
    assert [number for piece in pieces for number in piece] == found
    assert all(len(piece) <= longest and piece == list(range(piece[0], piece[-1] + 1)) for piece in pieces)


@given(st.integers(0, 2**53), st.binary(min_size=32, max_size=32), st.integers(0, 9_999))
def test_a_seed_fits_every_server_and_counts_up(seed: int, key: bytes, number: int) -> None:
    found = seed_of(seed, key, number)
    assert 0 <= found < SEEDS
    assert seed_of(seed, key, number + 1) == (found + 1) % SEEDS


def test_seeds_of_other_rounds_and_problems_are_others() -> None:
    assert len({seed_of(seed, key, 0) for seed in range(20) for key in (b"a" * 32, b"b" * 32)}) == 40


@given(st.text() | st.text(alphabet=st.characters(codec=None, categories=["Cs", "Cc", "Lu"])))
def test_any_text_can_be_stored(text: str) -> None:
    kept = storable(text)
    assert "\x00" not in kept
    kept.encode()


def test_a_sample_becomes_steps_and_an_answer_or_one_word() -> None:
    splitter = Splitter("newline")

    def judged(text: str, end: str = "stop", **about: bool) -> object:
        found = judge(Sample(0, 1, text, end), splitter, **{"answered": True, **about})
        return (found.steps, found.final_answer) if isinstance(found, Candidate) else found

    assert judged("Add.\nThe answer is 5.") == (["Add.", "The answer is 5."], "5")
    assert judged("Add.\n(B)", options=True) == (["Add.", "(B)"], "B")
    assert judged("Add.\n(B)") == "no_answer"
    assert judged("Add.", answered=False) == (["Add."], None)
    assert judged("The answer is 5.", "length") == "over_length"
    assert judged("The answer is 5.", "tool_calls") == "unfinished"
    assert judged("The answer is 5.", "") == (["The answer is 5."], "5")
    assert judged("a\n" * (MOST_STEPS + 1) + "The answer is 5.") == "over_length"
    assert judged("\x00 \n") == "blank"


def test_a_sample_may_have_as_many_steps_as_an_imported_trace() -> None:
    assert MOST_STEPS == STEP_LIMIT


def test_a_prompt_holds_the_problem_byte_for_byte() -> None:
    problem = "Let $\\frac{1}{x} = {problem}$, and %s."
    assert write_prompt("Solve \\boxed{}: {problem}", problem) == f"Solve \\boxed{{}}: {problem}"
    assert all(write_prompt(name, problem).count(problem) == 1 for name in PROMPTS)
    assert template_of("steps") == PROMPTS["steps"]
