"""From traces to scores: aggregates in log space, what stays unscored and why, memory, order, the short list."""

import json
import math
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

from worker.prm.registry import load_scorer
from worker.prm.scoring import LocalScorer, TraceScore, rescore_best, score_of
from worker.prm.spec import aggregate, parse_spec
from worker.tests.prm import tiny

PROBLEM = "How many apples are left?"
STEPS = st.lists(st.sampled_from(["So 48+24 = 72.", "A: 72", "+ -", "Step 1: one", "A: 7"]), min_size=1, max_size=5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.step_classifier(tmp_path_factory.mktemp("scoring") / "model")


@pytest.fixture(scope="module")
def scorer(folder: Path) -> LocalScorer:
    found = load_scorer(parse_spec({"family": "step_classifier", "path": str(folder)}))
    assert isinstance(found, LocalScorer)
    return found


def test_five_hundred_steps_of_a_fifth_rank_below_five_hundred_of_three_tenths() -> None:
    low = score_of([math.log(0.2)] * 500, "probability", "product")
    high = score_of([math.log(0.3)] * 500, "probability", "product")
    assert low.score is not None
    assert high.score is not None
    assert -math.inf < low.score < high.score
    assert 0.2**500 == 0.0, "as plain products both would be 0"


@pytest.mark.parametrize(
    ("aggregation", "expected"), [("product", 0.5 * 0.25 * 0.8), ("min", 0.25), ("mean", 1.55 / 3), ("last", 0.8)]
)
def test_aggregates_are_those_of_the_probabilities(aggregation: str, expected: float) -> None:
    assert math.exp(aggregate([math.log(p) for p in (0.5, 0.25, 0.8)], aggregation)) == pytest.approx(expected)


def test_the_mean_of_probabilities_that_underflow_is_still_a_number() -> None:
    assert aggregate([-2000.0, -2000.0 + math.log(3)], "mean") == pytest.approx(-2000 + math.log(2))


def test_a_step_that_is_certainly_wrong_leaves_a_finite_score() -> None:
    score = score_of([-math.inf, math.log(0.5)], "probability", "product")
    assert score.reason is None
    assert score.score is not None
    assert -100 < score.score < -80


def test_traces_without_steps_and_with_empty_steps_are_unscored_and_say_so(scorer: LocalScorer) -> None:
    none, empty, blank, fine = scorer.score(PROBLEM, [[], ["", "A: 7"], ["A: 7", " \n"], ["A: 7"]])
    assert none == TraceScore("probability", reason="the trace has no steps")
    assert empty.reason == "step 0 is empty"
    assert blank.reason == "step 1 is empty"
    assert fine.reason is None
    assert fine.steps is not None


def test_a_trace_that_is_too_long_is_unscored_never_cut(folder: Path) -> None:
    scorer = load_scorer(parse_spec({"family": "step_classifier", "path": str(folder), "max_tokens": 40}))
    short, long = scorer.score(PROBLEM, [["A: 7"], ["So 48+24 = 72."] * 20])
    assert short.reason is None
    assert long.steps is None
    assert long.reason is not None
    assert "tokens; the model takes at most 40" in long.reason


def test_a_model_never_reads_beyond_its_positions(folder: Path) -> None:
    scorer = load_scorer(parse_spec({"family": "step_classifier", "path": str(folder), "max_tokens": 10_000}))
    (long,) = scorer.score(PROBLEM, [["So 48+24 = 72."] * 200])
    assert long.reason is not None
    assert long.reason.endswith("the model takes at most 512")


def test_a_model_that_gives_no_number_leaves_only_the_traces_it_concerns_unscored(folder: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    for file in folder.iterdir():
        (broken / file.name).write_bytes(file.read_bytes())
    tensors = load_file(broken / "model.safetensors")
    seven = Tokenizer.from_file(str(broken / "tokenizer.json")).encode("7").ids
    tensors["model.embed_tokens.weight"][seven] = torch.nan
    save_file(tensors, broken / "model.safetensors")
    scorer = load_scorer(parse_spec({"family": "step_classifier", "path": str(broken)}))
    fine, late = scorer.score(PROBLEM, [["So 48+24 = 12.", "A: 12"], ["So 48+24 = 12.", "A: 7"]])
    assert fine.reason is None
    assert late.reason == "the model gave no number for some of its steps"
    assert late.score is None


@settings(max_examples=25, deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=6))
def test_what_else_is_scored_with_a_trace_changes_nothing(scorer: LocalScorer, traces: list[list[str]]) -> None:
    together = scorer.score(PROBLEM, traces)
    for steps, score in zip(traces, together, strict=True):
        (alone,) = scorer.score(PROBLEM, [steps])
        assert score.steps == pytest.approx(alone.steps, abs=1e-5)
        assert score.score == pytest.approx(alone.score, abs=1e-4)


@settings(max_examples=25, deadline=None)
@given(st.lists(STEPS, min_size=2, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_traces_changes_no_bit(scorer: LocalScorer, traces: list[list[str]], random: Random) -> None:
    order = list(range(len(traces)))
    random.shuffle(order)
    scores = scorer.score(PROBLEM, traces)
    assert scorer.score(PROBLEM, [traces[at] for at in order]) == [scores[at] for at in order]


def test_the_best_of_a_rough_pass_are_scored_again_exactly(folder: Path, scorer: LocalScorer) -> None:
    rough = load_scorer(parse_spec({"family": "step_classifier", "path": str(folder), "dtype": "bfloat16"}))
    traces = [["A: 7"], ["+ -"], ["So 48+24 = 72.", "A: 72"], [], ["Step 1: one"]]
    first = rough.score(PROBLEM, traces)
    exact = scorer.score(PROBLEM, traces)
    mixed = rescore_best(scorer, PROBLEM, traces, first, 2)
    best = sorted((at for at in range(5) if first[at].score is not None), key=lambda at: -(first[at].score or 0))[:2]
    assert len(best) == 2
    for at in range(5):
        expected = exact[at] if at in best else first[at]
        assert mixed[at].reason == expected.reason
        assert mixed[at].steps == (expected.steps and pytest.approx(expected.steps, abs=1e-6))
    assert [score.steps for score in first] != [score.steps for score in exact]


OUT_OF_MEMORY = """
import json, resource, sys
import torch
torch.set_num_threads(1)
from worker.prm.registry import load_scorer
from worker.prm.spec import parse_spec
scorer = load_scorer(parse_spec(json.loads(sys.argv[1])))
traces = json.loads(sys.argv[2])
scorer.score("How many apples are left?", traces[:2])
decoder = scorer.family.decoder
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
for limit in (used + int(sys.argv[3]), resource.RLIM_INFINITY):
    decoder.chunk = 100_000
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    scores = scorer.score("How many apples are left?", traces)
    print(json.dumps({"chunk": decoder.chunk, "steps": [score.steps for score in scores]}))
"""


@pytest.mark.slow
def test_out_of_memory_halves_the_chunk_and_gives_the_same_scores(tmp_path: Path) -> None:
    # A wide model: one chunk of all tokens needs hundreds of megabytes, which the process is then denied.
    folder = tiny.step_classifier(tmp_path / "wide", kind="llama", intermediate_size=16_384)
    record = json.dumps({"family": "step_classifier", "path": str(folder)})
    traces = json.dumps([[f"So {number} + {number * number} = {number * 7}.", f"A: {number}"] for number in range(150)])

    command = [sys.executable, "-c", OUT_OF_MEMORY, record, traces, str(200 * 2**20)]
    ran = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    little, enough = map(json.loads, ran.stdout.splitlines())
    assert enough["chunk"] == 100_000
    assert 16 <= little["chunk"] < 100_000
    for one, other in zip(enough["steps"], little["steps"], strict=True):
        assert one == pytest.approx(other, abs=1e-5)
