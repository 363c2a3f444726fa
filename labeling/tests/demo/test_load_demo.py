"""`manage.py load_demo` on a real database: what it creates, and that it creates it once."""

import json
import stat
import subprocess
import sys
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.utils import timezone

from labeling.actions.demo_agents import GUIDELINES, RUNS
from labeling.actions.demo_paths import FILE as PATHS
from labeling.actions.labels import claim_next_label
from labeling.actions.people import create_person
from labeling.actions.projects import create_project
from labeling.models import (
    AuditEvent,
    EvaluationSet,
    Guideline,
    Label,
    Membership,
    Problem,
    Project,
    Round,
    StepLabel,
    StepScorer,
    Trace,
    User,
)
from labeling.tests.factories import open_round
from labeling.tests.gold.world import Labeler
from labeling.tests.paths.world import PathLabeler

pytestmark = pytest.mark.django_db(transaction=True)  # an import is kept alive from a second connection
META = Path(settings.BASE_DIR) / "labeling" / "demo" / "prm" / "meta.json"
TABLES = (
    User,
    Project,
    Membership,
    Guideline,
    Problem,
    Trace,
    Round,
    Label,
    StepLabel,
    EvaluationSet,
    StepScorer,
    AuditEvent,
)


@pytest.fixture
def logins(tmp_path: Path) -> Path:
    return tmp_path / "logins.json"


def load(logins: Path, *options: str) -> Project:
    call_command("load_demo", "--logins", str(logins), *options)
    return Project.objects.get(slug="demo")


def test_the_demo_has_people_traces_guidelines_an_open_round_and_labels(logins: Path) -> None:
    project = load(logins)
    roles = dict(Membership.objects.filter(project=project).values_list("user__username", "role"))
    assert roles == {"admin": "admin", "researcher": "researcher", "ada": "annotator", "ben": "annotator"}
    assert (Problem.objects.filter(project=project).count(), Trace.objects.filter(project=project).count()) == (34, 158)
    round_ = Round.objects.get(project=project)
    assert (round_.status, round_.task_count, round_.overlap) == ("labeling", 64, 1)
    guideline = Guideline.objects.get(project=project)
    assert guideline.version == 1
    assert "first step that is wrong" in guideline.body
    labels = Label.objects.filter(project=project)
    assert labels.count() == labels.filter(status="submitted", client_build="demo", guideline=guideline).count() == 45


def test_everybody_in_the_logins_file_can_log_in_and_only_the_owner_reads_it(logins: Path) -> None:
    load(logins)
    assert stat.S_IMODE(logins.stat().st_mode) == 0o600
    entries = json.loads(logins.read_text())
    assert len({entry["password"] for entry in entries}) == 4
    for entry in entries:
        person = User.objects.get(username=entry["username"])
        assert person.check_password(entry["password"])
        assert person.is_superuser is (entry["role"] == "admin")


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """Write the record that the first start writes for the demo's PRM."""
    path = tmp_path / "demo-prm.json"
    path.write_text(json.dumps({"family": "step_classifier", "path": "demo-prm"}))
    return path


def test_it_comes_with_a_prm_of_its_own_and_traces_to_measure_it_on(logins: Path, record: Path) -> None:
    project = load(logins, "--prm", str(record))
    prm = StepScorer.objects.get()
    assert (prm.name, prm.spec["path"], prm.status) == ("Demo PRM", "demo-prm", "unchecked")
    assert (prm.project, "labels that the demo comes with" in prm.learned_from) == (None, True), "for every project"
    measured = EvaluationSet.objects.get(project=project)
    assert (measured.name, measured.traces, measured.problems, measured.erroneous) == ("Recorded errors", 33, 7, 17)


def test_what_the_prm_learned_from_is_found_among_the_demos_traces(logins: Path) -> None:
    project = load(logins)
    learned = json.loads(META.read_bytes())["lineage"]["learned"]
    traces = Trace.objects.filter(project=project).values_list("trace_hash", "problem__text_hash")
    known = [{bytes(one).hex() for one in hashes} for hashes in zip(*traces, strict=True)]
    assert [set(learned[name]) - among for name, among in zip(("traces", "problems"), known, strict=True)] == [
        set()
    ] * 2
    assert (len(learned["traces"]), len(learned["problems"])) == (33, 19)


