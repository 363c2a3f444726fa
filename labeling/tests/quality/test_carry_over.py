"""Which texts count as the same step, which do not, and how often this occurs in real traces."""

import json
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeling.formats.normalise import problem_key
from labeling.protocol.carry_over import SPELLINGS, carried_over, normalised_step, step_key, step_keys
from labeling.tests.imports.files import SHARED_DATA

PROBLEM = problem_key("What is $2+2$?")
PIECES = [
    *("x", "y", "pi", "12", "3", "1", ".", ",", " ", "  ", "\n", "+", "-", "=", "/", "(", ")", "{", "}", "^", "_", "$"),
    *("$$", "\\(", "\\)", "\\[", "\\]", "\\,", "\\!", "\\ ", "~", "\\quad", "\\frac", "\\dfrac", "\\sqrt", "\\left("),
    *(
        "\\right)",
        "\\text{cm}",
        "\\mathrm{",
        "\\le",
        "\\leq",
        "\\pi",
        "\\\\",
        "\\$",
        "−",
        "×",
        "²",
        "é",
        "e\u0301",
        "&",
    ),
]
tex = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # Alternatives to one step of one PRM800K record, each of which a person rated again:
        ("The first equation is 3p + e = 124.", "The first equation is $3p+e=124$."),
        ("We get $\\dfrac12x$.", "We get \\(\\frac{1}{2} x\\)."),
        ("So $x \\leq 4\\,000$", "So $x≤4 000$"),
        ("Thus $\\left(\\frac{a}{b}\\right)^{2}$", "Thus \\( (\\tfrac ab)^2 \\)".replace("\\tfrac ab", "\\tfrac{a}b")),
        ("It is $40,\\!000$.", "It is $40,000$."),
        ("It is $5\\text{ cm}$", "It is 5 cm"),
        ("$\\sqrt2 \\cdot 3$", "$\\sqrt{2}·3$"),
        ("$$x_1+x_2$$", "\\[ x_{1} + x_{2} \\]"),
        ("Step 1: add\nthem", "Step 1:  add them "),
        ("2 − 1", "2-1"),
        ("caf\u00e9", "cafe\u0301"),
        ("$1, 2, \\ldots, n$", "$1, 2, \\dots, n$"),
    ],
)
def test_spaces_dollars_and_the_spelling_of_tex_do_not_count(one, other):
    assert normalised_step(one) == normalised_step(other)


@given(text=tex)
def test_a_rule_is_passed_over_only_where_it_changes_nothing(text: str) -> None:
    for within, pattern, replacement in SPELLINGS:
        assert within in text or pattern.sub(replacement, text) == text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It is $1 1/2$.", "It is $11/2$."),
        ("$\\frac{1}{2}3$", "$\\frac{1}{23}$"),
        ("$\\frac12$", "$\\frac{12}{}$"),
        ("$\\sqrt{23}$", "$\\sqrt{2}3$"),
        ("$x^{12}$", "$x^12$"),
        ("$x^{2}y$", "$x^{2y}$"),
        ("There are 5. 5 are red.", "There are 5.5 are red."),
        ("It costs 4 000", "It costs 4000"),
        ("$a \\times b$", "$a \\cdot b$"),
        ("$\\mathbf{v}$", "$v$"),
        ("$x < 3$", "$x \\le 3$"),
        ("So it is $A$.", "So it is $a$."),
        ("$\\pi r$", "$\\pir$"),
        ("2 - 1", "2 + 1"),
        ("It is 12", "It is 1 2"),
        ("4 \\$", "4"),
    ],
)
def test_what_a_careful_reader_could_rate_differently_stays_different(one, other):
    assert normalised_step(one) != normalised_step(other)


@given(tex)
def test_normalising_twice_changes_nothing(text):
    assert normalised_step(normalised_step(text)) == normalised_step(text)


@given(st.lists(st.sampled_from(["x", "12", "is", "3.5", "a,b", "7"]), min_size=1, max_size=8), st.data())
def test_however_words_are_spaced_their_number_and_order_stay(words, data):
    gaps = data.draw(st.lists(st.sampled_from([" ", "  ", "\n", "\\,", "~", " \t"]), min_size=len(words)))
    spaced = "".join(word + gap for word, gap in zip(words, gaps, strict=False))
    assert normalised_step(spaced).split(" ") == words


