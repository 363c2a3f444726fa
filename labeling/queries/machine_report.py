"""What showing a machine's marks to labelers did.

Marks shown after the label: how often labelers changed it. Marks shown next to the steps: how much faster labelers
were, and how far they followed wrong marks, compared with tasks that showed nothing.

The truth about a trace is the newest ruling, else what people who saw no marks said in other rounds, else what imports
recorded. Where the data cannot support a figure, the report says why.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from django.db import connection

from labeling.configs import ShownMarks
from labeling.metrics.assistance import AssistedRoundLabel, beside_marks, share_where
from labeling.models import Project, Round, StepScorer
from labeling.queries.first_errors import PEOPLE, RECORDED, first_error_sql
from labeling.queries.haste import MS
from labeling.queries.sql_slots import fill
from labeling.statistics.intervals import Estimate

Json = dict[str, Any]
# By people who saw no marks: rulings, and labels of other rounds.
ELSEWHERE = fill(PEOPLE, which="(label.status = 'ruling' OR round.id <> %(round)s)")
LABELS = """
    SELECT trace.id, trace.problem_id, task.assisted, label.verdict, {ms},
        label.scores_revealed_at IS NOT NULL, label.edited_after_reveal, label.before_reveal IS NOT NULL,
        (label.before_reveal ->> 'verdict')::int,
        (label.before_reveal ->> 'finish_reason') IS DISTINCT FROM label.finish_reason, {said},
        coalesce(people.first_error, recorded.first_error)
    FROM labeling_label AS label JOIN labeling_task AS task ON task.id = label.task_id
    JOIN labeling_trace AS trace ON trace.id = task.trace_id
    LEFT JOIN labeling_score AS score ON score.trace_id = trace.id AND score.scorer_id = %(scorer)s
    LEFT JOIN ({people}) AS people ON people.trace_id = trace.id
    LEFT JOIN ({recorded}) AS recorded ON recorded.trace_id = trace.id
    WHERE task.round_id = %(round)s AND task.kind = 'work' AND label.status = 'submitted' AND NOT label.surplus
    ORDER BY label.id
"""


def machine_report(round_: Round) -> Json | None:
    """Return the report of a round that shows marks; None for any other round. One query."""
    shown = round_.shown_marks
    if shown is None:
        return None
    source = StepScorer.objects.get(pk=shown.source)
    labels = _labels(round_, shown)
    figures = _after(labels) if shown.when == "after" else _beside(labels)
    blind = sum(one.assisted is False for one in labels)
    counted = {"labels": len(labels), "seen": sum(one.seen for one in labels), "blind": blind}
    return {"source": source, "when": shown.when, **counted, "figures": figures}


def _labels(round_: Round, shown: ShownMarks) -> list[AssistedRoundLabel]:
    slots = {"ms": MS, "said": first_error_sql("score"), "people": ELSEWHERE, "recorded": RECORDED}
    about = {"project": round_.project_id, "round": round_.pk, "scorer": shown.source}
    with connection.cursor() as cursor:
        cursor.execute(fill(LABELS, **slots), about)
        return [AssistedRoundLabel(*row) for row in cursor.fetchall()]


def _after(labels: Sequence[AssistedRoundLabel]) -> list[Json]:
    """Return the figures of labels whose labelers were shown a mark after giving their own."""
    seen = [one for one in labels if one.was_blind and one.machine is not None]
    differed = [one for one in seen if one.before != one.machine]
    known = [one for one in seen if one.truth is not None]
    right = [one for one in known if one.before == one.truth]
    nobody = "nobody was shown a mark yet"
    no_truth = "nothing shows which was right: no ruling, no label from another round, no recorded first error"
    return [
        _share("changed", seen, lambda one: one.changed, nobody),
        _share("changed_where_it_differed", differed, lambda one: one.changed, "no mark that was shown differed"),
        _share("changed_to_the_machine", differed, lambda one: one.changed and one.verdict == one.machine,
               "no mark that was shown differed"),
        _share("right_before", known, lambda one: one.before == one.truth, no_truth if seen else nobody),
        _share("right_after", known, lambda one: one.verdict == one.truth, no_truth if seen else nobody),
        _share("right_given_up", right, lambda one: one.verdict != one.truth, no_truth if seen else nobody),
    ]  # fmt: skip


def _beside(labels: Sequence[AssistedRoundLabel]) -> list[Json]:
    """Compare the tasks that showed marks with those that showed nothing."""
    return [_named(*one) for one in beside_marks(labels)]


def assisted_labels(project: Project) -> Iterator[AssistedRoundLabel]:
    """Yield the labels of all the project's rounds that show marks next to the steps. One query per round."""
    for round_ in Round.objects.filter(project=project, machine__when="beside").order_by("pk"):
        shown = round_.shown_marks
        if shown is not None:
            yield from _labels(round_, shown)


def _share(
    name: str, labels: Sequence[AssistedRoundLabel], yes: Callable[[AssistedRoundLabel], bool], why: str
) -> Json:
    return _named(name, share_where(labels, yes), why)


def _named(name: str, found: Estimate, why: str) -> Json:
    return {"name": name, **asdict(found), "why": "" if found.value is not None else why}
