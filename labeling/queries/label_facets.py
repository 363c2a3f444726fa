"""How many labels of the list there are of each kind, in one pass over all: the numbers next to its filters.

What `label_list` computes label by label is computed here for whole tasks at once; a test checks that both agree.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from django.db import connection
from django.db.models import BooleanField, Case, ExpressionWrapper, F, QuerySet, TextField, Value
from django.db.models import When as If
from django.db.models.expressions import RawSQL
from django.db.models.functions import Cast

from labeling.models import LabelTag, Round, User
from labeling.queries.label_list import (
    FACETS,
    FILTERS,
    MS,
    PACE_OF,
    REASONS,
    STEPS,
    LabelList,
    given_of,
    reviewed,
    truth,
)
from labeling.queries.labels import BAD_PROBLEM_VOTE, VOTE
from labeling.queries.sql_slots import fill

Json = dict[str, Any]
UNCOUNTED = tuple(name for name in FILTERS if name not in (*FACETS, "why"))
MOST_SURPRISED = 20_000  # up to this many labels, surprising ones are counted without being asked for

# The same for all labels at once, for facets: the least and the most its peers say, in one pass over all tasks.
SAID = f"coalesce({fill(VOTE, label='labeling_label')}, {BAD_PROBLEM_VOTE - 1})"
OF_TASK = "FILTER (WHERE NOT labeling_label.surplus) OVER (PARTITION BY labeling_label.task_id)"
WINDOWED = {
    "ms": MS,
    "steps": STEPS,
    "said": SAID,
    "least": f"min({SAID}) {OF_TASK}",
    "most": f"max({SAID}) {OF_TASK}",
    "peers": f"count(*) {OF_TASK} - (NOT labeling_label.surplus)::int",
}
# Labels of a screening are no data: nobody needs to look at them.
WANTS_A_LOOK = "(at_{reason} AND at_kind <> 'screening')"
COUNTED = f"""
    WITH found AS MATERIALIZED (
        SELECT *, its_peers > 0 AND (its_least <> its_said OR its_most <> its_said) AS at_disputed,
            NOT at_round_imported AND its_ms < its_steps * {{floor}} AS at_hasty,
            CASE WHEN NOT at_round_imported THEN nullif(its_ms, 0) / 1000.0 / nullif(its_steps, 0) END AS at_seconds
        FROM ({{inner}}) AS each
    ), valued AS (
        SELECT *, {fill(PACE_OF, seconds="at_seconds")} AS at_pace,
            CASE WHEN at_disputed THEN 'differs' WHEN its_peers > 0 THEN 'agrees' ELSE 'alone' END AS at_agreement
        FROM found
    ), fitting AS MATERIALIZED (SELECT *{{fits}} FROM valued)
    {{counts}}
"""


def facets_of(listed: LabelList, asked: Mapping[str, Any]) -> Json:
    """Return how many labels there are in `all`, how many match (`total`), and for each facet, how many labels of each
    value match all other filters. Five statements.
    """
    given = given_of(asked)
    fits = {name: f"at_{name} = %s" for name in FACETS if name in given}
    params = [str(given[name]) for name in fits]
    fits |= {"why": _any_reason(given["why"])} if "why" in given else {}
    fits |= {name: f"fits_{name}" for name in UNCOUNTED if name in given}
    inner, inner_params = _counted(listed, given).query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(
            fill(COUNTED, inner=inner, floor=int(listed.floor), fits=_columns(fits), counts=_counts(fits)),
            [*inner_params, *params],
        )
        rows = cursor.fetchall()
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    for facet, value, count in rows:
        if value is not None and count:
            counts[facet][value] = count
    total = counts.pop("total", {})
    tags = LabelTag.objects.filter(label__project=listed.project).values_list("tag", flat=True).distinct()
    return {
        "all": total.get("all", 0),
        "total": total.get("fits", 0),
        "floor_ms": listed.floor,
        "scorer": listed.scorer,
        "facets": {name: counts.get(name, {}) for name in (*FACETS, "why")},
        "tags": sorted(tags),
        "people": User.objects.in_bulk([int(pk) for pk in counts.get("labeler", {})]),
        "rounds": Round.objects.in_bulk([int(pk) for pk in counts.get("round", {})]),
    }


def _counted(listed: LabelList, given: Mapping[str, Any]) -> QuerySet[Any, Any]:
    """Return one row per label: each facet's value or what it is computed from, and whether other filters match."""
    values = {f"at_{name}": one for name, one in _facet_values().items()}
    values |= {f"its_{name}": RawSQL(one, []) for name, one in WINDOWED.items()}
    values["at_surprising"] = truth(listed.surprising() if _counts_surprisal(listed, given) else "FALSE")
    values["at_round_imported"] = F("task__round__imported")
    others = {name: listed.condition(name, given[name]) for name in UNCOUNTED if name in given}
    fits = {f"fits_{name}": ExpressionWrapper(one, BooleanField()) for name, one in others.items()}
    return listed.standing().order_by().annotate(**values, **fits).values("id", *values, *fits)


def _counts_surprisal(listed: LabelList, given: Mapping[str, Any]) -> bool:
    """Return whether to count surprising labels: this reads every step, so with very many labels only if asked for."""
    if listed.scorer is None:
        return False
    return (
        given.get("why") in ("surprising", "any") or not listed.standing()[MOST_SURPRISED : MOST_SURPRISED + 1].exists()
    )


def _facet_values() -> dict[str, Any]:
    """Return the values of facets that are not computed from several columns, as text."""
    said = {"found_error": "error", "solution": "no_error", "bad_problem": "bad_problem", "give_up": "give_up"}
    return {
        "labeler": Cast("labeler_id", TextField()),
        "round": Cast("task__round_id", TextField()),
        "verdict": Case(*(If(finish_reason=one, then=Value(name)) for one, name in said.items())),
        "source": Case(If(labeler__kind=User.Kind.IMPORTED, then=Value("imported")), default=Value("person")),
        "kind": F("task__kind"),
        "reviewed": Case(If(reviewed(), then=Value("yes")), default=Value("no")),
        "excluded": Case(If(excluded=True, then=Value("yes")), default=Value("no")),
    }


def _any_reason(value: str) -> str:
    return " OR ".join(fill(WANTS_A_LOOK, reason=name) for name in (REASONS if value == "any" else [value]))


def _columns(fits: Mapping[str, str]) -> str:
    return "".join(f", ({condition}) IS TRUE AS ok_{name}" for name, condition in fits.items())


def _counts(fits: Mapping[str, str]) -> str:
    def fit(but: str = "") -> str:
        return " AND ".join(["TRUE", *(f"ok_{name}" for name in fits if name != but)])

    parts = [
        "SELECT 'total', 'all', count(*) FROM fitting",
        f"SELECT 'total', 'fits', count(*) FROM fitting WHERE {fit()}",
        *(f"SELECT '{name}', at_{name}, count(*) FROM fitting WHERE {fit(name)} GROUP BY 2" for name in FACETS),
        *(
            f"SELECT 'why', '{name}', count(*) FROM fitting WHERE {_any_reason(name)} AND {fit('why')}"
            for name in REASONS
        ),
    ]
    return " UNION ALL ".join(parts)
