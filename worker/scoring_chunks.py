"""The scoring stage of a round: a PRM scores a chunk's traces. Of the modules for scoring, only this one uses torch.

A worker keeps the last PRM it used. Each problem's traces are scored together, in groups, and written group by group.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from django.conf import settings
from django.db import connection

from labeling.actions.jobs import Lease
from labeling.actions.kept_files import fetch_folder_if_missing
from labeling.actions.round_chunks import CannotGoOn
from labeling.actions.step_scores import NewScore, add_scores, make_exact
from labeling.actions.training_runs import TRAINED
from labeling.models import Project, RoundChunk, StepScorer
from labeling.queries import scores
from labeling.selection import sketches_of
from worker.model_faults import model_faults
from worker.prm.errors import PrmError, SpecError
from worker.prm.lineage import learned_from
from worker.prm.registry import load_scorer
from worker.prm.scoring import LocalScorer, Scorer, TraceScore
from worker.prm.spec import parse_spec

logger = logging.getLogger(__name__)
GROUP = 256  # traces of one problem scored together: with more, little more would be shared
NO_SESSION = (
    "this command holds locks longer than one transaction, which does not work through PgBouncer. Set DATABASE_URL to"
    " the address of PostgreSQL itself, and BEHIND_PGBOUNCER=false"
)
TRIAL = ("What is 1 + 1?", ["1 + 1 = 2.", "The answer is 2."])


@dataclass
class Loaded:
    """Weights in this process's memory: their scorer, the float32 twin of a bfloat16 one once it has been needed, and
    the PRM they are scoring for now.
    """

    prm: StepScorer
    scorer: Scorer
    twin: Scorer | None = None

    @property
    def exact(self) -> bool:
        """Whether the scorer's results are final."""
        return not isinstance(self.scorer, LocalScorer) or self.scorer.family.spec.dtype == "float32"

    @property
    def tokens(self) -> int:
        """Tokens computed by these weights in this process; 0 for a PRM that is asked on a server."""
        return sum(one.tokens for one in (self.scorer, self.twin) if isinstance(one, LocalScorer))

    def exact_scorer(self) -> Scorer:
        """Return the scorer of the same weights in float32."""
        if self.twin is None:
            self.twin = scorer_of({**self.prm.spec, "dtype": "float32"})
        return self.twin


_loaded: list[Loaded] = []  # at most one: two would not fit on most cards


def score_chunk(chunk: RoundChunk, lease: Lease) -> int:
    """Score what this PRM has not seen of the chunk's problems. Return how many of its traces have a row now.

    Raises CannotGoOn if the PRM cannot be used.
    """
    prm, pool = chunk.round.scorer, scores.pool_of(chunk.round)
    assert prm is not None
    place, before = (chunk.first_problem, chunk.last_problem), chunk.tokens
    done = max(0, chunk.total - scores.count_unscored(pool, prm, *place))
    try:
        loaded = load(prm)
        before -= loaded.tokens
        for problem_id in scores.problems_with_traces(pool, *place):
            lease.progress |= {"done": done, "tokens": before + loaded.tokens}
            done += score_problem(loaded, pool, problem_id, chunk.round.staged_config.rescore, lease.require)
        lease.progress["tokens"] = before + loaded.tokens
    except PrmError as fault:
        raise CannotGoOn(f"The PRM {prm.name} cannot be used on {chunk.worker}: {fault}") from fault
    return done


def score_problem(loaded: Loaded, pool: Any, problem_id: int, rescore: int, stop: Callable[[], None]) -> int:
    """Score a problem's traces of the pool, and its `rescore` best again in float32. Return how many it scored.

    `stop` is called between groups and may raise.
    """
    text, count = scores.problem_text(problem_id), 0
    stop()
    while traces := scores.unscored(pool, loaded.prm, problem_id, GROUP):
        found = loaded.scorer.score(text, [trace.steps for trace in traces])
        add_scores(loaded.prm, rows(traces, found), exact=loaded.exact)
        count += len(traces)
        stop()
    if rescore and not loaded.exact:
        rough = scores.rough_among_best(pool, loaded.prm, problem_id, rescore)
        if rough:
            found = loaded.exact_scorer().score(text, [trace.steps for trace in rough])
            make_exact(loaded.prm, rows(rough, found))
    return count


