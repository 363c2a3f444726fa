"""`stepmark_reward.py` as called by trainers: a standalone file, with a server as scorer."""

import importlib.util
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from labeling.formats import stepmark_reward
from labeling.formats.exports.rewards import BETWEEN_STEPS
from worker.prm.families import pooling_server, qwen_prm

ANSWER = BETWEEN_STEPS.join(["Add.", "It is 4.\nSurely.", "So 4."])
SCORES = {"Add.": 0.9, "It is 4.\nSurely.": 0.5, "So 4.": 0.8}
CHATML = "<|im_start|>system\nReason.<|im_end|>\n<|im_start|>user\n2+2?<|im_end|>\n<|im_start|>assistant\n"


def known(problem: str, steps: Any) -> list[float]:
    """A scorer that knows one problem."""
    assert problem == "2+2?"
    return [SCORES[step] for step in steps]


def test_each_trainer_gets_the_least_or_the_product_of_the_steps_in_its_own_shape() -> None:
    for form, reward in (("min", 0.5), ("product", 0.9 * 0.5 * 0.8)):
        trl = stepmark_reward.trl_function(known, form)
        chat = [{"role": "user", "content": "2+2?"}], [{"role": "assistant", "content": ANSWER}]
        columns = {"completion_ids": [[1]], "trainer_state": None, "ground_truth": ["4"]}
        assert trl(prompts=["2+2?", chat[0]], completions=[ANSWER, chat[1]], **columns) == [reward, reward]
        verl = stepmark_reward.verl_function(known, form)
        asked = {"data_source": "ours", "solution_str": ANSWER, "ground_truth": "4", "reward_router_address": "x"}
        told = {"score": reward, "lowest_step": 0.5, "steps": 3.0}
        assert verl(**asked, extra_info={"question": "2+2?", "num_turns": 1}) == told
        found = stepmark_reward.openrlhf_function(known, form)([CHATML + ANSWER + "<|im_end|>\n"], [CHATML], ["4"])
        assert [list(map(float, found[name])) for name in ("rewards", "scores")] == [[pytest.approx(reward)]] * 2
        assert {name: float(values[0]) for name, values in found["extra_logs"].items()} == {
            "lowest_step": 0.5,
            "steps": 3,
        }
    with pytest.raises(ValueError, match="problem"):
        stepmark_reward.verl_function(known)("ours", ANSWER, "4", {"index": 3})
    with pytest.raises(ValueError, match="min or product"):
        stepmark_reward.trl_function(known, "mean")


def test_an_answer_without_steps_or_with_the_mark_has_nothing_and_a_scorer_must_speak_of_every_step() -> None:
    reward = stepmark_reward.trl_function(known)
    assert reward(["2+2?"] * 3, [" \n\n ", "Add.<extra_0>Great.", "<|im_end|>"]) == [0.0, 0.0, 0.0]
    for scores in ([0.5], [0.5, float("nan"), 0.5]):
        said = scorer_that_says(scores)
        with pytest.raises(RuntimeError, match="of 3 steps"):
            stepmark_reward.trl_function(said)(["2+2?"], [ANSWER])


def scorer_that_says(scores: list[float]) -> stepmark_reward.Scorer:
    """Return a scorer that gives any steps these scores."""
    return lambda problem, steps: scores


class Vllm(BaseHTTPRequestHandler):
    """Answers /pooling as vLLM does; busy at first."""

    asked: list[dict[str, Any]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(body)
        steps = body["input"][0].count(stepmark_reward.MARK)
        data = [{"index": 0, "data": [[0.75, 0.25]] * steps}]
        self.send_response(503 if len(self.asked) == 1 else 200)
        self.end_headers()
        self.wfile.write(json.dumps({"data": data}).encode())

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@pytest.fixture
def server() -> Iterator[HTTPServer]:
    Vllm.asked = []
    serving = HTTPServer(("127.0.0.1", 0), Vllm)
    thread = threading.Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield serving
    serving.shutdown()
    thread.join()
    serving.server_close()


def test_the_file_alone_asks_the_server_that_the_environment_names_as_stepmark_itself_does(
    server: HTTPServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = loaded(tmp_path)
    with pytest.raises(RuntimeError, match="STEPMARK_SCORER_URL"):
        alone.trl_reward(["2+2?"], [ANSWER])
    monkeypatch.setenv("STEPMARK_SCORER_URL", f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.setenv("STEPMARK_SCORER_MODEL", "prm")
    monkeypatch.setattr(alone.time, "sleep", lambda seconds: None)
    assert alone.reward_func([f"2+2?{ANSWER}"], ["2+2?"], ["4"])["rewards"].tolist() == [0.25]
    own = pooling_server.PoolingServer.__new__(pooling_server.PoolingServer)
    own.spec = pooling_server.PrmSpec(family="pooling_server", path="none")
    text = own.text("2+2?", list(SCORES))
    assert Vllm.asked == [{"model": "prm", "input": [text], "task": "token_classify"}] * 2
    assert (alone.MARK, alone.SYSTEM) == (qwen_prm.MARK, qwen_prm.SYSTEM)


def loaded(folder: Path) -> ModuleType:
    """Load the file as verl and OpenRLHF do; it may import only the standard library."""
    file = folder / "stepmark_reward.py"
    file.write_bytes(Path(stepmark_reward.__file__).read_bytes())
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); import stepmark_reward"
    code += "; assert not {name.split('.')[0] for name in sys.modules} & {'torch', 'numpy', 'labeling', 'django'}"
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)
    spec = importlib.util.spec_from_file_location("reward_func", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
