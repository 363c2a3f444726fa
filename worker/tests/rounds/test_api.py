"""Prepared rounds as seen by a browser and by the command line."""

import json
from datetime import timedelta
from io import StringIO
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.utils import timezone

from labeling.actions.round_chunks import claim_chunk
from labeling.actions.round_stages import advance_round
from labeling.actions.rounds import pause_round
from labeling.actions.workers import record_heartbeat
from labeling.models import Round, RoundChunk, Score, StepScorer, WorkerHeartbeat
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project
from worker.tests.rounds.world import make_prm, make_samples, project_with_samples, run_task, set_chunk, start, work

pytestmark = pytest.mark.django_db(transaction=True)
CLASSIFIER = {"family": "step_classifier", "path": "classifier"}


def researcher_of(project) -> Browser:
    return Browser(make_member(project, "researcher"))


def command(name: str, *arguments: str) -> str:
    out = StringIO()
    call_command(name, *arguments, stdout=out)
    return out.getvalue()


def test_a_researcher_starts_watches_and_publishes_a_round():
    project = project_with_samples(problems=3)
    prm = make_prm(CLASSIFIER)
    browser = researcher_of(project)
    body = {"prm": prm.pk, "k": 2, "control_share": 0, "seed": 5, "name": "First", "client_key": str(uuid4())}
    round_ = browser.call("POST", f"/api/projects/{project.slug}/rounds/start", body, status=201)
    again = browser.call("POST", f"/api/projects/{project.slug}/rounds/start", body, status=201)
    assert again["id"] == round_["id"]
    assert (round_["status"], round_["staged"], round_["has_selection"]) == ("grading", True, False)
    assert round_["prm"] == {"id": prm.pk, "name": prm.name}
    address = f"/api/rounds/{round_['id']}"
    stages = {one["stage"]: one for one in browser.call("GET", f"{address}/progress")["stages"]}
    assert {name: one["state"] for name, one in stages.items()} == {
        "generating": "skipped",
        "grading": "waiting",
        "scoring": "waiting",
        "selecting": "waiting",
    }
    work(Round.objects.get())
    stages = {one["stage"]: one for one in browser.call("GET", f"{address}/progress")["stages"]}
    assert {one["state"] for name, one in stages.items() if name != "generating"} == {"done"}
    assert (stages["scoring"]["total"], stages["scoring"]["done"], stages["scoring"]["unit"]) == (18, 18, "traces")
    assert browser.call("GET", address)["has_selection"] is True
    published = browser.call("POST", f"{address}/publish")
    assert (published["status"], published["counts"]["tasks"]) == ("labeling", 6)
    assert browser.call("POST", f"{address}/publish")["opened_at"] == published["opened_at"]


def test_progress_tells_rate_time_left_and_workers_while_a_stage_runs():
    project = project_with_samples(problems=2)
    round_ = start(project, make_prm(CLASSIFIER))
    advance_round(round_.pk)
    now = timezone.now()
    about = {"status": "running", "done": 4, "started_at": now - timedelta(seconds=2), "worker": "gpu@one"}
    RoundChunk.objects.filter(round=round_).update(**about, leased_until=now + timedelta(seconds=60))
    browser = researcher_of(project)
    scoring = browser.call("GET", f"/api/rounds/{round_.pk}/progress")["stages"][2]
    assert (scoring["state"], scoring["total"], scoring["done"], scoring["workers"]) == ("running", 12, 4, 1)
    assert 1 < scoring["per_second"] <= 2
    assert 4 <= scoring["seconds_left"] < 8
    pause_round(round_, by=None)
    RoundChunk.objects.filter(round=round_).update(status="queued", leased_until=None)
    paused = browser.call("GET", f"/api/rounds/{round_.pk}/progress")["stages"][2]
    assert (paused["per_second"], paused["seconds_left"], paused["workers"]) == (None, None, 0)


