"""People side by side: what is counted for whom, who may look, and a labeler's own figures."""

import csv
import io
import time

import pytest

from labeling.actions import labels, rounds
from labeling.api.tables import csv_file
from labeling.configs.rounds import TraceFilter
from labeling.models import Gold, Label, Membership, Project, User
from labeling.queries.labeler_figures import labeler_figures
from labeling.statistics.intervals import wilson
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_submission
from labeling.tests.gold.world import plan_gold, project_with_gold

pytestmark = pytest.mark.django_db


def label_all(project: Project, person: User, ratings: list[int | None], *, seconds: int, **fields) -> None:
    """Have the person label every available task the same way, each with this active time."""
    while (label := labels.claim_next_label(person, project).label) is not None:
        labels.submit_label(label, make_submission(ratings, **fields))
        Label.objects.filter(pk=label.pk).update(active_ms=seconds * 1000)


@pytest.fixture
def project() -> Project:
    project = make_project()
    make_round(project, traces=4, overlap=3)
    return project


def test_people_stand_side_by_side_with_shares_and_intervals(django_assert_num_queries):
    project = make_project()
    make_round(project, traces=6, overlap=3)
    ada, bob, fay = (make_member(project, display_name=name) for name in ("Ada", "Bob", "Fay"))
    label_all(project, ada, [1, -1, None], seconds=20)
    label_all(project, bob, [1, -1, None], seconds=3)  # two steps in three seconds: too fast
    give_up = {"finish_reason": "give_up", "finish_detail": {"text": "Lost."}}
    label_all(project, fay, [1, 1, 1], seconds=30)
    Membership.objects.filter(user=bob).update(is_active=False)
    with django_assert_num_queries(4):
        rows = {row["display_name"]: row for row in labeler_figures(project)["results"]}
    assert (rows["Ada"]["labels"], rows["Ada"]["steps"], rows["Ada"]["active_ms"]) == (6, 12, 120_000)
    assert (rows["Ada"]["seconds_a_step"], rows["Fay"]["seconds_a_step"]) == (10, 10)
    assert (rows["Ada"]["too_fast"]["value"], rows["Bob"]["too_fast"]["value"]) == (0, 1)
    assert rows["Bob"]["is_active"] is False
    assert (rows["Ada"]["peers"]["value"], rows["Ada"]["peers"]["n"]) == (0.5, 12)
    assert rows["Fay"]["peers"]["value"] == 0
    assert (rows["Ada"]["peers"]["low"], rows["Ada"]["peers"]["high"]) == wilson(3, 6), "of six problems, all alike"
    make_round(project, traces=1, source="filter", filter=TraceFilter(unlabeled_only=True))
    label_all(project, ada, [None, None, None], seconds=1, **give_up)
    [ada_now] = [row for row in labeler_figures(project)["results"] if row["display_name"] == "Ada"]
    assert (ada_now["give_up"]["value"], ada_now["give_up"]["n"]) == (1 / 7, 7)
    assert ada_now["too_fast"]["n"] == 6  # no step was rated, so there is no time per step


def test_an_admin_takes_the_table_along_and_a_name_is_no_formula(project):
    label_all(project, make_member(project, display_name="=1+1"), [1, 1, 1], seconds=6)
    admin = Browser(make_member(project, "admin"))
    [row] = admin.call("GET", f"/api/projects/{project.slug}/labelers")["results"]
    assert row["display_name"] == "=1+1"
    head, line = admin.get(f"/api/projects/{project.slug}/labelers.csv").content.decode().splitlines()
    assert head.startswith("labeler,active,labels,steps,active hours,seconds a step,gold share")
    assert line.startswith("'=1+1,True,4,12,")


