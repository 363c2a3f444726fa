"""Which labels a PRM may learn from, and their rows, a chunk at a time.

A problem is either learned from or measured on, for good: a fifth of all problems, by the hash of their texts, is the
evaluation split, whatever the project, run or seed; every problem that is held out, or in an evaluation set, is also
only measured on.
"""

import json
import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db import connection

from labeling.formats.exporting import Drawn, ExportedLabel
from labeling.formats.training import FINISH
from labeling.models import Project, Task, TrainingRun
from labeling.queries.exports import (
    ADJUDICATED,
    CHOSEN_STANDS,
    EACH_STANDS,
    NOT_IMPORTED,
    labels_to_write,
    unpacked_ids,
)
from labeling.queries.haste import HASTY, project_floor_ms
from labeling.queries.sql_slots import fill

LEAST = 2  # problems, and steps of either kind, that a PRM can be fitted on
CHUNK = 1000  # labels in memory at once, twice

# One problem in five (51 of 256), decided by its normalised text alone.
IN_EVALUATION_SPLIT = "get_byte(sha256({problem}.text_hash), 0) < 51"

LABELS = """
    FROM labeling_label AS label
    JOIN labeling_task AS task ON task.id = label.task_id
    JOIN labeling_trace AS trace ON trace.id = task.trace_id
    JOIN labeling_problem AS problem ON problem.id = trace.problem_id
    WHERE label.project_id = %(project)s AND {stands} AND task.round_id = ANY(%(rounds)s)
        AND task.kind = 'work'
"""
# Whoever marked them: a problem that is measured on is never learned. `project`: of what is held out here.
MAY_BE_LEARNED = f"""
    problem.split = 'train' AND problem.status = 'active' AND NOT ({fill(IN_EVALUATION_SPLIT, problem="problem")})
    AND NOT EXISTS (SELECT FROM labeling_evaluationitem AS item WHERE item.problem_id = problem.id)
    AND NOT EXISTS (SELECT FROM labeling_heldouttext AS held WHERE held.text_hash = problem.text_hash
        AND (held.project_id IS NULL OR held.project_id = {{project}}))
"""
# What a label says after its labeler has seen the model's scores is not a second opinion.
LEARNED = f"""
    label.finish_reason = ANY(%(finish)s) AND NOT label.edited_after_reveal AND (%(surplus)s OR NOT label.surplus)
    AND (%(hasty)s OR NOT {HASTY})
    AND {NOT_IMPORTED} AND {fill(MAY_BE_LEARNED, project="label.project_id")}
"""
LEARNED_IDS = f"""
    SELECT string_agg(int8send(label.id), ''::bytea ORDER BY problem.id, trace.id, label.id) {LABELS} AND {LEARNED}
"""
# Steps are counted by their own ratings, which are those that the round's protocol lets in; alternatives are none.
COUNTS = f"""
    found AS (
        SELECT label.id, problem.id AS problem_id, ({LEARNED}) AS learned,
            ({fill(IN_EVALUATION_SPLIT, problem="problem")}) AS in_evaluation_split,
            label.finish_reason = ANY(%(finish)s) AS finished, {HASTY} AS hasty,
            CASE WHEN NOT {NOT_IMPORTED} THEN 'imported' WHEN label.surplus AND NOT %(surplus)s THEN 'surplus'
                WHEN {HASTY} AND NOT %(hasty)s THEN 'hasty' ELSE 'other' END AS because
        {LABELS}
    ), others AS (
        SELECT because FROM found WHERE finished AND NOT learned AND NOT in_evaluation_split
    ), steps AS (
        SELECT count(*) AS steps, count(*) FILTER (WHERE step.rating = -1) AS wrong
        FROM found JOIN labeling_steplabel AS step ON step.label_id = found.id
        WHERE found.learned AND step.completion_id IS NULL AND step.rating IS NOT NULL
    )
    SELECT count(*), count(*) FILTER (WHERE learned), count(DISTINCT problem_id) FILTER (WHERE learned),
        count(*) FILTER (WHERE in_evaluation_split AND finished),
        count(DISTINCT problem_id) FILTER (WHERE in_evaluation_split AND finished),
        count(*) FILTER (WHERE NOT finished),
        count(*) FILTER (WHERE hasty AND finished AND NOT in_evaluation_split),
        (SELECT steps FROM steps), (SELECT wrong FROM steps),
        (SELECT coalesce(jsonb_object_agg(because, labels), '{{}}') FROM (
            SELECT because, count(*) AS labels FROM others GROUP BY because) AS by_reason)
    FROM found
"""
LEARNED_TEXTS = """
    SELECT array_agg(DISTINCT encode(problem.text_hash, 'hex')), array_agg(DISTINCT encode(trace.trace_hash, 'hex'))
    FROM labeling_label AS label JOIN labeling_task AS task ON task.id = label.task_id
    JOIN labeling_trace AS trace ON trace.id = task.trace_id
    JOIN labeling_problem AS problem ON problem.id = trace.problem_id WHERE label.id = ANY(%s::bigint[])
"""
DRAWN = """
    SELECT label.id, task.round_id, task.reason = ANY(%s) FROM labeling_label AS label
    JOIN labeling_task AS task ON task.id = label.task_id WHERE label.id = ANY(%s::bigint[])
"""
LABEL_IDS = fill(LEARNED_IDS, stands=EACH_STANDS)
PREVIEW = f"WITH {fill(COUNTS, stands=EACH_STANDS)}"
# The same of one label a task, as exports of adjudicated labels choose it: a ruling takes the place of the labels.
ADJUDICATED_IDS = ADJUDICATED + fill(LEARNED_IDS, stands=CHOSEN_STANDS)
ADJUDICATED_PREVIEW = f"{ADJUDICATED}, {fill(COUNTS, stands=CHOSEN_STANDS)}"
COUNTED = (
    "labels",
    "learned",
    "problems",
    "in_evaluation_split",
    "problems_in_evaluation_split",
    "unfinished",
    "hasty",
    "steps",
    "wrong_steps",
    "left_out",
)
# Why labels that people finished, on problems that may be learned from as a rule, are left out: each has one reason.
LEFT_OUT = ("imported", "surplus", "hasty", "other")


