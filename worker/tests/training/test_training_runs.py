"""A training run from its labels to a PRM that a round can use: done by a worker, killed, stopped and refused."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from labeling.actions import jobs
from labeling.actions.labels import claim_next_label, submit_label
from labeling.actions.training_log import MOST_POINTS
from labeling.actions.training_runs import (
    TRAINED,
    Trained,
    TrainingCallback,
    create_training_run,
    rows_path,
    run_training,
)
from labeling.configs import TraceFilter, TrainerOptions, TrainingConfig
from labeling.errors import BaseUnknown, InvalidFields, ModelUnusable, NothingToLearn
from labeling.formats.training import DTYPES, MOST_SYNTHETIC
from labeling.models import AuditEvent, Problem, Project, Promotion, Round, StepScorer, Trace, TrainingRun
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_submission, make_traces, open_round
from labeling.tests.imports.files import import_bytes, lines, neutral_row
from labeling.tests.jobs.small_disk import fill, small_disk
from labeling.tests.killed_process import run_until_each_call
from labeling.tests.training.labels import import_labels, is_in_evaluation_split, labeled_row, problem_texts
from worker.model_faults import model_faults
from worker.prm import options
from worker.prm.errors import SpecError
from worker.scoring_chunks import describe
from worker.tasks import sweep
from worker.tests.prm import tiny
from worker.tests.rounds.world import make_prm, run_task, start, work
from worker.training import STATES, train

__all__ = ["small_disk"]
pytestmark = pytest.mark.django_db(transaction=True)


def queue_run(project: Project, round_: Round, **asked: Any) -> TrainingRun:
    """Create a run over the round's labels without waking a worker."""
    return create_training_run(project, by=None, config=TrainingConfig((round_.pk,), "Tiny", **asked), wake=False)


def both_kinds(project: Project, folder: Path) -> Round:
    """A round with the fewest labels to learn from: on two problems, each with a right step and a wrong one."""
    texts = problem_texts(False)
    return import_labels(project, folder, *(labeled_row(next(texts), [1, -1]) for _ in range(2)))


def ask(browser: Browser, project: Project, round_: Round) -> dict[str, Any]:
    body = {"round_ids": [round_.pk], "base": "Tiny", "name": "First"}
    answer: dict[str, Any] = browser.call("POST", f"/api/projects/{project.slug}/training_runs", body, status=201)
    return answer


def test_a_run_makes_a_prm_that_is_ready_and_tells_how(project: Project, round_: Round) -> None:
    browser = Browser(make_member(project, "researcher"))
    options = browser.call("GET", f"/api/projects/{project.slug}/training_runs/options")
    assert options["bases"] == ["Tiny"]
    assert [one["labels"] for one in options["rounds"]] == [184]
    preview = browser.call(
        "POST", f"/api/projects/{project.slug}/training_runs/preview", {"round_ids": [round_.pk], "switches": {}}
    )
    assert (preview["learned"], preview["problems"], preview["in_evaluation_split"]) == (160, 80, 24)
    run = ask(browser, project, round_)
    assert (run["status"], run["stage"]) == ("queued", "waiting")
    run_task("worker.train_prm", run["id"])
    run = browser.call("GET", f"/api/training_runs/{run['id']}")
    assert (run["status"], run["stage"], run["error"]) == ("succeeded", "done", "")
    assert run["prm"]["status"] == "ready"
    assert (run["labels"], run["data"]["rows"], run["data"]["problems"]) == (160, 160, 80)
    figures = {figure["name"]: figure for figure in run["figures"]}
    assert figures["auc"]["value"] > 0.9 > figures["auc"]["baseline"]
    meta = run["report"]["meta"]
    for figure in figures.values():
        assert figure["clusters"] == (meta["test"] or meta["validation"])["problems"]
        assert figure["no_interval"] == "all_alike" or figure["low"] <= figure["value"] <= figure["high"]
    TrainingRun.objects.filter(pk=run["id"]).update(
        report={**run["report"], "figures": [{"name": "auc", "value": 0.9, "baseline": 0.5, "n": 40}]}
    )
    [before] = browser.call("GET", f"/api/training_runs/{run['id']}")["figures"]
    assert (before["low"], before["no_interval"]) == (None, "no_method"), "of a run from before there were intervals"
    assert {point["curve"] for point in run["points"]}
    assert "160 labels give 160 rows of 80 problems" in run["log"][0]
    curve = run["learning_curve"]
    assert (curve["labels"], curve["problems"]) == (160, 80)
    assert len(curve["points"]) > 3
    assert curve["points"][-1]["auc"]["value"] > 0.9 > curve["points"][-1]["baseline"]
    assert [gain["more"] for gain in curve["gains"]] == [80, 160, 320]
    learning = browser.call("GET", f"/api/projects/{project.slug}/home")["learning"]
    assert (learning["run"], learning["curve"]) == (run["id"], curve)
    [listed] = browser.call("GET", f"/api/projects/{project.slug}/prms")["results"]
    assert (listed["name"], listed["run"]) == (f"First ({project.slug} {run['id']})", run["id"])
    assert not rows_path(TrainingRun.objects.get(pk=run["id"])).exists(), "no copy of the labels stays"


