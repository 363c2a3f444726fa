"""Claim, draft and submission in one statement each: the common case of the calls that make up labeling.

Each statement is its own transaction: no BEGIN, no COMMIT, no round trips while locks are held. Each defines what
"common" is. In any other case it returns no row and changes nothing, and the slow path in `labels.py` takes over.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from labeling.actions.label_slots import (
    AMONG_THE_FIRST,
    BEHIND_OWN_WORK,
    IN_SESSION,
    TAKE_SLOT,
    UNLESS_LOCKED,
    next_task,
)
from labeling.actions.label_submissions import JUDGE, WRITTEN, RatedSteps, columns_of, needs_own_rows
from labeling.models import Label, Project, User
from labeling.protocol.submission import Submission
from labeling.queries.labeler_quality import BARRED
from labeling.queries.labels import LOST_LABELS, OWN, OWN_AND_SEEN, SHOWN, SHOWN_TABLES, read_shown
from labeling.queries.prepared_sql import execute_prepared, one_line
from labeling.queries.sessions import SIGNED_IN, KnownSession
from labeling.queries.sql_slots import fill
from labeling.queries.tasks import Claim

NEXT_TASKS = ", ".join(
    f"({next_task(where, round_id='(SELECT id FROM ordinary)')}{UNLESS_LOCKED})"
    for where in (AMONG_THE_FIRST, BEHIND_OWN_WORK)
)
# The claimer takes turns as in the slow path, but never waits. The statement goes on only if nobody else holds their
# row, their account is still active (the session may have been read before it was switched off), and they hold exactly
# `holds` (nothing, or the open label and all but one of those they may have ahead), none of it being changed at the
# moment. Then the first open round that wants labels, or has gold to come for this labeler, gives its next task or, if
# one is due by the labeler's plan of the round, a gold task. The time taken does not reveal which of the two. What is
# served counts in the plan of its own round, since a session may continue in another round. If two tabs get here at
# once, the unique indexes on open labels and on positions ahead let one through; the other's whole statement is undone,
# and so is its slot. Returns the open label, the next one, and the newly leased one if that is further behind.
CLAIM_BY = """
    WITH turn AS (
        SELECT id FROM labeling_user WHERE id = %(labeler)s AND is_active AND NOT EXISTS ({barred})
        FOR NO KEY UPDATE SKIP LOCKED
    ), held AS (
        SELECT * FROM labeling_label WHERE labeler_id = %(labeler)s AND project_id = %(project)s
        AND status IN ('open', 'prefetched') FOR UPDATE SKIP LOCKED
    ), round AS (
        SELECT id, gold_count FROM labeling_round WHERE project_id = %(project)s AND status = 'labeling' AND ((
            SELECT id FROM labeling_task WHERE round_id = labeling_round.id AND labels_wanted > 0
            ORDER BY order_key, id LIMIT 1) IS NOT NULL
            OR gold_count > 0 AND EXISTS (
                SELECT FROM labeling_goldplan coming WHERE coming.round_id = labeling_round.id
                AND coming.labeler_id = %(labeler)s AND coming.next < cardinality(coming.tasks)))
        AND EXISTS (SELECT FROM turn) AND NOT EXISTS (SELECT {lost})
        AND (SELECT string_agg(status, ' ' ORDER BY status) FROM held) IS NOT DISTINCT FROM %(holds)s::text
        ORDER BY priority DESC, number LIMIT 1
    ), planned AS (
        SELECT plan.* FROM round JOIN labeling_goldplan plan ON plan.round_id = round.id
        AND plan.labeler_id = %(labeler)s WHERE round.gold_count > 0
    ), ready AS (
        SELECT id FROM round WHERE gold_count = 0 OR EXISTS (SELECT FROM planned)
    ), at_hand AS ({at_hand}
    ), plan AS (
        SELECT tasks[next + 1] AS task, positions[next + 1] <= served AND NOT EXISTS (SELECT FROM at_hand) AS due
        FROM planned
    ), ordinary AS (
        SELECT id FROM ready WHERE NOT EXISTS (SELECT FROM plan WHERE due)
    ), taken AS ({take}
    ), slot AS (
        SELECT id, trace_id, round_id, 0 AS gold FROM taken
        UNION ALL SELECT task.id, task.trace_id, task.round_id, 1
        FROM plan JOIN labeling_task task ON task.id = plan.task WHERE plan.due
    ), served AS (
        UPDATE labeling_goldplan old SET served = old.served + 1, next = old.next + slot.gold
        FROM slot WHERE old.round_id = slot.round_id AND old.labeler_id = %(labeler)s
    ), made AS (
        INSERT INTO labeling_label (project_id, task_id, labeler_id, problem_id, status, ahead, surplus, leased_until,
            claimed_at, opened_at, last_seen_at, finish_reason, finish_detail, confirmations, active_ms,
            other_active_ms, guideline_id, client_build, draft_revision, extra)
        SELECT %(project)s, slot.id, %(labeler)s, (
                SELECT problem_id FROM labeling_trace WHERE id = slot.trace_id), %(status)s,
            CASE WHEN %(opened_at)s::timestamptz IS NULL THEN (
                SELECT coalesce(max(ahead), 0) + 1 FROM held WHERE status = 'prefetched') ELSE 0 END,
            false, %(leased_until)s,
            %(now)s, %(opened_at)s::timestamptz, %(now)s, '', '{}', '[]', 0, 0, (
                SELECT id FROM labeling_guideline WHERE project_id = %(project)s ORDER BY version DESC LIMIT 1),
            '', 0, '{}'
        FROM slot RETURNING *
    ), all_held AS (
        SELECT * FROM made UNION ALL SELECT * FROM held
    )
    SELECT {own}, {shown}, (SELECT array_agg(id ORDER BY ahead) FROM all_held WHERE status = 'prefetched')
    FROM (
        (SELECT * FROM all_held WHERE EXISTS (SELECT FROM made) ORDER BY status, ahead LIMIT 2)
        UNION ALL (SELECT * FROM made WHERE ahead > (SELECT min(ahead) FROM held WHERE status = 'prefetched'))) label
        {tables}
    ORDER BY label.status, label.ahead
