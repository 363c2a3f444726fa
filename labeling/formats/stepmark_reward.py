"""A process reward model as a reward function for TRL, verl and OpenRLHF. One file that needs only Python 3.10 or
later.

The PRM is served by vLLM (`vllm serve Qwen/Qwen2.5-Math-PRM-7B`, step pooling at <extra_0>) and named in the
environment:

    STEPMARK_SCORER_URL=http://127.0.0.1:8000 STEPMARK_SCORER_MODEL=Qwen/Qwen2.5-Math-PRM-7B STEPMARK_FORM=min

    TRL        GRPOTrainer(..., reward_funcs=stepmark_reward.trl_reward)
    verl       custom_reward_function.path=stepmark_reward.py custom_reward_function.name=compute_score
               (each row's extra_info holds the problem, as `problem` or `question`)
    OpenRLHF   --remote_rm_url stepmark_reward.py

To use another scorer, call `trl_function(scorer, form)` and the other factories with any function that takes a problem
and its steps and returns the probability that each step is right.

The reward of an answer is the minimum of its step scores (`min`) or their product (`product`), from 0 to 1. Steps are
separated by blank lines, as in Stepmark's reward rows. An answer without a step, or one that contains the mark at
which the PRM reads, gets 0. If the server does not answer, the function raises an error, at which TRL and verl stop
(OpenRLHF logs it and continues without that reward): a made-up reward would be worse.
"""

import json
import math
import os
import re
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from typing import Any

Scorer = Callable[[str, Sequence[str]], Sequence[float]]
BETWEEN_STEPS = re.compile(r"\n[ \t]*\n\s*")
MARK = "<extra_0>"
SYSTEM = "Please reason step by step, and put your final answer within \\boxed{}."
FORMS = ("min", "product")
TRIES = 4
SECONDS = 120
BUSY = (429, 502, 503, 504)
USER_TURN = re.compile(r"<\|im_start\|>user\n(.*?)<\|im_end\|>", re.DOTALL)
END_TOKENS = re.compile(r"(\s*(<\|im_end\|>|<\|endoftext\|>|<\|eot_id\|>|</s>))+\s*$")


def steps_of(answer: str) -> list[str]:
    """Return the steps of an answer: the text between blank lines."""
    return [step.strip() for step in BETWEEN_STEPS.split(END_TOKENS.sub("", answer)) if step.strip()]


def aggregate(form: str) -> Callable[[Sequence[float]], float]:
    """Return the function that combines step scores into one reward. Raises ValueError."""
    if form not in FORMS:
        raise ValueError(f"The form is {' or '.join(FORMS)}, not {form!r}.")
    return min if form == "min" else math.prod


def step_scores(scorer: Scorer, problem: str, answer: str) -> list[float]:
    """Return the score of each step, or a single 0 for an answer that cannot be scored."""
    steps = steps_of(answer)
    if not steps or any(MARK in step for step in steps):
        return [0.0]
    scores = [float(score) for score in scorer(problem, steps)]
    if len(scores) != len(steps) or not all(math.isfinite(score) for score in scores):
        raise RuntimeError(f"The scorer says {scores} of {len(steps)} steps.")
    return scores


def trl_function(scorer: Scorer, form: str = "min") -> Callable[..., list[float]]:
    """Return a function for TRL's `reward_funcs`: it takes texts or chats and returns a number for each completion."""

    reward_of = aggregate(form)

    def trl_reward(prompts: Sequence[Any], completions: Sequence[Any], **columns: Any) -> list[float]:
        pairs = zip(prompts, completions, strict=True)
        return [reward_of(step_scores(scorer, text_of(prompt), text_of(said))) for prompt, said in pairs]

    return trl_reward


def verl_function(scorer: Scorer, form: str = "min") -> Callable[..., dict[str, float]]:
    """Return a function for verl's `custom_reward_function`: an answer in, its score and two figures out."""

    reward_of = aggregate(form)

    def compute_score(
        data_source: str, solution_str: str, ground_truth: Any, extra_info: Any = None, **more: Any
    ) -> dict[str, float]:
        scores = step_scores(scorer, problem_of(extra_info or {}), solution_str)
        return {"score": reward_of(scores), "lowest_step": min(scores), "steps": float(len(scores))}

    return compute_score


