"""The list of a project's traces: found by words and by what is known about them, counted by facets, and ordered.

Words in steps are searched with Postgres' full text search (`TraceWords`; "…" is a phrase, `-` excludes), once a worker
has indexed them (`unsearched` counts the traces that wait for that). Problems are searched by `words_asked`, at once.
Steps and problem are searched separately: a search whose words are partly in one and partly in the other finds nothing.
If words find more than MOST_FOUND traces, the counts cover only that many, and so are lower bounds (`capped`). What
labels and scores say about a trace is in `error_and_score_filters`.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from django.db import connection
from django.db.models import Exists, F, FilteredRelation, OuterRef, Q, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.fields import BooleanField

from labeling.errors import InvalidFields
from labeling.models import Label, Project, StepScorer, Trace
from labeling.models.problems import StepCount
from labeling.queries import error_and_score_filters, words_asked
from labeling.queries.sql_slots import fill, positional
from labeling.queries.step_scorers import get_scorer
from labeling.queries.training import selector_of

Json = dict[str, Any]
Telling = Callable[[Iterable[int]], Mapping[int, error_and_score_filters.FirstErrorAndScore]]
COLUMNS = {
    "outcome": "outcome",
    "generator": "generator",
    "source": "source",
    "subject": "problem__subject",
    "level": "problem__level",
    "split": "problem__split",
    "steps_min": "length__gte",
    "steps_max": "length__lte",
}
FACETS = ("outcome", "generator", "source", "subject", "level", "split", "labeled", "first_error")
ORDERS: dict[str, tuple[str, ...]] = {
    "oldest": ("id",),
    "newest": ("-id",),
    "longest": ("-length", "-id"),
    "shortest": ("length", "id"),
    "score": ("-ranked", "-id"),
}
MOST_FOUND = 1_000  # traces found by words that are counted
MOST_LISTED = 5_000  # if words find more, the list is scanned
MOST_VALUES = 30  # per facet

ASKED = "websearch_to_tsquery('pg_catalog.english', %(q)s)"
BY_WORDS = f"""
    SELECT its.trace_id FROM labeling_tracewords AS its WHERE its.project_id = %(project)s AND its.words @@ {ASKED}
    UNION ALL SELECT trace.id FROM labeling_trace AS trace WHERE trace.problem_id = ANY(ARRAY({{problems}}))
    LIMIT %(most_found)s
"""
# For a list scanned in its order until a page is full: each trace is checked, and no list of all matches is made.
# Postgres expects a boolean subquery to be true for half of the rows, but a bare `@@` for hardly any: then it would
# check all traces, and sort.
HAS_WORDS = f"""
    (labeling_trace.problem_id = ANY(ARRAY({{problems}}))
    OR (SELECT its.words @@ {ASKED} FROM labeling_tracewords AS its WHERE its.trace_id = labeling_trace.id))
"""
# The condition of the index by kind, spelled as in the index, so that counting reads nothing else.
HAS_STEPS = "CASE WHEN {trace}.steps IS NULL THEN NULL ELSE coalesce(array_length({trace}.steps, 1), 0) END >= 1"
FOUND = """
    found AS MATERIALIZED (
        SELECT trace.id FROM labeling_trace AS trace
        WHERE trace.id = ANY(%(found)s) AND {has_steps}
    ),
"""
# Traces grouped by all facets (few rows), and the same for those with labels (few traces), which are then subtracted
# from those counted as not labeled. Only labeled traces are asked what their labels say.
BY_KIND = """
    SELECT trace.outcome AS at_outcome, trace.generator AS at_generator, trace.source AS at_source,
        problem.subject AS at_subject, problem.level AS at_level, problem.split AS at_split, {said} AS at_first_error,
        count(*) AS traces
    FROM labeling_trace AS trace JOIN labeling_problem AS problem ON problem.id = trace.problem_id {joined}
    WHERE trace.project_id = %(project)s AND {has_steps} {narrowed} GROUP BY 1, 2, 3, 4, 5, 6, 7
"""
SAID = f"""CASE WHEN voted.trace_id IS NULL THEN ''
    {" ".join(f"WHEN voted.{fits} THEN '{name}'" for name, fits in error_and_score_filters.FIRST_ERRORS.items())} END
"""
LABELED = """
    AND trace.id = ANY(ARRAY(
        SELECT DISTINCT task.trace_id FROM labeling_label AS label JOIN labeling_task AS task ON task.id = label.task_id
        WHERE label.project_id = %(project)s AND label.status = 'submitted'))
