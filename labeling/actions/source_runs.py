"""Sources of machine labels and their runs: create, start, resume and cancel them, and write marks as they arrive.

A run is cut into chunks, each its own job, so that any number of workers can share it and a killed worker loses only
what it was working on. A mark is written once per trace and source. Nothing here touches a label.
"""

import hashlib
import math
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import orjson
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from labeling import queries
from labeling.actions import audit_log
from labeling.actions.jobs import QUEUED_AGAIN, JobCancelled, Lease, run_job, wake_worker
from labeling.actions.source_run_endings import settle_run, stop_run
from labeling.actions.step_scores import NewScore, add_scores
from labeling.configs import RolloutsConfig, SourceConfig, TraceFilter, VerifierConfig
from labeling.configs.sources import Spent, cost_of, read_source, sampling_of, write_source
from labeling.errors import (
    BudgetTooLow,
    NothingToMark,
    ProjectArchived,
    SourceNameTaken,
    SourceRunGoesOn,
    SourceRunOver,
    SourcesToRunFirst,
)
from labeling.models import Project, SourceChunk, SourceRun, SourceText, StepScorer, User
from labeling.sources.marks import Marked
from labeling.sources.search import rollouts_at_most
from labeling.sources.verifier import VERSION

TASK = "worker.mark_traces"
CHUNK, LARGEST_CHUNK = 32, 256  # traces: this many searches wait for a server at the same time
MOST_CHUNKS = 500  # per run: each is a row and a message
CHECKS = "Checks"  # the name of the verifier
LOWEST = 1e-6  # the least score of a trace, which is stored as a logarithm
WORDS = 4  # characters per token, as an estimate


class NewMark(NamedTuple):
    """What a source says about a trace, and the texts this rests on."""

    trace_id: int
    marked: Marked
    texts: Sequence[dict[str, Any]] = ()


# Marks a chunk's traces. Its writer writes the marks and what they cost.
Work = Callable[[SourceChunk, SourceConfig, "MarkWriter"], None]


class OverBudget(JobCancelled):
    """The run's budget is used up."""


@transaction.atomic
def create_source(project: Project, *, by: User | None, name: str, config: SourceConfig) -> StepScorer:
    """Create a source of the project. A source is never changed: other settings need another source.

    Raises ProjectArchived, SourceNameTaken.
    """
    if project.status == Project.Status.ARCHIVED:
        raise ProjectArchived
    spec = write_source(config)
    fingerprint = hashlib.sha256(orjson.dumps(spec, option=orjson.OPT_SORT_KEYS)).hexdigest()
    about = {"kind": config.kind, "spec": spec, "fingerprint": fingerprint, "scale": "probability", "created_by": by}
    try:
        with transaction.atomic():
            made = StepScorer.objects.create(project=project, name=name, status=StepScorer.Status.READY, **about)
    except IntegrityError as taken:
        raise SourceNameTaken from taken
    audit_log.record("source.create", actor=by, project=project, target=f"source {name}"[:120], kind=config.kind)
    return made


def config_of(source: StepScorer) -> SourceConfig:
    """Return the settings of a source."""
    return read_source(source.kind, source.spec)


def estimate(project: Project, source: StepScorer, asked: TraceFilter) -> dict[str, Any]:
    """Return the most that a run over these traces would request, cost and take, and which sources it waits for."""
    config = config_of(source)
    rows = queries.sources.step_counts(queries.sources.to_mark(project, source, asked))
    calls = tokens_in = tokens_out = 0
    sampling = sampling_of(config)
    for _, steps, characters, outcome in rows:
        wanted = _calls(config, steps, solved=None if outcome == "ungraded" else outcome == "correct")
        calls += wanted
        tokens_in += wanted * (characters + (len(sampling.prompt) if sampling else 0)) // WORDS
        tokens_out += wanted * (sampling.max_tokens if sampling else 0)
    speed = queries.sources.answers_a_second(project, source)
    return {
        "traces": len(rows),
        "steps": sum(steps for _, steps, _, _ in rows),
        "calls": calls,
        "tokens_in": tokens_in,
        "tokens_out": tokens_out,
        "cost": cost_of(sampling, tokens_in, tokens_out),
        "seconds": calls / speed if speed else None,
        "waits_for": queries.sources.waits_for(project, source, asked),
    }


def _calls(config: SourceConfig, steps: int, *, solved: bool | None) -> int:
    if isinstance(config, RolloutsConfig):
        return rollouts_at_most(config.strategy, steps, config.n, solved=solved, budget=config.budget)
    return config.votes * (1 + config.again) if config.kind == "judge" else 0


