"""Reads for exports: which labels an export holds, and their rows, a chunk at a time."""

import sys
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import pairwise
from typing import Any

import orjson
from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet

from annotation_app.postgres.replica import position_now, read_may_lag
from labeling.errors import NotFound
from labeling.formats.export_config import ExportConfig
from labeling.formats.exporting import ExportedLabel, ExportedProblem, ExportedTrace
from labeling.formats.exports.export_format import Group
from labeling.formats.records import StepLabelRecord
from labeling.models import Export, Label, LabelPush, Problem, Project, User
from labeling.queries.export_remarks import remarks_of
from labeling.queries.export_rollouts import with_rollouts
from labeling.queries.haste import HASTY, MS, project_floor_ms
from labeling.queries.labeler_ids import LabelerIds
from labeling.queries.labels import BAD_PROBLEM_VOTE, NOT_EXCLUDED, SAME_OR_NOT, VOTE
from labeling.queries.prefetch import prefetch_pieces
from labeling.queries.projects import RESEARCHER, get_project_by_id_as
from labeling.queries.sql_slots import fill

Json = dict[str, Any]
NO_REMARKS: Json = {}

# For the switches `imported` and `measured`.
IMPORTED_PEOPLE = "SELECT id FROM labeling_user WHERE kind = 'imported'"
NOT_IMPORTED = f"(%(imported)s OR label.labeler_id NOT IN ({IMPORTED_PEOPLE}))"
MEASURED_PROBLEMS = """
    SELECT item.problem_id FROM labeling_evaluationitem AS item
    JOIN labeling_evaluationset AS evaluation_set ON evaluation_set.id = item.evaluation_set_id
    WHERE evaluation_set.project_id = %(project)s
"""

# Joined only when asked for: each label's trace and problem are two more rows to find.
OF_PROBLEM = f"""
    JOIN labeling_trace AS trace ON trace.id = task.trace_id
    JOIN labeling_problem AS problem ON problem.id = trace.problem_id
        AND (%(split)s::text IS NULL OR problem.split = %(split)s)
        AND (%(subjects)s::text[] IS NULL OR problem.subject = ANY(%(subjects)s))
        AND (%(measured)s OR problem.id NOT IN ({MEASURED_PROBLEMS}))
"""
ASKED_FOR = f"""
    {{chosen}}
    SELECT string_agg(int8send(label.id), ''::bytea ORDER BY label.id) FROM labeling_label AS label
    JOIN labeling_task AS task ON task.id = label.task_id
    {{of_problem}}
    WHERE label.project_id = %(project)s AND {{stands}}
        AND (%(rounds)s::bigint[] IS NULL OR task.round_id = ANY(%(rounds)s))
        AND (%(finish)s::text[] IS NULL OR label.finish_reason = ANY(%(finish)s))
        AND (%(labelers)s::bigint[] IS NULL OR label.labeler_id = ANY(%(labelers)s))
        AND (%(agreement)s::text IS NULL OR label.task_id IN ({SAME_OR_NOT}))
        AND (%(since)s::timestamptz IS NULL OR label.submitted_at >= %(since)s::timestamptz)
        AND (%(until)s::timestamptz IS NULL OR label.submitted_at < %(until)s::timestamptz)
        AND (%(surplus)s OR NOT label.surplus)
        AND (%(hasty)s OR NOT {HASTY})
        AND (%(aided)s OR NOT label.edited_after_reveal)
        AND (%(gold)s OR task.kind = 'work')
        AND {NOT_IMPORTED}
"""

# One label per task: the reviewer's, otherwise the first with the verdict that was settled or that nobody disputes. A
# task whose labels differ and that nobody has settled gives none.
ADJUDICATED = f"""
    WITH said AS (
        SELECT label.id, label.task_id, label.status, task.settlement, task.verdict AS settled,
            {fill(VOTE, label="label")} AS vote
        FROM labeling_label AS label JOIN labeling_task AS task ON task.id = label.task_id
        WHERE label.project_id = %(project)s AND label.status IN ('submitted', 'ruling') AND NOT label.surplus
            AND {NOT_EXCLUDED}
    ), chosen AS (
        SELECT task_id, coalesce(min(id) FILTER (WHERE status = 'ruling'),
            min(id) FILTER (WHERE settlement = 'agreed' AND vote = coalesce(settled, {BAD_PROBLEM_VOTE})),
            CASE WHEN count(DISTINCT vote) = 1 THEN min(id) FILTER (WHERE vote IS NOT NULL) END) AS id
        FROM said GROUP BY task_id
    )
"""
# Conditions for the slot `stands`: all submitted labels except those left out by hand, or the labels that ADJUDICATED
# chooses.
EACH_STANDS = f"label.status = 'submitted' AND {NOT_EXCLUDED}"
CHOSEN_STANDS = "label.id IN (SELECT id FROM chosen)"
LABEL_IDS = {"chosen": "", "stands": EACH_STANDS}
EXCLUDED_IDS = {"chosen": "", "stands": "label.status = 'submitted' AND label.excluded"}
FITTING_IDS = {"chosen": "", "stands": "label.status = 'submitted'"}
ADJUDICATED_IDS = {"chosen": ADJUDICATED, "stands": CHOSEN_STANDS}