def test_the_close_of_a_round_has_a_worker_train_on_all_labels_and_home_says_so(
    project: Project, round_: Round, settings: Any
) -> None:
    tiny.language_model(settings.MODELS_DIR / "predicts", num_hidden_layers=4)  # a stacked head reads its predictions
    settings.TRAINING_BASES = {"Predicts": "predicts"}
    Project.objects.filter(pk=project.pk).update(trains_at_close=True)
    ada, researcher = make_member(project), Browser(make_member(project, "researcher"))
    closed = open_round(project, source="filter", filter=TraceFilter(ids=(make_traces(project)[0].pk,)))
    label = claim_next_label(ada, project).label
    submit_label(label, make_submission([1, 1, -1]))
    researcher.call("POST", f"/api/rounds/{closed.pk}/close")
    sweep()
    begun = researcher.call("GET", f"/api/rounds/{closed.pk}")["training"]["run"]
    run_task("worker.train_prm", begun)
    run = researcher.call("GET", f"/api/training_runs/{begun}")
    assert (run["error"], run["status"], run["method"]) == ("", "succeeded", "stacked")
    assert {one["id"] for one in run["rounds"]} == {round_.pk, closed.pk}
    learning = researcher.call("GET", f"/api/projects/{project.slug}/home")["learning"]
    assert (learning["run"], learning["at_close_of"]["id"]) == (begun, closed.pk)
    assert len(learning["curve"]["points"]) > 3
    said = researcher.call("GET", f"/api/projects/{project.slug}/training_runs/at_close")["run"]
    assert (said["status"], said["said"]) == ("succeeded", run["log"][-1])
    assert not Promotion.objects.exists()


def test_wrong_steps_made_by_the_trainer_are_asked_for_and_told_as_such(project: Project, round_: Round) -> None:
    browser = Browser(make_member(project, "researcher"))
    body = {"round_ids": [round_.pk], "base": "Tiny", "method": "full", "synthetic_errors": 1}
    run = browser.call("POST", f"/api/projects/{project.slug}/training_runs", body, status=201)
    run_task("worker.train_prm", run["id"])
    run = browser.call("GET", f"/api/training_runs/{run['id']}")
    assert (run["status"], run["synthetic_errors"]) == ("succeeded", 1)
    meta = run["report"]["meta"]
    assert meta["synthetic_errors"]["for_each_right_step"] == 1
    assert "that the trainer made" in meta["statements"]["process_supervised"]
    assert meta["options"]["synthetic_errors"] == 1
    assert AuditEvent.objects.get(action="training.create").detail["synthetic_errors"] == 1


