"""Each submitted label is in an export, or in exactly one count of labels left out and why."""

import csv
import itertools
from uuid import uuid4

import pytest

from labeling import queries
from labeling.actions import labels
from labeling.actions.exports import create_export, run_export
from labeling.actions.label_changes import change_labels
from labeling.actions.reviews import settle_task
from labeling.models import Label, Project, Task, Trace, User
from labeling.tests import factories
from labeling.tests.accounts import Browser
from labeling.tests.exports.labeled import exported, traces_of
from labeling.tests.imports.files import neutral_row
from labeling.tests.releases.test_measured_problems import make_evaluation_set

pytestmark = pytest.mark.django_db
RIGHT: list[int | None] = [1, 1, 1]
WRONG: list[int | None] = [1, -1, None]
SWITCHES = ("gold", "surplus", "hasty", "aided", "imported", "measured")
# Three labelers' verdicts for each trace, in the order of the queue.
SAID = (
    (RIGHT, RIGHT, RIGHT),
    (RIGHT, WRONG, WRONG),  # not settled
    (RIGHT, WRONG, RIGHT),  # settled by a reviewer
    (RIGHT, WRONG, WRONG),  # gold
    (WRONG, WRONG, WRONG),  # screening
    (RIGHT, RIGHT, RIGHT),  # its problem is in an evaluation set
)


@pytest.fixture
def project() -> Project:
    """Create labels of all sorts that a switch or a person keeps out of an export, some for several reasons."""
    project = factories.make_project()
    round_ = factories.make_round(project, len(SAID), overlap=3)
    tasks = list(Task.objects.filter(round=round_).order_by("order_key", "pk"))
    people = [factories.make_member(project) for _ in range(3)]
    for number, person in enumerate(people):
        for _ in tasks:
            label = labels.claim_next_label(person, project).label
            said = SAID[[task.pk for task in tasks].index(label.task_id)][number]
            labels.submit_label(label, factories.make_submission(said, idempotency_key=uuid4()))
    of = {(label.task_id, label.labeler_id): label.pk for label in Label.objects.all()}
    third = [of[task.pk, people[2].pk] for task in tasks]
    settle_task(tasks[2], by=factories.make_member(project, "admin"), ratings=WRONG, finish_reason="found_error")
    for task, kind in ((tasks[3], "gold"), (tasks[4], "screening")):
        Task.objects.filter(pk=task.pk).update(kind=kind)
    Label.objects.filter(pk__in=[third[0], third[3], third[4]]).update(surplus=True)
    Label.objects.update(active_ms=60_000)
    Label.objects.filter(pk__in=[third[1], third[3], of[tasks[5].pk, people[1].pk]]).update(active_ms=1)
    Label.objects.filter(pk__in=[third[0], of[tasks[0].pk, people[0].pk]]).update(edited_after_reveal=True)
    make_evaluation_set(project, "Golden", [Trace.objects.get(pk=tasks[5].trace_id)])
    change_labels(
        project, by=factories.make_member(project, "researcher"), kind="exclude", ids=[third[1], third[4], third[5]]
    )
    User.objects.filter(pk=people[1].pk).update(kind="imported", external_id="ben")
    return project


@pytest.mark.parametrize("aggregate", ["each", "adjudicated"])
@pytest.mark.parametrize("filters", [{}, {"finish": ["found_error"]}, {"agreement": "differs"}])
def test_what_is_exported_and_what_is_left_out_are_all_labels_whatever_is_chosen(project, aggregate, filters) -> None:
    every = set(queries.exports.fitting_ids(project, filters))
    if not filters:
        assert every == set(Label.objects.filter(status="submitted").values_list("pk", flat=True))
    for chosen in itertools.product(("include", "exclude"), repeat=len(SWITCHES)):
        switches = {"aggregate": aggregate, **dict(zip(SWITCHES, chosen, strict=True))}
        kept = queries.exports.label_ids(project, filters, switches)
        left_out = queries.export_left_out.left_out(project, filters, switches, kept)
        assert len(every & set(kept)) + sum(left_out.values()) == len(every), switches
        assert not {name for name in SWITCHES if switches[name] == "include"} & left_out.keys()


