"""A foreign protocol, registered only by a test, and obeyed by everything that makes, judges and reads labels.

Every step is rated, a -1 ends nothing, and the last -1 is the verdict, so that it cannot be mistaken for `first_error`.
"""

from typing import Any

import pytest

from labeling.actions import rounds
from labeling.actions.exports import create_export, run_export
from labeling.actions.gold import make_gold
from labeling.actions.reviews import settle_task
from labeling.actions.trace_repairs import repair_split
from labeling.configs.rounds import PlainConfig, TraceFilter
from labeling.formats.normalise import problem_key
from labeling.formats.training import resolved_switches, training_rows
from labeling.models import GoldResult, Label, Problem, Project, Round, StepLabel, Task, TrainingRun
from labeling.protocol.interface import NO_ERROR, LabelingProtocol
from labeling.protocol.registry import PROTOCOLS
from labeling.protocol.submission import Finding, Ratings, reasons_missing
from labeling.queries import training_examples
from labeling.queries.exports import packed_ids
from labeling.tests.accounts import Browser
from labeling.tests.exports.labeled import exported
from labeling.tests.factories import make_member, make_project, make_siblings, make_submission, make_traces
from labeling.tests.gold.world import Labeler, plan_gold
from labeling.tests.training.labels import problem_texts

pytestmark = pytest.mark.django_db

NAME = "every_step_of_a_test"
STEPS = ["Read the file.", "Edit the wrong line.", "Run the tests.", "Report that all pass."]
OTHER_END = [*STEPS[:3], "Report the failure."]


def missing(ratings: Ratings, finish_reason: str, kind: str, text: str) -> list[Finding]:
    unrated = [Finding("unrated_step", step) for step, rating in enumerate(ratings) if rating is None]
    return reasons_missing(finish_reason, kind, text) or unrated


def verdict(ratings: Ratings, finish_reason: str) -> int | None:
    if finish_reason != "found_error":
        return NO_ERROR if finish_reason == "solution" else None
    return max(step for step, rating in enumerate(ratings) if rating == -1)


@pytest.fixture
def project(monkeypatch: pytest.MonkeyPatch) -> Project:
    def all_steps(ratings: Ratings) -> range:
        return range(len(ratings))

    monkeypatch.setitem(PROTOCOLS, NAME, LabelingProtocol(NAME, missing, lambda *_: [], verdict, all_steps))
    return make_project()


@pytest.fixture
def ada(project: Project) -> Labeler:
    return Labeler(project, make_member(project))


def opened(project: Project, *step_lists: list[str]) -> Round:
    """Open a round of the protocol over these traces of one problem, served in this order."""
    make_siblings(project, *step_lists)
    round_ = rounds.open_round(project, by=None, protocol=NAME)
    for place, task in enumerate(round_.tasks.order_by("trace_id")):
        Task.objects.filter(pk=task.pk).update(order_key=place)
    return round_


def rated(label: dict[str, Any]) -> list[int | None]:
    return list(StepLabel.objects.filter(label=label["id"]).order_by("step_index").values_list("rating", flat=True))


@pytest.mark.parametrize("prefetch", [False, True])  # the fast path at once, and the slow path
def test_rating_goes_on_after_a_minus_one_and_a_gap_there_is_missing(project, ada, prefetch):
    opened(project, STEPS)
    label = ada.claim(prefetch=prefetch)["label"]
    assert label["protocol"] == NAME
    gap = make_submission([1, -1, None, 1]).as_sent()
    answer = ada.call("POST", f"/api/labels/{label['id']}/submit", gap, status=422)
    assert answer["missing"] == [{"code": "unrated_step", "step": 2}]
    ada.submit(label, [1, -1, 0, -1])
    assert rated(label) == [1, -1, 0, -1]
    ada.call("POST", f"/api/labels/{label['id']}/revise", make_submission([-1, -1, 1, 1]).as_sent())
    assert rated({"id": Label.objects.get(status="submitted").pk}) == [-1, -1, 1, 1]


def test_gold_is_judged_by_the_verdict_of_the_round_s_protocol(project, ada):
    project.gold_per_round = 1
    project.save()
    [trace] = make_traces(project, 1, steps=4)
    make_gold(trace, acceptable=[3], explanation="", by=None)
    plan_gold(opened(project, STEPS), ada.person, [0])
    ada.submit(ada.claim()["label"], [1, -1, 1, -1])
    assert GoldResult.objects.values_list("verdict", "passed").get() == (3, True)


