"""A repaired split: a new version replaces the old one, with the labels that are still valid for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.actions import gold, labels, rounds
from labeling.actions.exports import count_labels
from labeling.actions.label_changes import change_labels
from labeling.actions.trace_repairs import _require_same_text, repair_split
from labeling.errors import SplitNotRepaired
from labeling.models import Label, Project, StepLabel, Task, Trace, User
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_submission, make_traces
from labeling.tests.settling.disagreeing import RIGHT, WRONG_AT_1, say, the_task

STEPS = ["Let $x = 1$.", "Then $2x = 3$.", "So $x = 1.5$. The answer is 1.5."]
LAST_CUT = [*STEPS[:2], "So $x = 1.5$.", "The answer is 1.5."]
pytestmark = pytest.mark.django_db


def badly_split(overlap: int = 3):
    """A round with one task over STEPS, its labelers, and a reviewer's browser."""
    project = make_project()
    round_ = make_round(project, overlap=overlap)
    Trace.objects.filter(project=project).update(steps=STEPS)
    return round_, [make_member(project) for _ in range(4)], Browser(make_member(project, "researcher"))


def test_labels_that_end_before_the_change_are_carried_and_the_others_asked_for_again():
    round_, (ada, ben, cem, dora), reviewer = badly_split()
    project = round_.project
    found = say(ada, project, WRONG_AT_1, comments=[{"step": 1, "text": "3?"}])
    right = say(ben, project, RIGHT)
    held = labels.claim_next_label(cem, project).label
    old = the_task(round_)
    body = {"steps": LAST_CUT, "reason": "Two steps in one."}
    answer = reviewer.call("POST", f"/api/tasks/{old.pk}/repair_split", body, status=201)
    new = Task.objects.get(pk=answer["task_id"])
    old.refresh_from_db()
    assert (new.trace.steps, new.order_key) == (LAST_CUT, old.order_key)
    assert (old.labels_wanted, old.withdrawn, old.trace.replaced_by_id) == (0, 0, new.trace_id)

    [carried] = Label.objects.filter(task=new)
    assert (carried.labeler, carried.status, carried.finish_reason) == (ada, "submitted", "found_error")
    assert carried.verdict == found.verdict == 1
    assert (carried.supersedes_id, carried.extra["carried_from"], carried.active_ms) == (found.pk, found.pk, 0)
    assert set(StepLabel.objects.filter(label=carried).values_list("step_index", "rating", "source")) == {
        (0, 1, "carried"),
        (1, -1, "carried"),
    }
    assert Label.objects.get(pk=found.pk).status == "superseded"
    assert Label.objects.get(pk=right.pk).status == "submitted"
    assert new.labels_wanted == 2  # Ben's, which continued past the change, and the one that Cem holds
    assert not labels.submit_label(held, make_submission()).surplus  # open labels are not lost
    assert {labels.claim_next_label(person, project).label.task_id for person in (ben, dora)} == {new.pk}
    shown = reviewer.call("GET", f"/api/tasks/{new.pk}/review")
    assert (shown["replaces"], shown["waiting"]) == (old.pk, [])


def test_a_carried_label_may_be_revised_and_later_rounds_take_the_new_version_alone():
    round_, (ada, *_), reviewer = badly_split(overlap=1)
    found = say(ada, round_.project, WRONG_AT_1)
    body = {"steps": LAST_CUT, "reason": "Two steps in one."}
    path = f"/api/tasks/{found.task_id}/repair_split"
    trace = reviewer.call("POST", path, body, status=201)["trace_id"]
    carried = Label.objects.get(status="submitted")
    revision = labels.revise_label(carried, make_submission([1, 0, 1, 1]))
    assert (revision.task.trace_id, revision.finish_reason) == (trace, "solution")
    later = rounds.open_round(round_.project, by=None)
    assert list(later.tasks.values_list("trace", flat=True)) == [trace]


@pytest.mark.parametrize(
    ("steps", "says"),
    [
        (STEPS, "Nothing has changed"),
        ([*STEPS[:2], "So $x = 1.5$.", "The answer is 2."], "different"),
        ([*STEPS[:2], "So $x = 1.5$.", " ", "The answer is 1.5."], "empty"),
    ],
)
def test_a_repair_moves_borders_and_never_words(steps, says):
    round_, _, reviewer = badly_split()
    path = f"/api/tasks/{the_task(round_).pk}/repair_split"
    answer = reviewer.call("POST", path, {"steps": steps, "reason": "?"}, status=422)
    assert answer["code"] == "split_not_repaired"
    assert says in answer["detail"]
    assert Trace.objects.count() == 1


