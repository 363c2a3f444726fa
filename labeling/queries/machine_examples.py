"""The machine labels that train a PRM along with human labels: traces rated up to the first error a source names.

A trace that people teach in the same run is left to them alone. A problem that is only measured on stays so, whoever
marked it. Rows carry their source and its weight; figures are of people's rows only (worker/prm/fit_head.py).
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import orjson
from django.db import connection

from labeling.formats.exporting import CORRECT
from labeling.formats.training import as_read, characters_observed
from labeling.models import TrainingRun
from labeling.protocol.interface import NO_ERROR
from labeling.queries.exports import unpacked_ids
from labeling.queries.first_errors import first_error_sql
from labeling.queries.sql_slots import fill
from labeling.queries.training_examples import MAY_BE_LEARNED

Json = dict[str, Any]
CHUNK = 1000  # traces in memory at once

TAUGHT_BY_PEOPLE = """
    SELECT DISTINCT task.trace_id FROM labeling_label AS label JOIN labeling_task AS task ON task.id = label.task_id
    WHERE label.id = ANY(%s::bigint[])
"""
MARKED = f"""
    SELECT trace.id, problem.id, problem.text, trace.generator, trace.steps, trace.outcome, {first_error_sql("score")},
        score.evidence -> 'progress', encode(problem.text_hash, 'hex'), encode(trace.trace_hash, 'hex'),
        CASE WHEN %(observed)s THEN trace.typed_steps::text END
    FROM labeling_score AS score JOIN labeling_trace AS trace ON trace.id = score.trace_id
    JOIN labeling_problem AS problem ON problem.id = trace.problem_id
    WHERE score.scorer_id = %(scorer)s AND score.project_id = %(project)s AND trace.id > %(after)s
        AND trace.id <> ALL(%(theirs)s::bigint[]) AND {fill(MAY_BE_LEARNED, project="problem.project_id")}
    ORDER BY trace.id LIMIT %(chunk)s
"""


class MachineExample(NamedTuple):
    """A row of a source, with the hashes, in hex, of its problem and its trace."""

    row: Json
    problem: str
    trace: str


def machine_examples(run: TrainingRun) -> Iterator[MachineExample]:
    """Yield the rows source by source and trace by trace, ordered by id; memory holds one chunk."""
    progress = run.target == TrainingRun.Target.PROGRESS
    theirs = _taught_by_people(run) if run.sources and not progress else []
    for asked in run.sources:
        for row in _marked(run, asked["id"], theirs):
            if (found := (_gained if progress else _example)(row, asked)) is not None:
                yield _as_read(found, row, run)


def _taught_by_people(run: TrainingRun) -> list[int]:
    ids = unpacked_ids(TrainingRun.objects.values_list("label_ids", flat=True).get(pk=run.pk))
    with connection.cursor() as cursor:
        cursor.execute(TAUGHT_BY_PEOPLE, [list(ids)])
        return [trace for (trace,) in cursor.fetchall()]


def _marked(run: TrainingRun, scorer: int, theirs: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    after = 0
    about: Json = {"scorer": scorer, "project": run.project_id, "theirs": list(theirs), "chunk": CHUNK}
    about["observed"] = characters_observed(run.switches) is not None
    while True:
        with connection.cursor() as cursor:
            cursor.execute(MARKED, about | {"after": after})
            rows = cursor.fetchall()
        yield from rows
        if len(rows) < CHUNK:
            return
        after = rows[-1][0]


def _example(row: tuple[Any, ...], asked: Json) -> MachineExample | None:
    steps, first = row[4], row[6]
    if first is None or first >= len(steps):
        return None
    rated = len(steps) if first == NO_ERROR else first
    known = [1] * rated + [-1] * (first != NO_ERROR)
    return _row(row, asked, {"step_labels": [*known, *[None] * (len(steps) - len(known))]})


def _gained(row: tuple[Any, ...], asked: Json) -> MachineExample | None:
    """Return how each step changed the completer's chances. It is no rating; the first head learns nothing from it."""
    steps, progress = row[4], row[7]
    differences = [one["difference"] for one in orjson.loads(progress or "[]")]
    if len(differences) != len(steps) or all(one is None for one in differences):
        return None
    return _row(row, asked, {"step_labels": [None] * len(steps), "progress": differences})


def _as_read(found: MachineExample, row: tuple[Any, ...], run: TrainingRun) -> MachineExample:
    """Return the example with the steps of an agent's run as the PRM will read them."""
    typed = row[-1] and orjson.loads(row[-1])
    read = as_read(found.row["problem"], typed, found.row["steps"], run.switches)
    return found._replace(row=found.row | read)


def _row(row: tuple[Any, ...], asked: Json, said: Json) -> MachineExample:
    _trace, problem, text, generator, steps, outcome, _first, _progress, problem_hash, trace_hash, _typed = row
    found = {
        "problem_id": problem,
        "problem": text,
        "generator": generator or None,
        "steps": steps,
        **said,
        "final_answer_correct": CORRECT[outcome],
        "weight": asked["weight"],
        "source": asked["name"],
    }
    return MachineExample(found, problem_hash, trace_hash)
