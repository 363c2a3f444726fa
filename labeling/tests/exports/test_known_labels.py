"""Which labels of our own file a project already has: all of them are found quickly, and none that was corrected."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from labeling.actions import rounds
from labeling.actions.labels import claim_next_label, submit_label
from labeling.models import Label
from labeling.tests.exports.labeled import exported, give_label, traces_of
from labeling.tests.factories import make_member, make_project, make_submission
from labeling.tests.imports.files import import_bytes, lines, neutral_row

pytestmark = pytest.mark.django_db(transaction=True)  # several imports
Json = dict[str, Any]
GAVE_UP: Json = {"finish_reason": "give_up", "finish_detail": {"text": "Too long."}}
BAD = {"kind": "vague", "text": "Which?"}
SCANS = "SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relname = 'staged_step'"


def test_known_labels_are_found_without_going_through_all_ratings_for_each(tmp_path: Path) -> None:
    project, count, steps = make_project(), 400, list("abcdefg")
    label = {"labeler": "ada", "finish_reason": "found_error", "submitted_at": "2026-11-02T09:30:00+00:00"}
    about: Json = {"steps": steps, "step_labels": [1, 1, 0, 1, 1, 1, -1], "first_error": 6, "verdict": 6}
    rows = [neutral_row(f"{number}?", **about, label=label) for number in range(count)]
    import_bytes(project, lines(*rows), tmp_path, labels_of="X")
    scans = []

    def look(execute: Callable[..., Any], sql: str, *about: Any) -> Any:
        done = execute(sql, *about)
        if sql.startswith("CREATE TEMP TABLE known_label"):
            with connection.cursor() as cursor:
                cursor.execute(SCANS)
                scans.append(cursor.fetchone()[0])
        return done

    with connection.execute_wrapper(look):
        job = import_bytes(project, lines(*rows), tmp_path, labels_of="X")
    assert job.report["labels"] == {"new": 0, "duplicate_in_file": 0, "known": count}
    [scanned] = scans
    assert scanned < 9, "some times for all of them"


def test_names_of_new_labels_are_found_by_one_join_however_many_are_known(tmp_path: Path) -> None:
    project, plans = make_project(), []
    traces_of(project, tmp_path, neutral_row())
    give_label(project, [1, -1])
    rows, _ = exported(project, "neutral")

    def look(execute: Callable[..., Any], sql: str, *about: Any) -> Any:
        if sql.lstrip().startswith("SELECT DISTINCT labeler, md5"):
            with connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN {sql}")
                plans.append("\n".join(line for [line] in cursor.fetchall()))
        return execute(sql, *about)

    with connection.execute_wrapper(look):
        import_bytes(project, lines(*rows), tmp_path, labels_of="X")
    [plan] = plans
    assert "Anti Join" in plan
    assert "SubPlan" not in plan, "beyond what fits into work_mem it would be asked anew for each label"


MENDED: list[tuple[Json, list[int | None]]] = [
    ({"first_error": 2, "step_labels": None}, [1, 1, -1]),
    ({"first_error": 2, "step_labels": [1, 0, None]}, [1, 0, -1]),
    ({"first_error": 0, "step_labels": [None, 1, None]}, [-1, 1, None]),
    ({"first_error": -1, "step_labels": None}, [1, 1, 1]),
]


@pytest.mark.parametrize("ended", [{}, {"finish_reason": "bad_problem", "finish_detail": BAD}])
@pytest.mark.parametrize(("mended", "ratings"), MENDED)
def test_a_first_error_that_somebody_put_into_a_row_is_its_verdict(
    tmp_path: Path, ended: Json, mended: Json, ratings: list[int | None]
) -> None:
    project = make_project()
    traces_of(project, tmp_path, neutral_row(steps=["a", "b", "c"]))
    give_label(project, [1, 1, 1], **ended)
    ([row], _) = exported(project, "neutral")
    elsewhere = make_project()
    import_bytes(elsewhere, lines(row | mended), tmp_path, labels_of="X")
    label = Label.objects.get(project=elsewhere)
    first = mended["first_error"]
    assert (label.finish_reason, label.verdict) == ("solution" if first < 0 else "found_error", first)
    assert label.finish_detail == {}, "what was said of a bad problem"
    ([back], _) = exported(elsewhere, "neutral")
    assert (back["first_error"], back["step_labels"]) == (first, ratings)


TAKEN_OUT: list[Json] = [
    {"step_labels": [1, None, -1]},
    {"step_labels": [None, None, None], "first_error": None},
    {"step_labels": [1, -1, None], "first_error": None},
    {"first_error": -1},
]


@pytest.mark.parametrize("mended", TAKEN_OUT)
def test_a_label_of_which_somebody_took_a_rating_out_or_mended_the_end_is_another(tmp_path: Path, mended: Json) -> None:
    project = make_project()
    traces_of(project, tmp_path, neutral_row(steps=["a", "b", "c"]))
    rounds.open_round(project, by=None, protocol="every_step")
    label = claim_next_label(make_member(project), project).label
    assert label is not None
    submit_label(label, make_submission([1, -1, -1]))
    ([row], _) = exported(project, "neutral")
    assert row["first_error"] == 1
    if mended.get("step_labels") == [1, None, -1]:
        mended = mended | {"first_error": 2}
    job = import_bytes(project, lines(row, row | mended), tmp_path, labels_of="X")
    assert job.report["labels"] == {"new": 1, "duplicate_in_file": 0, "known": 1}


@pytest.mark.parametrize("neutral", ["keep3", "positive", "negative", "drop"])
@pytest.mark.parametrize("after", ["keep_unlabelled", "fill_negative"])
@pytest.mark.parametrize(
    ("ratings", "ended"),
    [([1, 0, -1, None], {}), ([1, 0, 1, 0], {}), ([1, 0, None, None], GAVE_UP)],
)
def test_what_switches_made_of_a_label_is_still_that_label(
    tmp_path: Path, neutral: str, after: str, ratings: list[int | None], ended: Json
) -> None:
    project = make_project()
    traces_of(project, tmp_path, neutral_row(steps=["a", "b", "c", "d"]))
    give_label(project, ratings, **ended)
    rows, _ = exported(project, "neutral", switches={"neutral": neutral, "after_error": after})
    if (neutral, after) == ("negative", "fill_negative") and ratings[2] == 1:
        return  # one switch makes an error before that +1, the other writes -1 over it: it is lost
    job = import_bytes(project, lines(*rows), tmp_path, labels_of="X")
    assert job.report["labels"] == {"new": 0, "duplicate_in_file": 0, "known": 1}
