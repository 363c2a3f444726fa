"""What `python -m bench.rollout_speed` runs with the product's own tables: fill, work, check. Prints JSON."""

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import django

django.setup()

from labeling.actions import source_runs  # noqa: E402  # models can be read only after the set-up
from labeling.configs import RolloutsConfig, SamplingConfig  # noqa: E402
from labeling.formats.normalise import problem_key  # noqa: E402
from labeling.grading.process_pool import GradingPool  # noqa: E402
from labeling.models import Problem, Project, Score, SourceChunk, SourceRun, Trace  # noqa: E402
from worker.marking import mark_chunk  # noqa: E402

STEPS, N = 10, 8  # prefixes of 0 to 9 steps; the last step's answer is known, so it needs no rollout


def fill(traces: int) -> dict[str, int]:
    """A project with wrong traces, a source of rollouts and its run, queued for whoever works."""

    project = Project.objects.create(slug="rollouts", name="Rollouts")
    texts = [f"What is {number} + 1?" for number in range(traces)]
    problems = Problem.objects.bulk_create(
        Problem(project=project, text=text, answer="2", text_hash=problem_key(text)) for text in texts
    )
    steps = [f"Step {place}." for place in range(STEPS)]
    Trace.objects.bulk_create(
        Trace(project=project, problem=one, steps=steps, outcome="wrong", trace_hash=place.to_bytes(32, "big"))
        for place, one in enumerate(problems)
    )
    completer = SamplingConfig("local", "any", "go_on", max_tokens=64)
    source = source_runs.create_source(
        project, by=None, name="everywhere", config=RolloutsConfig(completer, strategy="everywhere", n=N)
    )
    run = source_runs.start_run(project, source, by=None, wake=False)
    return {"run": run.pk, "chunks": run.chunks.count()}


def work(run: int) -> dict[str, float]:
    """Take chunks until none is left; what of the time went to grading."""

    spent = {"grading": 0.0, "graded": 0.0}

    def timed(grade: Any, questions: Iterable[Any]) -> Iterator[Any]:
        began = time.monotonic()
        found = list(grade(questions))
        spent["grading"] += time.monotonic() - began
        spent["graded"] += len(found)
        return iter(found)

    began = time.monotonic()
    with GradingPool(processes=1) as pool:
        while waiting := list(
            SourceChunk.objects.filter(run=run, status__in=("queued", "running")).values_list("pk", flat=True)
        ):
            taken = [source_runs.run_chunk(pk, partial(mark_chunk, grade=partial(timed, pool.grade))) for pk in waiting]
            if not any(taken):
                time.sleep(1)
    return {**spent, "seconds": time.monotonic() - began}


def check(run: int, traces: int) -> dict[str, Any]:
    """Whether anything was lost or done twice."""

    found = SourceRun.objects.get(pk=run)
    scores = list(Score.objects.filter(scorer=found.scorer))
    whole = sum(score.evidence["n"][:STEPS] == [N] * STEPS for score in scores if score.evidence)
    return {
        "status": found.status,
        "marked": len(scores),
        "whole": whole,
        "lost": traces - whole,
        "calls": found.calls,
        "needed": traces * STEPS * N,
    }


if __name__ == "__main__":
    PARTS: dict[str, Callable[..., Any]] = {"fill": fill, "work": work, "check": check}
    print(json.dumps(PARTS[sys.argv[1]](*map(int, sys.argv[2:]))))