@transaction.atomic
def start_run(
    project: Project,
    source: StepScorer,
    *,
    by: User | None,
    filter: TraceFilter = TraceFilter(),  # noqa: B008 (frozen)
    token_budget: int | None = None,
    money_budget: float | None = None,
    wake: bool = True,
) -> SourceRun:
    """Queue a run over the fitting traces that the source has not marked and that no other run of it is about to mark.

    Raises ProjectArchived, NothingToMark, SourcesToRunFirst.
    """
    if project.status == Project.Status.ARCHIVED:
        raise ProjectArchived
    _one_at_a_time(source.pk)
    ids = queries.sources.to_begin(project, source, filter)
    if not ids:
        if waited := queries.sources.waits_for(project, source, filter):
            raise SourcesToRunFirst(waits_for=waited)
        raise NothingToMark
    run = SourceRun.objects.create(
        project=project,
        scorer=source,
        filter=filter.as_json(),
        token_budget=token_budget,
        money_budget=money_budget,
        traces_total=len(ids),
        created_by=by,
    )
    size = max(CHUNK, min(LARGEST_CHUNK, len(ids) // 8), math.ceil(len(ids) / MOST_CHUNKS))
    cuts = [ids[start : start + size] for start in range(0, len(ids), size)]
    chunks = SourceChunk.objects.bulk_create(
        SourceChunk(project=project, run=run, traces=cut, created_by=by) for cut in cuts
    )
    about = {"source": source.name, "traces": len(ids)}
    audit_log.record("source_run.create", actor=by, project=project, target=f"source run {run.pk}", **about)
    if wake:
        _wake(chunks)
    return run


def verify_new_traces(project: Project, *, by: User | None) -> SourceRun | None:
    """Queue the checks that need no model on new traces. Returns None if nothing is new or they cannot start."""
    kind = StepScorer.Kind.VERIFIER
    config = VerifierConfig(VERSION)
    checks = StepScorer.objects.filter(project=project, kind=kind, spec=write_source(config)).first()
    try:
        return start_run(project, checks or _make_checks(project, config), by=by)
    except (NothingToMark, ProjectArchived, SourceNameTaken):
        return None


def _make_checks(project: Project, config: VerifierConfig) -> StepScorer:
    taken = StepScorer.objects.filter(project=project, name=CHECKS).exists()
    return create_source(project, by=None, name=VERSION if taken else CHECKS, config=config)


def run_chunk(chunk_id: int, work: Work, run_budget: "RunBudget | None" = None) -> SourceChunk | None:
    """Mark the traces of a chunk that is queued or whose worker died. Returns None if the chunk is not free.

    `run_budget` is shared by the chunks of one run that this process works on at the same time.
    """
    shared = run_budget or RunBudget()

    def mark(chunk: SourceChunk, lease: Lease) -> dict[str, Any]:
        run = SourceRun.objects.select_related("scorer", "project").get(pk=chunk.run_id)
        chunk.run = run
        if run.status != SourceRun.Status.RUNNING:
            raise JobCancelled
        writer = MarkWriter(run, lease, shared)
        with shared.used_by(writer):
            work(chunk, config_of(run.scorer), writer)
        return {}

    return run_job(SourceChunk, chunk_id, mark, at_end=lambda chunk: settle_run(chunk.run_id))


class RunBudget:
    """The joint spending of the chunks of a run that this process works on: each chunk goes on asking only while budget
    is left for all of them. Safe to read from any thread.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._writers: list[MarkWriter] = []
        self._noted = (0, 0)  # tokens in and out of the whole run, as last read from its row

    @contextmanager
    def used_by(self, writer: "MarkWriter") -> Iterator[None]:
        """Count a writer until its chunk has ended and all it spent is written down."""
        with self.lock:
            self._writers.append(writer)
            self.learn(writer.run)
        try:
            yield
        finally:
            try:
                writer.flush()
            finally:
                with self.lock:
                    self._writers.remove(writer)

    def learn(self, run: SourceRun) -> None:
        """Take over the figures of the run's row, which never decrease. Call it under the lock."""
        read, wrote = self._noted
        self._noted = max(read, run.tokens_in), max(wrote, run.tokens_out)

    def spent(self) -> tuple[int, int]:
        """Return the run's tokens in and out, as far as this process knows."""
        with self.lock:
            since = [writer.since() for writer in self._writers]
            read, wrote = self._noted
        return read + sum(one.tokens_in for one in since), wrote + sum(one.tokens_out for one in since)


class MarkWriter:
    """What a chunk writes: marks as they arrive, with their cost, before it asks for anything else."""

    def __init__(self, run: SourceRun, lease: Lease, run_budget: RunBudget) -> None:
        self.run, self._lease, self._run_budget = run, lease, run_budget
        self.spent: Callable[[], Spent] = Spent
        self._noted = Spent()

    def since(self) -> Spent:
        """Return what was spent but is not yet in the run's row."""
        return self.spent().less(self._noted)

    def require(self) -> None:
        """Raise JobCancelled or LeaseLost if the work is to stop, and OverBudget if the budget is used up."""
        self._lease.require()
        if not self.may_spend():
            stop_run(self.run, SourceRun.Status.OVER_BUDGET)
            raise OverBudget

    def may_spend(self) -> bool:
        """Return whether budget is left, as far as this process knows. Works from any thread, without the database."""
        tokens, money = self.run.token_budget, self.run.money_budget
        if tokens is None and money is None:
            return True
        used = self._run_budget.spent()
        if tokens is not None and sum(used) >= tokens:
            return False
        return money is None or cost_of(sampling_of(config_of(self.run.scorer)), *used) < money

    def write(self, marks: Sequence[NewMark]) -> None:
        """Write marks and what was spent so far, and read the progress of the other workers."""
        with transaction.atomic():
            written = add_scores(self.run.scorer, [_row(mark) for mark in marks], exact=True)
            SourceText.objects.bulk_create(
                [_packed(self.run.scorer, mark) for mark in marks if mark.texts], ignore_conflicts=True
            )
            self.flush(written)
        if self.run.status != SourceRun.Status.RUNNING:
            raise JobCancelled

    def flush(self, done: int = 0) -> None:
        """Write down what was spent since the last call."""
        now = self.spent()
        since = now.less(self._noted)
        changes: dict[str, Any] = {
            name: F(name) + number for name, number in since._asdict().items() if name != "estimated"
        }
        if since.estimated and since.calls:
            changes["estimated"] = True
        SourceRun.objects.filter(pk=self.run.pk).update(traces_done=F("traces_done") + done, **changes)
        source = self.run.scorer
        self.run.refresh_from_db()
        self.run.scorer = source
        with self._run_budget.lock:
            self._noted = now
            self._run_budget.learn(self.run)


def _row(mark: NewMark) -> NewScore:
    found = mark.marked
    known = [one for one in found.steps if one is not None]
    evidence = {**found.evidence, "first_error": found.first_error, "why": found.why}
    score = math.log(max(min(known), LOWEST)) if known else None
    return NewScore(mark.trace_id, found.steps if known else None, score, found.why, evidence=evidence)


def _packed(source: StepScorer, mark: NewMark) -> SourceText:
    packed = zlib.compress(orjson.dumps(list(mark.texts)))
    return SourceText(scorer=source, trace_id=mark.trace_id, packed=packed, texts=len(mark.texts))


@transaction.atomic
def cancel_run(run: SourceRun, *, by: User) -> SourceRun:
    """Stop a run. The marks it made stay. Raises SourceRunOver."""
    if not stop_run(run, SourceRun.Status.CANCELLED):
        raise SourceRunOver(status=run.status)
    chunks = SourceChunk.objects.filter(run=run)
    chunks.filter(status="queued").update(status="cancelled", finished_at=timezone.now())
    chunks.filter(status="running").update(cancel_requested=True)
    audit_log.record("source_run.cancel", actor=by, project=run.project, target=f"source run {run.pk}")
    run.refresh_from_db()
    return run


@transaction.atomic
def resume_run(
    run: SourceRun, *, by: User, token_budget: int | None = None, money_budget: float | None = None
) -> SourceRun:
    """Continue a stopped run under a new budget, with the traces it left that no other run of the source has taken
    since.

    Raises SourceRunGoesOn, BudgetTooLow.
    """
    _one_at_a_time(run.scorer_id)
    run = SourceRun.objects.select_for_update(of=("self",)).select_related("project", "scorer").get(pk=run.pk)
    if run.status in (SourceRun.Status.RUNNING, SourceRun.Status.SUCCEEDED):
        raise SourceRunGoesOn(status=run.status)
    cost = cost_of(sampling_of(config_of(run.scorer)), run.tokens_in, run.tokens_out)
    used = run.tokens_in + run.tokens_out
    if (token_budget is not None and token_budget <= used) or (money_budget is not None and money_budget <= cost):
        raise BudgetTooLow
    run.status, run.error, run.finished_at = SourceRun.Status.RUNNING, "", None
    run.token_budget, run.money_budget = token_budget, money_budget
    left = SourceChunk.objects.filter(run=run).exclude(status="succeeded")
    chunks = list(left)
    run.traces_total = max(run.traces_done, run.traces_total - _leave_to_others(run, chunks))
    run.save()
    left.update(**QUEUED_AGAIN)
    audit_log.record("source_run.resume", actor=by, project=run.project, target=f"source run {run.pk}")
    _wake(chunks)
    return run


def _one_at_a_time(source_id: int) -> None:
    """Lock the source, so that until the transaction ends no other run of it can take the same traces."""
    StepScorer.objects.select_for_update(no_key=True).get(pk=source_id)


def _leave_to_others(run: SourceRun, chunks: Sequence[SourceChunk]) -> int:
    """Remove from a run's chunks the traces that other runs of its source have in hand. Returns their number."""
    held = queries.sources.in_hand(run.project, run.scorer, but=run)
    before = sum(len(chunk.traces) for chunk in chunks)
    for chunk in chunks:
        chunk.traces = [pk for pk in chunk.traces if pk not in held]
    SourceChunk.objects.bulk_update(chunks, ["traces"])
    return before - sum(len(chunk.traces) for chunk in chunks)


def _wake(chunks: Sequence[SourceChunk]) -> None:
    for chunk in chunks:
        wake_worker(TASK, chunk.pk)


@transaction.atomic
def prune_texts(source: StepScorer, *, by: User) -> int:
    """Delete rollouts and texts behind a source's marks; hits, votes and marks stay. Returns the trace count."""
    count, _ = SourceText.objects.filter(scorer=source).delete()
    audit_log.record(
        "source.prune", actor=by, project=source.project, target=f"source {source.name}"[:120], traces=count
    )
    return count