def openrlhf_function(scorer: Scorer, form: str = "min") -> Callable[..., dict[str, Any]]:
    """Return a function for OpenRLHF's `--remote_rm_url FILE.py`: it takes queries, which begin with their prompts."""

    reward_of = aggregate(form)

    def reward_func(queries: Sequence[str], prompts: Sequence[str], labels: Any = None, **more: Any) -> dict[str, Any]:
        said = [
            step_scores(scorer, problem_in(prompt), query.split(prompt, 1)[-1])
            for query, prompt in zip(queries, prompts, strict=True)
        ]
        rewards = tensor([reward_of(scores) for scores in said])
        lowest, steps = tensor([min(scores) for scores in said]), tensor([float(len(scores)) for scores in said])
        return {"rewards": rewards, "scores": rewards, "extra_logs": {"lowest_step": lowest, "steps": steps}}

    return reward_func


def text_of(said: Any) -> str:
    """Return a text as it is, or the text of a chat's last message."""
    return said if isinstance(said, str) else str(said[-1]["content"])


def problem_of(extra_info: Any) -> str:
    """Return the problem of a verl row. Raises ValueError if it is missing."""
    for name in ("problem", "question"):
        if extra_info.get(name):
            return str(extra_info[name])
    raise ValueError("A row's extra_info needs the problem's text, as `problem` or `question`.")


def problem_in(prompt: str) -> str:
    """Return the user's last message in a ChatML prompt, or any other prompt unchanged."""
    turns = USER_TURN.findall(prompt)
    return (turns[-1] if turns else prompt).strip()


def tensor(values: list[float]) -> Any:
    """Return a tensor if the caller has torch, otherwise the list."""
    torch = sys.modules.get("torch")
    return torch.tensor(values) if torch else values


def pooling_scorer(url: str, model: str, system: str = SYSTEM) -> Scorer:
    """A PRM served by vLLM: P(right) of each step, read at the mark after it."""

    def score(problem: str, steps: Sequence[str]) -> list[float]:
        text = "".join(
            f"<|im_start|>{role}\n{said}<|im_end|>\n" for role, said in (("system", system), ("user", problem))
        )
        text += "<|im_start|>assistant\n" + "".join(step + MARK for step in steps) + "<|im_end|>\n"
        answer = asked(url.rstrip("/") + "/pooling", {"model": model, "input": [text], "task": "token_classify"})
        return [pair[1] for pair in answer["data"][0]["data"]]

    return score


def asked(url: str, body: dict[str, Any]) -> Any:
    """Return the server's answer, retrying while the server is busy or away. Raises the last error."""
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    for tried in range(1, TRIES + 1):
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as answer:
                return json.load(answer)
        except urllib.error.URLError as error:
            if tried == TRIES or getattr(error, "code", BUSY[0]) not in BUSY:
                raise
            time.sleep(2.0**tried)
    raise AssertionError("unreachable")


def named_scorer(problem: str, steps: Sequence[str]) -> Sequence[float]:
    """Return the scorer named in the environment."""
    url, model = os.environ.get("STEPMARK_SCORER_URL"), os.environ.get("STEPMARK_SCORER_MODEL")
    if not url or not model:
        raise RuntimeError(
            "Set STEPMARK_SCORER_URL to the address where vLLM serves the PRM, and STEPMARK_SCORER_MODEL to its name."
        )
    return pooling_scorer(url, model, os.environ.get("STEPMARK_SCORER_SYSTEM", SYSTEM))(problem, steps)


FORM = os.environ.get("STEPMARK_FORM", "min")
trl_reward = trl_function(named_scorer, FORM)
compute_score = verl_function(named_scorer, FORM)
reward_func = openrlhf_function(named_scorer, FORM)
