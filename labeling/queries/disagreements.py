"""The traces rounds draw by a machine's marks: all it marked (audit), or those on which it and others disagree."""

from django.db import connection
from django.db.models import Exists, IntegerField, OuterRef, QuerySet
from django.db.models.expressions import RawSQL

from labeling.configs import PlainConfig
from labeling.models import Project, Score, Trace
from labeling.queries.first_errors import LABELED, first_error_sql
from labeling.queries.sql_slots import fill
from labeling.selection.disagreements import ChosenTrace, DisagreementRules, Disputed, choose_disagreements

OTHER_SAID = "SELECT trace_id, {said} AS first_error FROM labeling_score AS other WHERE scorer_id = %(other)s"
BOTH = """
    SELECT trace.id, {said}, other.first_error, cardinality(trace.steps), trace.trace_hash
    FROM labeling_score AS score JOIN labeling_trace AS trace ON trace.id = score.trace_id
    JOIN ({other}) AS other ON other.trace_id = trace.id
    WHERE score.scorer_id = %(scorer)s AND trace.project_id = %(project)s AND other.first_error IS NOT NULL
        AND ({said}) IS NOT NULL AND other.first_error < cardinality(trace.steps)
"""


def marked_by(traces: QuerySet[Trace], scorer: int) -> QuerySet[Trace]:
    """Return those traces for which the scorer says where the first error is, or that there is none."""
    scores = Score.objects.filter(scorer=scorer, trace=OuterRef("pk"))
    says = scores.annotate(says=RawSQL(first_error_sql(), [], output_field=IntegerField())).filter(says__isnull=False)
    return traces.filter(Exists(says))


def disagreements(traces: QuerySet[Trace], project: Project, config: PlainConfig) -> list[ChosenTrace]:
    """Return those of the traces that a round of disagreements takes, in the order of choice. Two queries."""
    by, fitting = config.machine, set(traces.values_list("pk", flat=True))
    rules = DisagreementRules(config.sample_size or 0, config.seed, by.control_share, by.miss_costs)
    return choose_disagreements((one for one in _disputed(project, config) if one.id in fitting), rules)


def _disputed(project: Project, config: PlainConfig) -> list[Disputed]:
    by = config.machine
    other = LABELED if by.other is None else fill(OTHER_SAID, said=first_error_sql("other"))
    about = {"project": project.pk, "scorer": by.scorer.id, "other": by.other.id if by.other else None}
    with connection.cursor() as cursor:
        cursor.execute(fill(BOTH, said=first_error_sql("score"), other=other), about)
        return [
            Disputed(trace, one, other_one, steps, bytes(key))
            for trace, one, other_one, steps, key in cursor.fetchall()
        ]
