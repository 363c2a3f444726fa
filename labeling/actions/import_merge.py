"""The last part of an import: labels, marks and anything else that rows say about problems and traces already moved.

Everything here runs in the import's one transaction, behind the per-project lock taken when the traces were moved.
"""

from typing import Any

from django.contrib.auth.hashers import make_password
from django.db.backends.utils import CursorWrapper
from django.utils import timezone

from labeling import queries
from labeling.actions import audit_log
from labeling.actions.import_remarks import other_answers, other_problems, other_words
from labeling.actions.import_traces import TraceMerge
from labeling.actions.import_verdicts import merge_verdicts
from labeling.actions.imported_marks import merge_marks
from labeling.actions.known_labels import find_known_labels
from labeling.formats.prm800k import GIVEN_PATH, VERIFIER_SCORE
from labeling.models import ImportJob, Membership, Project, Round, User
from labeling.protocol.every_step import EVERY_STEP
from labeling.protocol.first_error import FIRST_ERROR
from labeling.protocol.verdicts import recorded_verdict
from labeling.queries.planner import make_temporary, note_written

Counts = dict[str, Any]

# A problem that one row holds out is held out, whatever was said before: it may have been in a benchmark all along.
HELD_OUT = "SELECT DISTINCT text_hash FROM staged_problem WHERE split = 'held_out'"
HOLD_OUT = """
    UPDATE labeling_problem AS problem SET split = 'held_out' FROM held_out_hash
    WHERE problem.project_id = %(project)s AND problem.text_hash = held_out_hash.text_hash AND problem.split = 'train'
    RETURNING problem.id <= %(before)s
"""

INSERT_PICTURES = """
    INSERT INTO labeling_stepimage (project_id, sha256, content_type, width, height, data)
    SELECT DISTINCT ON (sha256) %(project)s, sha256, content_type, width, height, data FROM staged_picture
    ORDER BY sha256 ON CONFLICT (project_id, sha256) DO NOTHING
"""

# Machine suggestions for steps, of known traces too: each text once, numbered after what the step already has.
INSERT_SUGGESTIONS = """
    INSERT INTO labeling_suggestion (trace_id, step_index, kind, number, text)
    SELECT trace_id, step_index, kind, known
        + row_number() OVER (PARTITION BY trace_id, step_index, kind ORDER BY row_no, place), text
    FROM (
        SELECT DISTINCT ON (trace.id, step_index, kind, text) trace.id AS trace_id, step_index, kind, text, row_no,
            place,
            (SELECT count(*) FROM labeling_suggestion AS old WHERE (old.trace_id, old.step_index, old.kind)
                = (trace.id, staged.step_index, staged.kind)) AS known
        FROM staged_suggestion AS staged JOIN labeling_trace AS trace
            ON trace.project_id = %(project)s AND trace.trace_hash = staged.trace_hash
        WHERE NOT EXISTS (SELECT FROM labeling_suggestion AS old WHERE (old.trace_id, old.step_index, old.kind,
            old.text) = (trace.id, staged.step_index, staged.kind, staged.text))
        ORDER BY trace.id, step_index, kind, text, row_no, place) AS new
"""

NAMES_OF_NEW = """
    SELECT DISTINCT labeler, md5(labeler) FROM staged_label
    WHERE NOT EXISTS (SELECT FROM known_label WHERE known_label.row_no = staged_label.row_no) ORDER BY 2
"""
FIRST_LABELS = "SELECT min(row_no) AS row_no FROM staged_label GROUP BY row_key"

# Different verdicts on one trace that name nobody come from different people: each after the first gets a number.
NUMBER_LABELERS = """
    UPDATE staged_label SET labeler = left(labeler, 190) || ' #' || several.place
    FROM (
        SELECT row_no, row_number() OVER (PARTITION BY trace_hash, labeler ORDER BY row_no) AS place
        FROM staged_label JOIN first_label USING (row_no) WHERE nameless) AS several
    WHERE staged_label.row_no = several.row_no AND several.place > 1
"""

