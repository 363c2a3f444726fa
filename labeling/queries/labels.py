"""Reads about labels: fetches that check permission, and what a labeler can resume, revise and look back on."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db.models import BigIntegerField, Case, F, Manager, Q, QuerySet, When

from labeling.errors import NotFound
from labeling.models import Guideline, Label, Problem, Project, Round, Task, Trace, User
from labeling.protocol.registry import protocol_named
from labeling.queries.carried_over import JUDGED_BEFORE
from labeling.queries.held_labels import HELD, is_held_by, refuse_holder
from labeling.queries.prepared_sql import Columns, execute_prepared, one_line, read_each
from labeling.queries.projects import ADMIN, RESEARCHER, get_project_by_id_as
from labeling.queries.sql_slots import fill

OWN = Columns(Label)
# What a finished label counts as when verdicts are compared: its verdict. A bad problem is a vote of its own, as
# calling the problem bad disagrees with rating it. Null for giving up.
BAD_PROBLEM_VOTE = -2
VOTE = f"CASE WHEN {{label}}.finish_reason = 'bad_problem' THEN {BAD_PROBLEM_VOTE} ELSE {{label}}.verdict END"
# For a label and its task; imported labels do not hold their problem themselves.
PROBLEM_OF_LABEL = (
    "coalesce(label.problem_id, (SELECT its.problem_id FROM labeling_trace its WHERE its.id = task.trace_id))"
)
# If most labels of a task ended equally often in several ways, the one that claims less comes first.
CLAIMS_LESS = "array_position(ARRAY['give_up', 'bad_problem', 'solution', 'found_error'], reason::text)"
# Labels left out by hand are missing from exports, and so from releases, training and what models are measured on.
NOT_EXCLUDED = "NOT label.excluded"
# Tasks that two or more people read who all say the same (`agrees`) or do not. Giving up differs from any rating, too.
SAID = f"coalesce({fill(VOTE, label='label')}, {BAD_PROBLEM_VOTE - 1})"
SAME_OR_NOT = f"""
    SELECT label.task_id FROM labeling_label AS label
    WHERE label.project_id = %(project)s AND label.status = 'submitted' AND NOT label.surplus AND {NOT_EXCLUDED}
    GROUP BY label.task_id HAVING count(*) >= 2 AND (min({SAID}) = max({SAID})) = (%(agreement)s = 'agrees')
"""
ROUND_OF_TASK = """
    JOIN labeling_task task ON task.id = label.task_id JOIN labeling_round round ON round.id = task.round_id
"""
OWN_AND_SEEN = """
    label.id = %(label)s AND label.labeler_id = {labeler} AND ({everywhere} OR EXISTS (
        SELECT FROM labeling_membership membership
        WHERE membership.project_id = label.project_id AND membership.user_id = {labeler} AND membership.is_active))
"""
MAY_BE_SEEN = fill(OWN_AND_SEEN, labeler="%(labeler)s", everywhere="%(everywhere)s")
OWN_LABEL = one_line(f"SELECT {OWN.of('label')} FROM labeling_label label WHERE {MAY_BE_SEEN}")
LOCKED_LABEL = one_line(f"SELECT {OWN.of('label')} FROM labeling_label label WHERE id = %(label)s FOR UPDATE")
HELD_LABELS = one_line(f"""
    SELECT {OWN.of("label")} FROM labeling_label label
    WHERE labeler_id = %(labeler)s AND project_id = %(project)s AND status IN ('open', 'prefetched')
    ORDER BY status, ahead FOR UPDATE
""")
# When a labeler's lost label may come back to them: its task still wants a label, or is gold. Gold has a place for each
# labeler unless it was taken off the queue, and keeps its time (`leased_until`) until it is known that its place would
# be gone if it were work (`lost_gold_slots`).
LOST_LABELS = f"""
    FROM labeling_label label {ROUND_OF_TASK}
    WHERE label.labeler_id = %(labeler)s AND label.project_id = %(project)s AND label.status = 'expired'
    AND (task.labels_wanted > 0 OR task.kind = 'gold' AND task.withdrawn IS NULL AND label.leased_until IS NOT NULL)
    AND round.status = 'labeling'
"""
LOST_LABEL = one_line(f"""
    SELECT {OWN.of("label")} {LOST_LABELS}
    ORDER BY label.claimed_at DESC, label.id LIMIT 1 FOR UPDATE OF label, task SKIP LOCKED
