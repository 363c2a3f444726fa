"""Projects with samples to choose from, a tiny PRM, and workers to start, double and kill."""

import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.utils import timezone

from annotation_app.celery import app
from labeling.actions.round_stages import advance_round, start_round
from labeling.actions.step_scorers import check_prm, register_prm
from labeling.configs import StagedConfig, TraceFilter
from labeling.configs.stages import STAGES, WORKING
from labeling.formats.normalise import problem_key, trace_key
from labeling.models import Problem, Project, Round, RoundChunk, Score, StepScorer, Trace
from labeling.tests.factories import make_project
from worker.scoring_chunks import describe

BASE_DIR = Path(__file__).resolve().parents[3]
_serial = itertools.count(1)


def make_samples(project: Project, problems: int = 4, samples: int = 6, **fields: Any) -> list[Trace]:
    """Make traces that share their first step. Each problem has right and wrong ones, by the grader's own rules."""
    made = []
    for _ in range(problems):
        number = next(_serial)
        text = f"What is {number} + {number}?"
        problem = Problem.objects.create(
            project=project, text=text, answer=str(2 * number), text_hash=problem_key(text)
        )
        for sample in range(samples):
            answer = 2 * number + sample % 3
            steps = [f"I add {number} and {number}.", f"Sample {sample}: so {number} + {number} = {answer}."]
            made.append(
                Trace(
                    project=project,
                    problem=problem,
                    steps=steps,
                    final_answer=str(answer),
                    trace_hash=trace_key(bytes(problem.text_hash), steps),
                    **fields,
                )
            )
    return Trace.objects.bulk_create(made)


def make_prm(record: dict[str, Any], name: str = "", project: Project | None = None) -> StepScorer:
    """Make a PRM that a worker found ready. Its folder is under settings.MODELS_DIR."""
    prm = register_prm(name or f"prm {next(_serial)}", record, project=project)
    prm = check_prm(prm, describe)
    assert prm.status == StepScorer.Status.READY, prm.error
    return prm


def start(project: Project, prm: StepScorer | None, **asked: Any) -> Round:
    """Start a staged round: by default not graded, two traces per problem, no control arm."""
    about = {name: asked.pop(name) for name in ("by", "client_key", "seed", "name") if name in asked}
    if key := about.pop("client_key", None):
        asked["client_key"] = str(key)
    asked["filter"] = TraceFilter(**asked.get("filter", {}))
    config = StagedConfig(**{"k": 2, "control_share": 0.0, "grade": False, **asked})
    return start_round(project, scorer=prm, config=config, **{"by": None, **about})


def set_chunk(patch: pytest.MonkeyPatch, stage: str, chunk: int) -> None:
    """Set the approximate size of a chunk of the stage."""
    patch.setitem(STAGES, stage, replace(STAGES[stage], chunk=chunk))


def run_task(name: str, *about: Any) -> None:
    """Do what a worker does with one message."""
    app.loader.import_default_modules()
    app.tasks[name](*about)


def work(round_: Round) -> Round:
    """Do what workers do until the round needs no more of their work."""
    advance_round(round_.pk)
    for _ in range(20):
        round_.refresh_from_db()
        if round_.status not in WORKING:
            break
        run_task("worker.run_chunks", round_.pk, round_.planned)
    return round_


def scores_of(prm: StepScorer) -> dict[int, tuple[Any, ...]]:
    """Return what can be compared, by trace."""
    rows = Score.objects.filter(scorer=prm).values_list("trace_id", "steps", "score", "reason", "exact")
    return {row[0]: (tuple(row[1] or ()), *row[2:]) for row in rows}


def let_leases_end(round_: Round) -> None:
    """End the leases, as a minute of silence does."""
    RoundChunk.objects.filter(round=round_, status="running").update(leased_until=timezone.now())


def project_with_samples(**fields: Any) -> Project:
    """Make a project and its samples, graded."""
    project = make_project()
    for trace in make_samples(project, **fields):
        right = trace.final_answer == trace.problem.answer
        trace.outcome = "correct" if right else "wrong"
        trace.save(update_fields=["outcome"])
    return project


class Workers:
    """Real processes, forked from one that has torch loaded. Each does one message and ends, or is killed."""

    def __init__(self, models: Path) -> None:
        path = f"/{connection.settings_dict['NAME']}"
        database = urlsplit(os.environ["DATABASE_URL"])._replace(path=path).geturl()
        environment = {**os.environ, "DATABASE_URL": database}
        environment["MODELS_DIR"] = str(models)
        command = [sys.executable, "-m", "worker.tests.rounds.forking_worker"]
        self.process = subprocess.Popen(
            command, cwd=BASE_DIR, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def start(self, task: str, *about: Any, die_at: int = 0) -> int:
        """Start a worker on one message; it kills itself at the `die_at`-th line of ours, if it gets there. Return its
        pid.
        """
        return int(self._ask({"do": "start", "task": task, "about": about, "die_at": die_at}))

    def wait(self, pid: int) -> int:
        """Wait until it has ended. Return 0, or minus the signal that killed it."""
        return int(self._ask({"do": "wait", "pid": pid}))

    def kill(self, pid: int) -> None:
        """Kill it with a signal that it cannot catch."""
        os.kill(pid, signal.SIGKILL)

    def _ask(self, order: dict[str, Any]) -> str:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()


@contextmanager
def workers(models: Path) -> Iterator[Workers]:
    """Run workers. They and their children end with the block."""
    started = Workers(models)
    try:
        yield started
    finally:
        started.process.kill()
        started.process.wait()