# A trace with labels of both kinds has a task for work and one for quality control. `repeat`: the same labeler's
# second label of a kind on the same trace goes to a second round, where it has its own task.
NEW_LABELS = """
    SELECT row_no, trace.id AS trace_id, people.id AS labeler_id, sort.kind,
        row_number() OVER (PARTITION BY trace.id, people.id, sort.kind ORDER BY row_no) - 1 AS repeat, every_step
    FROM staged_label JOIN first_label USING (row_no)
    JOIN labeling_trace AS trace ON trace.project_id = %(project)s AND trace.trace_hash = staged_label.trace_hash
    JOIN labeling_user AS people ON people.username = 'imported-' || md5(staged_label.labeler)
    CROSS JOIN LATERAL (
        SELECT CASE WHEN staged_label.quality_control THEN 'imported_qc' ELSE 'work' END AS kind) AS sort
    WHERE NOT EXISTS (
        SELECT FROM labeling_label AS known
        WHERE known.labeler_id = people.id AND known.idempotency_key = staged_label.row_key)
        AND NOT EXISTS (SELECT FROM known_label WHERE known_label.row_no = staged_label.row_no)
"""

# If all labels are on agents' runs, the protocol is `every_step`; otherwise `first_error`, unless labels say otherwise.
ROUNDS = """
    SELECT repeat, new_label.every_step, count(DISTINCT (trace_id, kind)),
        new_label.every_step OR (
            SELECT bool_and(typed_steps IS NOT NULL) FROM new_label AS its JOIN staged_trace USING (row_no)
            WHERE NOT its.every_step)
    FROM new_label GROUP BY repeat, new_label.every_step ORDER BY repeat, new_label.every_step
"""

INSERT_TASKS = """
    INSERT INTO labeling_task (round_id, trace_id, kind, reason, order_key, labels_wanted)
    SELECT round_id, trace_id, kind, 'imported', min(row_no), 0
    FROM new_label JOIN round_of USING (repeat, every_step) GROUP BY round_id, trace_id, kind ORDER BY min(row_no)
"""

INSERT_LABELS = """
    INSERT INTO labeling_label (project_id, task_id, labeler_id, status, surplus, claimed_at, opened_at, submitted_at,
        finish_reason, finish_detail, noticed_at_step, mistake, verdict, rated_steps, confirmations, active_ms,
        other_active_ms, total_ms, client_build, draft_revision, idempotency_key, run_marks, extra)
    SELECT %(project)s, task.id, labeler_id, 'submitted', false, done.at, NULL, done.at, staged.finish_reason,
        coalesce(staged.told->'finish_detail', '{}'), (staged.told->>'noticed_at_step')::int,
        nullif(staged.told->'mistake', 'null'), staged.verdict, staged.rated_steps, '[]',
        coalesce((staged.told->>'active_ms')::bigint, 0), 0, staged.total_ms, '', 0, staged.row_key, staged.run_marks,
        CASE WHEN given.given = '{}' THEN staged.extra
            ELSE jsonb_set(staged.extra, %(given)s::text[], given.given) END
    FROM new_label
    JOIN staged_label AS staged USING (row_no)
    JOIN staged_trace AS told USING (row_no)
    JOIN problem_of USING (problem_no)
    JOIN labeling_trace AS trace ON trace.id = new_label.trace_id
    JOIN round_of ON (round_of.repeat, round_of.every_step) = (new_label.repeat, new_label.every_step)
    JOIN labeling_task AS task ON task.round_id = round_of.round_id AND task.trace_id = new_label.trace_id
        AND task.kind = new_label.kind,
    LATERAL (SELECT coalesce(staged.submitted_at, %(now)s) AS at) AS done,
    LATERAL (SELECT
        CASE WHEN problem_of.given ? 'problem'
            THEN jsonb_build_object('problem', problem_of.given->'problem') ELSE '{}' END
        || CASE WHEN problem_of.given ? 'ground_truth_answer'
            THEN jsonb_build_object('answer', problem_of.given->'ground_truth_answer') ELSE '{}' END
        || CASE WHEN problem_of.given ? 'ground_truth_solution'
            THEN jsonb_build_object('reference_solution', problem_of.given->'ground_truth_solution') ELSE '{}' END
        || CASE WHEN told.final_answer IS DISTINCT FROM trace.final_answer
            THEN jsonb_build_object('final_answer', told.final_answer) ELSE '{}' END
        || CASE WHEN told.metadata->%(score)s IS DISTINCT FROM trace.metadata->%(score)s
            THEN jsonb_build_object('verifier_score', told.metadata->%(score)s) ELSE '{}' END AS given) AS given
    ORDER BY row_no
"""

