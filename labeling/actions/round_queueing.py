"""Puts a plain round's traces on the queue: a small round's in the request, a large one's by a worker."""

from django.db import connection, transaction
from django.db.models import QuerySet

from labeling.actions.gold import gold_traces_for_round
from labeling.actions.jobs import Lease
from labeling.actions.label_slots import note_growth
from labeling.models import Round, RoundChunk, Trace
from labeling.queries.rounds import ORDER_KEY, traces_of_plain_round
from labeling.queries.sql_slots import fill

# Written in the order of the queue: ids then say neither which trace came first nor which task is gold. So the round is
# one statement, and one chunk, however large it is.
QUEUE_TRACES = """
    INSERT INTO labeling_task (round_id, trace_id, kind, reason, order_key, labels_wanted)
    SELECT %s, pool.pk, pool.kind, CASE pool.kind WHEN 'work' THEN %s ELSE 'gold' END, {order_key} AS order_key,
        CASE pool.kind WHEN 'work' THEN %s ELSE 0 END
    FROM (SELECT pk, 'work' AS kind FROM ({pool}) AS work UNION ALL SELECT unnest(%s::bigint[]), 'gold') AS pool
    ORDER BY order_key
"""


@transaction.atomic
def queue_chunk(chunk: RoundChunk, lease: Lease) -> int:
    """Put the round's traces on the queue, if they are not there yet; how many there are."""
    lease.require()
    round_ = Round.objects.select_related("project").get(pk=chunk.round_id)
    if not round_.task_count:
        queue_traces(round_, traces_of_plain_round(round_))
        lease.require()
    return round_.task_count


def queue_traces(round_: Round, traces: QuerySet[Trace]) -> None:
    """One task per trace, and the gold, in the round's seeded order; writes the round's counts."""
    work = traces.order_by().values("pk")
    gold = gold_traces_for_round(round_.project, work.count())
    pool, parameters = work.query.sql_with_params()
    config = round_.plain_config
    reason = "sample" if config.sample_size else config.source
    with connection.cursor() as cursor:
        cursor.execute(
            fill(QUEUE_TRACES, order_key=fill(ORDER_KEY, id="pool.pk"), pool=pool),
            [round_.pk, reason, str(round_.seed), round_.overlap, *parameters, gold],
        )
        tasks = cursor.rowcount
    round_.task_count, round_.gold_count = tasks - len(gold), len(gold)
    round_.save(update_fields=["task_count", "gold_count"])
    note_growth(tasks)