def test_a_base_that_learns_is_cut_off_and_trained_in_the_numbers_that_were_asked_for(
    project: Project, round_: Round
) -> None:
    browser = Browser(make_member(project, "researcher"))
    asked = {"method": "full", "layers": 1, "dtype": "bfloat16"}
    body = {"round_ids": [round_.pk], "base": "Tiny", **asked}
    run = browser.call("POST", f"/api/projects/{project.slug}/training_runs", body, status=201)
    run_task("worker.train_prm", run["id"])
    run = browser.call("GET", f"/api/training_runs/{run['id']}")
    assert (run["status"], run["layers"], run["dtype"]) == ("succeeded", 1, "bfloat16")
    options = run["report"]["meta"]["options"]
    assert (options["layers"], options["dtype"]) == ([1], "bfloat16")


def test_a_trained_folder_names_what_it_learned_from_and_a_round_elsewhere_leaves_it_out(
    project: Project, round_: Round, settings: Any, tmp_path: Path
) -> None:
    run = queue_run(project, round_)
    run_task("worker.train_prm", run.pk)
    run = TrainingRun.objects.select_related("prm").get(pk=run.pk)
    assert run.prm is not None, run.error
    meta = json.loads((Path(settings.MODELS_DIR) / run.prm.spec["path"] / "meta.json").read_bytes())
    named = {name: set(map(bytes.fromhex, hashes)) for name, hashes in meta["lineage"]["learned"].items()}
    there = list(Trace.objects.filter(project=project).select_related("problem"))
    learned = [trace for trace in there if not is_in_evaluation_split(trace.problem.text)]
    assert named["traces"] == {bytes(trace.trace_hash) for trace in learned}
    assert named["problems"] == {bytes(trace.problem.text_hash) for trace in learned}

    other = make_project()  # has some of the traces, among new ones; it knows the PRM only by its folder
    known = sorted(learned, key=lambda trace: trace.pk)[:12]
    wrong = {"final_answer": "5", "final_answer_correct": False}
    rows = [neutral_row(trace.problem.text, trace.steps, **wrong) for trace in known]
    rows += [neutral_row(trace.problem.text, ["A: ten", "It is 5."], **wrong) for trace in known]
    import_bytes(other, lines(*rows), tmp_path)
    prm = make_prm(run.prm.spec, project=other)
    assert prm.learned_texts == len(named["traces"]) + len(named["problems"])
    chosen = work(start(other, prm, k=4))
    assert (chosen.status, chosen.error) == ("ready", "")
    assert chosen.selection is not None
    assert chosen.selection["dropped"] == {"prm_learned_from": len(known)}
    steps = list(chosen.tasks.values_list("trace__steps", flat=True))
    assert steps, "the others can be chosen"
    assert all(one == ["A: ten", "It is 5."] for one in steps)


@pytest.mark.slow
def test_a_run_whose_worker_dies_ends_as_an_unbroken_one(project: Project, round_: Round, settings: Any) -> None:
    whole, rows_broken, prm_broken = (queue_run(project, round_, name=name) for name in ("whole", "rows", "prm"))
    load = f"""
import django; django.setup()
from django.conf import settings
settings.MODELS_DIR, settings.TRAINING_BASES = {str(settings.MODELS_DIR)!r}, {settings.TRAINING_BASES!r}
from worker.tests.rounds.world import run_task
"""
    code = load + "run_task('worker.train_prm', %s)"
    while_writing_rows = (code % rows_broken.pk, "formats/training.py:as_line", 100)
    before_it_is_registered = (code % prm_broken.pk, "actions/step_scorers.py:check_prm", 1)
    run_until_each_call(load, [while_writing_rows, before_it_is_registered])
    TrainingRun.objects.filter(status="running").update(leased_until=timezone.now() - timedelta(seconds=1))
    woken: list[tuple[str, int]] = []
    jobs.sweep_jobs(lambda task, job_id: woken.append((task, job_id)))
    run_task("worker.train_prm", whole.pk)
    whole.refresh_from_db()
    assert whole.status == "succeeded", whole.error
    for broken in (rows_broken, prm_broken):
        assert ("worker.train_prm", broken.pk) in woken
        run_task("worker.train_prm", broken.pk)
        broken.refresh_from_db()
        assert (broken.status, broken.attempts) == ("succeeded", 2), broken.error
        assert broken.prm.checksum == whole.prm.checksum
        assert (broken.snapshot_id, broken.data) == (whole.snapshot_id, whole.data)