# The comments and reports of a label exported by Stepmark, in their original order. Most labels are from elsewhere and
# have none.
TELLS = "SELECT EXISTS (SELECT FROM staged_label WHERE told IS NOT NULL)"
SAID = """
    FROM new_label JOIN staged_label AS staged USING (row_no)
    JOIN labeling_label AS label
        ON label.labeler_id = new_label.labeler_id AND label.idempotency_key = staged.row_key,
    jsonb_array_elements(staged.told->%(kind)s) WITH ORDINALITY AS said (one, place)
    ORDER BY row_no, said.place
"""
INSERT_COMMENTS = f"""
    INSERT INTO labeling_stepcomment (label_id, step_index, author_id, text, created_at)
    SELECT label.id, (said.one->>'step')::int, label.labeler_id, said.one->>'text', label.submitted_at {SAID}
"""
INSERT_REPORTS = f"""
    INSERT INTO labeling_tracereport (label_id, trace_id, kind, step_index, text, created_at)
    SELECT label.id, new_label.trace_id, said.one->>'kind', (said.one->>'step')::int, said.one->>'text',
        label.submitted_at {SAID}
"""

NEW_STEPS = """
    SELECT staged_step.*, new_label.trace_id, label.id AS label_id FROM staged_step JOIN new_label USING (row_no)
    JOIN staged_label USING (row_no)
    JOIN labeling_label AS label
        ON label.labeler_id = new_label.labeler_id AND label.idempotency_key = staged_label.row_key
"""

KNOWN_COMPLETIONS = """
    SELECT id, trace_id, step_index, source, text,
        row_number() OVER (PARTITION BY trace_id, step_index, source, text ORDER BY id) - 1 AS occurrence
    FROM labeling_completion WHERE trace_id IN (SELECT trace_id FROM new_label)
"""

INSERT_COMPLETIONS = """
    INSERT INTO labeling_completion (trace_id, step_index, text, source, metadata)
    SELECT trace_id, step_index, text, source, '{}' FROM new_step
    WHERE text IS NOT NULL AND NOT EXISTS (SELECT FROM completion_of AS known
        WHERE (known.trace_id, known.step_index, known.source, known.text, known.occurrence)
            = (new_step.trace_id, new_step.step_index, new_step.source, new_step.text, new_step.occurrence))
    GROUP BY trace_id, step_index, source, text, occurrence ORDER BY min(row_no), step_index, min(position), occurrence
"""

INSERT_STEP_LABELS = """
    INSERT INTO labeling_steplabel (label_id, step_index, completion_id, position, rating, flagged, chosen, active_ms,
        source)
    SELECT label_id, step.step_index, completion.id, position, rating, flagged, chosen, 0, 'imported'
    FROM new_step AS step LEFT JOIN completion_of AS completion
        ON (completion.trace_id, completion.step_index, completion.source, completion.text, completion.occurrence)
            = (step.trace_id, step.step_index, step.source, step.text, step.occurrence)
    ORDER BY row_no, step.step_index, position
"""

TOLD = """
    SELECT DISTINCT ON (trace.id) trace.id, staged.recorded_first_error, staged.recorded_ratings
    FROM staged_trace AS staged JOIN labeling_trace AS trace
        ON trace.project_id = %(project)s AND trace.trace_hash = staged.trace_hash
    ORDER BY trace.id, staged.row_no
"""