"""
VOTED = " LEFT JOIN voted ON voted.trace_id = trace.id"
COUNTED = """
    WITH {found} voted AS MATERIALIZED ({voted}), every AS MATERIALIZED ({every}),
    labeled AS MATERIALIZED ({labeled}), fitting AS MATERIALIZED (
        SELECT *, 'no' AS at_labeled FROM every
        UNION ALL SELECT at_outcome, at_generator, at_source, at_subject, at_level, at_split, '', -traces, 'no'
        FROM labeled
        UNION ALL SELECT *, 'yes' FROM labeled
    )
    SELECT 'total', '', coalesce(sum(traces), 0)::bigint FROM fitting WHERE {fit}
    UNION ALL SELECT 'unsearched', '', {unsearched}
    {facets}
"""
# Concurrent writes note ranges that overlap. They are merged first, so that each trace counts once.
UNSEARCHED = """(
    SELECT coalesce(sum(traces), 0)::bigint FROM (
        SELECT unnest(range_agg(int8range(lowest, highest, '[]'))) AS ids FROM labeling_traceswithoutwords
        WHERE project_id = %(project)s) AS waiting
    CROSS JOIN LATERAL (
        SELECT count(*) AS traces FROM labeling_trace AS trace
        WHERE trace.project_id = %(project)s AND trace.id >= lower(ids) AND trace.id < upper(ids)) AS its)
"""
ONE_FACET = """
    UNION ALL SELECT '{name}', at_{name}, sum(traces)::bigint FROM fitting WHERE {fit} GROUP BY 2 HAVING sum(traces) > 0