SORTS = """
    SELECT count(*), count(*) FILTER (WHERE task.kind <> 'work'), count(*) FILTER (WHERE label.surplus),
        count(*) FILTER (WHERE person.kind = 'imported')
    FROM labeling_label AS label JOIN labeling_task AS task ON task.id = label.task_id
    JOIN labeling_user AS person ON person.id = label.labeler_id
    WHERE label.project_id = %s AND label.status = 'submitted'
"""

# The same labels by problem and trace, with the trace and problem of each: three packed values.
IN_GROUPS = """
    SELECT string_agg(int8send(label.id), ''::bytea ORDER BY trace.problem_id, trace.id, label.id),
        string_agg(int8send(trace.id), ''::bytea ORDER BY trace.problem_id, trace.id, label.id),
        string_agg(int8send(trace.problem_id), ''::bytea ORDER BY trace.problem_id, trace.id, label.id)
    FROM labeling_label AS label
    JOIN labeling_task AS task ON task.id = label.task_id
    JOIN labeling_trace AS trace ON trace.id = task.trace_id
    WHERE label.id = ANY(%s::bigint[])
"""

# If an API client sends no time, count from when the label was opened: PRM800K's readers want a number.
TOTAL_TIME = """CASE WHEN people.kind = 'imported' THEN label.total_ms
    ELSE coalesce(label.total_ms, greatest(0,
        extract(epoch FROM label.submitted_at - coalesce(label.opened_at, label.claimed_at)) * 1000)::bigint) END"""

# The time as text: parsing timestamps in Django takes as long as the rest of the row.
LABELS = fill(
    """
    SELECT label.id, task.trace_id, people.kind, people.external_id, label.labeler_id, round.number, round.protocol,
        task.kind, to_char(label.submitted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"'),
        label.finish_reason, label.verdict, label.finish_detail::text, label.noticed_at_step, label.mistake::text,
        label.run_marks::text,
        {total_time}, {ms}, guideline.version, label.extra::text, label.status = 'ruling'
    FROM labeling_label AS label
    JOIN labeling_task AS task ON task.id = label.task_id
    JOIN labeling_round AS round ON round.id = task.round_id
    JOIN labeling_user AS people ON people.id = label.labeler_id
    LEFT JOIN labeling_guideline AS guideline ON guideline.id = label.guideline_id
    WHERE label.id = ANY(%s::bigint[]) ORDER BY label.id
""",
    total_time=TOTAL_TIME,
    ms=MS,
)

TRACES = """
    SELECT trace.id, trace.problem_id, source, generator, steps, final_answer, outcome, grader_version, metadata::text,
        typed_steps::text
    FROM labeling_trace AS trace WHERE id = ANY(%s::bigint[])
"""

PROBLEMS = """
    SELECT id, external_id, text, answer, reference_solution, split, subject, level, licence,
        accepted_answers
    FROM labeling_problem WHERE id = ANY(%s::bigint[])
"""

# One JSON text per label, of lists in StepLabelRecord's order: a row per step label would cost more than the rest.
STEP_LABELS = """
    SELECT label_id, json_agg(json_build_array(step.step_index, position, completion.text,
        coalesce(completion.source, 'model'), rating, flagged, chosen)
        ORDER BY step.step_index, position, step.id)::text
    FROM labeling_steplabel AS step LEFT JOIN labeling_completion AS completion ON completion.id = step.completion_id
    WHERE label_id = ANY(%s::bigint[]) GROUP BY label_id
"""


def exports_of(project: Project) -> QuerySet[Export]:
    """Return a project's exports without their frozen ids."""
    return Export.objects.filter(project=project).select_related("created_by").defer("label_ids")


def get_visible_export(user: User, export_id: int, role: str = RESEARCHER) -> Export:
    """Return an export of a project in which this person is a researcher (or `role`) or above. Raises NotFound."""
    found = Export.objects.select_related("project", "created_by").defer("label_ids").filter(pk=export_id).first()
    if found is None:
        raise NotFound
    get_project_by_id_as(user, found.project_id, role)
    return found


def pushes_of(export: Export) -> QuerySet[LabelPush]:
    """Return where the export was sent, newest first."""
    return export.pushes.select_related("created_by").order_by("-pk")


