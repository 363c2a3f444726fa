"""Splitting solutions into steps: the laws, with generated texts; the rules, by example; and real solutions."""

import gc
import json
import time
from pathlib import Path

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from labeling.generation.splitting import KINDS, LONGEST_PATTERN, Splitter, UnknownSplitter

SHARED = settings.BASE_DIR.parent / "shared" / "data"
PATTERN = "Claim {n}"
MARKS = [
    *(
        "\n",
        "\n\n",
        "\n \t\n",
        "\r\n",
        " ",
        "    ",
        "a",
        "Then $x$.",
        "Step 2:",
        "**Step 3.**",
        "1.",
        "2) ",
        "Claim 7",
        "## ",
    ),
    *(
        "$$",
        "\\[",
        "\\]",
        "\\\\[2pt]",
        "\\$",
        "```",
        "```python",
        "~~~",
        "\\begin{align}",
        "\\end{align}",
        "\\begin{cases}",
    ),
    *("\\end{cases}", "[asy]", "[/asy]", "# Answer", "#### 14", "A: 14", "\u00a0", "\u2028", "é", "\x1c", "\\"),
]
BLOCKS = [
    "$$\na\n\nStep 1: b\n$$",
    "so \\[ x\n\n1. y \\] holds",
    "```python\nx = 1\n\n\n2. \nClaim 1\n```",
    "~~~~\n```\n\nStep 4:\n~~~~",
    "\\begin{align*}\na &= b \\\\[2pt]\n\nStep 2: c\n\\end{align*}",
    "\\begin{array}{c}\n\\begin{array}{c}\n1. a\n\n\\end{array}\n\n2. b\n\\end{array}",
    "[asy]\ndraw((0,0)--(1,1));\n\nClaim 3\n[/asy]",
]
PLAIN = ["Then $x$.", "Step 2: multiply.", "1. Add.", "Claim 1. It is odd.", "    indented", "So \\(x\\) is 3."]
texts = st.lists(st.sampled_from(MARKS) | st.text(max_size=3), max_size=60).map("".join)
written = st.lists(st.sampled_from(PLAIN) | st.sampled_from(BLOCKS), min_size=1, max_size=12)
splitters = st.sampled_from([Splitter(kind, PATTERN if kind == "custom" else "") for kind in KINDS])


@given(texts, splitters)
def test_the_steps_are_the_text_and_only_white_space_lies_between_them(text: str, splitter: Splitter) -> None:
    place = 0
    for step in splitter.split(text):
        found = text.index(step, place)
        assert not text[place:found].strip()
        place = found + len(step)
    assert not text[place:].strip()


@given(texts, splitters)
def test_no_step_is_blank_and_a_text_that_is_not_has_one(text: str, splitter: Splitter) -> None:
    steps = splitter.split(text)
    assert all(step.strip() for step in steps)
    assert bool(steps) == bool(text.strip())


@given(texts, splitters)
def test_a_step_split_again_is_itself(text: str, splitter: Splitter) -> None:
    for step in splitter.split(text):
        assert splitter.split(step) == [step.lstrip()]


@given(written, st.sampled_from(["\n", "\n\n", "\n\n\n"]), splitters)
def test_a_block_that_belongs_together_is_never_in_two_steps(
    parts: list[str], between: str, splitter: Splitter
) -> None:
    steps = splitter.split(between.join(parts))
    for block in BLOCKS:
        assert sum(step.count(block) for step in steps) == parts.count(block)


@given(st.lists(st.sampled_from(PLAIN), min_size=1, max_size=12))
def test_paragraphs_and_lines_come_back_as_they_were_written(parts: list[str]) -> None:
    expected = [parts[0].lstrip(), *parts[1:]]
    assert Splitter("blank_line").split("\n\n".join(parts)) == expected
    assert Splitter("newline").split("\n".join(parts)) == expected


NUMBERED = ["We count.", "1. One\n   1. inner", "2) Two 3.5\n\nmore", "**10.** Ten"]
STEPS = ["Step 1: a\n\nb", "### Step 2 - c\nStep 1 gives 3.", "**Step 3**: d", "STEP 4"]
FORMULA = "\\[\nx = 2\n\\]"
SENTENCE = f"We get:\n\n{FORMULA}\n\nwhere x is 2."
NOT_BARE = ["A: red, B: white", "A: white, B: red So the answer is (A)."]