@pytest.mark.parametrize("name", ["=1", "\n=1", " \r\n +1", "\u3000-a", "\uff1d1", "\t1", "\n\uff20a"])
def test_what_any_spreadsheet_would_run_is_marked_as_text(name):
    written = csv_file("a.csv", [[name, "-1.5", "a=1"]]).content.decode()
    assert written.startswith(("'" + name[0], "\"'" + name[0]))
    assert next(csv.reader(io.StringIO(written)))[0].replace("'", "") == name
    assert csv_file("a.csv", [["-1.5", "a=1", "\na"]]).content.decode() == '-1.5,a=1,"\na"\r\n'


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("a;=1+1", "a;'=1+1"),
        (";=1+1;b", ";'=1+1;b"),
        ("a\t=1\t @b", "a\t'=1\t' @b"),
        ("a;\u3000\uff1d1", "a;'\u3000\uff1d1"),
        ("a;\n-1", "a;\n'-1"),
        ("a\r\n=1", "a\r\n'=1"),
        ("f(x; y) = 2; 3\nb", "f(x; y) = 2; 3\nb"),
    ],
)
def test_what_a_sheet_would_run_that_parts_cells_by_semicolons_or_tabs_is_marked_where_it_begins(text, marked):
    [row] = csv.reader(io.StringIO(csv_file("a.csv", [[7, text]]).content.decode(), newline=""))
    assert row == ["7", marked]


def test_marking_costs_no_more_than_a_text_is_long():
    began = time.process_time()
    texts = [part * (1_000_000 // len(part)) for part in (";", "\t", "\n", "; ", ";" + " " * 50, ";" + " " * 10**6)]
    csv_file("a.csv", [texts])
    assert time.process_time() - began < 5


def test_a_labeler_sees_their_own_rounds_and_nobody_elses(project):
    ada, bob = make_member(project), make_member(project)
    label_all(project, ada, [1, 1, 1], seconds=6)
    rounds.close_round(project.rounds.get(), by=None)
    make_round(project, traces=2, source="filter", filter=TraceFilter(unlabeled_only=True))
    label_all(project, ada, [1, -1, None], seconds=8)
    label_all(project, bob, [1, 1, 1], seconds=60)
    own = Browser(ada).call("GET", f"/api/projects/{project.slug}/my_coaching")["rounds"]
    assert [(one["number"], one["closed"], one["labels"], one["seconds_a_step"]) for one in own] == [
        (1, True, 4, 2),
        (2, False, 2, 4),
    ]


def test_gold_teaches_only_when_its_round_is_closed_and_the_costliest_confusion_comes_first():
    project, opened = project_with_gold(2, traces=2)
    missed, other = make_gold_pair(project)
    ada, admin = make_member(project), Browser(make_member(project, "admin"))
    browser = Browser(ada)
    plan_gold(opened, ada, [0, 1])
    verdicts = {missed.trace_id: [1, 1, 1], other.trace_id: [1, 1, -1]}
    while (label := labels.claim_next_label(ada, project).label) is not None:
        labels.submit_label(label, make_submission(verdicts.get(label.task.trace_id, [1, 1, 1])))
    path = f"/api/projects/{project.slug}/my_coaching"
    nothing = {"missed_error": 0, "false_alarm": 0, "wrong_place": 0, "no_verdict": 0}
    assert browser.call("GET", path)["gold"] == {"rounds": [], "confusions": [], "counts": nothing}
    [row] = admin.call("GET", f"/api/projects/{project.slug}/labelers")["results"]
    assert (row["gold"]["value"], row["gold"]["n"]) == (0, 2)
    assert row["labels"] == 2  # gold does not count as work
    rounds.close_round(opened, by=None)
    gold = browser.call("GET", path)["gold"]
    assert [one["kind"] for one in gold["confusions"]] == ["missed_error", "wrong_place"]
    assert (gold["confusions"][0]["paragraph"], gold["confusions"][0]["acceptable"]) == ("See 2.", [1])
    assert gold["rounds"][0]["gold"]["n"] == 2


def make_gold_pair(project: Project) -> list[Gold]:
    """Create the project's two gold items, both with their error at the second step."""
    Gold.objects.filter(project=project).update(acceptable=[1], paragraph="See 2.")
    return list(Gold.objects.filter(project=project).order_by("pk"))
