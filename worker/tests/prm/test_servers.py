"""PRMs behind HTTP: a real local server that speaks the same JSON over our own scorer."""

import math
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from worker.prm.checkpoint import Checkpoint
from worker.prm.errors import ServerError, ServerUnavailableError, SpecError
from worker.prm.families.generative_judge import first_error, log_shares
from worker.prm.families.qwen_prm import MARK, QwenPrm
from worker.prm.registry import load_scorer
from worker.prm.spec import parse_spec
from worker.prm.tree import build_tree
from worker.tests.prm import tiny
from worker.tests.prm.pooling import PoolingServer, running

PROBLEM = "How many apples are left?"
TRACES = [["So 48+24 = 72.", "A: 72"], ["So 48+24 = 12.", "Step 1: x", "A: 12"], ["A: 7"], ["done", "+ -"]] * 3


class Engine:
    """vLLM's processing for Qwen's PRM: the text unchanged, a softmax at every step tag, probabilities as lists."""

    def __init__(self, folder: Path) -> None:
        spec = parse_spec({"family": "qwen_prm", "path": str(folder)})
        self.family = QwenPrm(spec, Checkpoint(folder), torch.device("cpu"))
        self.lock = threading.Lock()

    def probabilities(self, text: str) -> list[float]:
        ids = list(self.family.text.ids(text))
        if len(ids) > self.family.longest:
            raise ValueError(f"the text has {len(ids)} tokens, the model takes {self.family.longest}")
        at = np.array([place for place, one in enumerate(ids) if one == self.family.mark])
        with self.lock:
            hidden = self.family.decoder.hidden(build_tree([ids]), at).float()
        return self.family.log_correct(hidden).exp().tolist()

    def answer(self, path: str, body: dict[str, Any]) -> Any:
        try:
            if path == "/pooling":
                rows = [[[1 - p, p] for p in self.probabilities(text)] for text in body["input"]]
                data = [{"index": at, "object": "pooling", "data": row} for at, row in enumerate(rows)]
                return {"data": data[::-1], "usage": {}}
            logits = [[math.log(p / (1 - p)) for p in self.probabilities(text)[-1:]] for text in body["text"]]
            return [{"embedding": one, "meta_info": {}} for one in logits]
        except ValueError as error:
            return error


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.qwen_prm(tmp_path_factory.mktemp("servers") / "model")


@pytest.fixture
def server(folder: Path) -> Iterator[PoolingServer]:
    with running(Engine(folder).answer) as found:
        yield found


def spec_of(server: PoolingServer, family: str = "pooling_server", **options: Any) -> Any:
    options = {"model": "prm", "timeout": 5.0, "retries": 2, **options}
    return parse_spec({"family": family, "url": server.url, "options": options})


@pytest.mark.parametrize("api", ["vllm", "sglang"])
def test_a_served_prm_gives_the_scores_of_the_same_prm_here(server: PoolingServer, folder: Path, api: str) -> None:
    here = load_scorer(parse_spec({"family": "qwen_prm", "path": str(folder)})).score(PROBLEM, TRACES)
    there = load_scorer(spec_of(server, api=api, batch=4)).score(PROBLEM, TRACES)
    for one, other in zip(here, there, strict=True):
        assert other.reason is None
        assert other.steps == pytest.approx(one.steps, abs=1e-5)
        assert other.score == pytest.approx(one.score, abs=1e-4)


def test_a_busy_server_is_asked_again_when_it_says(server: PoolingServer) -> None:
    server.troubles.extend([(429, {"error": "busy"}, {"Retry-After": "1"}), (503, b"starting", {})])
    scores = load_scorer(spec_of(server, batch=100)).score(PROBLEM, TRACES)
    assert all(score.reason is None for score in scores)
    assert len(server.requests) == 3
    assert server.times[1] - server.times[0] >= 1.0


def test_a_server_that_hangs_up_is_asked_again(server: PoolingServer) -> None:
    server.troubles.extend([None, None])
    scores = load_scorer(spec_of(server, batch=100)).score(PROBLEM, TRACES[:2])
    assert all(score.reason is None for score in scores)


def test_a_server_that_stays_away_is_an_error_not_unscored_traces(server: PoolingServer) -> None:
    server.troubles.extend([(500, b"", {})] * 100)
    with pytest.raises(ServerUnavailableError, match="no answer after 3 attempts: 500"):
        load_scorer(spec_of(server, batch=100)).score(PROBLEM, TRACES)
    assert len(server.requests) == 3


