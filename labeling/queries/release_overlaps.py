"""The contamination check: which of a release's problems are held out, or similar to one that is.

Held out are the lists that the operator loaded (`manage.py load_held_out`) and the project's own held-out problems. A
list of bare hashes allows only exact comparison; `by_hash_alone` says how many of its texts are known only that way.
"""

from array import array
from collections.abc import Iterator
from typing import Any

from django.db import connection
from django.db.models import Count, Q

from labeling.formats.normalise import normalised_text
from labeling.models import HeldOutText, Problem, Project
from labeling.selection.near_texts import NearTexts

MOST_LISTED = 1000
SHOWN = 300  # characters of a text
OWN = "held out in this project"

PROBLEMS = """
    WITH released AS (
        SELECT trace.problem_id AS id, count(*) AS labels FROM labeling_label AS label
        JOIN labeling_task AS task ON task.id = label.task_id
        JOIN labeling_trace AS trace ON trace.id = task.trace_id
        WHERE label.id = ANY(%(ids)s::bigint[]) GROUP BY trace.problem_id
    )
    SELECT problem.id, problem.external_id, problem.text, released.labels, coalesce(
        (SELECT min(held.name) FROM labeling_heldouttext AS held WHERE held.text_hash = problem.text_hash
            AND (held.project_id IS NULL OR held.project_id = problem.project_id)),
        CASE WHEN problem.split = 'held_out' THEN %(own)s END)
    FROM released JOIN labeling_problem AS problem ON problem.id = released.id ORDER BY problem.id
"""
# For each of the project's evaluation sets, the number of its problems that the release offers for training.
MEASURED = """
    SELECT evaluation_set.name, count(DISTINCT item.problem_id)
    FROM labeling_label AS label
    JOIN labeling_task AS task ON task.id = label.task_id
    JOIN labeling_trace AS trace ON trace.id = task.trace_id
    JOIN labeling_problem AS problem ON problem.id = trace.problem_id AND problem.split = 'train'
    JOIN labeling_evaluationitem AS item ON item.problem_id = problem.id
    JOIN labeling_evaluationset AS evaluation_set ON evaluation_set.id = item.evaluation_set_id
    WHERE label.id = ANY(%(ids)s::bigint[]) AND evaluation_set.project_id = %(project)s
    GROUP BY evaluation_set.id, evaluation_set.name ORDER BY evaluation_set.id
"""
Json = dict[str, Any]


def overlaps_of(project: Project, ids: "array[int]") -> Json:
    """Return which of these labels' problems are held out, exactly or nearly: counts, compared lists and problems.

    `measured` counts the problems for training that an evaluation set of the project measures on.
    """
    near = NearTexts(_held_texts(project))
    problems, found = 0, []
    for pk, external_id, text, labels, name in _problems(ids):
        problems += 1
        about = {"problem": pk, "external_id": external_id, "text": text[:SHOWN], "labels": labels}
        if name is not None:
            found.append({**about, "kind": "exact", "held_out": name, "similarity": 1.0, "near_to": None})
        elif nearest := near.nearest(normalised_text(text)):
            beside = {"held_out": nearest.name, "near_to": nearest.text[:SHOWN]}
            found.append({**about, "kind": "near", **beside, "similarity": round(nearest.similarity, 3)})
    kinds = {kind: [one for one in found if one["kind"] == kind] for kind in ("exact", "near")}
    return {
        "problems": problems,
        "lists": compared_lists(project),
        **{kind: len(rows) for kind, rows in kinds.items()},
        "labels": sum(one["labels"] for one in found),
        "rows": found[:MOST_LISTED],
        "measured": _measured(project, ids),
    }


def _measured(project: Project, ids: "array[int]") -> list[Json]:
    with connection.cursor() as cursor:
        cursor.execute(MEASURED, {"ids": list(ids), "project": project.pk})
        return [{"name": name, "problems": problems} for name, problems in cursor.fetchall()]


def _problems(ids: "array[int]") -> Iterator[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(PROBLEMS, {"ids": list(ids), "own": OWN})
        while rows := cursor.fetchmany(5_000):
            yield from rows


def _known_here(project: Project) -> Q:
    return Q(project=None) | Q(project=project)


def _held_texts(project: Project) -> Iterator[tuple[str, str]]:
    lists = HeldOutText.objects.filter(_known_here(project)).exclude(text="")
    yield from lists.order_by("pk").values_list("name", "text").iterator()
    own = Problem.objects.filter(project=project, split=Problem.Split.HELD_OUT).order_by("pk")
    for text in own.values_list("text", flat=True).iterator():
        yield OWN, normalised_text(text)


def compared_lists(project: Project) -> list[Json]:
    """Return what a release is compared with: each list, its number of texts, and how many are known only by hash."""
    rows = HeldOutText.objects.filter(_known_here(project)).values("name")
    counted = rows.annotate(texts=Count("pk"), by_hash_alone=Count("pk", filter=Q(text=""))).order_by("name")
    own = Problem.objects.filter(project=project, split=Problem.Split.HELD_OUT).count()
    return [*map(dict, counted), {"name": OWN, "texts": own, "by_hash_alone": 0}]
