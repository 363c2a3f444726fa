"""The training started by closing a round: at most one per closing, one at a time, and never a promotion."""

import threading
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from labeling.actions import rounds
from labeling.actions.labels import claim_next_label, submit_label
from labeling.actions.training_at_close import sweep_closes
from labeling.actions.training_runs import create_training_run
from labeling.configs import PlainConfig, TraceFilter, TrainingConfig
from labeling.formats.normalise import problem_key
from labeling.models import AuditEvent, Problem, Project, Promotion, Round, StepScorer, Trace, TrainingRun
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_submission, make_traces
from labeling.tests.killed_process import run_until_call
from labeling.tests.paths.world import PathLabeler, make_problem, open_paths
from labeling.tests.training.labels import import_labels, labeled_row, problem_texts

pytestmark = pytest.mark.django_db
UNLABELED = TraceFilter(unlabeled_only=True)
_texts = problem_texts(False)


@pytest.fixture(autouse=True)
def base(settings: Any) -> None:
    """As an operator's settings say."""
    settings.TRAINING_BASES = {"Tiny": "tiny"}


@pytest.fixture
def project() -> Project:
    return make_project(trains_at_close=True)


def labeled(project: Project, traces: int = 2, *, ratings: tuple[int, ...] = (1, 1, -1), protocol: str = "") -> Round:
    """An open round whose traces are all labeled; any PRM may learn from its problems."""
    for trace in make_traces(project, traces):
        text = next(_texts)
        Problem.objects.filter(pk=trace.problem_id).update(text=text, text_hash=problem_key(text))
    config = PlainConfig.of(source="filter", filter=UNLABELED)
    round_ = rounds.open_round(project, by=None, config=config, protocol=protocol)
    person = make_member(project)
    while (label := claim_next_label(person, project).label) is not None:
        submit_label(label, make_submission(list(ratings)))
    return round_


def close(*closed: Round) -> None:
    for round_ in closed:
        rounds.close_round(round_, by=None)


def at_close(project: Project, role: str = "researcher") -> dict[str, Any]:
    return Browser(make_member(project, role)).call("GET", f"/api/projects/{project.slug}/training_runs/at_close")


def test_a_close_begins_one_training_on_closed_and_imported_labels_however_often_the_clock_strikes(
    project: Project, tmp_path: Path
) -> None:
    imported = import_labels(project, tmp_path, labeled_row(next(_texts), [1, -1]))
    assert sweep_closes() == 0, "an import closes nothing"
    round_, still_open = labeled(project), labeled(project)
    ada = make_member(project, "researcher")
    answer = Browser(ada).call("POST", f"/api/rounds/{round_.pk}/close")
    assert answer["training"] == {"due": True, "run": None, "name": "", "error": ""}
    assert at_close(project)["due"]
    assert [sweep_closes() for _ in range(3)] == [1, 0, 0]
    run = TrainingRun.objects.get()
    assert set(run.round_ids) == {imported.pk, round_.pk}
    assert still_open.pk not in run.round_ids
    assert (run.base, run.method, run.target, run.status) == ("Tiny", "stacked", "steps", "queued")
    assert (run.name, run.created_by) == (f"After round {round_.number}", None)
    assert AuditEvent.objects.get(action="training.create").detail["at_close_of"] == f"round {round_.number}"
    began = {"due": False, "run": run.pk, "name": f"After round {round_.number}", "error": ""}
    assert Browser(ada).call("GET", f"/api/rounds/{round_.pk}")["training"] == began
    named = {"id": round_.pk, "number": round_.number, "name": ""}
    assert Browser(ada).call("GET", f"/api/training_runs/{run.pk}")["at_close_of"] == named
    [event] = Browser(ada).call("GET", f"/api/projects/{project.slug}/model_history")["events"]
    assert (event["kind"], event["at_close_of"]) == ("trained", named)
    said = at_close(project)
    assert (said["round"], said["due"], said["run"]["id"], said["run"]["status"]) == (named, False, run.pk, "queued")
    assert not Promotion.objects.exists()


def test_rounds_closed_within_a_minute_make_one_training_over_all_of_them(project: Project) -> None:
    three = [labeled(project) for _ in range(3)]
    close(*three)
    assert [sweep_closes(), sweep_closes()] == [1, 0]
    run = TrainingRun.objects.get()
    assert set(run.round_ids) == {one.pk for one in three}
    assert set(run.closes.all()) == set(three)
    assert at_close(project)["round"]["id"] == three[-1].pk
    assert run.name == f"After round {three[-1].number}"


