"""Every family compared with plain transformers: every position, every probability."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

from labeling.configs import prm_families
from worker.prm.checkpoint import Checkpoint
from worker.prm.family import TokenFamily
from worker.prm.registry import LOCAL, SERVERS, load_scorer
from worker.prm.spec import AGGREGATIONS, parse_spec
from worker.tests.prm import straight_line, tiny

PROBLEM = "Natalia sold 48 clips in April, and half as many in May. How many in all?"
TRACES = [
    ["She sold 48/2 = <<48/2=24>>24 clips in May.", "So 48+24 = 72.", "A: 72"],
    ["She sold 48/2 = <<48/2=24>>24 clips in May.", "So 48-24 = 24.", "A: 24"],
    ["She sold 48/2 = <<48/2=24>>24 clips in May."],
    ["We have $x^2 - 4 = (x-2)(x+2)$.\n\nThis is one step with a blank line.", "Ünïcode: 3 × 4 = 12 🙂.", "done + -"],
]


@dataclass
class Case:
    family: str
    build: Callable[[Path], Path]
    reference: Callable[[Path, str, list[str]], straight_line.Answer]
    options: dict[str, Any]


CASES = {
    "trl two labels": Case("step_classifier", tiny.step_classifier, straight_line.trl("\n", [1]), {}),
    "trl blank line": Case(
        "step_classifier", tiny.step_classifier, straight_line.trl("\n\n", [1]), {"options": {"separator": "\n\n"}}
    ),
    "three labels, neutral is right": Case(
        "step_classifier", lambda path: tiny.step_classifier(path, 3), straight_line.trl("\n", [1, 2]), {}
    ),
    "three labels, neutral is wrong": Case(
        "step_classifier",
        lambda path: tiny.step_classifier(path, 3),
        straight_line.trl("\n", [2]),
        {"neutral": "negative"},
    ),
    "three labels, named": Case(
        "step_classifier",
        lambda path: tiny.step_classifier(path, 3, id2label={"0": "positive", "1": "negative", "2": "neutral"}),
        straight_line.trl("\n", [0, 2]),
        {},
    ),
    "classifier on Llama": Case(
        "step_classifier", lambda path: tiny.step_classifier(path, kind="llama"), straight_line.trl("\n", [1]), {}
    ),
    "classifier on Mistral with a sliding window": Case(
        "step_classifier",
        lambda path: tiny.step_classifier(path, kind="mistral", sliding_window=24),
        straight_line.trl("\n", [1]),
        {},
    ),
    "qwen": Case("qwen_prm", tiny.qwen_prm, straight_line.qwen_prm, {}),
    "math-shepherd": Case("math_shepherd", tiny.math_shepherd, straight_line.math_shepherd, {}),
    "rlhflow": Case("rlhflow", tiny.rlhflow, straight_line.rlhflow, {}),
    "skywork": Case("skywork", tiny.skywork, straight_line.skywork, {}),
    "reasoneval 7B": Case(
        "reasoneval", lambda path: tiny.reasoneval(path, "7B"), straight_line.reasoneval("7B"), {"aggregation": "min"}
    ),
    "reasoneval 34B": Case(
        "reasoneval", lambda path: tiny.reasoneval(path, "34B"), straight_line.reasoneval("34B"), {"aggregation": "min"}
    ),
}


DOCS = Path(__file__).resolve().parents[3] / "docs" / "prm.md"


def test_every_family_of_the_registry_is_tried_here_and_has_its_row_in_the_docs() -> None:
    apart = {"implicit", "stacked_head"}  # of two models, of several layers: tested separately
    assert set(LOCAL) == {case.family for case in CASES.values()} | apart
    table = DOCS.read_text().split("\n## Families\n\n")[1].split("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == {*LOCAL, *SERVERS}


def test_the_page_offers_the_aggregations_that_there_are() -> None:
    assert prm_families.AGGREGATIONS == AGGREGATIONS


def load(case: Case, folder: Path) -> TokenFamily:
    spec = parse_spec({"family": case.family, "path": str(folder), **case.options})
    return LOCAL[case.family](spec, Checkpoint(folder), torch.device("cpu"))


@pytest.mark.parametrize("name", CASES)
def test_positions_and_probabilities_are_those_of_plain_transformers(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    folder = case.build(tmp_path / "model")
    family = load(case, folder)
    spec = parse_spec({"family": case.family, "path": str(folder), **case.options})
    scores = load_scorer(spec).score(PROBLEM, TRACES)
    seen = []
    for steps, score in zip(TRACES, scores, strict=True):
        ids, positions, expected = case.reference(folder, PROBLEM, steps)
        rendered = family.render(PROBLEM, steps)
        assert rendered.positions == positions
        assert rendered.ids[: positions[-1] + 1] == ids[: positions[-1] + 1]
        assert score.reason is None
        assert score.steps == pytest.approx(expected, abs=1e-4)
        seen += expected
    assert max(seen) - min(seen) > 0.05, "weights that say the same of every step would prove nothing"


def test_an_implicit_prm_gives_the_log_ratio_of_its_two_models(tmp_path: Path) -> None:
    policy = tiny.language_model(tmp_path / "policy")
    reference = tiny.language_model(tmp_path / "reference", tied=True)
    record = {"family": "implicit", "path": str(policy), "base": "reference", "aggregation": "last"}
    scorer = load_scorer(parse_spec({**record, "options": {"beta": 0.05}}))
    for steps, score in zip(TRACES, scorer.score(PROBLEM, TRACES), strict=True):
        _ids, _positions, expected = straight_line.implicit(policy, reference, PROBLEM, steps, 0.05)
        assert score.scale == "log_ratio"
        assert score.steps == pytest.approx(expected, abs=1e-4)
        assert score.score == pytest.approx(sum(expected), abs=1e-4)


def test_bfloat16_ranks_about_as_float32_does(tmp_path: Path) -> None:
    folder = tiny.step_classifier(tmp_path / "model")
    exact = load_scorer(parse_spec({"family": "step_classifier", "path": str(folder)}))
    rough = load_scorer(parse_spec({"family": "step_classifier", "path": str(folder), "dtype": "bfloat16"}))
    for one, other in zip(exact.score(PROBLEM, TRACES), rough.score(PROBLEM, TRACES), strict=True):
        assert other.steps == pytest.approx(one.steps, abs=0.1)
        assert other.steps != one.steps
