"""Rounds whose labelers choose paths through problems: each problem gets a task for every path wanted."""

from collections.abc import Sequence
from typing import Any

import orjson
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from labeling import queries
from labeling.actions import audit_log
from labeling.actions.label_slots import note_growth
from labeling.configs import PathConfig
from labeling.errors import InvalidFields, NothingToQueue, ProjectArchived
from labeling.models import Gold, GoldPath, Project, Round, Task, User
from labeling.protocol.choose_step import CHOOSE_STEP
from labeling.queries.candidates import require_generator
from labeling.queries.gold_paths import gold_for_paths
from labeling.queries.paths import GIVEN, STARTING_STEPS, problems_for_paths
from labeling.queries.planner import note_written
from labeling.queries.rounds import ORDER_KEY
from labeling.queries.sql_slots import fill

MOST = 20_000  # paths per round
REASON = "path"  # of its tasks: a labeler gets one per problem
SOURCE = "choose_step"

# One trace per path, which holds only the starting steps until somebody has made the path.
MAKE_TRACES = """
    INSERT INTO labeling_trace (project_id, problem_id, external_id, source, generator, sampling, steps, outcome,
        grader_version, splitter_version, metadata, trace_hash, is_path)
    SELECT %(project)s, problem.id, '', %(source)s, %(generator)s,
        %(sampling)s::jsonb || jsonb_build_object(%(given)s::text, cardinality(start.steps)), start.steps, 'ungraded',
        '', '', '{}', sha256(convert_to(format('round %%s, problem %%s, path %%s', %(round)s::bigint, problem.id,
            copy.number), 'UTF8')), true
    FROM labeling_problem AS problem CROSS JOIN generate_series(%(first)s, %(last)s) AS copy (number)
    CROSS JOIN LATERAL (SELECT ARRAY(SELECT jsonb_array_elements_text({starting_steps})) AS steps) AS start
    WHERE problem.id = ANY(%(problems)s::bigint[])
    RETURNING id
"""
QUEUE = """
    INSERT INTO labeling_task (round_id, trace_id, kind, reason, order_key, labels_wanted)
    SELECT %s, made.id, CASE WHEN made.id = ANY(%s::bigint[]) THEN 'gold' ELSE 'work' END,
        CASE WHEN made.id = ANY(%s::bigint[]) THEN 'gold' ELSE %s END, {order_key} AS order_key,
        CASE WHEN made.id = ANY(%s::bigint[]) THEN 0 ELSE 1 END
    FROM unnest(%s::bigint[]) AS made (id) ORDER BY order_key
"""


@transaction.atomic
def open_path_round(
    project: Project, *, by: User | None, config: PathConfig, name: str = "", priority: int = 0
) -> Round:
    """Queue problems to be solved step by step. With the same `config.client_key` again, returns the round it opened.
    Raises NothingToQueue, ProjectArchived, InvalidFields (generator, sample_size).
    """
    project = Project.objects.select_for_update(no_key=True).get(pk=project.pk)  # assign numbers one at a time
    if config.client_key and (known := queries.rounds.opened_by(project, config.client_key)):
        return known
    if project.status == Project.Status.ARCHIVED:
        raise ProjectArchived
    if config.generator is not None:
        require_generator(config.generator.generator, config.generator.model)
    problems = problems_for_paths(project, config)[: MOST // config.paths + 1].count()
    if problems == 0:
        raise NothingToQueue("No problem fits. Import problems, or widen the filter.")
    if problems * config.paths > MOST:
        fault = f"A round holds {MOST:,} paths at most. Draw a sample of {MOST // config.paths:,} problems or fewer."
        raise InvalidFields(fields={"sample_size": [fault]})
    round_ = Round.objects.create(
        project=project,
        number=queries.rounds.next_number(project),
        name=name,
        status=Round.Status.LABELING,
        protocol=CHOOSE_STEP.name,
        priority=priority,
        seed=config.seed,
        config=config.as_json(),
        created_by=by,
        opened_at=timezone.now(),
    )
    _make_tasks(round_, config)
    about = {"target": f"round {round_.number}", **round_.config, "tasks": round_.task_count}
    audit_log.record("round.open", actor=by, project=project, **about)
    return round_


def _about(round_: Round) -> dict[str, Any]:
    asked = round_.path_config.generator
    return {
        "project": round_.project_id,
        "round": round_.pk,
        "source": SOURCE,
        "generator": asked.model if asked else "",
        "sampling": orjson.dumps({"round": round_.number, **(asked.as_json() if asked else {})}).decode(),
        "given": GIVEN,
    }


def _make_tasks(round_: Round, config: PathConfig) -> None:
    problems = list(problems_for_paths(round_.project, config).values_list("pk", flat=True))
    with connection.cursor() as cursor:
        traces = _make_traces(cursor, round_, problems, last=config.paths)
        gold = gold_for_paths(round_.project, min(round_.project.gold_per_round, len(traces)))
        golden = _make_traces(cursor, round_, [one.trace.problem_id for one in gold])
        note_written(cursor, "labeling_trace", len(traces))
        queue = fill(QUEUE, order_key=fill(ORDER_KEY, id="made.id"))
        cursor.execute(queue, [round_.pk, golden, golden, REASON, str(round_.seed), golden, [*traces, *golden]])
    _follow_gold(round_, gold)
    round_.task_count, round_.gold_count = len(traces), len(golden)
    round_.save(update_fields=["task_count", "gold_count"])
    note_growth(len(traces) + len(golden))


def add_path(round_: Round, problem_id: int, number: int) -> None:
    """Ask one more labeler for a problem of an open round. Their path is the problem's `number`th."""
    with connection.cursor() as cursor:
        made = _make_traces(cursor, round_, [problem_id], first=number, last=number)
        queue = fill(QUEUE, order_key=fill(ORDER_KEY, id="made.id"))
        cursor.execute(queue, [round_.pk, [], [], REASON, str(round_.seed), [], made])
    Round.objects.filter(pk=round_.pk).update(task_count=F("task_count") + 1)


def _make_traces(cursor: Any, round_: Round, problems: Sequence[int], *, first: int = 1, last: int = 1) -> list[int]:
    """Create traces of these problems for each one's paths `first` to `last`. Returns their ids."""
    about = _about(round_) | {"problems": list(problems), "first": first, "last": last}
    cursor.execute(fill(MAKE_TRACES, starting_steps=STARTING_STEPS), about)
    return [trace for (trace,) in cursor.fetchall()]


def _follow_gold(round_: Round, gold: Sequence[Gold]) -> None:
    tasks = Task.objects.filter(round=round_, kind=Task.Kind.GOLD)
    of_problem = dict(tasks.values_list("trace__problem", "pk"))
    GoldPath.objects.bulk_create(GoldPath(task_id=of_problem[one.trace.problem_id], gold=one) for one in gold)