def test_a_replaced_version_is_not_repaired_again():
    round_, _, reviewer = badly_split()
    path = f"/api/tasks/{the_task(round_).pk}/repair_split"
    reviewer.call("POST", path, {"steps": LAST_CUT, "reason": "Two in one."}, status=201)
    joined = [STEPS[0], " ".join(STEPS[1:])]
    assert "replaced" in reviewer.call("POST", path, {"steps": joined, "reason": "?"}, status=422)["detail"]


@given(st.lists(st.integers(1, 60), max_size=5), st.text(alphabet="ab $\n", min_size=1, max_size=60))
def test_any_cut_of_the_same_text_is_taken_and_any_other_letter_refused(places, text):
    text = f"x{text}y"
    borders = sorted({min(place, len(text) - 1) for place in places})
    steps = [text[one:other] for one, other in zip([0, *borders], [*borders, len(text)], strict=True)]
    whole = [step for step in steps if step.strip()]
    if len(whole) == len(steps) and steps != [text]:
        _require_same_text(Trace(steps=[text]), steps)
    with pytest.raises(SplitNotRepaired):
        _require_same_text(Trace(steps=[text]), [*whole, "z"])


def test_a_label_whose_error_lies_behind_the_change_is_asked_for_again():
    project = make_project()
    round_ = make_round(project, steps=3)
    ada = make_member(project)
    say(ada, project, [1, 1, -1])
    task = round_.tasks.get()
    first, *rest = task.trace.steps
    Browser(make_member(project, "researcher")).call(
        "POST",
        f"/api/tasks/{task.pk}/repair_split",
        {"steps": [first, " ".join(rest)], "reason": "One thought."},
        status=201,
    )
    repaired = Task.objects.exclude(pk=task.pk).get()
    assert not repaired.labels.exists()
    assert repaired.labels_wanted == 1


def test_what_was_decided_about_a_label_and_what_its_labeler_had_seen_goes_with_it():
    round_, (ada, *_), _ = badly_split(overlap=1)
    project, boss = round_.project, make_member(round_.project, "researcher")
    found = say(ada, project, WRONG_AT_1)
    change_labels(project, by=boss, kind="exclude", ids=[found.pk])
    change_labels(project, by=boss, kind="tag", ids=[found.pk], tag="odd")
    seen = {"scores_revealed_at": found.submitted_at, "edited_after_reveal": True, "before_reveal": {"verdict": -1}}
    Label.objects.filter(pk=found.pk).update(**seen)
    before = count_labels(project, format="neutral")
    repair_split(the_task(round_), by=boss, steps=LAST_CUT, reason="Two steps in one.")
    carried = Label.objects.get(status="submitted")
    assert carried.excluded
    assert {name: getattr(carried, name) for name in seen} == seen
    assert [one.tag for one in carried.tags.all()] == ["odd"]
    assert count_labels(project, format="neutral") == before


def test_gold_of_a_badly_split_trace_is_retired_served_on_where_it_is_planned_and_comes_to_no_later_round():
    project = make_project(gold_per_round=1)
    first = make_round(project, overlap=1)
    Trace.objects.filter(project=project).update(steps=STEPS)
    boss = make_member(project, "researcher")
    ada, ben, cem = (make_member(project) for _ in range(3))
    say(ada, project, RIGHT)
    old = Trace.objects.get(project=project)
    rounds.close_round(first, by=None)
    item = gold.make_gold(old, acceptable=[-1], by=None)
    make_traces(project, 4)
    under_way = rounds.open_round(project, by=None)
    for person in (ben, cem):
        work_to_the_gold(person, project)
    new = repair_split(first.tasks.get(), by=boss, steps=LAST_CUT, reason="Two steps in one.")
    item.refresh_from_db()
    assert item.status == "retired"
    assert str(new.pk) in item.retired_because
    of_gold = under_way.tasks.filter(kind=Task.Kind.GOLD)
    assert list(of_gold.values_list("trace", "withdrawn")) == [(old.pk, None)], "nobody sees which one it was"
    rounds.close_round(under_way, by=None)
    make_traces(project, 4)
    gold.restore_gold(item, by=None)
    later = rounds.open_round(project, by=None)
    assert not later.tasks.filter(kind=Task.Kind.GOLD).exists(), "it is split badly still"


def work_to_the_gold(person: User, project: Project) -> None:
    """Label all tasks up to the gold one."""
    while label := labels.claim_next_label(person, project).label:
        kind = label.task.kind
        labels.submit_label(label, make_submission([1] * len(label.task.trace.steps)))
        if kind == Task.Kind.GOLD:
            return
    raise AssertionError("No gold came.")
