"""Reads about sources of machine labels: which there are, their runs, what to mark, and what they said."""

import zlib
from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, NamedTuple

import orjson
from django.db.models import Exists, F, Max, Min, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.expressions import RawSQL
from django.utils import timezone

from labeling.configs import ConsensusConfig, SourceConfig, TraceFilter
from labeling.configs.sources import KINDS, read_source, sampling_of
from labeling.errors import InvalidFields, NotFound
from labeling.grading import Question
from labeling.models import Project, Score, SourceChunk, SourceRun, SourceText, StepScorer, Trace, User
from labeling.queries import first_errors
from labeling.queries.candidates import require_generator
from labeling.queries.held_labels import refuse_holder
from labeling.queries.projects import RESEARCHER, get_project_by_id_as
from labeling.queries.rounds import usable_traces
from labeling.queries.traces import MARKING
from labeling.sources.marks import Marked

MOST_OTHERS = 64  # other traces of a problem that a step's numbers are compared with
RUNNABLE = tuple(KINDS)


class TraceToMark(NamedTuple):
    """A trace as a source reads it. `solved` is whether its answer is right; None if ungraded."""

    id: int
    problem_id: int
    problem: str
    steps: list[str]
    solved: bool | None
    hash: bytes
    question: Question


def sources_of(project: Project) -> QuerySet[StepScorer]:
    """The project's sources of machine labels, of every kind except PRMs, newest first."""
    own = StepScorer.objects.filter(Q(project=None) | Q(project=project)).exclude(kind=StepScorer.Kind.PRM)
    return own.select_related("created_by").order_by("-pk")


def has_marked(project: Project, scorer: StepScorer) -> bool:
    """Return whether the source looked at any trace of the project."""
    return Score.objects.filter(scorer=scorer, project=project).exists()


def get_listed_source(project: Project, source_id: int) -> StepScorer:
    """Return a source or PRM of the project's lists: calibration is for every step scorer. Raises NotFound."""
    found = StepScorer.objects.filter(Q(project=None) | Q(project=project), pk=source_id).first()
    if found is None:
        raise NotFound
    return found


def get_own_source(project: Project, source_id: int) -> StepScorer:
    """Return a source that belongs to this project alone. Raises NotFound."""
    found = sources_of(project).filter(pk=source_id, project=project).first()
    if found is None:
        raise NotFound
    return found


def require_usable(project: Project, config: SourceConfig) -> None:
    """Raise InvalidFields if a source would use a generator, model or source that does not exist."""
    sampling = sampling_of(config)
    if sampling is not None:
        require_generator(sampling.generator, sampling.model)
    if isinstance(config, ConsensusConfig):
        known = sources_of(project).filter(pk__in=config.sources).count()
        if known < max(2, len(config.sources)):
            raise InvalidFields(fields={"consensus": ["Choose two or more sources from this project's list."]})


def get_source_to_run(project: Project, source_id: int) -> StepScorer:
    """Return a source that workers can run. Raises InvalidFields."""
    found = sources_of(project).filter(pk=source_id, project=project, kind__in=RUNNABLE).first()
    if found is None:
        raise InvalidFields(fields={"source": ["No such source runs here. Choose one from the list."]})
    return found


def runs_of(project: Project) -> QuerySet[SourceRun]:
    """The project's runs, with the time that workers took for them (`worked`)."""
    return _timed(SourceRun.objects.filter(project=project)).select_related("scorer", "created_by")


def _timed(runs: QuerySet[SourceRun]) -> Any:
    chunks = SourceChunk.objects.filter(run=OuterRef("pk"), finished_at__isnull=False, started_at__isnull=False)
    took = chunks.order_by().values("run").annotate(took=Sum(F("finished_at") - F("started_at"))).values("took")
    return runs.annotate(worked=Subquery(took))


def waiting_chunk(run_id: int) -> int | None:
    """Return a chunk of the run that no worker has taken yet."""
    waiting = SourceChunk.objects.filter(run=run_id, status="queued", run__status=SourceRun.Status.RUNNING)
    return waiting.order_by("pk").values_list("pk", flat=True).first()