""")

# What the labeling page shows of a label in addition to its own columns.
TASK = Columns(Task, "id", "round_id", "trace_id", "kind", "settlement", "settled_at", "assisted")
ROUND = Columns(
    Round,
    *("id", "project_id", "number", "name", "status", "overlap_most", "gold_count", "protocol", "after_error"),
    *("scorer_id", "machine"),
)
TRACE = Columns(Trace, "id", "project_id", "problem_id", "steps", "outcome")
PROBLEM = Columns(
    Problem, "id", "project_id", "text", "answer", "accepted_answers", "reference_solution", "subject", "level"
)
GUIDELINE = Columns(Guideline, "id", "project_id", "version")
SHOWN = f"""
    {TASK.of("task")}, {ROUND.of("round")}, {TRACE.of("trace")}, {PROBLEM.of("problem")}, {GUIDELINE.of("guideline")},
    trace.typed_steps IS NULL,
    (SELECT json_agg(json_build_object('id', other.id, 'step', other.step_index, 'text', other.text)
        ORDER BY other.step_index, other.id) FROM labeling_completion other
        WHERE other.trace_id = trace.id AND other.source <> 'suggested'),
    {JUDGED_BEFORE}
"""
SHOWN_TABLES = f"""
    {ROUND_OF_TASK} JOIN labeling_trace trace ON trace.id = task.trace_id
    JOIN labeling_problem problem ON problem.id = trace.problem_id
    LEFT JOIN labeling_guideline guideline ON guideline.id = label.guideline_id
"""
SHOWN_OF_LABELS = one_line(f"""
    SELECT label.id, {SHOWN} FROM labeling_label label {SHOWN_TABLES} WHERE label.id = ANY(%(labels)s)
""")
PROJECT = Columns(Project, "id", "slug", "name", "lease_minutes", "revise_window_hours", "reference_solution")
OWN_LABEL_SHOWN = one_line(f"""
    SELECT {OWN.of("label")}, {SHOWN}, {PROJECT.of("project")} FROM labeling_label label {SHOWN_TABLES}
    JOIN labeling_project project ON project.id = label.project_id WHERE {MAY_BE_SEEN}
""")
RELATED = ("project", "labeler", "guideline", "task__round", "task__trace__problem")


def with_trace(labels: Manager[Label] | QuerySet[Label]) -> QuerySet[Label]:
    """Return labels with everything the labeling page shows except a run's typed steps, in one query."""
    return labels.select_related(*RELATED).defer("task__trace__typed_steps")


def load_traces(labels: Iterable[Label]) -> None:
    """Load the task, round, trace, problem and guideline of these labels, as far as the labeling page needs them."""
    by_id = {label.pk: label for label in labels}
    for number, *row in execute_prepared(SHOWN_OF_LABELS, {"labels": list(by_id)}):
        read_shown(by_id[number], iter(row))


def read_shown(label: Label, row: Iterator[Any]) -> None:
    """Put the columns of SHOWN from a row onto the label; the rest of the row stays unread.

    A run's typed steps are read only when needed: they may be 50 MB, and most requests show none.
    """
    label.task, label.task.round, trace, problem, guideline = read_each((TASK, ROUND, TRACE, PROBLEM, GUIDELINE), row)
    label.task.trace, trace.problem = trace, problem
    label.guideline = guideline
    if next(row):
        trace.typed_steps = None
    trace.alternatives = next(row) or []
    label.judged_before = next(row) or []  # type: ignore[attr-defined]  # read by queries.carried_over


def get_own_label(labeler: User, label_id: int) -> Label:
    """Return the labeler's own label in a project they are active in. Raises NotFound for another's label."""
    for label in _labels(execute_prepared(OWN_LABEL, _seen_by(labeler, label_id))):
        label.labeler = labeler
        return label
    raise NotFound


def get_own_label_shown(labeler: User, label_id: int) -> Label:
    """Return what `get_own_label` does, with its project and everything the labeling page shows. One query."""
    for values in execute_prepared(OWN_LABEL_SHOWN, _seen_by(labeler, label_id)):
        row = iter(values)
        label: Label = OWN.read(row)
        read_shown(label, row)
        label.labeler, label.project = labeler, PROJECT.read(row)
        return label
    raise NotFound