def test_a_round_of_first_error_beside_it_stays_what_it_is(project, ada):
    opened(project, STEPS)
    make_siblings(project, OTHER_END)
    unlabeled = PlainConfig.of("filter", filter=TraceFilter(unlabeled_only=True))
    rounds.open_round(project, by=None, priority=1, config=unlabeled)
    label = ada.claim()["label"]
    assert (label["protocol"], label["steps"]) == ("first_error", OTHER_END)
    late = make_submission([1, -1, 0, 1]).as_sent()
    answer = ada.call("POST", f"/api/labels/{label['id']}/submit", late, status=422)
    assert answer["missing"] == [{"code": "rated_after_error", "step": 2}]


def test_ratings_after_a_minus_one_are_carried_over_too(project, ada):
    opened(project, STEPS, OTHER_END)
    ada.submit(ada.claim()["label"], [1, -1, 0, 1])
    carried = ada.claim()["label"]["carried"]
    assert [(known["step"], known["rating"]) for known in carried] == [(0, 1), (1, -1), (2, 0)]


def test_a_ruling_is_made_by_the_round_s_protocol_and_the_page_is_told_which(project, ada):
    round_ = opened(project, STEPS)
    ada.submit(ada.claim()["label"], [1, 1, 1, 1])
    task = round_.tasks.get()
    reviewer = Browser(make_member(project, "researcher"))
    assert reviewer.call("GET", f"/api/tasks/{task.pk}/review")["protocol"] == NAME
    assert reviewer.call("GET", f"/api/rounds/{round_.pk}")["protocol"] == NAME
    ruling = {"ratings": [1, -1, -1, 1], "finish_reason": "found_error"}
    reviewer.call("POST", f"/api/tasks/{task.pk}/settle", ruling)
    assert reviewer.call("GET", f"/api/tasks/{task.pk}/review")["verdict"] == 2


def test_a_repaired_split_keeps_no_label_that_leaves_a_step_of_the_new_version_unrated(project, ada):
    round_ = opened(project, STEPS)
    label = ada.claim()["label"]
    ada.submit(label, [1, -1, 0, 1])
    StepLabel.objects.filter(label=label["id"], step_index=3).delete()  # imported labels may have gaps
    cut = [*STEPS[:3], "Report that", "all pass."]
    repaired = repair_split(round_.tasks.get(), by=make_member(project, "researcher"), steps=cut, reason="Two in one.")
    assert not Label.objects.filter(task__trace=repaired).exists()
    assert Task.objects.get(trace=repaired).labels_wanted == 1


def test_training_learns_every_rating_that_the_protocol_lets_count(project, ada):
    round_ = opened(project, STEPS)
    learned = next(problem_texts(False))
    Problem.objects.update(text=learned, text_hash=problem_key(learned))
    ada.submit(ada.claim()["label"], [1, -1, 0, 1])
    settle_task(
        round_.tasks.get(),
        by=make_member(project, "researcher"),
        ratings=[1, -1, -1, 1],
        finish_reason="found_error",
    )
    switches = resolved_switches({})
    ids = training_examples.label_ids(project, [round_.pk], switches)
    run = TrainingRun.objects.create(project=project, base="b", round_ids=[round_.pk], label_ids=packed_ids(ids))
    [row] = training_rows(training_examples.frozen_labels(run), switches)
    assert (row["steps"], row["step_labels"]) == (STEPS, [1, -1, 1, 1])
    assert training_examples.preview(project, [round_.pk], switches)["steps"] == 4


@pytest.mark.django_db(transaction=True)
def test_exports_keep_what_was_rated_after_a_minus_one_and_prm800k_refuses_it(project, ada):
    opened(project, STEPS)
    ada.submit(ada.claim()["label"], [1, -1, 0, 1])
    for choice, ratings in (
        ("keep_unlabelled", [1, -1, 0, 1]),
        ("fill_negative", [1, -1, 0, 1]),
        ("truncate", [1, -1]),
    ):
        rows, _ = exported(project, "neutral", switches={"after_error": choice})
        assert [row["step_labels"] for row in rows] == [ratings]
    refused = run_export(create_export(project, by=None, format="prm800k").pk)
    assert refused.status == "failed"
    assert f"with the protocol {NAME}" in refused.error
