"""Marks that a named machine, or a prover, gave to steps of imported traces: scores of a step scorer, never labels of
people.

They are staged next to their traces and merged in the import's one transaction. The first mark of a source on a trace
is kept; importing the same file again adds nothing.
"""

import hashlib
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson
from django.db.backends.utils import CursorWrapper
from django.db.models import Q
from django.utils import timezone

from labeling.actions import audit_log
from labeling.count_words import count_of
from labeling.formats.faults import Fault, shown
from labeling.formats.records import MarksRecord
from labeling.models import ImportJob, Project, StepScorer
from labeling.protocol.interface import NO_ERROR
from labeling.queries.planner import make_temporary, note_written

TABLE = (
    "row_no bigint, trace_hash bytea, source text, steps real[], score double precision, reason text, evidence jsonb,"
    " kind text"
)
JOINED = "row_no, trace_hash, source"
LEAST = 2.0**-126  # the smallest probability whose logarithm is used, as in PRM scores
SOURCES = """
    SELECT source, min(kind), array_remove(array_agg(DISTINCT evidence->>'prover'), NULL)
    FROM staged_mark GROUP BY source ORDER BY source
"""
FIRST_MARKS = "SELECT min(row_no) AS row_no FROM staged_mark GROUP BY source, trace_hash"
MARKS = """
    SELECT scorer_of.scorer_id, trace.id AS trace_id, staged.steps, staged.score, staged.reason, staged.evidence
    FROM staged_mark AS staged JOIN first_mark USING (row_no) JOIN scorer_of USING (source)
    JOIN labeling_trace AS trace ON trace.project_id = %(project)s AND trace.trace_hash = staged.trace_hash
"""
# From known marks, and from an earlier row of the file.
DIFFERING = """
    SELECT (SELECT count(*) FROM mark_of JOIN labeling_score AS known USING (scorer_id, trace_id)
            WHERE known.steps IS DISTINCT FROM mark_of.steps)
        + (SELECT count(*) FROM staged_mark AS first JOIN first_mark USING (row_no)
            JOIN staged_mark AS later USING (source, trace_hash)
            WHERE source = %(source)s AND later.steps IS DISTINCT FROM first.steps)
"""
# Added like PRM scores (labeling.actions.step_scores): the lock keeps a grading from changing the outcome, and the
# count comes last.
ADD = """
    WITH added AS (
        INSERT INTO labeling_score (scorer_id, trace_id, project_id, problem_id, outcome, draw, steps, score, reason,
            exact, evidence)
        SELECT mark_of.scorer_id, trace.id, trace.project_id, trace.problem_id, trace.outcome,
            ('x' || encode(substr(trace.trace_hash, 1, 8), 'hex'))::bit(64)::bigint,
            mark_of.steps, mark_of.score, mark_of.reason, TRUE, mark_of.evidence
        FROM mark_of JOIN labeling_trace AS trace ON trace.id = mark_of.trace_id
        ORDER BY trace.id FOR SHARE OF trace
        ON CONFLICT DO NOTHING
        RETURNING scorer_id, project_id
    ), counted AS (
        INSERT INTO labeling_scorecount AS known (scorer_id, project_id, traces)
        SELECT scorer_id, project_id, count(*) FROM added GROUP BY scorer_id, project_id ORDER BY scorer_id
        ON CONFLICT (scorer_id, project_id) DO UPDATE SET traces = known.traces + excluded.traces
    )
    SELECT FROM added
"""
TAKEN = "A step scorer of another kind has this name. Give the source another name (marks_of)."
ONE_EACH = "The file names several provers. Leave the name out (marks_of), and each becomes its own source."
MOST_SOURCES = 20  # per file: a column that does not name provers would make one per row
FEWER = f"Each prover becomes a source, and a file may name {MOST_SOURCES}. Give only its name and version there."
ANOTHER = "The source with this name holds another prover's verdicts. Leave the name out (marks_of), or use a free one."


class Source(NamedTuple):
    """A source of marks in an import: its name, the kind of step scorer, and the provers that rows name."""

    name: str
    kind: str
    provers: list[str]


class StagedMarks(NamedTuple):
    """Marks as they are stored: numbers and the log of their product, or a reason why there are none."""

    source: str
    steps: Sequence[float | None] | None
    score: float | None
    reason: str
    evidence: str  # JSON
    kind: str  # of the step scorer


def staged_marks(marks: MarksRecord, source: str, about: dict[str, Any], *, formal: bool = False) -> StagedMarks:
    """Return the marks on one trace. `about`: the format, the file and the line, for the evidence."""
    evidence = {**about, "field": marks.field, "kind": "share" if marks.shares else "hard"}
    if formal:
        return _verdicts(marks, source, evidence)
    whole = [value for value in marks.values if value is not None]
    if len(whole) < len(marks.values):
        evidence["marks"] = marks.values
        without = len(marks.values) - len(whole)
        reason = f"{without} of {count_of(len(marks.values), 'step')} {'has' if without == 1 else 'have'} no mark"
        return StagedMarks(source, None, None, reason, orjson.dumps(evidence).decode(), StepScorer.Kind.IMPORTED)
    score = math.fsum(math.log(max(value, LEAST)) for value in whole)
    return StagedMarks(source, whole, score, "", orjson.dumps(evidence).decode(), StepScorer.Kind.IMPORTED)


