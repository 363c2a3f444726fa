"""What each pair of filters of the list of labels finds together, in the list and its counts."""

from itertools import combinations
from typing import Any
from urllib.parse import urlencode

import pytest

from labeling.actions.step_scorer_promotions import promote_prm
from labeling.models import Label, Trace
from labeling.tests import factories
from labeling.tests.labels.test_label_list import Labeled, labeled
from labeling.tests.selection.pools import give_scores, make_prm

__all__ = ["labeled"]
pytestmark = pytest.mark.django_db


def test_two_filters_find_what_each_of_them_finds(labeled: Labeled) -> None:
    newest = Label.objects.order_by("-pk")[0].pk
    labeled.change("exclude", ids=[newest])
    labeled.change("tag", ids=[newest - 1], tag="odd")
    labeled.change("review", ids=[newest - 2])
    prm = make_prm(project=labeled.project)
    scored = Trace.objects.filter(project=labeled.project).order_by("pk")[:2]
    give_scores(prm, [(one, -7.0) for one in scored])
    promote_prm(labeled.project, prm, by=labeled.researcher)
    middle = Label.objects.order_by("pk")[4].submitted_at
    other = factories.make_round(labeled.project, 1, overlap=1)
    labeled.label(labeled.ada, differs=False, ms=3_000)
    filters: list[dict[str, Any]] = [
        *({"labeler": one.pk} for one in (labeled.ada, labeled.bo)),
        *({"round": one.pk} for one in (labeled.round, other)),
        *({"verdict": one} for one in ("error", "no_error")),
        {"step": 1},
        *({"pace": one} for one in ("under_2", "5_to_15")),
        *({"agreement": one} for one in ("differs", "agrees", "alone")),
        *({"source": one} for one in ("person", "imported")),
        *({"excluded": one} for one in ("yes", "no")),
        {"tag": "odd"},
        *({"why": one} for one in ("hasty", "disputed", "surprising", "any")),
        {"since": middle.isoformat()},
        {"until": middle.isoformat()},
        {"q": str(scored[0].steps[0])},
        {"reviewed": "no"},
    ]
    alone = {urlencode(one): found_by(labeled, urlencode(one)) for one in filters}
    assert sum(bool(one) for one in alone.values()) >= len(filters) - 1, "all but imported labels are there"
    for query, found in alone.items():
        table = labeled.page.send("GET", f"{labeled.base}/labels.csv?{query}", None).content.decode()
        assert len(table.splitlines()) == 1 + len(found), query
    for one, two in combinations(filters, 2):
        if not {*one} & {*two}:
            together = found_by(labeled, urlencode({**one, **two}))
            assert together == alone[urlencode(one)] & alone[urlencode(two)], (one, two)


def found_by(labeled: Labeled, query: str) -> set[int]:
    """Return the labels of the list; its counts must agree."""
    found = {row["id"] for row in labeled.rows(query)}
    assert labeled.facets(query)["total"] == len(found), query
    return found