def test_a_chunk_taken_up_after_a_pause_goes_on_at_the_speed_it_had():
    project = project_with_samples(problems=2)
    round_ = start(project, make_prm(CLASSIFIER))
    advance_round(round_.pk)
    now = timezone.now()
    began = now - timedelta(hours=1)
    left = {"status": "queued", "done": 4, "started_at": began, "finished_at": began + timedelta(seconds=40)}
    RoundChunk.objects.filter(round=round_).update(**left, leased_until=None)
    assert claim_chunk(round_.pk, "scoring", worker="gpu@one") is not None
    scoring = researcher_of(project).call("GET", f"/api/rounds/{round_.pk}/progress")["stages"][2]
    assert (scoring["state"], scoring["done"], scoring["workers"]) == ("running", 4, 1)
    assert 0 < scoring["per_second"] <= 0.1, "four in the forty seconds before the pause"
    assert scoring["seconds_left"] >= 80


def test_a_failed_round_says_why_and_resuming_tries_again_with_what_is_left(models: Path, monkeypatch):
    set_chunk(monkeypatch, "scoring", 6)
    project = project_with_samples(problems=3)
    prm = make_prm(CLASSIFIER)
    round_ = start(project, prm)
    advance_round(round_.pk)
    weights = models / "classifier" / "model.safetensors"
    aside = weights.rename(weights.with_suffix(".aside"))
    try:
        run_task("worker.run_chunks", round_.pk, "scoring")
    finally:
        aside.rename(weights)
    browser = researcher_of(project)
    failed = browser.call("GET", f"/api/rounds/{round_.pk}")
    assert (failed["status"], failed["resume_to"]) == ("failed", "scoring")
    assert f"The PRM {prm.name} cannot be used" in failed["error"]
    assert "holds no .safetensors file" in failed["error"]
    progress = browser.call("GET", f"/api/rounds/{round_.pk}/progress")
    assert (progress["error"], progress["stages"][2]["state"]) == (failed["error"], "failed")
    assert browser.call("POST", f"/api/rounds/{round_.pk}/resume")["error"] == ""
    assert work(round_).status == "ready"
    assert Score.objects.count() == 18


def test_weights_that_changed_since_they_were_checked_are_refused(models: Path):
    project = project_with_samples(problems=1)
    prm = make_prm(CLASSIFIER)
    StepScorer.objects.filter(pk=prm.pk).update(fingerprint="another")
    prm.refresh_from_db()
    assert "have changed since it was checked" in work(start(project, prm)).error


def test_starting_is_limited_per_person_and_says_when_to_try_again():
    cache.clear()
    project = make_project()
    browser = researcher_of(project)
    address = f"/api/projects/{project.slug}/rounds/start"
    answers = [browser.send("POST", address, {"k": 1}) for _ in range(21)]
    assert {answer.status_code for answer in answers[:20]} == {422}
    assert answers[20].status_code == 429
    assert answers[20].json()["code"] == "throttled"
    assert int(answers[20].headers["Retry-After"]) <= 60
    other = researcher_of(project)
    assert other.send("POST", address, {"k": 1}).status_code == 422


def test_faults_of_the_form_are_named_by_field():
    project = project_with_samples(problems=1)
    browser = researcher_of(project)
    for fault in ({"k": 0}, {"k": 1, "ratio": 1.5}, {"k": 1, "prm": 10**9}, {"k": 1, "control_share": 1}):
        answer = browser.call("POST", f"/api/projects/{project.slug}/rounds/start", fault, status=400)
        assert set(answer["fields"]) == {next(reversed(fault))}


def test_the_list_of_prms_holds_those_of_the_project_and_no_address():
    project, other = project_with_samples(problems=1), make_project()
    prm = make_prm(CLASSIFIER, project=project)
    make_prm({"family": "qwen_prm", "path": "qwen"}, project=other)
    work(start(project, prm))
    browser = researcher_of(project)
    (found,) = browser.call("GET", f"/api/projects/{project.slug}/prms")["results"]
    assert (found["name"], found["status"], found["scale"], found["server"]) == (
        prm.name,
        "ready",
        "probability",
        False,
    )
    assert (found["scored"], len(found["checksum"]), len(found["fingerprint"])) == (6, 64, 64)
    assert not {"path", "url", "spec", "options"} & set(found)