"""


def _claim_by(at_hand: str) -> str:
    take = fill(TAKE_SLOT, next_task=f"coalesce((SELECT id FROM at_hand), {NEXT_TASKS})")
    parts = {"lost": LOST_LABELS, "take": take, "own": OWN.of("label"), "shown": SHOWN, "tables": SHOWN_TABLES}
    return one_line(fill(CLAIM_BY, at_hand=at_hand, barred=BARRED, **parts))


CLAIM = _claim_by("SELECT NULL::bigint AS id WHERE false")
CLAIM_IN_SESSION = _claim_by(fill(IN_SESSION, where="AND EXISTS (SELECT FROM ready)"))
FIELDS = [field for field in Label._meta.concrete_fields if field.attname in WRITTEN]
# For an open label that was never submitted before and still counts. Its step labels need no other table, and the first
# label leased ahead becomes the open one.
SUBMIT = one_line(f"""
    WITH finished AS (
        UPDATE labeling_label label SET {", ".join(f"{name} = %({name})s" for name in WRITTEN)}
        FROM labeling_task task JOIN labeling_round round ON round.id = task.round_id
        WHERE label.id = %(label)s AND label.status = 'open' AND NOT label.surplus AND label.submitted_at IS NULL
        AND task.id = label.task_id AND round.status <> 'closed'
        RETURNING label.id, label.labeler_id, label.project_id, label.task_id, label.verdict,
            label.run_marks
    ), judged AS ({fill(JUDGE, label="finished", where="")}
    ), rated AS (
        INSERT INTO labeling_steplabel (label_id, step_index, position, rating, chosen, active_ms, source,
            carried_from_id)
        SELECT finished.id, step.index, 0, step.rating, false, step.active_ms,
            CASE WHEN step.carried_from IS NULL THEN 'typed' ELSE 'carried' END, step.carried_from
        FROM finished, unnest(%(steps)s::int[], %(ratings)s::smallint[], %(times)s::bigint[],
            %(carried_from)s::bigint[]) AS step (index, rating, active_ms, carried_from)
    ), opened AS (
        UPDATE labeling_label ahead SET status = 'open', opened_at = %(submitted_at)s, last_seen_at = %(submitted_at)s,
            leased_until = %(submitted_at)s + project.lease_minutes * interval '1 minute'
        FROM finished JOIN labeling_project project ON project.id = finished.project_id
        WHERE ahead.labeler_id = finished.labeler_id AND ahead.project_id = finished.project_id
        AND ahead.id = (
            SELECT id FROM labeling_label WHERE labeler_id = finished.labeler_id AND project_id = finished.project_id
            AND status = 'prefetched' ORDER BY ahead LIMIT 1)
    )
    SELECT id FROM finished