def test_a_server_that_is_too_slow_runs_into_the_time_limit(server: PoolingServer) -> None:
    server.delay = 1.0
    with pytest.raises(ServerUnavailableError, match="timed out"):
        load_scorer(spec_of(server, timeout=0.1, retries=1)).score(PROBLEM, TRACES[:1])


def test_nothing_listens_there() -> None:
    spec = parse_spec(
        {"family": "pooling_server", "url": "http://127.0.0.1:1", "options": {"model": "x", "retries": 1}}
    )
    with pytest.raises(ServerUnavailableError, match="refused"):
        load_scorer(spec).score(PROBLEM, TRACES)


def test_no_more_requests_at_once_than_the_server_takes(server: PoolingServer) -> None:
    server.delay = 0.05
    load_scorer(spec_of(server, batch=1, in_flight=3)).score(PROBLEM, TRACES)
    assert len(server.requests) == len(TRACES)
    assert server.most_at_once == 3


def test_a_trace_the_server_refuses_takes_no_other_down(server: PoolingServer) -> None:
    long = ["So 48+24 = 72."] * 200
    scores = load_scorer(spec_of(server, batch=4)).score(PROBLEM, [*TRACES[:2], long, TRACES[2]])
    assert [score.reason is None for score in scores] == [True, True, False, True]
    assert scores[2].reason is not None
    assert "the server refused the trace: 400" in scores[2].reason
    assert "the model takes 512" in scores[2].reason


def test_a_step_that_contains_the_tag_is_not_sent(server: PoolingServer) -> None:
    scores = load_scorer(spec_of(server)).score(PROBLEM, [["one", f"two {MARK}"], ["one"], [], [" "]])
    reasons = [f"step 1 contains the text {MARK}", None, "the trace has no steps", "step 0 is empty"]
    assert [score.reason for score in scores] == reasons
    assert sum(len(body["input"]) for _path, body in server.requests) == 1


def test_the_key_comes_from_the_environment_and_is_in_no_record(
    server: PoolingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.key = "secret"
    with pytest.raises(SpecError, match="PRM_KEY .* is not set"):
        load_scorer(spec_of(server, api_key_env="PRM_KEY"))
    monkeypatch.setenv("PRM_KEY", "secret")
    assert load_scorer(spec_of(server, api_key_env="PRM_KEY")).score(PROBLEM, TRACES[:1])[0].reason is None
    monkeypatch.setenv("PRM_KEY", "other")
    with pytest.raises(ServerError, match="401.*Check the address, key and model"):
        load_scorer(spec_of(server, api_key_env="PRM_KEY")).score(PROBLEM, TRACES[:1])


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ({"data": [{"index": 0, "object": "pooling", "data": [[0.1, 0.9]] * 9}]}, "9 values for 2 steps"),
        ({"data": [{"index": 0, "object": "pooling", "data": [[0.9], [0.9]]}]}, "2 numbers per step"),
        ({"data": []}, "does not answer like vLLM"),
        ([], "does not answer like vLLM"),
        (b"<html>", "did not answer with JSON"),
        *(
            ({"data": [{"index": 0, "data": [[0.1, value]] * 2}]}, "instead of a number")
            for value in ("abc", "0.7", 10**400, {"a": 1}, [1], True)
        ),
    ],
    ids=lambda value: str(value)[-60:],
)
def test_a_server_that_speaks_otherwise_is_an_error_never_a_shift(
    server: PoolingServer, answer: Any, sentence: str
) -> None:
    server.troubles.append((200, answer, {}))
    with pytest.raises(ServerError, match=sentence):
        load_scorer(spec_of(server)).score(PROBLEM, [["one", "two"]])


@pytest.mark.parametrize("answer", [[{"embedding": ["x"]}], [{"embedding": 1}], [[0.5]], ["x"], [None], [{}]])
def test_a_classify_server_that_speaks_otherwise_is_an_error(server: PoolingServer, answer: Any) -> None:
    server.troubles.append((200, answer, {}))
    with pytest.raises(ServerError):
        load_scorer(spec_of(server, api="sglang")).score(PROBLEM, [["one"]])
    assert len(server.requests) == 1, "it is not asked again"