def test_labels_given_with_a_machines_view_are_left_out_by_a_switch_and_told_in_the_table(project) -> None:
    researcher = Browser(factories.make_member(project, "researcher"))
    aided = set(Label.objects.filter(edited_after_reveal=True).values_list("pk", flat=True))
    asked = {"format": "neutral", "switches": {"aided": "exclude", "surplus": "include"}}
    made = researcher.call("POST", f"/api/projects/{project.slug}/exports", asked, status=201)
    run_export(made["id"])
    assert researcher.call("GET", f"/api/exports/{made['id']}")["left_out"]["aided"] == 2
    table = csv.DictReader(researcher.get(f"/api/projects/{project.slug}/labels.csv").content.decode().splitlines())
    assert {int(row["label"]) for row in table if row["with a machine's view"] == "True"} == aided


def test_gold_on_which_labelers_differ_and_surplus_gold_are_counted_as_gold(project) -> None:
    researcher = Browser(factories.make_member(project, "researcher"))

    def left_out(aggregate: str) -> dict[str, int]:
        switches = {"aggregate": aggregate, "gold": "exclude"}
        export = create_export(project, by=None, format="neutral", switches=switches, wake=False)
        run_export(export.pk)
        counts: dict[str, int] = researcher.call("GET", f"/api/exports/{export.pk}")["left_out"]
        return counts

    assert left_out("each") == {"gold": 6, "excluded": 2}
    # The first and the last task keep one label, the third keeps the ruling, and the second none.
    assert left_out("adjudicated") == {"gold": 6, "excluded": 2, "one_a_task": 6, "unsettled": 2}


# Traces of one problem: steps, final answer, and two labelers' verdicts; None: the problem is bad.
SOLVED = (
    (["Add.", "It is 4."], "4", [1, 1], [1, 1]),
    (["Add.", "It is 5."], "5", [1, -1], None),
    (["I know:", "4."], None, [1, 1], [1, 1]),  # without a final answer
    (["Hm.", "It is 4, is it?"], "4", [1, 1], [1, -1]),  # they disagree
    (["So", "what?"], "?", None, None),
)


@pytest.mark.parametrize(
    ("format", "switches", "rows", "counted"),
    [
        ("outcome", {}, 2, {"no_verdict": 3, "other": 4}),
        ("trace_pairs", {}, 1, {"no_verdict": 3, "other": 4}),  # no wrong one is left for the second right one
        ("trace_pairs", {"pairs": "all"}, 2, {"no_verdict": 3, "other": 2}),
        ("step_pairs", {}, 1, {"no_verdict": 3, "other": 4}),
        ("qwen_soft", {}, 4, {"no_verdict": 3}),
        ("qwen", {}, 7, {"no_verdict": 3}),
    ],
)
def test_a_label_beside_others_that_gave_a_row_is_counted_where_it_gave_none(
    tmp_path, format: str, switches: dict[str, str], rows: int, counted: dict[str, int]
) -> None:
    project = factories.make_project()
    traces_of(project, tmp_path, *(neutral_row(steps=steps, final_answer=answer) for steps, answer, *_ in SOLVED))
    factories.open_round(project, overlap=2)
    for number in range(2):
        person = factories.make_member(project)
        for _ in SOLVED:
            label = labels.claim_next_label(person, project).label
            said = next(said[number] for steps, _, *said in SOLVED if steps == label.task.trace.steps)
            bad = {"finish_reason": "bad_problem", "finish_detail": {"kind": "unclear", "text": "What?"}}
            submission = factories.make_submission(said or [None, None], **({} if said else bad))
            labels.submit_label(label, submission)
    found, export = exported(project, format, switches=switches)
    assert (len(found), export.labels_total) == (rows, 10)
    assert export.manifest["without_rows"] == counted