def test_a_demo_that_was_loaded_before_gets_its_prm_at_the_next_start(logins: Path, record: Path) -> None:
    project = load(logins)
    assert not StepScorer.objects.exists()
    load(logins, "--prm", str(record))
    assert StepScorer.objects.count() == EvaluationSet.objects.filter(project=project).count() == 1


def test_the_prm_of_a_demo_that_had_it_for_itself_is_opened_to_every_project(logins: Path, record: Path) -> None:
    project = load(logins, "--prm", str(record))
    StepScorer.objects.update(project=project, learned_from="")
    load(logins, "--prm", str(record))
    prm = StepScorer.objects.get()
    assert (prm.project, prm.learned_from != "") == (None, True)


def test_what_is_opened_later_is_served_before_the_first_round(logins: Path) -> None:
    project = load(logins)
    opened = open_round(project, sample_size=3, source="sample")
    label = claim_next_label(User.objects.get(username="ada"), project).label
    assert label is not None
    assert label.task.round_id == opened.pk


def test_loading_again_changes_nothing(logins: Path, record: Path) -> None:
    load(logins, "--prm", str(record))
    before = logins.read_text(), [list(table.objects.order_by("pk").values()) for table in TABLES]
    load(logins, "--prm", str(record))
    assert (logins.read_text(), [list(table.objects.order_by("pk").values()) for table in TABLES]) == before


def test_a_start_that_was_cut_short_is_finished(logins: Path) -> None:
    admin = create_person(username="admin", password="a long enough one", is_superuser=True)
    create_project(admin, slug="demo", name="Demo")
    project = load(logins)
    assert Guideline.objects.filter(project=project).count() == 1
    assert Label.objects.filter(project=project).count() == 45


def test_an_account_that_exists_keeps_its_password_and_rights(logins: Path) -> None:
    create_person(username="Researcher", password="a long enough one")
    load(logins)
    person = User.objects.get(username__iexact="researcher")
    assert person.check_password("a long enough one")
    assert not person.is_superuser


def test_a_site_whose_admin_account_is_no_administrator_is_left_alone(logins: Path) -> None:
    create_person(username="admin", password="a long enough one")
    with pytest.raises(CommandError, match="administrators can create projects"):
        load(logins)
    assert not Project.objects.exists()


@pytest.mark.parametrize("text", ["", "{}", '["admin"]', '[{"username": "admin"}]', "[]"])
def test_a_broken_logins_file_is_refused_and_nothing_is_made(logins: Path, text: str) -> None:
    logins.write_text(text)
    with pytest.raises(CommandError):
        load(logins)
    assert not User.objects.exists()


def test_demo_labels_lie_in_the_past_days_one_after_the_other(logins: Path) -> None:
    project = load(logins)
    labels = Label.objects.filter(project=project).order_by("submitted_at")
    now = timezone.now()
    assert all(now - timedelta(days=6) < label.claimed_at < now for label in labels)
    assert len({label.claimed_at.date() for label in labels}) == 5
    assert len({label.labeler_id for label in labels}) == 2
    for earlier, later in pairwise(labels):
        assert earlier.submitted_at is not None
        assert earlier.submitted_at < later.claimed_at
    for label in labels:
        assert label.submitted_at is not None
        lasted = (label.submitted_at - label.claimed_at).total_seconds() * 1000
        assert 30_000 < label.active_ms <= lasted


def test_demo_labels_mostly_find_the_recorded_error_but_not_always(logins: Path) -> None:
    project = load(logins)
    labels = Label.objects.filter(project=project).select_related("task__trace")
    agree = 0
    for label in labels:
        errors = [row.step_index for row in label.step_labels.all() if row.rating == -1]
        assert len(errors) == (label.finish_reason == "found_error")
        agree += (errors or [-1])[0] == label.task.trace.recorded_first_error
    assert 35 <= agree < 45
    assert set(labels.values_list("finish_reason", flat=True)) == {"found_error", "solution", "give_up"}
    assert labels.filter(noticed_at_step__isnull=False).exists()
    assert labels.filter(comments__isnull=False).exists()