def get_path_to_read(user: User, label_id: int) -> Label:
    """Return a label of one's own or, in a project in which one is a researcher, anybody's submitted label.

    Raises NotFound, and LabelHeld while the reader makes a path through the same problem.
    """
    labels = Label.objects.select_related("project", "task__round", "task__trace")
    found = labels.defer("task__trace__typed_steps").filter(pk=label_id).first()
    if found is None or found.labeler_id == user.pk:
        return get_own_label_shown(user, label_id)
    get_project_by_id_as(user, found.project_id, RESEARCHER)
    if found.status != Label.Status.SUBMITTED:
        raise NotFound
    refuse_holder(user, found.task.trace)
    return found


def get_releasable_label(user: User, label_id: int) -> Label:
    """Return a label of one's own, or any label of a project one is an admin of. Raises NotFound."""
    label = with_trace(Label.objects).filter(pk=label_id).first()
    if label is None:
        raise NotFound
    if label.labeler_id == user.pk:
        return get_own_label(user, label_id)
    get_project_by_id_as(user, label.project_id, ADMIN)
    return label


def lock_label(label: Label) -> Label:
    """Return the label as it is now, with its round and trace, locked until the transaction ends."""
    [locked] = _labels(execute_prepared(LOCKED_LABEL, {"label": label.pk}))
    locked.project, locked.labeler = label.project, label.labeler  # they never change
    load_traces([locked])
    return locked


def held_labels(labeler: User, project: Project) -> list[Label]:
    """Return what the labeler holds in the project, open before prefetched; locked until the transaction ends."""
    return _of(labeler, project, execute_prepared(HELD_LABELS, {"labeler": labeler.pk, "project": project.pk}))


def lost_label_to_resume(labeler: User, project: Project) -> Label | None:
    """Return the labeler's latest label whose lease expired while its task still wants a label, or is gold; both
    locked. If several were leased at one moment, return the first.

    A label whose task somebody else is claiming is skipped: a request that claims ahead holds a task already and
    must not wait for another.
    """
    return next(
        iter(_of(labeler, project, execute_prepared(LOST_LABEL, {"labeler": labeler.pk, "project": project.pk}))), None
    )


def _seen_by(labeler: User, label_id: int) -> dict[str, Any]:
    return {"label": label_id, "labeler": labeler.pk, "everywhere": labeler.is_superuser}


def _labels(rows: Iterable[tuple[Any, ...]]) -> list[Label]:
    return [OWN.read(iter(row)) for row in rows]


def _of(labeler: User, project: Project, rows: Iterable[tuple[Any, ...]]) -> list[Label]:
    found = _labels(rows)
    for label in found:
        label.labeler, label.project = labeler, project
    return found


def current_guideline(project: Project) -> Guideline | None:
    """Return the guideline version in force, without its text; None if the project has none."""
    return Guideline.objects.filter(project=project).defer("body").order_by("-version").first()


def revisable_until(label: Label) -> datetime | None:
    """Return until when the labeler may revise, or None: the project's window after the first submission, while the
    round is open and before labelers of the task may see the others' labels (once it is settled).
    """
    if label.status != Label.Status.SUBMITTED or label.submitted_at is None:
        return None
    if protocol_named(label.task.round.protocol).makes_path:  # its steps were drawn: a new version would draw others
        return None
    round_ = label.task.round
    closed = round_.status in (Round.Status.CLOSED, Round.Status.SCREENING)
    if closed or (label.task.settled_at is not None and not round_.keeps_quiet):
        return None
    first = label
    while first.supersedes is not None:
        first = first.supersedes
    assert first.submitted_at is not None
    return first.submitted_at + timedelta(hours=label.project.revise_window_hours)


def load_first_versions(labels: list[Label]) -> list[Label]:
    """Load what these labels supersede, back to the first version: one query per generation of revisions."""
    newest: Iterable[Label] = labels
    while earlier := {label.supersedes_id for label in newest} - {None}:
        known = Label.objects.only("id", "supersedes", "submitted_at").in_bulk(earlier)
        for label in newest:
            if label.supersedes_id is not None:
                label.supersedes = known[label.supersedes_id]
        newest = list(known.values())
    return labels


def leases(project: Project, reader: User) -> QuerySet[Label]:
    """Return the labels now held. The reader's own have no `known_task`, and others' labels of traces the reader is
    labeling are left out: the task's id, and who else was given it, tell gold from work.
    """
    own = Case(When(labeler=reader, then=None), default=F("task_id"), output_field=BigIntegerField())
    found = with_trace(Label.objects).filter(project=project, status__in=HELD).annotate(known_task=own)
    return found.exclude(~Q(labeler=reader) & Q(is_held_by(reader, trace="task__trace")))