def _verdicts(marks: MarksRecord, source: str, evidence: dict[str, Any]) -> StagedMarks:
    """Return a prover's marks. A refuted step is the first error if every step before it was proved. An undecided step
    has no verdict. The prover's messages are kept with each step.
    """
    first, why = first_refuted(marks.values)
    words = [[text] if text else [] for text in marks.messages] or [[] for _ in marks.values]
    evidence |= {"first_error": first, "why": why, "words": words}
    if marks.prover:
        evidence["prover"] = marks.prover
    known = [value for value in marks.values if value is not None]
    score = math.log(max(min(known), LEAST)) if known else None
    said = orjson.dumps(evidence).decode()
    return StagedMarks(source, marks.values if known else None, score, why, said, StepScorer.Kind.FORMAL)


def first_refuted(verdicts: Sequence[float | None]) -> tuple[int | None, str]:
    """Return a prover's first error (a step, NO_ERROR if all are proved, or None), and why it is None."""
    for step, verdict in enumerate(verdicts):
        if verdict is None:
            return None, "not_decided"
        if verdict == 0.0:
            return step, ""
    return NO_ERROR, ""


def refuse_names(cursor: CursorWrapper, project: Project) -> list[Fault]:
    """Return a fault for each source whose name belongs to another kind of step scorer or another prover, and one for a
    file that names too many. Their marks are removed from the import.
    """
    sources = _staged_sources(cursor)
    if len(sources) > MOST_SOURCES:
        cursor.execute("DELETE FROM staged_mark")
        return [Fault("too_many_provers", 1, "prover", f"{len(sources):,} different ones", FEWER)]
    known = {one.name: one for one in _named(project, [source.name for source in sources])}
    faults = {one.name: fault for one in sources if (fault := _refused(one, known.get(one.name)))}
    cursor.execute("DELETE FROM staged_mark WHERE source = ANY(%s)", [list(faults)])
    return list(faults.values())


def _refused(source: Source, known: StepScorer | None) -> Fault | None:
    """Return why marks cannot belong to a source of this name. `known`: the step scorer that has it."""
    if known is not None and known.kind not in (source.kind, StepScorer.Kind.IMPORTED):
        return Fault("name_taken", 1, "", shown(f"{known.name}, a {known.get_kind_display()}"), TAKEN)
    if len(source.provers) > 1:
        return Fault("several_provers", 1, "prover", shown(", ".join(source.provers)), ONE_EACH)
    theirs = (known.spec or {}).get("prover") if known is not None else None
    if theirs and source.provers and source.provers != [theirs]:
        return Fault("another_prover", 1, "prover", shown(f"{source.provers[0]}, not {theirs}"), ANOTHER)
    return None


def _staged_sources(cursor: CursorWrapper) -> list[Source]:
    cursor.execute(SOURCES)
    return [Source(*row) for row in cursor.fetchall()]


def merge_marks(cursor: CursorWrapper, job: ImportJob) -> list[dict[str, Any]]:
    """Write new marks. Returns each source's name and how many traces have new, known or differing ones."""
    sources = _staged_sources(cursor)
    if not sources:
        return []
    make_temporary(cursor, "first_mark", FIRST_MARKS, {})
    return [_merge_source(cursor, job, source) for source in sources]


def by_name_alone(marks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return `merge_marks`' result without ids: the import is undone, and sources that it made are gone."""
    return [{**one, "scorer": None} for one in marks]


def _merge_source(cursor: CursorWrapper, job: ImportJob, source: Source) -> dict[str, Any]:
    scorer, name = _scorer(job, source), source.name
    cursor.execute("DROP TABLE IF EXISTS scorer_of, mark_of")
    cursor.execute("CREATE TEMP TABLE scorer_of (source text, scorer_id bigint) ON COMMIT DROP")
    cursor.execute("INSERT INTO scorer_of VALUES (%s, %s)", (name, scorer.pk))
    found = make_temporary(cursor, "mark_of", MARKS, {"project": job.project_id})
    cursor.execute(DIFFERING, {"source": name})
    differing = int(cursor.fetchone()[0])
    cursor.execute(ADD)
    new = cursor.rowcount
    note_written(cursor, "labeling_score", new)
    return {"source": name, "scorer": scorer.pk, "new": new, "known": found - new, "differing": differing}


def _scorer(job: ImportJob, source: Source) -> StepScorer:
    """Return the import's step scorer of that name. Creates one of this kind if there is none."""
    name, kind = source.name, source.kind
    prover = {"prover": source.provers[0]} if source.provers else {}
    scorer, made = StepScorer.objects.get_or_create(
        project=job.project,
        name=name,
        defaults={
            "kind": kind,
            "spec": {"source": name, "format": job.format, **prover},
            "status": StepScorer.Status.READY,
            "scale": "probability",
            "fingerprint": hashlib.sha256(f"{kind} {job.project_id} {name}".encode()).hexdigest(),
            "created_by": job.created_by,
            "checked_at": timezone.now(),
        },
    )
    if made:
        target = f"source {name}"
        audit_log.record("step_scorer.import", actor=job.created_by, project=job.project, target=target)
    return scorer


def _named(project: Project, names: list[str]) -> Any:
    return StepScorer.objects.filter(Q(project=project) | Q(project=None), name__in=names)
