"""Choosing a path over HTTP: from the claim to the exported row."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from labeling.actions import path_rounds, paths
from labeling.actions.labels import expire_overdue_labels
from labeling.errors import InvalidFields, NothingToQueue, ProjectArchived
from labeling.models import Label, PathStep, Project, Trace
from labeling.tests.accounts import Browser
from labeling.tests.exports.labeled import exported
from labeling.tests.factories import make_member, make_project
from labeling.tests.imports.files import faults_of, import_bytes, lines, neutral_row
from labeling.tests.paths.world import PathLabeler, make_problem, open_paths, project_with_problem

pytestmark = pytest.mark.django_db
ANSWER = "So it is 7.\n\n# Answer\n\n7"


def writes(prefix: Sequence[str], number: int) -> str:
    return ANSWER if len(prefix) == 2 else f"Step {len(prefix)}, version {number}."


@pytest.fixture
def project(settings: Any) -> Project:
    settings.GENERATORS = {"qwen": type("Qwen", (), {"models": ()})()}
    return project_with_problem()


def test_a_path_is_chosen_from_the_claim_to_the_row(project: Project) -> None:
    open_paths(project)
    ada = PathLabeler(project, writes)
    path = ada.claim()
    assert ada.label["protocol"] == "choose_step"
    assert ada.label["steps"] == []
    assert [one["text"] for one in path["open"]["completions"]] == ["Step 0, version 0."]
    assert path["open"]["state"] == "first"
    path = ada.step(1)
    assert [step["text"] for step in path["steps"]] == ["Step 0, version 0."]
    path = ada.rest(-1)
    assert len(path["open"]["completions"]) == 3
    assert ada.look() == path, "a write is answered with what is there"
    path = ada.step(-1, 0, -1, human="I add 3 and 4.")
    assert path["steps"][1]["source"] == "human"
    path = ada.step(1)
    assert (path["ended"], path["open"]) == ("final_answer", None)
    assert ada.look() == path
    said = ada.submit(spans=[{"step": 1, "start": 1000, "end": 2000}])
    assert said["label"]["verdict"] == -1
    [row], _ = exported(project)
    assert [
        (
            step["chosen_completion"],
            step["human_completion"] and step["human_completion"]["text"],
            [one["rating"] for one in step["completions"] or []],
        )
        for step in row["label"]["steps"]
    ] == [(0, None, [1]), (None, "I add 3 and 4.", [-1, 0, -1]), (0, None, [1])]
    assert row["question"] == {"problem": "What is $3 + 4$?", "ground_truth_answer": "7"}
    label = Label.objects.get()
    assert label.task.trace.final_answer == "7"
    assert PathStep.objects.filter(label=label).count() == 3


def test_two_labelers_are_offered_the_same_completions_and_nobody_gets_two_paths_of_a_problem(project: Project) -> None:
    round_ = open_paths(project, paths=2)
    ada, ben = (PathLabeler(project, writes) for _ in range(2))
    for one, said in ((ada, (-1, 1, 0)), (ben, (-1, 0, 0))):
        one.claim(prefetch=True)
        one.rest(-1)
        one.step(*said, **({} if 1 in said else {"human": "I add."}))
        while not one.path["ended"]:
            one.step(1)
        one.submit()
    assert ada.path["steps"][0]["ratings"][0]["text"] == ben.path["steps"][0]["ratings"][0]["text"]
    claimed = ada.page.call("POST", f"/api/projects/{project.slug}/labels/claim", {})
    assert (claimed["label"], claimed["empty"]["code"]) == (None, "all_done_for_you")
    researcher = Browser(make_member(project, "researcher"))
    report = researcher.call("GET", f"/api/rounds/{round_.pk}/paths")
    assert (report["labels"], report["written"], report["finish_reasons"]) == (2, 1, {"solution": 2})
    assert (report["completions_rated"], report["ratings"]) == (10, {"-1": 2, "0": 3, "1": 5})
    assert (report["alpha"]["n"], report["alpha"]["clusters"]) == (3, 1)


def test_a_path_goes_on_in_another_tab_and_the_stale_one_is_shown_it(project: Project) -> None:
    open_paths(project)
    ada = PathLabeler(project, writes)
    ada.claim()
    other = PathLabeler(project, writes, ada.person)
    other.claim()
    assert other.path == ada.path
    ada.step(1)
    refused = other.step(1, status=409)
    assert (refused["code"], refused["path"]["steps"]) == ("path_moved", ada.path["steps"])
    ada.page.call("POST", f"/api/labels/{ada.label['id']}/release", {})
    assert ada.step(1, status=409)["code"] == "label_not_open"
    ben = PathLabeler(project, writes)
    assert ben.claim()["steps"] == [], "somebody else begins a path of their own"


def test_an_accepted_step_is_gone_from_the_draft_and_what_is_about_the_label_stays(project: Project) -> None:
    open_paths(project)
    ada = PathLabeler(project, writes)
    ada.claim()
    ada.rest(-1)
    address = f"/api/labels/{ada.label['id']}"
    step = {"said": {"0": {"rating": -1, "flagged": False}}, "text": "I add 3 and 4.", "answer": ""}
    of_label = {"comments": {"0": "Odd."}, "desk": {"scratch": "3 + 4"}}
    content = {"prefixHash": ada.path["prefix_hash"], "step": step, "restWanted": True, "sending": None, **of_label}
    draft = {"version": 1, "protocol": "choose_step", "content": content, "spans": [[0, 1, 2]]}
    saved = ada.page.call("PUT", f"{address}/draft", {"draft": draft, "base_revision": 0})
    ada.step(0, -1, -1, status=422)
    assert ada.page.call("GET", address)["draft"] == draft, "a refused step is still being written"

    ada.step(-1, -1, -1, human="I add 3 and 4.")
    left = ada.page.call("GET", address)
    nothing = {"prefixHash": "", "step": {"said": {}, "text": "", "answer": ""}, "restWanted": False, "sending": None}
    assert left["draft"] == draft | {"content": {**nothing, **of_label}}
    assert left["draft_revision"] == saved["draft_revision"], "the page saves its next draft over the one it knows"
    of_next = draft | {"content": {**content, "prefixHash": "of another step"}}
    ada.page.call("PUT", f"{address}/draft", {"draft": of_next, "base_revision": left["draft_revision"]})
    ada.step(1)
    assert ada.page.call("GET", address)["draft"] == of_next


def test_a_lost_lease_loses_no_path_and_two_paths_of_one_task_stay_apart(project: Project) -> None:
    round_ = open_paths(project)
    ada, ben = (PathLabeler(project, writes) for _ in range(2))
    for one in (ada, ben):
        one.claim()
        one.step(1)
        Label.objects.filter(pk=ada.label["id"]).update(leased_until="2020-01-01T00:00Z")
        expire_overdue_labels(project=project)
    ada.page.call("POST", f"/api/labels/{ada.label['id']}/resume")
    assert len(ada.look()["steps"]) == 1
    researcher = Browser(make_member(project, "researcher"))
    counts = researcher.call("GET", f"/api/rounds/{round_.pk}")["counts"]
    assert (counts["tasks"], counts["open"]) == (1, 1), "an extra path is none of the round's"
    for one in (ben, ada):
        while not one.path["ended"]:
            one.step(1)
        one.submit()
    tasks = {label.surplus: label.task for label in Label.objects.select_related("task__trace")}
    assert tasks[True].pk != tasks[False].pk
    assert tasks[True].trace.steps == tasks[False].trace.steps == [step["text"] for step in ada.path["steps"]]
    assert len(exported(project, "neutral", switches={"alternatives": "rows"})[0]) == 2


def test_a_path_that_was_left_and_begun_again_by_someone_else_goes_on_in_the_free_slot_of_its_problem(
    project: Project,
) -> None:
    round_ = open_paths(project, paths=2)
    ada, ben, eve = (PathLabeler(project, writes) for _ in range(3))
    ada.claim()
    ada.step(1)
    ada.page.call("POST", f"/api/labels/{ada.label['id']}/release", {})
    ben.claim()
    assert Label.objects.get(pk=ada.label["id"]).task_id == Label.objects.get(pk=ben.label["id"]).task_id
    empty = ada.page.call("POST", f"/api/projects/{project.slug}/labels/claim", {})
    assert empty["label"] is None, "a claim gives nobody two paths of a problem"

    assert ada.page.call("POST", f"/api/labels/{ada.label['id']}/resume")["surplus"] is False
    for one in (ben, ada):
        one.look()
        while not one.path["ended"]:
            one.step(1)
        one.submit()
    labels = Label.objects.filter(status="submitted", surplus=False)
    assert {label.task_id for label in labels} == set(round_.tasks.values_list("pk", flat=True))
    assert not round_.tasks.filter(labels_wanted__gt=0).exists()
    assert ada.page.call("POST", f"/api/projects/{project.slug}/labels/claim", {})["label"] is None
    assert eve.page.call("POST", f"/api/projects/{project.slug}/labels/claim", {})["label"] is None


def test_a_round_of_paths_is_opened_once_and_only_over_problems_that_there_are(monkeypatch) -> None:
    project = make_project()
    with pytest.raises(NothingToQueue, match="No problem fits"):
        open_paths(project, generator=None)
    for number in range(3):
        make_problem(project, f"What is {number}?")
    monkeypatch.setattr(path_rounds, "MOST", 4)
    with pytest.raises(InvalidFields) as refused:
        open_paths(project, generator=None, paths=2)
    assert refused.value.extra["fields"] == {
        "sample_size": ["A round holds 4 paths at most. Draw a sample of 2 problems or fewer."]
    }
    key = str(uuid4())
    first = open_paths(project, generator=None, client_key=key)
    assert open_paths(project, generator=None, client_key=key).pk == first.pk
    assert project.rounds.count() == 1
    Project.objects.filter(pk=project.pk).update(status=Project.Status.ARCHIVED)
    with pytest.raises(ProjectArchived):
        open_paths(project, generator=None)


@pytest.mark.django_db(transaction=True)
def test_starting_steps_come_with_problems_with_traces_and_later(project: Project, tmp_path: Path) -> None:
    starts = ["Let $n$ be the sum."]
    own = {"problem": "Own?", "starting_steps": starts}
    traced = {**neutral_row("Traced?", ["So 7."]), "starting_steps": [*starts, "It is odd."]}
    import_bytes(project, lines(own, {"problem": "Later?"}), tmp_path, format="problems")
    import_bytes(project, lines(traced, {**neutral_row("Traced?", ["No."]), "starting_steps": []}), tmp_path)
    later = lines({"problem": "Later?", "starting_steps": ["Late."]}, {**own, "starting_steps": ["Another."]})
    report = import_bytes(project, later, tmp_path, format="problems").report
    assert report["problems"] == {"new": 0, "known": 2, "filled": 1}
    round_ = open_paths(project)
    begun = Trace.objects.filter(tasks__round=round_).values_list("problem__text", "steps")
    assert dict(begun) == {
        "What is $3 + 4$?": [],
        "Own?": starts,
        "Later?": ["Late."],
        "Traced?": [*starts, "It is odd."],
    }
    assert Trace.objects.get(steps=["So 7."]).metadata == {"starting_steps": [*starts, "It is odd."]}


@pytest.mark.django_db(transaction=True)
def test_starting_steps_that_are_no_texts_are_faults_of_their_row(project: Project, tmp_path: Path) -> None:
    for given, code in ((["a", 3], "wrong_type"), (["a", " "], "empty_step"), ("a", "wrong_type"), ({}, "wrong_type")):
        for row, format_ in ((neutral_row("P?", ["s"]), "neutral"), ({"problem": "P?"}, "problems")):
            job = import_bytes(project, lines({**row, "starting_steps": given}), tmp_path, format=format_)
            assert [(kind, field.split("[")[0]) for kind, _, field in faults_of(job)] == [(code, "starting_steps")]


def test_how_many_held_out_problems_a_round_of_paths_would_hold_is_said_before(project: Project) -> None:
    problem = make_problem(project, "Held?")
    problem.split = "held_out"
    problem.save()
    path = f"/api/projects/{project.slug}/rounds/path/preview"
    said = Browser(make_member(project, "researcher")).call("POST", path, {})
    assert (said["problems"], said["held_out"]) == (2, 1)


def test_steps_of_a_label_are_taken_back_up_to_a_number_and_then_one_goes_on_or_gives_up(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "MOST_TAKEN_BACK", 3)
    open_paths(project)
    ada = PathLabeler(project, writes)
    ada.claim()
    ada.step(1)
    ada.step(1)
    ada.undo()
    ada.undo()  # with it the second step goes, which was open: nobody had taken it
    ada.step(1)
    ada.undo()
    before = ada.step(1)
    assert len(before["discarded"]) == 3
    refused = ada.undo(status=409)
    assert refused["code"] == "undo_used_up"
    assert refused["detail"].startswith("You have taken back 3 steps of this path")
    assert "give the path up" in refused["detail"]
    assert ada.look() == before == refused["path"]
    ada.step(1)
    ada.step(1)
    assert ada.submit()["label"]["status"] == "submitted"
