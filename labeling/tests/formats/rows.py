"""Hypothesis strategies for PRM800K rows: ordinary ones, and ones with unknown keys and odd shapes at every level."""

from typing import Any

from hypothesis import strategies as st

text = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\x00"), max_size=12)
filled = text.filter(lambda value: bool(value.strip()))
numbers = st.integers(-(2**63) + 1, 2**63 - 1) | st.floats(-1e18, 1e18, allow_nan=False)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=5,
)
unknown_keys = st.dictionaries(st.sampled_from(["note", "é", "model", "x.y"]), json_values, max_size=2)
ratings = st.sampled_from([-1, 0, 1, None])


def missing_or(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Draw the strategy's value, or something of any type, or no key at all (the mark ...)."""
    return st.one_of(strategy, strategy, strategy, json_values, st.just(...))


def build(**fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Draw an object of the fields that are not missing, along with unknown keys."""
    ordinary = st.fixed_dictionaries(fields).map(lambda row: {key: row[key] for key in row if row[key] is not ...})
    return st.tuples(unknown_keys, ordinary).map(lambda pair: pair[0] | pair[1])


completions = build(text=text, rating=ratings | st.just(...), flagged=missing_or(st.none() | st.booleans()))
humans = st.none() | text | build(text=text, rating=missing_or(st.none()), source=missing_or(st.just("human")))


def steps(texts: list[str]) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Draw a label's steps; texts of the trace are often among the completions."""
    own = st.sampled_from(texts) if texts else text
    offered = st.builds(lambda item, words: item | {"text": words}, completions, own | text)
    step = build(
        completions=st.none() | st.lists(offered, max_size=4),
        human_completion=humans | st.just(...),
        chosen_completion=missing_or(st.none() | st.integers(0, 3)),
    )
    return st.lists(step, max_size=4)


@st.composite
def prm800k_rows(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a row of either phase that passes the checks."""
    generated = draw(st.just(...) | st.lists(filled, min_size=1, max_size=4))
    question = build(
        problem=filled,
        ground_truth_answer=missing_or(st.none() | text),
        ground_truth_solution=missing_or(st.none() | text),
        pre_generated_steps=st.just(generated),
        pre_generated_answer=missing_or(text),
        pre_generated_verifier_score=missing_or(st.floats(0, 1)),
    )
    label = build(
        steps=steps([] if generated is ... else generated),
        total_time=missing_or(st.integers(0, 10**7)),
        finish_reason=st.sampled_from(["found_error", "solution", "bad_problem", "give_up"]),
    )
    row = build(
        labeler=filled,
        timestamp=missing_or(st.datetimes().map(lambda moment: moment.isoformat())),
        generation=missing_or(st.none() | st.integers(-1, 10)),
        is_quality_control_question=missing_or(st.booleans()),
        is_initial_screening_question=missing_or(st.booleans()),
        question=question,
        label=label,
    )
    return draw(row)
