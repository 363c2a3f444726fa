"""Chooses a staged round's tasks, and chooses again on request until they are published."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from django.db import connection, transaction
from django.db.models import Sum

from labeling import queries
from labeling.actions import audit_log
from labeling.actions.gold import gold_traces_for_round
from labeling.actions.jobs import wake_worker
from labeling.actions.label_slots import note_growth
from labeling.actions.round_stages import ADVANCE, refuse_second_round
from labeling.configs.stages import SELECTING, WORKING
from labeling.errors import RoundNotInStatus
from labeling.models import Round, RoundChunk, User
from labeling.queries.planner import note_written
from labeling.queries.scored_pool import Pool
from labeling.queries.selection import choose
from labeling.queries.selection_summary import summarise
from labeling.queries.sql_slots import fill
from labeling.selection import Choice, Rules

# Written in the order of the queue, so that ids reveal neither which trace was chosen first nor which task is gold.
ADD_TASKS = """
    INSERT INTO labeling_task (round_id, trace_id, kind, reason, rank, score, order_key, labels_wanted)
    SELECT %s, chosen.trace, CASE chosen.reason WHEN 'gold' THEN 'gold' ELSE 'work' END, chosen.reason, chosen.rank,
        chosen.score, {order_key} AS order_key, CASE chosen.reason WHEN 'gold' THEN 0 ELSE %s END
    FROM unnest(%s::bigint[], %s::text[], %s::int[], %s::float8[]) AS chosen (trace, reason, rank, score)
    ORDER BY order_key
    ON CONFLICT DO NOTHING
"""


def select_traces(round_: Round, stop: Callable[[], None] = lambda: None) -> None:
    """Choose the round's tasks by its rules, and write them and `Round.selection` in one transaction.

    Changes nothing if this is done already, or no longer the round's turn. If nothing can be selected, writes only
    `Round.selection`, where `dropped` says why. `stop` is called between pieces of work and may raise.
    """
    if round_.task_count and round_.selection is not None:
        return
    started = time.perf_counter()
    pool = pool_of(round_)
    written = RoundChunk.objects.filter(round=round_).aggregate(total=Sum("total"))["total"] or 0
    with connection.cursor() as cursor:  # by the stages before this one, a chunk at a time
        note_written(cursor, "labeling_score", written)
    found = choose(pool, rules_of(round_), stop=stop)
    seconds = time.perf_counter() - started
    summary = summarise(pool, found, stop=stop) | {"seconds": round(seconds, 3)}
    stop()
    _write(round_, found.chosen, summary)


@transaction.atomic
def reselect_round(round_: Round, *, by: User | None, rules: Rules) -> Round:
    """Have a worker choose an unpublished round's tasks again, by other rules.

    The existing tasks are removed at once. This also works for a round that failed because nothing could be selected.
    Raises RoundNotInStatus, RoundRunning, InvalidFields (mix, control_share).
    """
    queries.mixes.require_mix(round_.project, round_.scorer, rules)
    locked = Round.objects.select_for_update(no_key=True).select_related(None).get(pk=round_.pk)
    nothing_selected = locked.status == Round.Status.FAILED and locked.planned == SELECTING.name
    if locked.status != Round.Status.READY and not nothing_selected:
        raise RoundNotInStatus(
            f"Round {locked.number} is {locked.get_status_display().lower()}. "
            "You can only select again for a round that is ready and not yet published.",
            status=locked.status,
        )
    refuse_second_round(round_.project, but=round_)
    changed = {
        "config": locked.staged_config.with_rules(rules).as_json(),
        "seed": rules.seed,
        "selection": None,
        "task_count": 0,
        "gold_count": 0,
        "status": SELECTING.status,
        "resume_to": "",
        "error": "",
    }
    _drop_tasks(locked)
    for name, value in changed.items():
        setattr(round_, name, value)
    round_.save(update_fields=list(changed))
    chunk = RoundChunk.objects.filter(round=round_, stage=SELECTING.name)
    chunk.update(status=RoundChunk.Status.QUEUED, attempts=0, done=0, lease_token=None, leased_until=None, error="")
    audit_log.record(
        "round.reselect", actor=by, project=round_.project, target=f"round {round_.number}", **asdict(rules)
    )
    wake_worker(ADVANCE, round_.pk)
    return round_


def pool_of(round_: Round) -> Pool:
    """Return the pool that the round froze once its traces existed."""
    config = round_.staged_config
    last = config.inputs.last_trace_id if config.inputs else None
    return Pool(round_.project, round_.scorer_id, config.filter, last, but_round=round_.pk)


def rules_of(round_: Round) -> Rules:
    """Return the rules that the round was started or last selected with."""
    return round_.staged_config.rules(round_.seed)


@transaction.atomic
def _write(round_: Round, chosen: Sequence[Choice], summary: dict[str, Any]) -> None:
    locked = Round.objects.select_for_update(no_key=True).get(pk=round_.pk)
    asked_otherwise = (locked.config, locked.seed) != (round_.config, round_.seed)
    if locked.status not in WORKING or asked_otherwise or locked.task_count:
        return
    _drop_tasks(locked)
    order_key = fill(queries.rounds.ORDER_KEY, id="chosen.trace")
    gold = gold_traces_for_round(round_.project, len(chosen))
    rows = [(one.id, one.reason, one.rank, one.score) for one in chosen]
    columns = zip(*rows, *((trace, "gold", None, None) for trace in gold), strict=True)
    with connection.cursor() as cursor:
        if chosen:
            arrays = [list(column) for column in columns]
            statement = fill(ADD_TASKS, order_key=order_key)
            # The seed is the first parameter of ORDER_KEY, and comes between the round and the slots wanted.
            cursor.execute(statement, [round_.pk, str(round_.seed), round_.overlap, *arrays])
    note_growth(len(chosen))
    round_.selection, round_.task_count, round_.gold_count = summary, len(chosen), len(gold)
    round_.save(update_fields=["selection", "task_count", "gold_count"])
    audit_log.record(
        "round.select",
        actor=None,
        project=round_.project,
        target=f"round {round_.number}",
        **{name: summary[name] for name in ("chosen", "dropped", "shortfall", "fell_back_to_random")},
    )


def _drop_tasks(round_: Round) -> None:
    """Delete the round's tasks. Nobody was ever offered them, so they have no labels."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM labeling_task WHERE round_id = %s", [round_.pk])
