"""Pools of scored traces for tests: small ones with everything that makes a choice hard."""

import hashlib
import itertools
import math
import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from labeling.actions.round_selection import select_traces
from labeling.actions.round_stages import move_on, start_round
from labeling.configs import StagedConfig, TraceFilter
from labeling.models import Problem, Project, Round, RoundChunk, Score, StepScorer, Task, Trace
from labeling.quality.consensus import AskedOverlap
from labeling.selection import Candidate, draw_of, sketches_of

_serial = itertools.count(1)


class PoolTrace(NamedTuple):
    """A trace to create: the number of its problem, its outcome, its log score (None = not scored), its steps."""

    problem: int
    outcome: str = "wrong"
    score: float | None = -1.0
    steps: Sequence[str] = ()


def make_prm(name: str = "", **fields: object) -> StepScorer:
    """A PRM that a worker has found ready."""
    name = name or f"prm{next(_serial)}"
    known = {"spec": {"family": "math_shepherd"}, "fingerprint": name, "scale": "probability", "status": "ready"}
    return StepScorer.objects.create(name=name, **{**known, **fields})


def make_problems(project: Project, count: int, **fields: object) -> list[Problem]:
    """Make problems without traces."""
    serials = [next(_serial) for _ in range(count)]
    return Problem.objects.bulk_create(
        Problem(project=project, text=f"Problem {n}?", answer="1", text_hash=_hash(f"pool problem {n}"), **fields)
        for n in serials
    )


def make_pool(
    project: Project,
    prm: StepScorer | None,
    traces: Sequence[PoolTrace],
    problems: Sequence[Problem] = (),
    *,
    sketched: Callable[[], bool] = lambda: True,
) -> list[Trace]:
    """Make traces of problems 0, 1, …, with their scores by `prm`. `sketched` decides for each if it has a sketch."""
    problems = problems or make_problems(project, 1 + max((one.problem for one in traces), default=0))
    made = Trace.objects.bulk_create(
        Trace(
            project=project,
            problem=problems[one.problem],
            outcome=one.outcome,
            steps=list(one.steps) or [f"Step {next(_serial)}."],
            trace_hash=_hash(f"trace {next(_serial)}"),
        )
        for one in traces
    )
    if prm is not None:
        scored = [(trace, one.score) for trace, one in zip(made, traces, strict=True) if one.score is not None]
        give_scores(prm, scored, sketched=sketched)
    return made


def give_scores(
    prm: StepScorer, scored: Sequence[tuple[Trace, float]], *, sketched: Callable[[], bool] = lambda: True
) -> None:
    """Give each trace its log score, and its last step the same; the steps before it are certain."""
    Score.objects.bulk_create(
        Score(
            scorer=prm,
            trace=trace,
            project_id=trace.project_id,
            problem_id=trace.problem_id,
            outcome=trace.outcome,
            draw=draw_of(trace.trace_hash),
            steps=[1.0] * (len(trace.steps) - 1) + [math.exp(score)],
            score=score,
            sketch=sketches_of(["\n".join(trace.steps)])[0] if sketched() else None,
        )
        for trace, score in scored
    )


def random_pool(chance: random.Random) -> list[PoolTrace]:
    """Return up to 90 traces: ties, infinite and missing scores, ungraded ones, and many near duplicates."""
    problems = chance.randint(1, 7)
    duplicates = chance.choice([0, 0.3, 0.9])
    scores = chance.choice([lambda: round(chance.uniform(-3, 0), 1), lambda: -1.0, lambda: chance.uniform(-50, 0)])
    unscored = chance.choice([0, 0.2, 1.0])
    traces: list[PoolTrace] = []
    for _ in range(chance.randint(0, 90)):
        same = [one for one in traces if one.steps] if chance.random() < duplicates else []
        steps = _nearly(chance.choice(same).steps, chance) if same else _text(chance)
        score = None if chance.random() < unscored else chance.choice([scores(), scores(), scores(), -math.inf])
        if score is not None and chance.random() < 0.05:
            score = math.nan
        outcome = chance.choice(["wrong", "wrong", "correct", "ungraded"])
        traces.append(PoolTrace(chance.randrange(problems), outcome, score, steps))
    return traces


def selecting_round(
    project: Project, prm: StepScorer | None, *, seed: int = 0, overlap: int = 1, **rules: Any
) -> Round:
    """Make a round whose pool is graded and scored: its traces are to be selected now."""
    filter = TraceFilter(**rules.pop("filter", {}))
    config = StagedConfig(filter=filter, grade=False, **{"k": 4, "control_share": 0.0, **rules})
    round_ = start_round(project, by=None, scorer=prm, config=config, seed=seed, overlap=AskedOverlap(overlap))
    while move_on(round_.pk) != "selecting":  # traces without a score are those that no worker could score
        RoundChunk.objects.filter(round=round_).update(status=RoundChunk.Status.DONE)
    return Round.objects.select_related("project", "scorer").get(pk=round_.pk)


def ready_round(project: Project, prm: StepScorer | None, **rules: Any) -> Round:
    """Make a round whose traces are selected and which waits for a person."""
    return finish_selecting(selecting_round(project, prm, **rules))


def finish_selecting(round_: Round) -> Round:
    """Do what a worker does with the last chunk."""
    select_traces(round_)
    RoundChunk.objects.filter(round=round_).update(status=RoundChunk.Status.DONE)
    move_on(round_.pk)
    return Round.objects.select_related("project", "scorer").get(pk=round_.pk)


def candidates_of(project: Project, prm: StepScorer | None, other: StepScorer | None = None) -> list[Candidate]:
    """Return the whole pool of a project in memory, as the pure choice takes it; `other` is the other scorer."""
    rows = Score.objects.filter(scorer=prm) if prm else Score.objects.none()
    scores = {trace: about for trace, *about in rows.values_list("trace_id", "score", "entropy", "spread")}
    others = dict(Score.objects.filter(scorer=other).values_list("trace_id", "score")) if other else {}
    return [
        Candidate(
            trace.pk,
            trace.problem_id,
            trace.outcome,
            scores.get(trace.pk, (None,))[0],
            key=trace.trace_hash,
            text="\n".join(trace.steps),
            entropy=scores.get(trace.pk, (None, None))[1],
            spread=scores.get(trace.pk, (None, None, None))[2],
            other=others.get(trace.pk),
        )
        for trace in Trace.objects.filter(project=project)
    ]


def queued_keys(project: Project) -> frozenset[bytes]:
    """Return the hashes of traces on the queue of any round that was not cancelled."""
    tasks = Task.objects.filter(round__project=project).exclude(round__status="cancelled")
    return frozenset(bytes(key) for key in tasks.values_list("trace__trace_hash", flat=True))


def _text(chance: random.Random) -> list[str]:
    return [" ".join(chance.choices("abcdefghijklmnop", k=chance.randint(1, 30))) for _ in range(chance.randint(1, 4))]


def _nearly(steps: Sequence[str], chance: random.Random) -> list[str]:
    edited = list(steps)
    if chance.random() < 0.7:
        edited[-1] += " " + chance.choice("xyz")
    return edited


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