def test_a_run_that_fills_the_disk_says_so_gives_the_room_back_and_goes_on(
    project: Project, round_: Round, small_disk: Path, settings: Any
) -> None:
    for name in ("tiny", f"{TRAINED}/{STATES}"):
        (small_disk / name).parent.mkdir(exist_ok=True)
        (small_disk / name).symlink_to((settings.MODELS_DIR / name).readlink())
    settings.MODELS_DIR = small_disk
    filler = fill(small_disk)
    run = queue_run(project, round_)
    run_task("worker.train_prm", run.pk)
    run.refresh_from_db()
    assert (run.status, run.attempts) == ("queued", 0)
    assert run.error.startswith("The disk is full. Free some space")
    left = [file for file in small_disk.rglob("*") if file.is_file() and STATES not in file.parts]
    assert [file.name for file in left if file.stat().st_size] == ["filler"]
    filler.unlink()
    TrainingRun.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    run_task("worker.train_prm", run.pk)
    run.refresh_from_db()
    assert (run.error, run.status) == ("", "succeeded")


def test_a_run_that_is_told_to_stop_makes_no_prm(project: Project, round_: Round) -> None:
    researcher = make_member(project, "researcher")
    browser = Browser(researcher)
    run = ask(browser, project, round_)

    def stopped_while_training(job: TrainingRun, data: Path, callback: Any) -> Any:
        jobs.cancel_job(job, by=researcher)
        while not callback.should_stop():
            pass
        return train(job, data, callback)

    run_training(run["id"], stopped_while_training, describe)
    assert browser.call("GET", f"/api/training_runs/{run['id']}")["status"] == "cancelled"
    assert not StepScorer.objects.exists()
    waiting = ask(browser, project, round_)
    assert browser.call("POST", f"/api/training_runs/{waiting['id']}/cancel")["status"] == "cancelled"
    refusal = browser.call("POST", f"/api/training_runs/{waiting['id']}/cancel", status=409)
    assert refusal["code"] == "job_finished"
    assert AuditEvent.objects.filter(action="training.cancel", actor=researcher).count() == 2


@pytest.mark.parametrize("is_cancelled", [True, False], ids=["cancelled", "given up"])
def test_a_run_that_ends_while_it_waits_for_its_next_try_leaves_no_rows(
    project: Project, round_: Round, is_cancelled: bool
) -> None:
    browser = Browser(make_member(project, "researcher"))
    asked = ask(browser, project, round_)

    def fails(*_: Any) -> Any:
        raise ValueError("a bug")

    run_training(asked["id"], fails, describe)
    run = TrainingRun.objects.get(pk=asked["id"])
    assert (run.status, rows_path(run).exists()) == ("queued", True)
    if is_cancelled:
        browser.call("POST", f"/api/training_runs/{run.pk}/cancel")
    else:
        past = timezone.now() - timedelta(seconds=1)
        TrainingRun.objects.update(status="running", leased_until=past, attempts=jobs.MOST_ATTEMPTS)
        assert run_training(run.pk, fails, describe) is None
    assert not rows_path(run).parent.exists()


def test_a_trainer_that_gives_up_says_why(project: Project, round_: Round) -> None:
    @model_faults()
    def gives_up(*_: Any) -> Any:
        raise SpecError("The card is too small even for one row: choose a smaller base.")

    run = queue_run(project, round_)
    ended = run_training(run.pk, gives_up, describe)
    assert ended is not None
    assert (ended.status, ended.prm) == ("failed", None)
    assert ended.error == "The card is too small even for one row: choose a smaller base."


