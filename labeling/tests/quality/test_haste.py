"""Labels made too fast to have been read are detected at once, and people who are just fast are not affected."""

import json
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from labeling import queries
from labeling.actions import exports, labels, notices, rounds
from labeling.formats.training import resolved_switches
from labeling.models import Export, Label, Notice, Project, User
from labeling.quality.haste import FIXED_MS, HIGHEST_MS, floor_ms, is_alarming, is_hasty
from labeling.queries.round_report import round_report, table
from labeling.queries.training_examples import label_ids, preview
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_submission
from labeling.tests.imports.files import SHARED_DATA

pytestmark = pytest.mark.django_db
SAID = ([1, 1, 1], [1, -1, None], [-1, None, None])


@given(st.lists(st.floats(0, 1e6), max_size=9))
def test_the_floor_stays_between_its_ends_whoever_labels(medians: list[float]) -> None:
    floor = floor_ms(medians)
    assert FIXED_MS <= floor <= HIGHEST_MS
    assert floor_ms([*medians, *medians]) == floor
    assert floor_ms([]) == FIXED_MS
    assert not is_hasty(floor, 1, floor)


def test_the_page_asks_about_the_same_labels_as_the_server_counts() -> None:
    shared = json.loads((Path(__file__).parent.parent / "haste_cases.json").read_text())
    assert shared["floor_ms"] == FIXED_MS
    for case in shared["cases"]:
        assert is_hasty(case["active_ms"], case["steps"], case.get("floor_ms", FIXED_MS)) == case["hasty"], case


def test_clickers_at_up_to_three_seconds_a_trace_are_caught_within_ten_labels() -> None:
    chance = Random(4)
    for steps in (1, 2, 3, 8):  # even if every trace ends at its first step
        caught = 0
        for _ in range(200):
            times = [chance.uniform(0, 3_000) for _ in range(10)]
            caught += is_alarming([is_hasty(int(time), steps) for time in times])
        assert caught >= 0.9 * 200 if steps == 1 else caught == 200