def rows(traces: Sequence[scores.TraceToScore], found: Iterable[TraceScore]) -> list[NewScore]:
    """Return scores as they are written."""
    sketches = sketches_of(["\n".join(trace.steps) for trace in traces])
    return [
        NewScore(trace.trace_id, one.steps, one.score, one.reason or "", sketch, _evidence(one), _spread(one))
        for trace, one, sketch in zip(traces, found, sketches, strict=True)
    ]


def _evidence(score: TraceScore) -> dict[str, Any] | None:
    """Return what a second head says each step changed, in the form in which rollouts report progress."""
    if score.progress is None:
        return None
    return {"progress": [{"before": None, "after": None, "difference": round(one, 4)} for one in score.progress]}


def _spread(score: TraceScore) -> float | None:
    """Return how far apart heads fitted on resampled problems are, averaged over the steps."""
    return fmean(score.spread) if score.spread else None


def load(prm: StepScorer) -> Loaded:
    """Return the PRM, from memory if it was the last one. Raises PrmError, also if it is not what was registered."""
    if not _loaded or _loaded[0].scorer.fingerprint != prm.fingerprint:
        _loaded.clear()  # first, so that memory never holds both
        _loaded.append(Loaded(prm, scorer_of(prm.spec)))
    if _loaded[0].scorer.fingerprint != prm.fingerprint:
        raise SpecError(
            "its weights or settings have changed since it was checked. Scores of different models are not comparable: "
            "register it as a separate PRM."
        )
    _loaded[0].prm = prm  # the same weights may be registered twice, each with its own scores
    return _loaded[0]


def scorer_of(record: dict[str, Any]) -> Scorer:
    """Load a record of the registry; its paths are under MODELS_DIR. Raises PrmError."""
    folder = Path(settings.MODELS_DIR).resolve()
    if TRAINED in Path(str(record.get("path", ""))).parts[:1]:  # by another worker, whose folder may be missing here
        fetch_folder_if_missing(Path(settings.MODELS_DIR) / record["path"])
    spec = parse_spec(record, folder)
    if spec.path is not None:
        base = [spec.path.parent / spec.base] if spec.family == "implicit" and spec.base else []
        for path in (spec.path, *base):
            if not path.resolve().is_relative_to(folder):
                raise SpecError(f"{path} is outside the models folder {folder}.")
    return load_scorer(spec)


@model_faults()
def describe(prm: StepScorer) -> dict[str, Any]:
    """Return what loading a PRM and scoring one trace shows about it, and `learned`: what its folder says it learned
    from. Raises ModelUnusable.
    """
    scorer = scorer_of(prm.spec)
    (trial,) = scorer.score(TRIAL[0], [TRIAL[1]])
    if trial.reason:
        raise SpecError(f"it could not score a trial trace of two short steps: {trial.reason}.")
    found: dict[str, Any] = {"checksum": "", "learned": None}
    if isinstance(scorer, LocalScorer):
        checkpoint = scorer.family.checkpoint
        found = {"checksum": checkpoint.checksum(), "learned": learned_from(checkpoint.folder)}
    return {**found, "fingerprint": scorer.fingerprint, "scale": trial.scale}


@model_faults()
def score_trial(prm: StepScorer, problem: str, steps: Sequence[str]) -> dict[str, Any]:
    """Return a PRM's scores of one trace, as a PrmTrial stores them. Raises ModelUnusable."""
    (found,) = load(prm).scorer.score(problem, [steps])
    return {"scores": found.steps, "score": found.score, "reason": (found.reason or "")[:300]}


def score_project(project: Project, prm: StepScorer, rescore: int) -> tuple[str, int]:
    """Score everything in a project that a round could choose from. Return a fault's message or "", and the number.

    An advisory lock holds a problem while it is scored, so that any number of processes can share the work. A killed
    one releases it at once, and only its current group is scored again.
    """
    if connection.settings_dict["DISABLE_SERVER_SIDE_CURSORS"]:
        return NO_SESSION, 0
    pool, count = scores.project_pool(project), 0
    try:
        loaded = load(prm)
        for problem_id in scores.problems_to_score(project, prm):
            with held(prm.pk, problem_id) as mine:
                if mine:
                    count += score_problem(loaded, pool, problem_id, rescore, lambda: None)
    except PrmError as fault:
        return str(fault), count
    return "", count


@contextmanager
def held(prm_id: int, problem_id: int) -> Iterator[bool]:
    """Yield whether no other process is scoring this problem with this PRM; if so, none can until the block ends."""
    key = f"stepmark score {prm_id} {problem_id}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [key])
        (mine,) = cursor.fetchone()
        try:
            yield mine
        finally:
            if mine:
                cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [key])