@pytest.mark.parametrize(
    ("kind", "text", "steps"),
    [
        ("blank_line", "  a\nb\n \t\n\n c\n", ["a\nb", " c"]),
        ("newline", "def f():\n    return 1\n\n\nf()", ["def f():", "    return 1", "f()"]),
        ("numbered", "\n".join(NUMBERED), NUMBERED),
        ("step", "\n".join(STEPS), STEPS),
        ("newline", "Half is 7.\nA: 7", ["Half is 7.\nA: 7"]),
        ("newline", "Half is 7.\n#### 7\n", ["Half is 7.\n#### 7"]),
        ("blank_line", "Half is 7.\n\n# Answer\n\n7", ["Half is 7.\n\n# Answer\n\n7"]),
        ("newline", "\n".join(NOT_BARE), NOT_BARE),
        ("newline", "A: 7", ["A: 7"]),
        ("blank_line", f"We get:\n\n{FORMULA}\n\nwhere x is 2.\n\n{FORMULA}\n\nNow", [SENTENCE, FORMULA, "Now"]),
        ("blank_line", f"It is 2.\n\n{FORMULA}\n\nSo 3", ["It is 2.", FORMULA, "So 3"]),
        ("newline", "This code\n```\nx\n```\nruns.", ["This code\n```\nx\n```\nruns."]),
        ("newline", "It costs $$5.\nSo two cost 10.", ["It costs $$5.", "So two cost 10."]),
        ("newline", "```\nno end\nof it", ["```", "no end", "of it"]),
        ("newline", "\\begin{proof}\na\nb\n\\end{proof}", ["\\begin{proof}", "a", "b", "\\end{proof}"]),
        ("blank_line", "", []),
        ("step", " \n\t", []),
    ],
)
def test_each_kind_begins_steps_where_it_says(kind: str, text: str, steps: list[str]) -> None:
    assert Splitter(kind).split(text) == steps


def test_a_pattern_is_plain_text_with_numbers() -> None:
    assert Splitter("custom", "Claim {n}.").split("Claim 1. a\nClaim x. b\n  Claim 22. c") == [
        "Claim 1. a\nClaim x. b",
        "  Claim 22. c",
    ]
    assert Splitter("custom", "(.*)+$").split("a\n(.*)+$ b\nc") == ["a", "(.*)+$ b\nc"]


def test_a_version_names_the_kind_the_rule_and_the_pattern() -> None:
    assert [Splitter(kind).version for kind in KINDS[:4]] == ["blank_line/1", "newline/1", "numbered/1", "step/1"]
    versions = {Splitter("custom", pattern).version for pattern in ("Claim {n}", "Claim", "\ud800")}
    assert len(versions) == 3
    assert all(version.startswith("custom/1-") and len(version) <= 40 for version in versions)


@pytest.mark.parametrize(
    ("kind", "pattern"),
    [
        ("sentence", ""),
        ("custom", ""),
        ("custom", "  "),
        ("step", "Step"),
        ("custom", "a\nb"),
        ("custom", "x" * (LONGEST_PATTERN + 1)),
    ],
)
def test_a_splitter_that_cannot_be_says_what_to_do(kind: str, pattern: str) -> None:
    with pytest.raises(UnknownSplitter):
        Splitter(kind, pattern)


@pytest.mark.parametrize(
    "text",
    ["\\begin{align}" * 20_000, "$$\n" * 50_000, "```\n" * 50_000, "\\[" * 50_000 + "\\]", "~~~\n```\n" * 20_000]
    + ["# # # # " * 20_000, ">" * 100_000 + "\n1.", "1" * 100_000, "1" * 300, "\\" * 100_000, "step " * 30_000],
    ids=lambda text: text[:8],
)  # fmt: skip
def test_the_time_of_no_text_grows_faster_than_its_length(text: str) -> None:
    assert any(  # a busy machine slows one attempt by chance, quadratic time slows all
        processor_seconds(text) < 8 * processor_seconds(text[: len(text) // 4]) + 0.1  # 16 times as long if quadratic
        for _ in range(3)
    )


def processor_seconds(text: str) -> float:
    """Measure splitting `text` in every way, without the garbage collector, which scans the whole process."""
    gc.disable()
    try:
        began = time.process_time()
        for kind in KINDS:
            Splitter(kind, "1" * 20 + "{n}" * 20 if kind == "custom" else "").split(text)
        return time.process_time() - began
    finally:
        gc.enable()


def solutions(name: str) -> list[list[str]]:
    """Yield the steps of published solutions."""
    path = SHARED / f"{name}.jsonl"
    if not path.exists():
        pytest.skip(f"{path.name} of the shared data is not on this machine")
    return [json.loads(line)["steps"] for line in Path(path).read_text().splitlines()]


@pytest.mark.parametrize(
    ("name", "kind", "between", "least"),
    [
        ("processbench_math", "blank_line", "\n\n", 0.99),
        ("processbench_gsm8k", "blank_line", "\n\n", 1.0),
        ("bbmistake_tracking_shuffled_objects", "newline", "\n", 1.0),
        ("mrben_physics", "blank_line", "\n\n", 1.0),
        ("gsm8k_openai", "newline", "\n", 0.99),
    ],
)
def test_real_solutions_come_back_in_the_steps_that_were_published(
    name: str, kind: str, between: str, least: float
) -> None:
    published = [[step for step in steps if step.strip()] for steps in solutions(name)]
    same = 0
    for steps in published:
        expected = [step.strip() for step in steps]
        if len(expected) > 1 and expected[-1].startswith("A: ") and ":" not in expected[-1][2:]:
            expected[-2:] = [f"{expected[-2]}{between}{expected[-1]}"]  # the bare answer stays with the last step
        same += [step.strip() for step in Splitter(kind).split(between.join(steps))] == expected
    assert same >= least * len(published)
