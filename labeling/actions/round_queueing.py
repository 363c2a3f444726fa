"""Queues a plain round's traces: for a small round in the request, for a large one by a worker."""

from django.db import connection, transaction
from django.db.models import QuerySet

from labeling.actions.gold import gold_traces_for_round
from labeling.actions.jobs import Lease
from labeling.actions.label_slots import note_growth
from labeling.actions.round_selection import ADD_TASKS
from labeling.models import Round, RoundChunk, Trace
from labeling.queries.disagreements import disagreements
from labeling.queries.gold import is_gold
from labeling.queries.rounds import ORDER_KEY, traces_of_plain_round, usable_traces
from labeling.queries.sql_slots import fill

# Written in the order of the queue, so that ids reveal neither which trace came first nor which task is gold. Hence the
# round is one statement, and one chunk, however large it is.
QUEUE_TRACES = """
    INSERT INTO labeling_task (round_id, trace_id, kind, reason, order_key, labels_wanted)
    SELECT %s, pool.pk, pool.kind, CASE pool.kind WHEN 'work' THEN %s ELSE 'gold' END, {order_key} AS order_key,
        CASE pool.kind WHEN 'work' THEN %s ELSE 0 END
    FROM (SELECT pk, 'work' AS kind FROM ({pool}) AS work UNION ALL SELECT unnest(%s::bigint[]), 'gold') AS pool
    ORDER BY order_key
"""
# The first 32 bits of md5("seed:beside:trace") as a share: the same on every machine and version.
DRAW_ASSISTED = """
    UPDATE labeling_task SET assisted = ('x' || substr(md5(%(seed)s::text || ':beside:' || trace_id::text), 1, 8))
        ::bit(32)::bigint / 4294967296.0 >= %(blind)s
    WHERE round_id = %(round)s
"""


@transaction.atomic
def queue_chunk(chunk: RoundChunk, lease: Lease) -> int:
    """Queue the round's traces, if they are not queued yet. Returns how many there are."""
    lease.require()
    round_ = Round.objects.select_related("project").get(pk=chunk.round_id)
    if not round_.task_count:
        queue_traces(round_, traces_of_plain_round(round_))
        lease.require()
    return round_.task_count


def queue_traces(round_: Round, traces: QuerySet[Trace]) -> None:
    """Create one task per trace, and the gold, in the round's seeded order, and write the round's counts."""
    config = round_.plain_config
    if config.source == "disagreement":
        gold = _gold(round_, config.sample_size or 0)
        tasks = _queue_disagreements(round_, gold)
    else:
        gold = _gold(round_, traces.order_by().values("pk").count())
        tasks = _queue_all(round_, traces, gold)
    if round_.machine:
        _draw_assisted(round_)
    round_.task_count, round_.gold_count = tasks - len(gold), len(gold)
    round_.save(update_fields=["task_count", "gold_count"])
    note_growth(tasks)


def _gold(round_: Round, tasks: int) -> list[int]:
    """Return the gold traces: none if marks are shown, as gold without them, or with others, would stand out."""
    return [] if round_.machine else gold_traces_for_round(round_.project, tasks)


def _queue_all(round_: Round, traces: QuerySet[Trace], gold: list[int]) -> int:
    pool, parameters = traces.order_by().values("pk").query.sql_with_params()
    statement = fill(QUEUE_TRACES, order_key=fill(ORDER_KEY, id="pool.pk"), pool=pool)
    config = round_.plain_config
    reason = "sample" if config.sample_size and config.source != "audit" else config.source
    with connection.cursor() as cursor:
        cursor.execute(statement, [round_.pk, reason, str(round_.seed), round_.overlap, *parameters, gold])
        return cursor.rowcount


def _queue_disagreements(round_: Round, gold: list[int]) -> int:
    """Create the tasks. Each records its arm, and how far apart the two that disagree are."""
    usable = usable_traces(round_.project, round_.plain_config.filter).filter(~is_gold(), replaced_by=None)
    chosen = disagreements(usable, round_.project, round_.plain_config)
    rows = [(one.id, one.reason, one.rank, one.score) for one in chosen]
    columns = [list(column) for column in zip(*rows, *((trace, "gold", None, None) for trace in gold), strict=True)]
    statement = fill(ADD_TASKS, order_key=fill(ORDER_KEY, id="chosen.trace"))
    with connection.cursor() as cursor:
        cursor.execute(statement, [round_.pk, str(round_.seed), round_.overlap, *columns])
        return cursor.rowcount


def _draw_assisted(round_: Round) -> None:
    """Set for each task whether its labelers see marks next to the steps: by seed and trace alone."""
    shown = round_.shown_marks
    if shown is not None and shown.when == "beside":
        with connection.cursor() as cursor:
            cursor.execute(DRAW_ASSISTED, {"round": round_.pk, "seed": round_.seed, "blind": shown.blind_share})
