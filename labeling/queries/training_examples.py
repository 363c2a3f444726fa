"""The labels a PRM may learn from, and their rows, one chunk at a time.

A problem is permanently either learned from or measured on. A fifth of all problems, by the hash of their texts, is the
evaluation split, whatever the project, run or seed. Problems that are held out or in an evaluation set are also only
measured on.
"""

import json
import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db import connection

from labeling.formats.exporting import Drawn, ExportedLabel, with_written
from labeling.formats.exports.rated_path import counted_ratings
from labeling.formats.exports.switches import apply_neutral_switch
from labeling.formats.prm800k import EXTRA_KEY
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

LEAST = 2  # problems, and steps of either kind, needed to fit a PRM
CHUNK = 1000  # labels in memory at once, twice

# One problem in five (51 of 256), chosen by the hash of its normalised text.
IN_EVALUATION_SPLIT = "get_byte(sha256({problem}.text_hash), 0) < 51"

LABELS = """
    FROM labeling_label AS label
    JOIN labeling_task AS task ON task.id = label.task_id
    JOIN labeling_trace AS trace ON trace.id = task.trace_id
    JOIN labeling_problem AS problem ON problem.id = trace.problem_id
    WHERE label.project_id = %(project)s AND {stands} AND task.round_id = ANY(%(rounds)s)
        AND task.kind = 'work'
"""
# Whoever marked them, problems that are measured on are never learned from. `project`: whose held-out texts also count.
MAY_BE_LEARNED = f"""
    problem.split = 'train' AND problem.status = 'active' AND NOT ({fill(IN_EVALUATION_SPLIT, problem="problem")})
    AND NOT EXISTS (SELECT FROM labeling_evaluationitem AS item WHERE item.problem_id = problem.id)
    AND NOT EXISTS (SELECT FROM labeling_heldouttext AS held WHERE held.text_hash = problem.text_hash
        AND (held.project_id IS NULL OR held.project_id = {{project}}))
"""
# A label that was changed after its labeler saw the model's scores is not a second opinion.
LEARNED = f"""
    label.finish_reason = ANY(%(finish)s) AND NOT label.edited_after_reveal AND (%(surplus)s OR NOT label.surplus)
    AND (%(hasty)s OR NOT {HASTY})
    AND {NOT_IMPORTED} AND {fill(MAY_BE_LEARNED, project="label.project_id")}
"""
# With `majority`, one label of a trace stands for all: the first with the most frequent verdict; none if verdicts tie.
# `formats.training.majority` does the same in memory, for runs that were frozen before it was chosen here.
OF_MAJORITY = """
    votes AS (
        SELECT trace_id, verdict, count(*) AS labels, min(id) AS id FROM {labels}
        WHERE %(majority)s AND verdict IS NOT NULL GROUP BY trace_id, verdict
    ), standing AS (
        SELECT min(id) AS id FROM (
            SELECT trace_id, id, rank() OVER (PARTITION BY trace_id ORDER BY labels DESC) AS place FROM votes) AS ranked
        WHERE place = 1 GROUP BY trace_id HAVING count(*) = 1
    )
"""
STANDS = "(NOT %(majority)s OR id IN (SELECT id FROM standing))"
LEARNED_IDS = f"""
    learnable AS (
        SELECT label.id, label.verdict, trace.id AS trace_id, problem.id AS problem_id {LABELS} AND {LEARNED}
    ), {fill(OF_MAJORITY, labels="learnable")}
    SELECT string_agg(int8send(id), ''::bytea ORDER BY problem_id, trace_id, id) FROM learnable WHERE {STANDS}
"""
# Steps are counted by their labels' own ratings, which are those that the round's protocol allows; alternatives are
# counted apart, by rating. Labels whose ratings the switches change are `reread`: identical ones are returned once,
# with their number.
COUNTS = f"""
    found AS (
        SELECT label.id, label.verdict, trace.id AS trace_id, problem.id AS problem_id, ({LEARNED}) AS learnable,
            ({fill(IN_EVALUATION_SPLIT, problem="problem")}) AS in_evaluation_split,
            label.finish_reason = ANY(%(finish)s) AS finished, {HASTY} AS hasty, trace.outcome,
            CASE WHEN NOT {NOT_IMPORTED} THEN 'imported' WHEN label.surplus AND NOT %(surplus)s THEN 'surplus'
                WHEN {HASTY} AND NOT %(hasty)s THEN 'hasty' ELSE 'other' END AS because
        {LABELS}
    ), {fill(OF_MAJORITY, labels="(SELECT * FROM found WHERE learnable) AS learnable")}, placed AS (
        SELECT *, learnable AND {STANDS} AS learned FROM found
    ), others AS (
        SELECT CASE WHEN learnable THEN 'majority' ELSE because END AS because FROM placed
        WHERE finished AND NOT learned AND NOT in_evaluation_split
    ), rated AS (
        SELECT placed.id, step.step_index, step.rating
        FROM placed JOIN labeling_steplabel AS step ON step.label_id = placed.id
        WHERE placed.learned AND step.completion_id IS NULL AND step.rating IS NOT NULL
    ), switched AS (
        SELECT id FROM rated WHERE %(neutral)s <> 'positive' AND rating = 0
        UNION SELECT label.id FROM placed JOIN labeling_label AS label USING (id)
        WHERE placed.learned AND %(written)s AND label.extra #> %(said_written)s::text[] <> '[]'
    ), steps AS (
        SELECT count(*) AS steps, count(*) FILTER (WHERE rating = -1) AS wrong FROM rated
        WHERE id NOT IN (SELECT id FROM switched)
    ), own AS (
        SELECT id, array_agg(step_index ORDER BY step_index) AS places, array_agg(rating ORDER BY step_index) AS ratings
        FROM rated JOIN switched USING (id) GROUP BY id
    ), reread AS (
        SELECT round.protocol, cardinality(trace.steps) AS length, own.places, own.ratings,
            label.extra #> %(said_written)s::text[] AS written, count(*) AS labels
        FROM switched JOIN labeling_label AS label USING (id) LEFT JOIN own USING (id)
        JOIN labeling_task AS task ON task.id = label.task_id JOIN labeling_trace AS trace ON trace.id = task.trace_id
        JOIN labeling_round AS round ON round.id = task.round_id
        GROUP BY round.protocol, length, own.places, own.ratings, written
    )
    SELECT count(*), count(*) FILTER (WHERE learned), count(DISTINCT problem_id) FILTER (WHERE learned),
        count(*) FILTER (WHERE in_evaluation_split AND finished),
        count(DISTINCT problem_id) FILTER (WHERE in_evaluation_split AND finished),
        count(*) FILTER (WHERE NOT finished),
        count(*) FILTER (WHERE hasty AND finished AND NOT in_evaluation_split),
        (SELECT steps FROM steps), (SELECT wrong FROM steps),
        (SELECT coalesce(jsonb_object_agg(because, labels), '{{}}') FROM (
            SELECT because, count(*) AS labels FROM others GROUP BY because) AS by_reason),
        (SELECT coalesce(jsonb_agg(to_jsonb(reread)), '[]') FROM reread),
        (SELECT coalesce(jsonb_object_agg(rating, rated), '{{}}') FROM (
            SELECT step.rating, count(*) AS rated
            FROM placed JOIN labeling_steplabel AS step ON step.label_id = placed.id
            WHERE %(alternatives)s AND placed.learned AND step.completion_id IS NOT NULL AND step.rating IS NOT NULL
            GROUP BY step.rating) AS by_rating),
        count(*) FILTER (WHERE learned AND outcome = 'correct'), count(*) FILTER (WHERE learned AND outcome = 'wrong')
    FROM placed
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
LABEL_IDS = f"WITH {fill(LEARNED_IDS, stands=EACH_STANDS)}"
PREVIEW = f"WITH {fill(COUNTS, stands=EACH_STANDS)}"
# The same with one label per task, chosen as exports of adjudicated labels do: a ruling replaces the labels.
ADJUDICATED_IDS = f"{ADJUDICATED}, {fill(LEARNED_IDS, stands=CHOSEN_STANDS)}"
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
    "reread",
    "alternatives",
    "right_answers",
    "wrong_answers",
)
# Why finished labels by people, on problems that are usually learned from, are left out: each has one reason.
LEFT_OUT = ("imported", "surplus", "hasty", "majority", "other")


def too_few_answers(counts: Mapping[str, Any]) -> str:
    """Return why no model of outcomes can be trained on the labels that `preview` counted; empty if one can."""
    right, wrong = counts["right_answers"], counts["wrong_answers"]
    if min(right, wrong) >= LEAST:
        return ""
    return (
        f"Outcomes are learned from traces with a graded answer. These rounds have {right:,} labels of right and"
        f" {wrong:,} of wrong answers to learn from, and two of each are needed. Grade answers, or choose more rounds."
    )


def label_ids(project: Project, round_ids: Sequence[int], switches: Mapping[str, str]) -> "array[int]":
    """Return the labels that a run over these rounds learns from, trace by trace; eight bytes each. Two queries."""
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
    """Return what such a run would learn from, leave for evaluations, and leave out, by LEFT_OUT. Two queries."""
    with connection.cursor() as cursor:
        statement = ADJUDICATED_PREVIEW if switches["aggregate"] == "adjudicated" else PREVIEW
        cursor.execute(statement, _asked(project, round_ids, switches))
        counts = dict(zip(COUNTED, cursor.fetchone(), strict=True))
    for alike in json.loads(counts.pop("reread")):
        counted = _ratings_of(alike, switches)
        counts["steps"] += alike["labels"] * sum(rating is not None for rating in counted)
        counts["wrong_steps"] += alike["labels"] * counted.count(-1)
    for given, rated in json.loads(counts.pop("alternatives")).items():
        (rating,) = apply_neutral_switch([int(given)], switches["neutral"])
        counts["steps"] += rated * (rating is not None)
        counts["wrong_steps"] += rated * (rating == -1)
    left_out = json.loads(counts["left_out"])
    return counts | {"left_out": {why: left_out.get(why, 0) for why in LEFT_OUT}}


def _ratings_of(alike: Mapping[str, Any], switches: Mapping[str, str]) -> list[int | None]:
    """Return what a run learns from such a label, as its rows are written."""
    own = dict(zip(alike["places"] or (), alike["ratings"] or (), strict=True))
    ratings = [own.get(step) for step in range(alike["length"])]
    ratings = with_written(ratings, alike["written"] or (), switches["human_steps"])
    return counted_ratings(ratings, alike["protocol"], switches["neutral"])


def too_little(counts: Mapping[str, Any], switches: Mapping[str, str]) -> str:
    """Return why no PRM can be trained on the labels that `preview` counted; empty if one can.

    A trainer needs steps of both kinds, and problems to fit on and to measure on (`worker.prm.fit_head.split_of`).
    """
    right, wrong = counts["steps"] - counts["wrong_steps"], counts["wrong_steps"]
    fewest = LEAST if switches["neutral"] == "positive" else 1  # else neutral steps may count as wrong, or not
    if counts["learned"] and min(right, wrong) >= fewest and counts["problems"] >= LEAST:
        return ""
    labels = "1 label" if counts["labels"] == 1 else f"{counts['labels']:,} labels"
    why = f"These rounds have {labels}; {counts['learned']:,} of them can be learned from"
    if counts["learned"] and not (right and wrong):
        why += f", with {right:,} right and {wrong:,} wrong steps, and both kinds are needed"
    elif counts["learned"]:
        problems = "1 problem" if counts["problems"] == 1 else f"{counts['problems']:,} problems"
        why += f", on {problems} with {right:,} right and {wrong:,} wrong steps: at least two of each are needed"
    return (
        f"{why}. Labels on the {counts['problems_in_evaluation_split']:,} problems of the "
        "evaluation split are never learned from. "
        "Label more traces, or choose more rounds."
    )


def frozen_labels(run: TrainingRun) -> Iterator[ExportedLabel]:
    """Yield the labels of a run in their frozen order; memory holds one chunk."""
    ids = unpacked_ids(TrainingRun.objects.values_list("label_ids", flat=True).get(pk=run.pk))
    for start in range(0, len(ids), CHUNK):
        chunk = ids[start : start + CHUNK]
        labels = {label.id: label for label in labels_to_write(run.project, chunk, False)}
        drawn = _drawn(chunk)
        yield from (labels[pk]._replace(drawn=drawn[pk]) for pk in chunk)


def _drawn(ids: Sequence[int]) -> dict[int, Drawn]:
    """Return how the traces of these labels came into their rounds."""
    with connection.cursor() as cursor:
        cursor.execute(DRAWN, [list(Task.BY_CHANCE), list(ids)])
        return {pk: Drawn(round_id, by_chance) for pk, round_id, by_chance in cursor.fetchall()}


def learned_texts(run: TrainingRun) -> dict[str, list[str]]:
    """Return the hashes of the problems and traces that a run learned from, in hex, for its meta.json. Two queries."""
    ids = unpacked_ids(TrainingRun.objects.values_list("label_ids", flat=True).get(pk=run.pk))
    with connection.cursor() as cursor:
        cursor.execute(LEARNED_TEXTS, [list(ids)])
        problems, traces = cursor.fetchone()
    return {"problems": problems or [], "traces": traces or []}


def _asked(project: Project, round_ids: Sequence[int], switches: Mapping[str, str]) -> dict[str, Any]:
    included = {
        name: switches.get(name) != "exclude" for name in ("surplus", "imported", "hasty")
    }  # older runs have fewer switches
    about = {"project": project.pk, "rounds": list(round_ids), "finish": list(FINISH), **included}
    about |= {"alternatives": switches.get("alternatives") == "rows"}
    about |= {"majority": switches["aggregate"] == "majority", "neutral": switches.get("neutral", "positive")}
    about |= {"written": switches.get("human_steps") != "exclude", "said_written": [EXTRA_KEY, "human_steps"]}
    return about | {"floor": project_floor_ms(project)}