"""


def browse_traces(project: Project, asked: Mapping[str, Any], hidden: Sequence[int] = ()) -> QuerySet[Trace]:
    """The project's traces that match `asked`, each with its `length`. Paths that are not begun are left out.

    The first errors of `hidden` traces stay unknown. Ordering by score needs one outcome, and lists only traces that
    have a score (`ranked`) and are not hidden. One query if words are asked for. Raises InvalidFields.
    """
    traces = Trace.objects.filter(project=project, steps__len__gte=1).annotate(length=StepCount("steps"))
    traces = traces.select_related("problem").defer("typed_steps")
    traces = traces.filter(**{COLUMNS[name]: value for name, value in given_of(asked).items() if name in COLUMNS})
    if labeled := asked.get("labeled"):
        finished = Exists(Label.objects.filter(task__trace=OuterRef("pk"), status=Label.Status.SUBMITTED))
        traces = traces.filter(finished if labeled == "yes" else ~finished)
    if text := asked.get("q"):
        traces = traces.filter(_has_words(project, text))
    scorer = scorer_asked(project, asked) if _asks_for_scores(asked) else None
    found = traces.filter(*error_and_score_filters.narrowed_by(asked, project, scorer, hidden))
    return _ranked(found, project, scorer, asked.get("outcome"), hidden) if asked.get("order") == "score" else found


def telling(project: Project, asked: Mapping[str, Any], hidden: Sequence[int] = ()) -> Telling:
    """Return a function that tells what is known about traces, by the scorer of the list. Raises InvalidFields."""
    return partial(error_and_score_filters.first_errors_and_scores, project, scorer_asked(project, asked), hidden)


def scorer_asked(project: Project, asked: Mapping[str, Any]) -> StepScorer | None:
    """Return the scorer whose scores the list shows: the one asked for, else the project's selector. Raises
    InvalidFields if scores are asked for and there is no scorer.
    """
    if asked.get("scorer"):
        return get_scorer(project, asked["scorer"])
    promotion = selector_of(project)
    if promotion is None and _asks_for_scores(asked):
        said = "The project has no selector. Name a `scorer`, or promote a PRM first."
        raise InvalidFields(fields={"scorer": [said]})
    return promotion.scorer if promotion else None


def trace_facets(project: Project, asked: Mapping[str, Any], hidden: Sequence[int] = ()) -> Json:
    """Return how many traces match (`total`) and, for each facet, how many match each value and all other filters.

    `scorer` is the one whose scores can be asked for. Two queries, three with words. `hidden` is as in `browse_traces`.
    Raises InvalidFields.
    """
    given = given_of(asked)
    text = given.get("q", "")
    scorer = scorer_asked(project, given)
    about = error_and_score_filters.values_of(given, project, scorer, hidden)
    words = _counted(project, text) if text else []
    about |= {"found": words[:MOST_FOUND]}
    about |= {f"asked_{name}": given[name] for name in FACETS if name in given}
    about |= {"least": given.get("steps_min", 0), "most": given.get("steps_max", 2**31 - 1)}
    has_steps = fill(HAS_STEPS, trace="trace")
    found = fill(FOUND, has_steps=has_steps) if text else ""
    ranged = "steps_min" in given or "steps_max" in given
    length = "AND cardinality(trace.steps) BETWEEN %(least)s AND %(most)s" if ranged else ""
    among = "JOIN found ON found.id = trace.id" if text else ""
    narrowed = f"{length} {_said(given)}"
    statement = fill(
        COUNTED,
        found=found,
        voted=error_and_score_filters.VOTED_ERRORS,
        every=fill(BY_KIND, said="''", joined=among, has_steps=has_steps, narrowed=narrowed),
        labeled=fill(BY_KIND, said=SAID, joined=among + VOTED, has_steps=has_steps, narrowed=narrowed + LABELED),
        fit=_fit(given),
        unsearched=UNSEARCHED,
        facets=" ".join(fill(ONE_FACET, name=name, fit=_fit(given, but=name)) for name in FACETS),
    )
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    with connection.cursor() as cursor:
        cursor.execute(statement, about)
        for facet, value, traces in cursor.fetchall():
            counts[facet][value] = traces
    return {
        "total": counts["total"][""],
        "capped": len(words) > MOST_FOUND,
        "unsearched": counts["unsearched"][""],
        "scorer": scorer,
        "facets": [_facet(name, counts[name], given.get(name)) for name in FACETS],
    }


def given_of(asked: Mapping[str, Any]) -> Json:
    """Return the filters that were given a value."""
    names = (*COLUMNS, "labeled", "q", *error_and_score_filters.FILTERS)
    return {name: asked[name] for name in names if asked.get(name) not in (None, "")}


def _asks_for_scores(asked: Mapping[str, Any]) -> bool:
    return asked.get("order") == "score" or error_and_score_filters.asks(asked, error_and_score_filters.OF_SCORES)


def _ranked(
    traces: QuerySet[Trace], project: Project, scorer: StepScorer | None, outcome: str | None, hidden: Sequence[int]
) -> QuerySet[Trace]:
    """The traces that the scorer has scored, each with its stored score. An index has them in that order by outcome
    (`score_over_project`). Over all outcomes, one page of a million would take as long as all pages.
    """
    if not outcome:
        raise InvalidFields(fields={"order": ["To sort by score, choose one outcome."]})
    own = FilteredRelation("scores", condition=Q(scores__scorer=scorer))
    numbers = {"own__score__isnull": False, "own__score__lte": math.inf}  # in Postgres, NaN is above all other numbers
    found = traces.alias(own=own).filter(own__project=project, own__outcome=outcome, **numbers)
    return found.annotate(ranked=F("own__score")).exclude(pk__in=hidden)


def _facet(name: str, counts: Mapping[str, int], chosen: str | None) -> Json:
    """Return the most frequent values that can be asked for, including the chosen one."""
    named = {value: traces for value, traces in counts.items() if value != ""}
    ordered = sorted(named.items(), key=lambda one: (one[0] != chosen, -one[1], one[0]))
    values = [{"value": value, "traces": traces} for value, traces in ordered[:MOST_VALUES]]
    return {"name": name, "values": values, "more": max(0, len(ordered) - MOST_VALUES)}


def _fit(given: Mapping[str, Any], but: str = "") -> str:
    return " AND ".join(
        ["TRUE", *(f"at_{name} = %(asked_{name})s" for name in FACETS if name in given and name != but)]
    )


def _said(given: Mapping[str, Any]) -> str:
    """Return the conditions on labels and scores that are not facets."""
    errors = error_and_score_filters.error_fits(given, ("error_min", "error_max"))
    scores = error_and_score_filters.score_fits(given, "trace")
    found = [f"trace.id = ANY(ARRAY(SELECT trace_id FROM voted WHERE {errors}))"] if errors else []
    return "".join(f" AND {one}" for one in [*found, *([scores] if scores else [])])


def _counted(project: Project, text: str) -> list[int]:
    """Return each trace that has the words once: all of them, or more than MOST_FOUND."""
    return list(dict.fromkeys(_found(project, text, 2 * (MOST_FOUND + 1))))


def _found(project: Project, text: str, most: int) -> list[int]:
    """Return traces that have the words or whose problem has them, in the order found. A trace for which both hold may
    be there twice and count twice towards `most`: to avoid that, Postgres would have to scan everything that frequent
    words find.
    """
    with connection.cursor() as cursor:
        problems, values = _asked(project, text)
        cursor.execute(fill(BY_WORDS, problems=problems), {**values, "most_found": most})
        return [trace for (trace,) in cursor.fetchall()]


def _has_words(project: Project, text: str) -> RawSQL:
    """Return a condition on traces. Rare words give a list, fast in every order; frequent ones soon fill a page."""
    found = _found(project, text, MOST_LISTED + 1)
    if len(found) <= MOST_LISTED:
        return RawSQL("labeling_trace.id = ANY(%s)", [found], output_field=BooleanField())
    problems, values = _asked(project, text)
    return RawSQL(*positional(fill(HAS_WORDS, problems=problems), values), output_field=BooleanField())


def _asked(project: Project, text: str) -> tuple[str, Json]:
    problems, values = words_asked.problems_with(text)
    return problems, {**values, "project": project.pk, "q": words_asked.asked_of_steps(text)}