def test_the_traces_are_kept_byte_for_byte(logins: Path) -> None:
    project = load(logins)
    problem = Problem.objects.get(project=project, external_id="demo-algebra-2")
    assert problem.text.startswith("A school sells adult tickets for $8 and student tickets for $5.")
    assert (problem.answer, problem.level, problem.subject) == ("52", "1", "Algebra")
    marked = problem.traces.get(generator="demo-policy-e")
    assert marked.steps[0].endswith("the school would have taken 120*5=$<<120*5=600>>600.")
    assert (marked.outcome, marked.recorded_first_error, marked.recorded_ratings) == ("correct", -1, None)


def test_a_path_through_each_recorded_problem_of_the_demo_can_be_chosen_without_writing(logins: Path) -> None:
    load(logins)
    project = Project.objects.get(slug="demo-steps")
    ada = PathLabeler(project, lambda prefix, number: "", User.objects.get(username="ada"))
    great = {text for row in map(json.loads, PATHS.read_text().splitlines()) for text in _great(row)}
    for _ in range(Problem.objects.filter(project=project).count()):
        ada.claim()
        while not ada.path["ended"]:
            opened = ada.path["open"]["completions"]
            if opened[0]["text"] not in great:
                opened = ada.rest(0)["open"]["completions"]
            ada.step(*(1 if one["text"] in great else 0 for one in opened))
        ada.submit()
    assert Label.objects.filter(task__trace__is_path=True, finish_reason="solution", project=project).count() == 6
    assert not Project.objects.filter(slug="demo-live-steps").exists(), "there is no generator here"


def test_the_demo_has_three_runs_of_an_agent_and_a_round_in_which_each_is_rated_to_its_end(logins: Path) -> None:
    load(logins)
    project = Project.objects.get(slug="demo-agents")
    round_ = Round.objects.get(project=project)
    assert (round_.status, round_.protocol, round_.task_count, round_.overlap) == ("labeling", "every_step", 3, 2)
    runs = Trace.objects.filter(project=project).order_by("pk")
    assert [(run.problem.external_id, len(run.steps)) for run in runs] == [
        ("demo-failing-test", 7),
        ("demo-wrong-tool", 4),
        ("demo-recovery", 5),
    ]
    kinds = {step["kind"] for run in runs for step in run.typed_steps}
    assert kinds == {"message", "tool_call", "test_run", "edit", "observation", "final"}
    ada = Labeler(project, User.objects.get(username="ada"))
    ratings = {7: [1, 1, 1, 1, 1, 1, 1], 4: [1, -1, 0, -1], 5: [1, -1, 1, 1, 1]}
    for _ in runs:
        label = ada.claim()["label"]
        ada.submit(label, ratings[len(label["steps"])])
    verdicts = Label.objects.filter(project=project).order_by("task__trace").values_list("verdict", flat=True)
    assert list(verdicts) == [-1, 1, 1]


def test_the_runs_of_the_demo_are_what_its_scripted_agent_records(tmp_path: Path) -> None:
    again = tmp_path / "runs.jsonl"
    subprocess.run([sys.executable, str(RUNS.parent / "record.py"), str(again)], check=True, timeout=120)

    def said(path: Path) -> list[Any]:
        """Return everything except the messages of failed tests, which depend on the Python version."""
        runs = [json.loads(line) for line in path.read_text().splitlines()]
        for step in (step for run in runs for step in run["steps"]):
            for result in step.get("observation", {}).get("results", ()):
                result["content"] = "" if "Traceback" in result["content"] else result["content"]
        return runs

    assert said(again) == said(RUNS)


def test_the_demo_guidelines_of_runs_are_those_that_an_empty_editor_offers() -> None:
    editor = Path(settings.BASE_DIR) / "frontend/src/features/guidelines/agentRuns.ts"
    assert GUIDELINES.read_text() in editor.read_text()


def _great(row: dict[str, Any]) -> list[str]:
    return [one["text"] for step in row["label"]["steps"] for one in step["completions"] if one["rating"] == 1]