def test_a_server_cannot_lead_us_elsewhere(server: PoolingServer) -> None:
    server.troubles.append((302, b"", {"Location": f"{server.url}/stolen"}))
    with pytest.raises(ServerError, match="302"):
        load_scorer(spec_of(server)).score(PROBLEM, TRACES[:1])
    assert [path for path, _body in server.requests] == ["/pooling"]


def test_numbers_that_are_none_leave_the_trace_unscored(server: PoolingServer) -> None:
    row = [[None, None], [0.1, 0.9]]
    server.troubles.append((200, {"data": [{"index": 0, "data": row}]}, {}))
    (score,) = load_scorer(spec_of(server)).score(PROBLEM, [["one", "two"]])
    assert score.reason == "the model gave no number for some of its steps"


def adder(path: str, body: dict[str, Any]) -> Any:
    """A judge that really checks sums: the first step with a wrong `a+b = c` is its verdict."""
    assert path == "/chat/completions"
    text = body["messages"][0]["content"]
    steps = re.findall(r"<paragraph_\d+>\n(.*?)\n</paragraph_\d+>", text, re.S) or re.findall(r"Step \d+: (.*)", text)
    right = [all(int(a) + int(b) == int(c) for a, b, c in re.findall(r"(\d+)\+(\d+) = (\d+)", step)) for step in steps]
    if "<paragraph_0>" in text:
        verdict = f"Looking at it...\n\\boxed{{{right.index(False) if False in right else -1}}}"
    else:
        verdict = "\n".join(f"Step {at}: \\boxed{{{'correct' if ok else 'incorrect'}}}" for at, ok in enumerate(right))
    return {"choices": [{"message": {"role": "assistant", "content": verdict}}]}


@pytest.mark.parametrize("template", ["processbench", "thinkprm"])
def test_a_judge_in_words_finds_the_first_wrong_step(template: str) -> None:
    traces = [["2+2 = 4", "4+1 = 5"], ["2+2 = 4", "4+1 = 6", "6+1 = 7"], ["2+2 = 5"], []]
    with running(adder) as server:
        scorer = load_scorer(spec_of(server, "generative_judge", template=template, votes=3))
        right, second, first, none = scorer.score(PROBLEM, traces)
    assert right.steps == pytest.approx([3.5 / 4, 3.5 / 4])
    assert second.steps == pytest.approx([3.5 / 4, 0.5 / 4, 0.5])
    assert first.steps == pytest.approx([0.5 / 4])
    assert none.reason == "the trace has no steps"
    assert right.score is not None
    assert second.score is not None
    assert right.score > second.score


def test_a_judge_that_says_nothing_leaves_the_trace_unscored() -> None:
    def mumble(_path: str, _body: dict[str, Any]) -> Any:
        return {"choices": [{"message": {"content": "Let me think about it."}}]}

    with running(mumble) as server:
        (score,) = load_scorer(spec_of(server, "generative_judge", votes=2)).score(PROBLEM, [["one"]])
    assert score.reason == "no verdict in 2 answers"


@pytest.mark.parametrize(
    ("text", "template", "expected"),
    [
        (r"first \boxed{0}, no: \boxed{2}", "processbench", 2),
        (r"\boxed{-1}", "processbench", -1),
        (r"\boxed{7}", "processbench", None),
        (r"\boxed{-2}", "processbench", None),
        (r"\boxed{correct}", "processbench", None),
        ("2", "processbench", None),
        (rf"\boxed{{{'9' * 5_000}}}", "processbench", None),
        (r"\boxed{²}", "processbench", None),
        (r"\boxed{correct} \boxed{incorrect}", "thinkprm", 1),
        (r"\boxed{\text{correct}} \boxed{\text{incorrect}}", "thinkprm", 1),
        (r"\boxed{correct} \boxed{correct} \boxed{correct}", "thinkprm", -1),
        (r"\boxed{correct} \boxed{correct}", "thinkprm", None),
        (r"\boxed{correct} \boxed{correct} \boxed{correct} so \boxed{incorrect}", "thinkprm", -1),
    ],
)
def test_verdicts_are_read_as_the_authors_read_them(text: str, template: str, expected: int | None) -> None:
    assert first_error(text, 3, template) == expected


def test_votes_become_probabilities_of_each_step_given_the_earlier_ones() -> None:
    logs = log_shares([1, 1, -1, -1], 3)
    assert [math.exp(one) for one in logs] == pytest.approx([4.5 / 5, 2.5 / 5, 2.5 / 3])
