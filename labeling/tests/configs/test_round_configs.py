"""A round's settings are stored in its row and read back unchanged; rows of every older version can be read."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.configs import (
    ConfigFault,
    GenerateConfig,
    GraderSettings,
    Inputs,
    PlainConfig,
    ScorerRef,
    StagedConfig,
    TraceFilter,
    read_round_config,
)
from labeling.generation.splitting import Splitter
from labeling.selection import Rules

words = st.text(min_size=1, max_size=12)
counts = st.integers(min_value=1, max_value=10_000)
shares = st.floats(min_value=0, max_value=0.9)
maybe = {"words": st.none() | words, "counts": st.none() | counts}
filters = st.builds(
    TraceFilter,
    **dict.fromkeys(("outcome", "generator", "source", "subject", "level", "split"), maybe["words"]),
    **dict.fromkeys(("steps_min", "steps_max"), maybe["counts"]),
    **dict.fromkeys(("error_min", "error_max"), st.none() | st.integers(min_value=0, max_value=9)),
    **dict.fromkeys(("score_min", "score_max"), st.none() | shares),
    unlabeled_only=st.booleans(),
)
graders = st.builds(GraderSettings, words, words, shares)
inputs = st.none() | st.builds(Inputs, counts, maybe["counts"], st.none() | graders)
plain = st.builds(
    PlainConfig,
    st.sampled_from(["all", "filter", "sample"]),
    filters,
    maybe["counts"],
    counts,
    inputs=inputs,
    client_key=maybe["words"],
)
generating = st.builds(
    GenerateConfig,
    words,
    words,
    words,
    temperature=shares,
    n=counts,
    stop=st.lists(words, max_size=4).map(tuple),
    splitter=st.sampled_from([Splitter("blank_line"), Splitter("custom", "Claim {n}:")]),
)
staged = st.builds(
    StagedConfig,
    counts,
    filters,
    st.sampled_from(["per_problem", "global"]),
    shares,
    maybe["counts"],
    maybe["counts"],
    shares,
    st.booleans(),
    counts,
    st.none() | generating,
    st.none() | st.builds(ScorerRef, counts, words, words),
    inputs,
    maybe["words"],
)


@given(plain | staged)
def test_a_config_comes_back_from_its_row_as_it_was(config: PlainConfig | StagedConfig) -> None:
    assert read_round_config(json.loads(json.dumps(config.as_json()))) == config


@given(staged, st.integers(min_value=0))
def test_the_rules_of_a_round_are_those_it_was_given(config: StagedConfig, seed: int) -> None:
    rules = Rules("global", k=3, seed=seed, ratio=0.25, per_problem_cap=2, budget=9, control_share=0.5)
    assert config.with_rules(rules).rules(seed) == rules


GENERATE = {
    "generator": "qwen",
    "model": "q7",
    "prompt": "steps",
    "temperature": 1.0,
    "top_p": 1.0,
    "n": 4,
    "max_tokens": 2048,
    "stop": [],
    "seed": 0,
    "splitter": {"kind": "blank_line", "pattern": ""},
}
STAGED = {
    "source": "prm",
    "filter": {"unlabeled_only": False},
    "mode": "per_problem",
    "k": 4,
    "ratio": 0.8,
    "per_problem_cap": None,
    "budget": None,
    "control_share": 0.1,
    "grade": True,
    "rescore": 0,
    "generate": None,
}
FROZEN = {
    "problems": 3,
    "last_trace_id": 18,
    "grader": {"version": "4", "answer_kind": "math", "answer_tolerance": 0},
}
# As stored by existing rounds: each shape that a version of the product has written.
IN_THE_FIELD: list[dict[str, Any]] = [
    {"source": "all", "filter": {}, "sample_size": None, "seed": 0},
    {"source": "sample", "filter": {"unlabeled_only": False}, "sample_size": 64, "seed": 7},
    {"source": "filter", "filter": {"outcome": "", "steps_min": None, "level": "5"}, "sample_size": None, "seed": 0},
    {"source": "all", "filter": {}, "sample_size": None, "seed": 0, "client_key": "3f0d"},
    {"source": "all", "filter": {}, "sample_size": None, "seed": 0, "inputs": {"last_trace_id": 12}},
    {**STAGED, "prm": None, "inputs": None, "client_key": None},
    {**STAGED, "prm": {"id": 1, "name": "a", "fingerprint": "f"}, "inputs": FROZEN, "client_key": "3f0d"},
    {**STAGED, "generate": GENERATE, "prm": None, "inputs": None, "client_key": None},
    {name: value for name, value in STAGED.items() if name not in ("control_share", "rescore", "generate")},
]


@pytest.mark.parametrize("stored", IN_THE_FIELD)
def test_what_older_versions_wrote_is_read_and_says_the_same_when_it_is_written_again(stored: dict[str, Any]) -> None:
    config = read_round_config(stored)
    assert config is not None
    again = config.as_json()
    said = {name: value for name, value in stored.items() if name != "filter"}
    assert said.items() <= again.items()
    asked = {name: value for name, value in stored["filter"].items() if value not in (None, "", False)}
    assert again["filter"] == asked
    reread = read_round_config(again)
    assert reread is not None
    assert reread.as_json() == again


def test_a_round_of_an_import_or_of_screening_was_asked_for_nothing() -> None:
    assert read_round_config({}) is None
    assert read_round_config({"source": "import", "import_job": 3}) is None


@pytest.mark.parametrize(
    ("stored", "place"),
    [
        ({"source": "prm"}, "config.k: is missing."),
        ({**STAGED, "k": "4"}, "config.k: int is expected, not str."),
        ({**STAGED, "grade": 1}, "config.grade: bool is expected, not int."),
        ({**STAGED, "mode": "both"}, "config.mode: one of per_problem, global is expected, not 'both'."),
        ({**STAGED, "temperatures": 1}, "config.temperatures: there is no such setting."),
        ({**STAGED, "filter": {"levels": "5"}}, "config.filter.levels: there is no such setting."),
        ({**STAGED, "generate": {"generator": "qwen"}}, "config.generate.model: is missing."),
        ({**STAGED, "generate": {**GENERATE, "stop": [1]}}, "config.generate.stop[0]: str is expected, not int."),
        ({"source": "lottery"}, "config.source: one of all, filter, sample, audit, disagreement is expected, not 'lot"),
        ({"source": "all", "filter": []}, "config.filter: an object is expected, not list."),
    ],
)
def test_a_config_that_nobody_knows_is_refused_with_its_place(stored: dict[str, Any], place: str) -> None:
    with pytest.raises(ConfigFault) as refused:
        read_round_config(stored)
    assert str(refused.value).startswith(place)
