"""Traces of known truth, and a chat server that completes and judges at known rates."""

import re
from typing import Any

from labeling.actions.source_runs import create_source
from labeling.configs import JudgeConfig, RolloutsConfig, SamplingConfig, SourceConfig
from labeling.models import Project, Score, StepScorer, Trace
from labeling.sources.marks import Hits, progress
from labeling.tests.factories import make_traces


def sampling(prompt: str, **settings: Any) -> SamplingConfig:
    return SamplingConfig("qwen", "q7", prompt, **{"price_in": 1.0, "price_out": 2.0, **settings})


def rollouts(project: Project, **asked: Any) -> StepScorer:
    config = RolloutsConfig(sampling("go_on", max_tokens=64), **{"n": 4, **asked})
    return create_source(project, by=None, name=asked.get("strategy", "everywhere"), config=config)


def judge(project: Project, **asked: Any) -> StepScorer:
    return make(project, "judge", JudgeConfig(sampling("processbench/1", max_tokens=64), **asked))


def make(project: Project, name: str, config: SourceConfig) -> StepScorer:
    return create_source(project, by=None, name=name, config=config)


def count_rollouts(scorer: StepScorer, trace: Trace, after: list[Hits | None], *, own_answer: bool = False) -> None:
    """Make rollouts as a finished search keeps them."""
    evidence = {
        "hits": [None if one is None else one.hits for one in after],
        "n": [None if one is None else one.n for one in after],
        "own_answer": own_answer,
        "progress": progress(after),
    }
    about = {"project_id": trace.project_id, "problem_id": trace.problem_id, "outcome": trace.outcome, "draw": 0}
    Score.objects.create(scorer=scorer, trace=trace, steps=[None] * len(trace.steps), evidence=evidence, **about)


def wrong_traces(project: Project, *errors: int | None, steps: int = 8) -> list[Trace]:
    """Make traces with an error at these steps (None: right). Their steps reveal it to the completer below."""
    traces = make_traces(project, len(errors), steps=steps)
    for trace, error in zip(traces, errors, strict=True):
        trace.steps = [f"Step {place}{' is off' if place == error else ''}." for place in range(steps)]
        trace.outcome = "correct" if error is None else "wrong"
        trace.save()
    return traces


def complete(prompt: str, seed: int) -> tuple[str, str]:
    """Return the right answer for a prefix without an error, else another one; for a judge, the index of the error."""
    [number] = map(int, re.findall(r"\$(\d+) \+ 1\$", prompt))
    if "paragraph_0" in prompt:
        found = re.search(r"<paragraph_(\d+)>\nStep \d+ is off", prompt)
        return f"I see. \\boxed{{{found[1] if found else -1}}}", "stop"
    return f"So we get\n\n\\boxed{{{number + (50 if 'is off' in prompt else 1)}}}", "stop"