@given(st.text(alphabet="0123456789 ./", max_size=12), st.text(alphabet="0123456789 ./", max_size=12))
def test_texts_with_other_digits_are_never_the_same(one, other):
    def digits(text):
        return [character for character in text if character.isdigit()]

    if digits(one) != digits(other):
        assert normalised_step(one) != normalised_step(other)


@settings(max_examples=40)
@given(st.lists(tex, min_size=1, max_size=5), st.lists(tex, min_size=1, max_size=5))
def test_two_steps_share_a_key_exactly_if_all_steps_up_to_them_are_the_same(one, other):
    for index, (first, second) in enumerate(zip(step_keys(PROBLEM, one), step_keys(PROBLEM, other), strict=False)):
        same = [normalised_step(text) for text in one[: index + 1]] == [
            normalised_step(text) for text in other[: index + 1]
        ]
        assert (first == second) == same


def test_the_same_step_of_another_problem_is_another_step():
    assert step_keys(PROBLEM, ["Add."]) != step_keys(problem_key("What is $3+3$?"), ["Add."])


def test_where_a_step_ends_is_part_of_its_key():
    assert step_keys(PROBLEM, ["Add.", "It is 4."])[-1] != step_keys(PROBLEM, ["Add. It is 4."])[-1]


def test_an_alternative_has_the_key_it_would_have_as_the_traces_own_step():
    keys = step_keys(PROBLEM, ["Add.", "It is $4$."])
    assert step_key(keys[0], "It is 4.") == keys[1]
    assert step_key(PROBLEM, "Add .") != keys[1]


def test_ratings_come_over_up_to_where_the_traces_part():
    first = ["Add the two.", "$2+2$ is $4$.", "So 4."]
    rated = dict(zip(step_keys(PROBLEM, first), [11, 12, 13], strict=True))
    assert carried_over(PROBLEM, ["Add the  two.", "2 + 2 is 4.", "So 5.", "So 4."], rated) == [11, 12, None, None]
    assert carried_over(PROBLEM, ["Subtract.", *first[1:]], rated) == [None, None, None]
    assert carried_over(PROBLEM, [], rated) == []


def rows(name):
    file = SHARED_DATA / f"{name}.jsonl"
    if not file.exists():
        pytest.skip("needs the shared data (STEPMARK_SHARED_DATA)")
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_real_ratings_of_steps_with_one_key_are_as_equal_as_those_of_the_very_same_text():
    by_key, by_text = defaultdict(list), defaultdict(list)
    for row in rows("prm800k_val"):
        keys = step_keys(problem_key(row["problem"]), row["steps"])
        for index, (key, rating) in enumerate(zip(keys, row["step_labels"], strict=True)):
            if rating is not None:
                by_key[key].append(rating)
                by_text[(row["problem"], *row["steps"][: index + 1])].append(rating)
    again, equal = repeats(by_key)
    again_exactly, equal_exactly = repeats(by_text)
    assert again > again_exactly > 250
    assert equal / again >= equal_exactly / again_exactly > 0.88


def repeats(ratings):
    """Return how many ratings repeat an earlier one, and how many of those equal the first."""
    groups = list(ratings.values())
    return sum(len(group) - 1 for group in groups), sum(group[1:].count(group[0]) for group in groups)


def test_alternatives_that_differ_only_in_spelling_are_found_in_real_records():
    found = 0
    for row in rows("prm800k_native_records"):
        for step in row["label"]["steps"]:
            texts = {completion["text"] for completion in step["completions"] or []}
            found += len(texts) - len({normalised_step(text) for text in texts})
    assert found >= 1


@pytest.mark.parametrize("name", ["gsm8k_openai", "tot_game24", "processbench_math", "mrben_physics"])
def test_on_real_traces_normalising_is_stable_and_joins_nothing_but_other_spellings(name):
    texts = defaultdict(set)
    for row in rows(name)[:60]:
        for step in row["steps"]:
            normal = normalised_step(step)
            assert normalised_step(normal) == normal
            texts[normal].add("".join(character for character in step if character.isalnum()))
    joined = {normal: spelled for normal, spelled in texts.items() if len(spelled) > 1}
    # Texts that differ in letters or digits at all differ in TeX commands only (\dfrac, \left, \text ...).
    assert all("\\" in normal for normal in joined), joined


def test_a_text_nested_deeper_than_any_real_one_is_left_as_far_as_it_came() -> None:
    deep = "\\text{" * 12 + "x" + "}" * 12
    once = normalised_step(deep)
    assert once == "\\text{" * 4 + "x" + "}" * 4
    assert normalised_step(once) == "x"