def test_a_close_waits_behind_a_training_of_the_project_and_further_ones_join_it(project: Project) -> None:
    first = labeled(project)
    mine = create_training_run(project, by=None, config=TrainingConfig((first.pk,), "Tiny"), wake=False)
    close(first)
    assert sweep_closes() == 0
    assert (at_close(project)["due"], at_close(project)["behind"]) == (True, mine.pk)
    second = labeled(project)
    close(second)
    assert sweep_closes() == 0
    TrainingRun.objects.filter(pk=mine.pk).update(status="succeeded")
    assert [sweep_closes(), sweep_closes()] == [1, 0]
    assert set(TrainingRun.objects.latest("pk").closes.all()) == {first, second}


def test_what_cannot_be_trained_on_is_refused_before_and_nothing_begins_at_the_close(project: Project) -> None:
    page = Browser(make_member(project, "researcher"))
    home = f"/api/projects/{project.slug}/training_runs"
    few = labeled(project, 1)
    said = "These rounds have 1 label; 1 of them can be learned from, on 1 problem with 2 right and 1 wrong steps"
    seen = page.call("POST", f"{home}/preview", {"round_ids": [few.pk], "switches": {}})
    assert seen["refused"].startswith(said)
    answer = page.call("POST", home, {"round_ids": [few.pk], "base": "Tiny"}, status=422)
    assert (answer["code"], answer["detail"]) == ("nothing_to_learn", seen["refused"])
    assert page.call("GET", f"{home}/at_close?closing={few.pk}")["refused"] == seen["refused"]
    close(few)
    assert sweep_closes() == 0
    assert at_close(project)["error"] == seen["refused"]
    assert not TrainingRun.objects.exists()
    more = labeled(project, 1)  # with the closed one there are two
    assert page.call("GET", f"{home}/at_close?closing={more.pk}")["refused"] == ""
    assert at_close(project)["refused"] == ""
    both = page.call("POST", f"{home}/preview", {"round_ids": [few.pk, more.pk], "switches": {}})
    of_answers = {"round_ids": [few.pk, more.pk], "base": "Tiny", "target": "outcome"}
    refused = page.call("POST", home, of_answers, status=422)
    assert refused["detail"] == both["refused_outcomes"]
    assert "two of each are needed" in refused["detail"]
    assert (both["problems"], both["refused"]) == (2, "")
    close(more)
    assert sweep_closes() == 1


def test_projects_do_not_wait_for_each_other(project: Project) -> None:
    other = make_project(trains_at_close=True)
    close(labeled(project), labeled(other))
    assert sweep_closes() == 2
    assert set(TrainingRun.objects.values_list("project", flat=True)) == {project.pk, other.pk}


def test_the_next_is_asked_for_as_the_newest_was_and_not_as_one_that_failed_or_judges_outcomes(
    project: Project,
) -> None:
    first = labeled(project, 4)
    for place, trace in enumerate(Trace.objects.filter(project=project)):
        Trace.objects.filter(pk=trace.pk).update(outcome="correct" if place % 2 else "wrong")
    judge = StepScorer.objects.create(name="Judge", kind=StepScorer.Kind.JUDGE, project=project, spec={})
    config = TrainingConfig(
        (first.pk,), "Tiny", method="head", switches={"neutral": "drop"}, sources={judge.pk: 0.3}, seed=7
    )
    for asked, ended in (
        (config, "succeeded"),
        (TrainingConfig((first.pk,), "Tiny", method="full"), "failed"),
        (TrainingConfig((first.pk,), "Tiny", target="outcome"), "succeeded"),
    ):
        run = create_training_run(project, by=None, config=asked, wake=False)
        TrainingRun.objects.filter(pk=run.pk).update(status=ended)
    close(first)
    assert sweep_closes() == 1
    run = TrainingRun.objects.latest("pk")
    assert (run.method, run.target, run.switches["neutral"], run.seed) == ("head", "steps", "drop", 7)
    assert [(one["id"], one["weight"]) for one in run.sources] == [(judge.pk, 0.3)]


def test_why_none_could_begin_is_told_once_and_the_next_close_takes_its_labels_too(
    project: Project, settings: Any
) -> None:
    settings.TRAINING_BASES = {}
    first = labeled(project)
    close(first)
    assert sweep_closes() == 0
    said = at_close(project)
    assert said["error"].startswith("No base model is set up here.")
    assert (said["has_base"], said["due"], said["run"]) == (False, False, None)
    settings.TRAINING_BASES = {"Tiny": "tiny"}
    assert sweep_closes() == 0, "it is not tried again and again"
    right = labeled(project, ratings=(1, 1, 1))
    close(right)
    assert sweep_closes() == 1
    run = TrainingRun.objects.get()
    assert set(run.round_ids) == {first.pk, right.pk}
    first.refresh_from_db()
    assert (first.training, first.training_error) == (None, said["error"])