def answers_a_second(project: Project, source: StepScorer) -> float | None:
    """Return the answers per second and worker when this model was last asked in this way; None if never. One query."""
    sampling = sampling_of(read_source(source.kind, source.spec))
    if sampling is None:
        return None
    asks = {"generator": sampling.generator, "model": sampling.model}
    way = "completer" if source.kind == StepScorer.Kind.ROLLOUTS else "judge"
    same = {f"scorer__spec__{way}__{name}": value for name, value in asks.items()}
    over = SourceRun.objects.filter(project=project, calls__gt=0, **same).exclude(status=SourceRun.Status.RUNNING)
    newest = _timed(over).filter(worked__gt=timedelta(0)).order_by("-pk").first()
    return None if newest is None else newest.calls / newest.worked.total_seconds()


def get_visible_run(user: User, run_id: int) -> SourceRun:
    """Return a run of a project in which this person is a researcher or admin. Raises NotFound."""
    runs = _timed(SourceRun.objects.select_related("project", "scorer", "created_by"))
    found = runs.filter(pk=run_id).first()
    if found is None:
        raise NotFound
    get_project_by_id_as(user, found.project_id, RESEARCHER)
    return found


def to_mark(project: Project, scorer: StepScorer, asked: TraceFilter) -> QuerySet[Trace]:
    """The fitting traces that this source has not looked at; for a consensus, those that all its sources have."""
    looked_at = [Exists(_marks_by(source)) for source in _made_of(scorer)]
    return _unmarked(project, scorer, asked).filter(*looked_at)


def waits_for(project: Project, scorer: StepScorer, asked: TraceFilter) -> list[dict[str, Any]]:
    """Return how many of the traces to mark each of a consensus's sources has yet to look at. One query each."""
    names = dict(StepScorer.objects.filter(pk__in=_made_of(scorer)).values_list("pk", "name"))
    unmarked = _unmarked(project, scorer, asked)
    counted = [(name, unmarked.filter(~Exists(_marks_by(pk))).count()) for pk, name in sorted(names.items())]
    return [{"source": name, "traces": count} for name, count in counted if count]


def _unmarked(project: Project, scorer: StepScorer, asked: TraceFilter) -> QuerySet[Trace]:
    return usable_traces(project, asked).filter(~Exists(_marks_by(scorer.pk)), steps__len__gte=1)


def _marks_by(source: int) -> QuerySet[Score]:
    return Score.objects.filter(scorer=source, trace=OuterRef("pk"))


def _made_of(scorer: StepScorer) -> tuple[int, ...]:
    config = read_source(scorer.kind, scorer.spec) if scorer.kind == StepScorer.Kind.CONSENSUS else None
    return config.sources if isinstance(config, ConsensusConfig) else ()


def to_begin(project: Project, scorer: StepScorer, asked: TraceFilter) -> list[int]:
    """Return, in order, the ids of fitting traces that the source has not looked at and no run of it is about to."""
    held = in_hand(project, scorer)
    ids = to_mark(project, scorer, asked).order_by("pk").values_list("pk", flat=True)
    return [pk for pk in ids if pk not in held]


def in_hand(project: Project, scorer: StepScorer, *, but: SourceRun | None = None) -> set[int]:
    """Return the traces that a run of the source is about to mark, or that a worker still works on after its run was
    stopped, without those of the run `but`.
    """
    status = SourceChunk.Status
    goes_on = Q(status__in=(status.QUEUED, status.RUNNING), run__status=SourceRun.Status.RUNNING)
    still_at = Q(status=status.RUNNING, leased_until__gt=timezone.now())
    held = SourceChunk.objects.filter(goes_on | still_at, project=project, run__scorer=scorer)
    return {pk for traces in held.exclude(run=but).values_list("traces", flat=True) for pk in traces}


def step_counts(traces: QuerySet[Trace]) -> list[tuple[int, int, int, str]]:
    """Return (id, steps, characters, outcome) of each trace, by id, for plans and cost estimates. One query."""
    rows = traces.order_by("pk").values_list("pk", "steps", "problem__text", "outcome")
    return [(pk, len(steps), len(text) + sum(map(len, steps)), outcome) for pk, steps, text, outcome in rows.iterator()]