def label_ids(project: Project, filters: Json, switches: Json) -> "array[int]":
    """Return the ids of the labels an export holds, ascending; eight bytes each."""
    adjudicated = switches.get("aggregate") == "adjudicated"
    return _ids(ADJUDICATED_IDS if adjudicated else LABEL_IDS, project, filters, switches)


def fitting_ids(project: Project, filters: Json) -> "array[int]":
    """Return the ids of all submitted labels that match the filters, ascending, ignoring switches and exclusions."""
    return _ids(FITTING_IDS, project, filters, {"surplus": "include", "gold": "include"})


def excluded_labels(project: Project, filters: Json, switches: Json) -> int:
    """Return how many of the labels that match the filters and switches were left out by hand."""
    return len(_ids(EXCLUDED_IDS, project, filters, switches))


def _ids(which: dict[str, str], project: Project, filters: Json, switches: Json) -> "array[int]":
    everything = switches.get("hasty", "include") == "include"
    measured = switches.get("measured") != "exclude"
    of_problem = any(filters.get(name) is not None for name in ("split", "subjects")) or not measured
    asked = {
        "project": project.pk,
        "rounds": filters.get("rounds"),
        "finish": filters.get("finish"),
        **{name: filters.get(name) for name in ("split", "labelers", "subjects", "agreement", "since", "until")},
        "surplus": switches["surplus"] == "include",
        "gold": switches["gold"] == "include",
        "hasty": everything,
        "floor": 0 if everything else project_floor_ms(project),
        "aided": switches.get("aided") != "exclude",
        "imported": switches.get("imported") != "exclude",
        "measured": measured,
    }
    with connection.cursor() as cursor:
        # One packed value: read as rows, a million ids take a second.
        cursor.execute(fill(ASKED_FOR, of_problem=OF_PROBLEM if of_problem else "", **which), asked)
        [packed] = cursor.fetchone()
    return _sent_ids(packed)


def labelers_among(project: Project, people: Sequence[int]) -> set[int]:
    """Return those of the people who have a label in the project."""
    labels = Label.objects.filter(project=project, labeler_id=OuterRef("pk"))
    return set(User.objects.filter(Exists(labels), pk__in=people).values_list("pk", flat=True))


def subjects_among(project: Project, subjects: Sequence[str]) -> set[str]:
    """Return those of the subjects that a problem of the project has."""
    return set(Problem.objects.filter(project=project, subject__in=subjects).values_list("subject", flat=True))


def label_sorts(project: Project) -> dict[str, int]:
    """Return how many submitted labels there are, and how many of them are gold, surplus or imported. One query."""
    with connection.cursor() as cursor:
        cursor.execute(SORTS, [project.pk])
        return dict(zip(("labels", "gold", "surplus", "imported"), cursor.fetchone(), strict=True))


def told_filters(project: Project, config: ExportConfig) -> Json:
    """Return the filters of an export, with labelers named as in its rows. One query if it is narrowed to labelers."""
    people = config.filters.get("labelers")
    return config.told_filters(LabelerIds(project).by_key(people) if people else {})


def _sent_ids(packed: bytes | None) -> "array[int]":
    ids = array("q")
    ids.frombytes(packed or b"")
    if sys.byteorder == "little":
        ids.byteswap()  # Postgres sends the most significant byte first
    return ids


def in_file_order(ids: "array[int]", group: Group, size: int) -> "tuple[array[int], list[int]]":
    """Return frozen ids in the order of the file, and the positions where its chunks end; equal for equal ids.

    A chunk has `size` labels, or more to complete its last group: no group is split between chunks. One query
    for groups of several labels. Holds eight bytes per label, three times.
    """
    if group == "label":
        return ids, [min(place + size, len(ids)) for place in range(0, len(ids), size)]
    with connection.cursor() as cursor:
        cursor.execute(IN_GROUPS, [array_text(ids)])
        ordered, traces, problems = map(_sent_ids, cursor.fetchone())
    return ordered, _ends_of_groups(traces if group == "trace" else problems, size)


def _ends_of_groups(groups: "array[int]", size: int) -> list[int]:
    ends: list[int] = []
    end = 0
    while end < len(groups):
        end = min(end + size, len(groups))
        while end < len(groups) and groups[end] == groups[end - 1]:
            end += 1
        ends.append(end)
    return ends


def packed_ids(ids: "array[int]") -> bytes:
    """Return ids in the form they are stored in: little-endian 64-bit, deflated."""
    return zlib.compress(ids.tobytes())


def frozen_ids(export: Export) -> "array[int]":
    """Return the ids an export was frozen with."""
    return unpacked_ids(Export.objects.values_list("label_ids", flat=True).get(pk=export.pk))