def label_ids(project: Project, round_ids: Sequence[int], switches: Mapping[str, str]) -> "array[int]":
    """The labels that a run over these rounds learns from, trace by trace; eight bytes each. Two queries."""
    ids = array("q")
    with connection.cursor() as cursor:
        statement = ADJUDICATED_IDS if switches["aggregate"] == "adjudicated" else LABEL_IDS
        cursor.execute(statement, _asked(project, round_ids, switches))
        [packed] = cursor.fetchone()
    ids.frombytes(packed or b"")
    if sys.byteorder == "little":
        ids.byteswap()  # Postgres sends the most significant byte first
    return ids


def preview(project: Project, round_ids: Sequence[int], switches: Mapping[str, str]) -> dict[str, Any]:
    """What such a run would learn from, what it leaves for evaluations, and what it leaves out, by LEFT_OUT. Two
    queries."""
    with connection.cursor() as cursor:
        statement = ADJUDICATED_PREVIEW if switches["aggregate"] == "adjudicated" else PREVIEW
        cursor.execute(statement, _asked(project, round_ids, switches))
        counts = dict(zip(COUNTED, cursor.fetchone(), strict=True))
    left_out = json.loads(counts["left_out"])
    return counts | {"left_out": {why: left_out.get(why, 0) for why in LEFT_OUT}}


def too_little(counts: Mapping[str, Any], switches: Mapping[str, str]) -> str:
    """Why no PRM can be trained on labels of which `preview` counted these; empty where one can.

    A trainer needs steps of both kinds, and problems to fit on and to measure on (`worker.prm.fit_head.split_of`)."""
    right, wrong = counts["steps"] - counts["wrong_steps"], counts["wrong_steps"]
    fewest = LEAST if switches["neutral"] == "positive" else 1  # else neutral steps may be wrong ones, or none
    if counts["learned"] and min(right, wrong) >= fewest and counts["problems"] >= LEAST:
        return ""
    labels = "1 label" if counts["labels"] == 1 else f"{counts['labels']:,} labels"
    why = f"These rounds hold {labels}; {counts['learned']:,} of them can be learned from"
    if counts["learned"] and not (right and wrong):
        why += f", with {right:,} right and {wrong:,} wrong steps, and both kinds are needed"
    elif counts["learned"]:
        problems = "1 problem" if counts["problems"] == 1 else f"{counts['problems']:,} problems"
        why += f", on {problems} with {right:,} right and {wrong:,} wrong steps: two of each are the least"
    return (
        f"{why}. Labels on the {counts['problems_in_evaluation_split']:,} problems of the "
        "evaluation split are never learned. "
        "Label more traces, or choose more rounds."
    )


def frozen_labels(run: TrainingRun) -> Iterator[ExportedLabel]:
    """The labels of a run in their frozen order; memory holds one chunk."""
    ids = unpacked_ids(TrainingRun.objects.values_list("label_ids", flat=True).get(pk=run.pk))
    for start in range(0, len(ids), CHUNK):
        chunk = ids[start : start + CHUNK]
        labels = {label.id: label for label in labels_to_write(run.project, chunk, False)}
        drawn = _drawn(chunk)
        yield from (labels[pk]._replace(drawn=drawn[pk]) for pk in chunk)


def _drawn(ids: Sequence[int]) -> dict[int, Drawn]:
    """How the traces of these labels came into their rounds."""
    with connection.cursor() as cursor:
        cursor.execute(DRAWN, [list(Task.BY_CHANCE), list(ids)])
        return {pk: Drawn(round_id, by_chance) for pk, round_id, by_chance in cursor.fetchall()}


def learned_texts(run: TrainingRun) -> dict[str, list[str]]:
    """The hashes of the problems and of the traces that a run learned from, in hex, for its meta.json. Two queries."""
    ids = unpacked_ids(TrainingRun.objects.values_list("label_ids", flat=True).get(pk=run.pk))
    with connection.cursor() as cursor:
        cursor.execute(LEARNED_TEXTS, [list(ids)])
        problems, traces = cursor.fetchone()
    return {"problems": problems or [], "traces": traces or []}


def _asked(project: Project, round_ids: Sequence[int], switches: Mapping[str, str]) -> dict[str, Any]:
    included = {
        name: switches.get(name) != "exclude" for name in ("surplus", "imported", "hasty")
    }  # old runs know fewer
    about = {"project": project.pk, "rounds": list(round_ids), "finish": list(FINISH), **included}
    return about | {"floor": project_floor_ms(project)}