def test_a_long_run_keeps_as_many_points_as_can_be_drawn_and_says_nothing_twice_in_a_row(
    project: Project, tmp_path: Path
) -> None:
    def talks_much(_: TrainingRun, __: Path, callback: TrainingCallback) -> Trained:
        for step in range(MOST_POINTS + 5):
            callback.log_metric("loss", step, 0.5)
        for sentence in ("Reading.", "Reading.", "Training.", "Reading."):
            callback.log_message(sentence)
        raise ModelUnusable("That was all.")

    run = queue_run(project, both_kinds(project, tmp_path))
    run_training(run.pk, talks_much, describe)
    shown = Browser(make_member(project, "researcher")).call("GET", f"/api/training_runs/{run.pk}")
    assert [point["at"] for point in shown["points"]] == list(range(MOST_POINTS))
    assert shown["log"][1:] == ["Reading.", "Training.", "Reading."]


def test_a_run_whose_prm_cannot_be_used_fails_and_says_what_is_wrong_with_it(project: Project, tmp_path: Path) -> None:
    def forgets_the_weights(*_: Any) -> Trained:
        return Trained({"family": "step_classifier", "path": "nowhere"}, {})

    run = queue_run(project, both_kinds(project, tmp_path))
    ended = run_training(run.pk, forgets_the_weights, describe)
    assert ended is not None
    assert (ended.status, ended.prm) == ("failed", None)
    assert ended.error.startswith("The trained PRM cannot be used: ")
    assert "nowhere" in ended.error
    assert StepScorer.objects.get().status == "faulty"


def test_a_run_whose_labels_are_gone_when_a_worker_takes_it_fails_with_the_counts(
    project: Project, tmp_path: Path
) -> None:
    trained: list[TrainingRun] = []
    run = queue_run(project, both_kinds(project, tmp_path))
    Problem.objects.filter(project=project).update(status="bad")
    ended = run_training(run.pk, lambda run, *_: trained.append(run), describe)
    assert ended is not None
    assert (ended.status, ended.frozen_at, trained) == ("failed", None, [])
    assert "These rounds have 2 labels; 0 of them can be learned from" in ended.error


def test_what_cannot_be_learned_is_refused_with_the_counts(project: Project, tmp_path: Path, settings: Any) -> None:
    round_ = import_labels(project, tmp_path, labeled_row(next(problem_texts(False)), [1, 1]))
    with pytest.raises(NothingToLearn, match="2 right and 0 wrong steps, and both kinds are needed"):
        queue_run(project, round_)
    with pytest.raises(InvalidFields):
        queue_run(make_project(), round_)
    with pytest.raises(InvalidFields):
        queue_run(project, round_, switches={"neutral": "perhaps"})
    with pytest.raises(InvalidFields):
        queue_run(project, round_, options=TrainerOptions(synthetic_errors=1))  # a head on a frozen base
    with pytest.raises(InvalidFields):
        queue_run(project, round_, options=TrainerOptions(layers=2))
    with pytest.raises(InvalidFields):
        queue_run(project, round_, method="full", target="outcome", options=TrainerOptions(synthetic_errors=1))
    with pytest.raises(BaseUnknown, match="no base 'Huge'. Choose one of Tiny"):
        create_training_run(project, by=None, config=TrainingConfig((round_.pk,), "Huge"), wake=False)
    settings.TRAINING_BASES = {}
    with pytest.raises(BaseUnknown, match="Ask the operator to name one in TRAINING_BASES"):
        queue_run(project, round_)


def test_the_form_and_the_trainer_allow_the_same() -> None:
    assert MOST_SYNTHETIC == options.MOST_SYNTHETIC
    for dtype in DTYPES:
        options.TrainOptions(base=Path(), method="full", dtype=dtype).check()