""")
# The page sends this every two seconds of work, more than anything else for a label. So one variant of the statement
# also checks who is logged in and whose label it is. The end of the lease is indexed: while it is unchanged, Postgres
# writes the row and none of the table's indexes, so the lease is renewed only once half a minute of it has passed.
SAVE = """
    UPDATE labeling_label label SET draft = %(draft)s, draft_revision = label.draft_revision + 1,
        last_seen_at = %(now)s, leased_until = CASE WHEN label.status IN ('open', 'prefetched')
            AND label.leased_until < %(now)s + project.lease_minutes * interval '1 minute' - interval '30 seconds'
            THEN %(now)s + project.lease_minutes * interval '1 minute' ELSE label.leased_until END
    FROM labeling_project project {beside}
    WHERE {which} AND label.draft_revision = %(revision)s AND project.id = label.project_id
    RETURNING label.draft_revision, label.last_seen_at,
        CASE WHEN label.status IN ('open', 'prefetched') THEN label.leased_until END
"""
SAVE_DRAFT = one_line(fill(SAVE, beside="", which="label.id = %(label)s"))
SAVE_OWN_DRAFT = one_line(
    fill(
        SAVE,
        beside=f", {SIGNED_IN}",
        which=fill(OWN_AND_SEEN, labeler="person.id", everywhere="person.is_superuser"),
    )
)


def claim_fast(labeler: User, project: Project, *, ahead: int) -> Claim | None:
    """Lease the next task for a labeler who holds nothing, or who has an open label and lacks one of `ahead`.

    Returns None if nothing was changed; the slow path then has to find out why.
    """
    now = timezone.now()
    named = {
        "labeler": labeler.pk,
        "project": project.pk,
        "holds": " ".join([Label.Status.OPEN, *[Label.Status.PREFETCHED] * (ahead - 1)]) if ahead else None,
        "status": Label.Status.PREFETCHED.value if ahead else Label.Status.OPEN.value,
        "now": now,
        "opened_at": None if ahead else now,
        "leased_until": now + timedelta(minutes=project.lease_minutes),
        "session": project.session_traces,
    }
    try:
        with _whole():
            rows = execute_prepared(CLAIM_IN_SESSION if project.session_traces else CLAIM, named)
    except IntegrityError:  # another tab was faster
        return None
    if not rows:
        return None
    waiting: list[int] = rows[0][-1] or []
    labels = [_label(iter(row), labeler, project) for row in rows]
    label, *others = labels
    return Claim(label, others[0] if ahead else None, further=waiting[1:], leased=others[1] if others[1:] else None)


def submit_fast(label: Label, submission: Submission, *, now: datetime) -> bool:
    """Accept a checked submission of an open label, and open the first one leased ahead. False: nothing was changed.

    Raises IntegrityError if its key was used for another label.
    """
    if needs_own_rows(submission):
        return False
    rated = RatedSteps.of(label, submission, now)
    columns = columns_of(label, submission, rated, now)
    stored = {field.attname: field.get_db_prep_save(columns[field.attname], connection) for field in FIELDS}
    with _whole():
        taken = execute_prepared(SUBMIT, {**stored, "label": label.pk, **rated.arrays()})
    if taken:
        for name, value in columns.items():
            setattr(label, name, value)
    return bool(taken)


def save_draft_fast(label: Label, draft: dict[str, Any], base_revision: int, *, now: datetime) -> bool:
    """Store a draft based on `base_revision`, and renew the lease of a held label. Returns False if the draft is based
    on an older revision and nothing was changed.
    """
    stored = Label._meta.get_field("draft").get_db_prep_save(draft, connection)
    for row in execute_prepared(
        SAVE_DRAFT, {"label": label.pk, "draft": stored, "revision": base_revision, "now": now}
    ):
        label.draft_revision, label.last_seen_at, label.leased_until = row
        return True
    return False


def save_own_draft_fast(
    session: KnownSession, label_id: int, draft: bytes, base_revision: int, *, now: datetime
) -> dict[str, Any] | None:
    """Do `save_draft_fast` for a label that belongs to this session's person. `draft` is JSON. Returns what DraftOut
    shows.

    Returns None if nothing was changed; the slow path then has to find out why.
    """
    named = {"label": label_id, "draft": draft.decode(), "revision": base_revision, "now": now, **session.named()}
    for revision, _, leased_until in execute_prepared(SAVE_OWN_DRAFT, named):
        return {"draft_revision": revision, "leased_until": leased_until}
    return None


def _label(row: Iterator[object], labeler: User, project: Project) -> Label:
    label: Label = OWN.read(row)
    read_shown(label, row)
    label.labeler, label.project = labeler, project
    return label


def _whole() -> AbstractContextManager[None]:
    """Inside a caller's transaction, allow a refused statement to be undone alone."""
    return transaction.atomic() if connection.in_atomic_block else nullcontext()