def unpacked_ids(packed: bytes | memoryview | None) -> "array[int]":
    """Return the ids in what `packed_ids` returned; empty if nothing was stored."""
    ids = array("q")
    ids.frombytes(zlib.decompress(bytes(packed)) if packed else b"")
    return ids


def chunks_to_write(
    project: Project, ids: Sequence[int], ends: Sequence[int], start: int, *, remarks: bool, rollouts: bool = False
) -> Iterator[tuple[int, list[ExportedLabel]]]:
    """Yield the labels from position `start`, in the order of `ids` and in the chunks that end at `ends`, each with its
    end. `remarks` adds what labelers wrote in addition to their ratings, `rollouts` what rollouts counted.

    The chunks after the current one are read ahead, over connections of their own.
    """
    chunks = [(begin, end) for begin, end in pairwise([0, *ends]) if begin >= start]
    frozen = position_now()  # or earlier: the labels were chosen before

    def read(begin: int, end: int) -> list[ExportedLabel]:
        found = read_may_lag(
            lambda: labels_to_write(project, ids[begin:end], remarks, rollouts, labelers), after=frozen
        )
        labels = {label.id: label for label in found}
        return [labels[pk] for pk in ids[begin:end]]

    labelers = LabelerIds(project)
    reads = [partial(read, *chunk) for chunk in chunks]
    for (_, end), labels in zip(chunks, prefetch_pieces(reads), strict=True):
        yield end, labels


def labels_to_write(
    project: Project,
    ids: Sequence[int],
    with_remarks: bool,
    rollouts: bool = False,
    labelers: LabelerIds | None = None,
) -> list[ExportedLabel]:
    """Return the labels of one chunk with everything their rows need. Four queries, and one each for remarks, rollouts.

    `labelers` shares the labelers' ids between chunks.
    """
    if not ids:
        return []
    with connection.cursor() as cursor:
        labels = _rows(cursor, LABELS, ids)
        traces = _traces(cursor, {row[1] for row in labels})
        if rollouts:
            traces = with_rollouts(traces)
        step_labels = _step_labels(cursor, ids)
        remarks = remarks_of(cursor, array_text(ids)) if with_remarks else {}
    labelers = labelers or LabelerIds(project)
    return [_exported_label(labelers, row, traces, step_labels, remarks) for row in labels]


def _exported_label(
    labelers: LabelerIds,
    row: tuple[Any, ...],
    traces: dict[int, ExportedTrace],
    step_labels: dict[int, list[StepLabelRecord]],
    remarks: dict[int, Json],
) -> ExportedLabel:
    pk, trace_id, kind, external_id, user_id, number, protocol, task_kind, submitted_at, *rest = row
    finish, verdict, detail, noticed, mistake, marks, total_ms, active_ms, guideline, extra, ruling = rest
    return ExportedLabel(
        pk,
        traces[trace_id],
        labelers.of(kind, external_id, user_id),
        kind,
        number,
        protocol,
        task_kind,
        datetime.fromisoformat(submitted_at),
        finish,
        verdict,
        orjson.loads(detail),
        noticed,
        orjson.loads(mistake) if mistake else None,
        orjson.loads(marks) if marks else None,
        total_ms,
        active_ms,
        guideline,
        orjson.loads(extra),
        step_labels.get(pk, []),
        remarks.get(pk, NO_REMARKS),
        ruling,
    )


def _traces(cursor: Any, ids: Iterable[int]) -> dict[int, ExportedTrace]:
    rows = _rows(cursor, TRACES, list(ids))
    problems = {row[0]: ExportedProblem(*row) for row in _rows(cursor, PROBLEMS, list({row[1] for row in rows}))}
    return {
        row[0]: ExportedTrace._make(
            (row[0], problems[row[1]], *row[2:8], orjson.loads(row[8]), row[9] and orjson.loads(row[9]), ())
        )
        for row in rows
    }


def _step_labels(cursor: Any, ids: Sequence[int]) -> dict[int, list[StepLabelRecord]]:
    make: Any = partial(tuple.__new__, StepLabelRecord)  # as `_make`, which checks the length of each
    return {pk: list(map(make, orjson.loads(text))) for pk, text in _rows(cursor, STEP_LABELS, ids)}


def _rows(cursor: Any, statement: str, ids: Sequence[int]) -> list[tuple[Any, ...]]:
    cursor.execute(statement, [array_text(ids)])
    return list(cursor.fetchall())


def array_text(ids: Sequence[int]) -> str:
    """Return an array as text for Postgres: adapting a list takes longer than the query, and 200 bytes per id."""
    return "{" + ",".join(map(str, ids)) + "}"