def chunk_ends(chunk: SourceChunk) -> QuerySet[Trace]:
    """The traces of a chunk that still need marking."""
    asked = TraceFilter(**chunk.run.filter)
    return to_mark(chunk.project, chunk.run.scorer, asked).filter(pk__in=chunk.traces)


def traces_of_chunk(chunk: SourceChunk) -> list[TraceToMark]:
    """Return a chunk's traces that have no mark yet, by id. One query."""
    rows = chunk_ends(chunk).select_related("problem").order_by("pk")
    return [_to_mark(trace, chunk.project) for trace in rows]


def _to_mark(trace: Trace, project: Project) -> TraceToMark:
    problem = trace.problem
    truth, accepted = problem.answer, tuple(problem.accepted_answers)
    question = Question((), None, truth, project.answer_kind, project.answer_tolerance, accepted)
    solved = {"correct": True, "wrong": False}.get(trace.outcome)
    return TraceToMark(trace.pk, problem.pk, problem.text, trace.steps, solved, bytes(trace.trace_hash), question)


def others_of(traces: Sequence[TraceToMark]) -> dict[int, list[tuple[int, list[str]]]]:
    """Return, by problem, at most MOST_OTHERS + 1 of its traces: (id, steps). One query."""
    problems = {trace.problem_id for trace in traces}
    found: defaultdict[int, list[tuple[int, list[str]]]] = defaultdict(list)
    rows = Trace.objects.filter(problem__in=problems, is_path=False, replaced_by=None).order_by("pk")
    for problem, pk, steps in rows.values_list("problem", "pk", "steps").iterator():
        if len(found[problem]) <= MOST_OTHERS:
            found[problem].append((pk, steps))
    return found


def marks_by_source(sources: Sequence[int], traces: Sequence[int]) -> dict[int, dict[int, Marked]]:
    """Return what each source said about each trace, by trace and source, for a consensus. One query."""
    found: defaultdict[int, dict[int, Marked]] = defaultdict(dict)
    first_error = RawSQL(first_errors.first_error_sql("labeling_score"), ())
    for score in Score.objects.filter(scorer__in=sources, trace__in=traces).annotate(first_error=first_error):
        evidence = score.evidence or {}
        marked = Marked(score.steps or [], score.first_error, evidence.get("why", score.reason), evidence)
        found[score.trace_id][score.scorer_id] = marked
    return found


def marks_of(trace: Trace) -> QuerySet[Score]:
    """The marks of a trace by each source and by PRMs with a second head for progress; other scores are separate."""
    found = Score.objects.filter(Q(scorer__kind__in=MARKING) | Q(evidence__has_key="progress"), trace=trace)
    return found.select_related("scorer").order_by("scorer_id")


def texts_of(scorer: StepScorer, trace: Trace) -> list[dict[str, Any]] | None:
    """Return the rollouts or the judge's texts behind a mark; None if none are kept. Raises nothing."""
    row = SourceText.objects.filter(scorer=scorer, trace=trace).first()
    return None if row is None else orjson.loads(zlib.decompress(bytes(row.packed)))


def verifier_words(trace: Trace) -> list[list[str]] | None:
    """Return, by step, the sentences of the newest version's checks; None if the trace was not checked."""
    kind = StepScorer.Kind.VERIFIER
    row = Score.objects.filter(trace=trace, scorer__kind=kind).order_by("-scorer_id").first()
    return None if row is None or row.evidence is None else row.evidence["words"]


def bounds(traces: QuerySet[Trace]) -> tuple[int, int]:
    """Return the first and the last id."""
    found = traces.aggregate(first=Min("pk"), last=Max("pk"))
    return found["first"] or 0, found["last"] or 0


def sample_trace(user: User, project: Project, trace_id: int | None) -> Trace:
    """Return the trace with that id, or the project's first one, to try a template on. Raises InvalidFields, and
    LabelHeld while this person labels it.
    """
    traces = Trace.objects.filter(project=project, is_path=False, steps__len__gte=1)
    traces = traces.select_related("problem").defer("typed_steps")
    found = traces.filter(pk=trace_id).first() if trace_id else traces.order_by("pk").first()
    if found is None:
        raise InvalidFields(fields={"trace": ["There is no such trace in this project. Leave it out, or import it."]})
    refuse_holder(user, found)
    return found