def test_labels_of_one_kind_teach_nothing_and_that_is_said(project: Project) -> None:
    round_ = labeled(project, ratings=(1, 1, 1))
    close(round_)
    assert sweep_closes() == 0
    round_.refresh_from_db()
    assert "both kinds are needed" in round_.training_error
    assert not round_.training_due


def test_a_fault_of_a_field_is_told_as_its_own_sentence(project: Project) -> None:
    round_ = labeled(project)
    run = create_training_run(project, by=None, config=TrainingConfig((round_.pk,), "Tiny"), wake=False)
    TrainingRun.objects.filter(pk=run.pk).update(status="succeeded", sources=[{"id": 0, "weight": 1}])
    close(round_)
    sweep_closes()
    assert at_close(project)["error"] == "There is no source 0 in this project's list."


def test_a_round_without_peoples_work_or_in_a_project_that_wants_none_begins_nothing(project: Project) -> None:
    make_traces(project, 2)
    close(rounds.open_round(project, by=None))
    unwanted = labeled(make_project())
    close(unwanted)
    assert not Round.objects.filter(training_due=True).exists()
    assert at_close(unwanted.project) == {
        "on": False,
        "has_base": True,
        "round": None,
        "closed_at": None,
        "due": False,
        "behind": None,
        "run": None,
        "error": "",
        "refused": "",
    }


def test_switched_off_between_close_and_sweep_none_begins(project: Project) -> None:
    round_ = labeled(project)
    close(round_)
    boss = Browser(make_member(project, "admin"))
    boss.call("PATCH", f"/api/projects/{project.slug}", {"trains_at_close": False})
    change = AuditEvent.objects.get(action="project.change").detail
    assert change == {"before": {"trains_at_close": True}, "after": {"trains_at_close": False}}
    assert sweep_closes() == 0
    assert not Round.objects.filter(training_due=True).exists()
    assert at_close(project)["round"] is None
    Browser(make_member(project, "researcher")).call(
        "PATCH", f"/api/projects/{project.slug}", {"trains_at_close": True}, status=403
    )


def test_rounds_of_agents_begin_one_too_and_so_do_rounds_of_paths(project: Project, settings: Any) -> None:
    close(labeled(project, protocol="every_step"))
    assert sweep_closes() == 1
    assert TrainingRun.objects.get().closes.get().protocol == "every_step"
    settings.GENERATORS = {"qwen": type("Qwen", (), {"models": ()})()}
    elsewhere = make_project(trains_at_close=True)
    make_problem(elsewhere, next(_texts))
    paths = open_paths(elsewhere)
    ada = PathLabeler(elsewhere, lambda prefix, number: f"Step {len(prefix)}." if len(prefix) < 2 else "# Answer\n\n7")
    ada.claim()
    for _ in range(3):
        ada.step(1)
    ada.submit()
    close(paths)
    assert sweep_closes() == 0
    assert "3 right and 0 wrong steps" in at_close(elsewhere)["error"]


@pytest.mark.django_db(transaction=True)
def test_four_sweeps_at_once_begin_one_training(project: Project) -> None:
    close(labeled(project))
    together = threading.Barrier(4)
    begun: list[int] = []

    def strike() -> None:
        connection.ensure_connection()
        together.wait()
        begun.append(sweep_closes())
        connection.close()

    clocks = [threading.Thread(target=strike) for _ in range(4)]
    for clock in clocks:
        clock.start()
    for clock in clocks:
        clock.join()
    assert sorted(begun) == [0, 0, 0, 1]
    assert TrainingRun.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_process_that_dies_between_the_close_and_the_training_loses_and_doubles_nothing(project: Project) -> None:
    round_ = labeled(project)
    code = f"""
from labeling.actions.rounds import close_round
from labeling.actions.training_at_close import sweep_closes
from labeling.models import Round
close_round(Round.objects.get(pk={round_.pk}), by=None)
sweep_closes()
"""
    run_until_call(code, "actions/training_runs.py:create_training_run", 1)
    assert Round.objects.get().training_due
    assert [sweep_closes(), sweep_closes()] == [1, 0]
    assert TrainingRun.objects.get().closes.get() == round_