def merge(cursor: CursorWrapper, job: ImportJob, moved: TraceMerge) -> Counts:
    """Insert what is new apart from the problems and traces, which have all been `moved` already.

    Returns counts: problems {new, known, filled, held_out}, traces and labels {new, duplicate_in_file, known}.
    """
    about = {"project": job.project_id}
    counts: Counts = {}
    words: Counts = {}
    _, distinct = _size_and_distinct(cursor, "staged_problem", "text_hash", moved.new_problems)
    problems = {"new": moved.new_problems, "known": distinct - moved.new_problems}
    held_out = _hold_out(cursor, job, about | {"before": moved.before})
    changed = {"filled": moved.filled_problems, "held_out": held_out}
    counts["problems"] = problems | {name: count for name, count in changed.items() if count}
    answers = other_answers(cursor, about) | other_problems(cursor, about | {"before": moved.before})
    staged, distinct = _size_and_distinct(cursor, "staged_trace", "trace_hash", moved.new_traces)
    new = moved.new_traces
    _run(cursor, INSERT_PICTURES, about)
    counts["traces"] = {
        "new": new,
        "duplicate_in_file": staged - distinct,
        "known": distinct - new,
    }
    if distinct > new or counts["traces"]["duplicate_in_file"]:
        counts["verdicts"] = merge_verdicts(cursor, job, about)
        words = other_words(cursor, about)
    if _size(cursor, "staged_suggestion") and _insert(cursor, "labeling_suggestion", INSERT_SUGGESTIONS, about):
        _show_suggestions(job)
    counts["labels"] = _merge_labels(cursor, job, about)
    if marks := merge_marks(cursor, job):
        counts["marks"] = marks
    return counts | answers | words


def told_first_errors(cursor: CursorWrapper, job: ImportJob) -> list[tuple[int, int]]:
    """Return id and first error (-1: none) of each staged trace that records one. The first of duplicates counts."""
    cursor.execute(TOLD, {"project": job.project_id})
    told = [(trace, recorded_verdict(first, ratings)) for trace, first, ratings in cursor.fetchall()]
    return [(trace, verdict) for trace, verdict in told if verdict is not None]


def _hold_out(cursor: CursorWrapper, job: ImportJob, about: dict[str, Any]) -> int:
    """Hold out every problem that a row holds out. Returns how many existed before, as problems to train on."""
    if not make_temporary(cursor, "held_out_hash", HELD_OUT, about):
        return 0
    cursor.execute(HOLD_OUT, about)
    held_out = [were_there for [were_there] in cursor.fetchall()]
    if held_out:
        file, by = f"import {job.pk}", job.created_by
        audit_log.record("problems.hold_out", actor=by, project=job.project, target=file, problems=len(held_out))
    return sum(held_out)


def _show_suggestions(job: ImportJob) -> None:
    """Show suggestions in rounds opened from now on: whoever imports them wants them shown."""
    project = Project.objects.select_for_update(no_key=True).get(pk=job.project_id)
    if not project.after_error.get("from_file"):
        project.after_error = {**project.after_error, "from_file": True}
        project.save(update_fields=["after_error"])
        audit_log.record("project.change", actor=job.created_by, project=project, after={"from_file": True})


def _merge_labels(cursor: CursorWrapper, job: ImportJob, about: dict[str, Any]) -> dict[str, int]:
    staged = _size(cursor, "staged_label")
    if staged == 0:
        return {"new": 0, "duplicate_in_file": 0, "known": 0}
    distinct = make_temporary(cursor, "first_label", FIRST_LABELS, about)
    if job.labels_of:
        cursor.execute(NUMBER_LABELERS)
    find_known_labels(cursor, job.project, about)
    add_imported_people(cursor, job.project)
    new = make_temporary(cursor, "new_label", NEW_LABELS, about)
    if new == 0:
        return {"new": 0, "duplicate_in_file": staged - distinct, "known": distinct}
    _make_rounds(cursor, job)
    _insert(cursor, "labeling_task", INSERT_TASKS, about)
    said = {"now": timezone.now(), "given": list(GIVEN_PATH), "score": VERIFIER_SCORE}
    _insert(cursor, "labeling_label", INSERT_LABELS, about | said)  # for all rounds at once: ids ascend by line
    make_temporary(cursor, "new_step", NEW_STEPS, about)
    make_temporary(cursor, "completion_of", KNOWN_COMPLETIONS, about)
    if _insert(cursor, "labeling_completion", INSERT_COMPLETIONS, about):
        cursor.execute("DROP TABLE completion_of")
        make_temporary(cursor, "completion_of", KNOWN_COMPLETIONS, about)
    _run(cursor, INSERT_STEP_LABELS, about)
    if _is_true(cursor, TELLS):
        _run(cursor, INSERT_COMMENTS, {"kind": "comments"})
        _run(cursor, INSERT_REPORTS, {"kind": "reports"})
    return {"new": new, "duplicate_in_file": staged - distinct, "known": distinct - new}