def test_registering_checks_the_record_and_a_worker_checks_the_model(tmp_path: Path):
    record = tmp_path / "record.json"
    record.write_text(json.dumps(CLASSIFIER))
    assert "unchecked" in command("register_prm", "tiny", str(record))
    assert "ready" in command("register_prm", "tiny", str(record), "--check")
    assert StepScorer.objects.get(name="tiny").scale == "probability"
    record.write_text(json.dumps({"family": "qwen_prm", "path": "qwen"}))
    with pytest.raises(CommandError, match="This name belongs to another PRM"):
        command("register_prm", "tiny", str(record))
    for path in ("/etc", "../elsewhere", "a/../../b"):
        record.write_text(json.dumps({"family": "qwen_prm", "path": path}))
        with pytest.raises(CommandError, match="not a folder under MODELS_DIR"):
            command("register_prm", "outside", str(record))
    record.write_text(json.dumps({"family": "qwen_prm", "path": "classifier"}))
    with pytest.raises(CommandError, match="cannot be used"):
        command("register_prm", "wrong", str(record), "--check")
    assert StepScorer.objects.get(name="wrong").status == "faulty"
    assert "is retired" in command("register_prm", "tiny", "--retire")


def test_a_link_that_leads_out_of_the_models_folder_is_not_followed(models: Path, tmp_path: Path):
    link = models / "link"
    link.symlink_to(tmp_path)
    try:
        record = tmp_path / "record.json"
        record.write_text(json.dumps({"family": "qwen_prm", "path": "link"}))
        with pytest.raises(CommandError, match="outside the models folder"):
            command("register_prm", "link", str(record), "--check")
    finally:
        link.unlink()


def test_the_command_line_opens_publishes_and_closes_a_round():
    project = project_with_samples(problems=2)
    prm = make_prm(CLASSIFIER)
    options = ("--prm", prm.name, "--mode", "per_problem", "--k", "2", "--control-share", "0", "--no-grade")
    assert "Round 1 is scoring" in command("open_round", project.slug, *options, "--outcome", "wrong")
    with pytest.raises(CommandError, match="Round 1 of this project is scoring"):
        command("open_round", project.slug, *options)
    work(Round.objects.get())
    assert "Round 1 is labeling: 4 tasks." in command("publish_round", project.slug, "1")
    assert "Round 1 is closed: 0 labels" in command("close_round", project.slug, "1")
    assert Round.objects.get().report["tasks"] == {"convincing_wrong": 4}
    assert "Round 2 is labeling: 12 tasks." in command("open_round", project.slug, "--plain", "all")
    with pytest.raises(CommandError, match="control_share"):
        command("open_round", project.slug, "--control-share", "2")
    with pytest.raises(CommandError, match="There is no PRM unknown"):
        command("open_round", project.slug, "--prm", "unknown")


def test_traces_scored_without_a_round_let_the_next_one_go_straight_to_selecting():
    project = project_with_samples(problems=2)
    make_samples(project, problems=1, samples=1)
    prm = make_prm(CLASSIFIER)
    assert "13 traces scored here." in command("score_traces", project.slug, "--prm", prm.name)
    assert "0 traces scored here." in command("score_traces", project.slug, "--prm", prm.name)
    round_ = work(start(project, prm))
    assert round_.status == "ready"
    assert list(round_.chunks.values_list("stage", flat=True)) == ["selecting"]
    assert not Round.objects.exclude(pk=round_.pk).exists()


def test_the_doctor_says_that_a_round_waits_for_a_worker_of_the_queue_gpu():
    project = project_with_samples(problems=1)
    round_ = start(project, make_prm(CLASSIFIER))
    advance_round(round_.pk)
    WorkerHeartbeat.objects.all().delete()
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("doctor", stdout=out)
    assert f"none is alive, and round 1 of {project.slug} waits for it." in out.getvalue()
    record_heartbeat("gpu@here", ["gpu"], 1)
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("doctor", stdout=out)
    assert "ok     worker of the queue gpu" in out.getvalue()