def test_the_times_of_real_labelers_are_not_hasty_even_three_times_as_fast() -> None:
    file = SHARED_DATA / "prm800k_native_records.jsonl"
    if not file.exists():
        pytest.skip("needs the shared data (STEPMARK_SHARED_DATA)")
    records = [json.loads(line)["label"] for line in file.read_text().splitlines()]
    taken = [(one["total_time"], sum(bool(step["completions"]) for step in one["steps"])) for one in records]
    floor = floor_ms([time / steps for time, steps in taken])
    assert floor > FIXED_MS
    assert not any(is_hasty(time // 3, steps, floor) for time, steps in taken)
    assert not is_alarming([is_hasty(time // 3, steps, floor) for time, steps in taken] * 2)


def label_ten(project: Project, person: User, milliseconds: int) -> None:
    for number in range(10):
        label = labels.claim_next_label(person, project).label
        assert label is not None
        labels.submit_label(label, make_submission(list(SAID[number % 3])))
        Label.objects.filter(pk=label.pk).update(active_ms=milliseconds)


def test_hasty_labels_are_counted_told_of_and_left_out_with_one_switch() -> None:
    project = make_project()
    round_ = make_round(project, traces=30)
    admin, quick, clicker = (make_member(project, role) for role in ("admin", "annotator", "annotator"))
    label_ten(project, quick, 20_000)
    assert notices.watch_haste() == 0
    label_ten(project, clicker, 500)
    assert (notices.watch_haste(), notices.watch_haste()) == (1, 1)
    [notice] = Notice.objects.filter(person=admin)  # notified once
    assert (notice.kind, notice.path) == ("hasty_labels", f"/projects/{project.slug}/labelers")
    assert clicker.shown_name in notice.title
    report = round_report(round_)
    assert (report["hasty"]["hasty"], report["hasty"]["n"], report["hasty"]["floor_ms"]) == (10, 20, FIXED_MS)
    assert ("hasty labels", "", 0.5, report["hasty"]["low"], report["hasty"]["high"], 20) in table(report)

    asked = resolved_switches({})
    assert preview(project, [round_.pk], asked)["learned"] == len(label_ids(project, [round_.pk], asked))
    everything = preview(project, [round_.pk], asked)
    without = preview(project, [round_.pk], {**asked, "hasty": "exclude"})
    by_clicker = set(Label.objects.filter(labeler=clicker).values_list("pk", flat=True))
    assert everything["hasty"] == without["hasty"] > 0
    assert everything["learned"] - without["learned"] == everything["hasty"]
    assert everything["left_out"] == {"imported": 0, "surplus": 0, "hasty": 0, "majority": 0, "other": 0}
    assert without["left_out"] == {**everything["left_out"], "hasty": everything["hasty"]}
    assert not by_clicker & set(label_ids(project, [round_.pk], {**asked, "hasty": "exclude"}))
    for switch, rows in (("include", 20), ("exclude", 10)):
        job = exports.create_export(project, by=admin, format="neutral", switches={"hasty": switch})
        export = exports.run_export(job.pk)
        assert export is not None
        assert (export.rows, Export.objects.get(pk=job.pk).config["switches"]["hasty"]) == (rows, switch)

    page = Browser(admin).call("GET", f"/api/projects/{project.slug}/hasty_labels")
    judged = [{"round": round_.pk, "hasty": 10, "judged": 20}]
    assert (page["floor_ms"], page["rounds"]) == (FIXED_MS, judged)
    rounds.close_round(round_, by=admin)
    assert notices.watch_haste() == 0


def test_the_sweep_examines_only_projects_in_which_somebody_labeled_in_the_last_hour(
    django_assert_num_queries: Any,
) -> None:
    for _ in range(3):
        project = make_project()
        make_round(project, traces=10)
        label_ten(project, make_member(project), 500)
    Label.objects.update(submitted_at=timezone.now() - timedelta(minutes=61))
    with django_assert_num_queries(1):
        assert notices.watch_haste() == 0
    Label.objects.filter(project=project).update(submitted_at=timezone.now() - timedelta(minutes=59))
    assert notices.watch_haste() == 1


def test_a_correction_of_a_moment_does_not_make_a_label_hasty_nor_a_hasty_one_careful() -> None:
    project = make_project()
    make_round(project, traces=2)
    ada, admin = make_member(project), make_member(project, "admin")
    for first, again in ((30_000, 1_000), (500, 1_000)):
        label = labels.claim_next_label(ada, project).label
        assert label is not None
        submitted = labels.submit_label(label, make_submission())
        Label.objects.filter(pk=submitted.pk).update(active_ms=first)
        for _ in range(2):
            submitted = labels.revise_label(submitted, make_submission([1, 0, 1]))
            Label.objects.filter(pk=submitted.pk).update(active_ms=again)
    slug, page = project.slug, Browser(admin)
    listed = page.call("GET", f"/api/projects/{slug}/labels")["results"]
    assert {(row["seconds_a_step"], row["hasty"]) for row in listed} == {(32 / 3, False), (2.5 / 3, True)}
    assert page.call("GET", f"/api/projects/{slug}/hasty_labels")["rounds"][0]["hasty"] == 1
    diary = Browser(ada).call("GET", f"/api/projects/{slug}/my_labels")["results"]
    assert {(row["active_ms"], row["hasty"]) for row in diary} == {(32_000, False), (2_500, True)}
    own = Browser(ada).call("GET", f"/api/projects/{slug}/my_stats")
    assert (own["hasty"], own["judged"], own["active_ms"]) == (1, 2, 34_500)
    [figures] = page.call("GET", f"/api/projects/{slug}/labelers")["results"]
    assert figures["active_ms"] == 34_500, "as everywhere: what is paid"
    job = exports.create_export(project, by=admin, format="neutral", switches={"hasty": "exclude"})
    export = exports.run_export(job.pk)
    assert export is not None
    assert export.rows == 1


def test_one_clicker_among_the_quick_does_not_move_the_floor_and_imported_labels_are_not_judged() -> None:
    project = make_project()
    make_round(project, traces=30)
    for milliseconds in (90_000, 90_000, 100):
        label_ten(project, make_member(project), milliseconds)
    assert queries.haste.project_floor_ms(project) > FIXED_MS
    round_ = project.rounds.get()
    assert queries.haste.hasty_by_round(project, 2_000)[0].hasty == 10
    type(round_).objects.filter(pk=round_.pk).update(imported=True)
    assert queries.haste.hasty_by_round(project, 2_000) == []


def test_labelers_are_told_of_the_same_floor_as_admins_and_it_is_learned_once_in_ten_minutes(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    project = make_project()
    make_round(project, traces=30)
    ada = make_member(project)
    label_ten(project, ada, 90_000)
    desk, address = Browser(ada), f"/api/projects/{project.slug}/my_progress"
    told = desk.call("GET", address)["floor_ms"]
    admins = Browser(make_member(project, "admin")).call("GET", f"/api/projects/{project.slug}/hasty_labels")
    assert told == admins["floor_ms"] > FIXED_MS
    with django_assert_num_queries(3):  # session with person, project with role, progress
        assert desk.call("GET", address)["floor_ms"] == told