def _make_rounds(cursor: CursorWrapper, job: ImportJob) -> None:
    """Create a round for the labels, and one more for each time somebody labeled a trace again; stored in `round_of`.

    Labels exported by Stepmark that rate every step, even after an error, get rounds of their own.
    """
    cursor.execute(ROUNDS)
    made = [
        (repeat, every_step, _closed_round(job, repeat, tasks, (EVERY_STEP if by_step else FIRST_ERROR).name).pk)
        for repeat, every_step, tasks, by_step in cursor.fetchall()
    ]
    cursor.execute("CREATE TEMP TABLE round_of (repeat bigint, every_step boolean, round_id bigint) ON COMMIT DROP")
    cursor.executemany("INSERT INTO round_of VALUES (%s, %s, %s)", made)
    cursor.execute("ANALYZE round_of")


def add_imported_people(cursor: CursorWrapper, project: Project) -> None:
    """Create an account without login and an inactive membership for every labeler id in the file.

    Skips labelers whose labels in the file are all known.
    """
    cursor.execute(NAMES_OF_NEW)
    names = cursor.fetchall()
    now = timezone.now()
    people = [
        User(
            username=f"imported-{digest}",
            kind=User.Kind.IMPORTED,
            external_id=labeler,
            display_name=labeler[:120],
            password=make_password(None),
            is_active=False,
        )
        for labeler, digest in names
    ]
    User.objects.bulk_create(people, ignore_conflicts=True)
    ids = User.objects.filter(username__in=[person.username for person in people]).values_list("pk", flat=True)
    role = Membership.Role.ANNOTATOR
    memberships = [
        Membership(project=project, user_id=pk, role=role, is_active=False, joined_at=now) for pk in sorted(ids)
    ]
    Membership.objects.bulk_create(memberships, ignore_conflicts=True)


def _closed_round(job: ImportJob, repeat: int, tasks: int, protocol: str) -> Round:
    """Create the round that holds the labels of one import. It is never served."""
    project = Project.objects.select_for_update(no_key=True).get(pk=job.project_id)  # assign numbers one at a time
    now = timezone.now()
    name = f"Imported from {job.file_name}" + (f", labels given again ({repeat})" if repeat else "")
    return Round.objects.create(
        project=project,
        number=queries.rounds.next_number(project),
        name=name[:120],
        status=Round.Status.CLOSED,
        imported=True,
        protocol=protocol,
        config={"source": "import", "import_job": job.pk},
        task_count=tasks,
        created_by=job.created_by,
        opened_at=now,
        closed_at=now,
    )


def _insert(cursor: CursorWrapper, table: str, statement: str, about: dict[str, Any]) -> int:
    """Insert rows that the next statements join."""
    count = _run(cursor, statement, about)
    note_written(cursor, table, count)
    return count


def _run(cursor: CursorWrapper, statement: str, about: dict[str, Any]) -> int:
    cursor.execute(statement, about)
    return cursor.rowcount


def _is_true(cursor: CursorWrapper, question: str) -> bool:
    cursor.execute(question)
    return bool(cursor.fetchone()[0])


def _size(cursor: CursorWrapper, table: str) -> int:
    cursor.execute(f"SELECT count(*) FROM {table}")
    return int(cursor.fetchone()[0])


def _size_and_distinct(cursor: CursorWrapper, table: str, column: str, new: int) -> tuple[int, int]:
    """Return how many rows there are, and how many distinct ones. If all were new, the second needs no query."""
    size = _size(cursor, table)
    if size == new:
        return size, size
    cursor.execute(f"SELECT count(*) FROM (SELECT DISTINCT {column} FROM {table}) AS once")
    return size, int(cursor.fetchone()[0])
