"""The 20th project of an instance: time grows in proportion to the number of rows, whatever the planner knew.

Postgres has no statistics about a new project, but about the others: a join expected to have no rows becomes a nested
loop, and ten times as many rows take a hundred times as long. Times are CPU times, here and in Postgres, so that other
work of the machine is not included.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from psycopg.errors import Diagnostic

from labeling import queries
from labeling.actions.evaluations import create_evaluation_set
from labeling.actions.exports import create_export, run_export
from labeling.actions.gold_plans import spread_gold
from labeling.actions.gradings import apply_grading, create_grading, run_grading
from labeling.actions.imported_scores import record_score_import, run_score_import
from labeling.actions.label_audits import create_label_audit
from labeling.actions.labels import claim_next_label
from labeling.actions.problem_held_out import load_held_out
from labeling.actions.round_selection import select_traces
from labeling.configs import LabelAuditConfig
from labeling.formats.training import resolved_switches
from labeling.grading import Grade, Question
from labeling.models import GoldPlan, GradingJob, Label, Problem, Project, Round, Score, StepScorer, Task, Trace
from labeling.tests import factories
from labeling.tests.accounts import Browser
from labeling.tests.gold.world import make_gold_items
from labeling.tests.imports.files import import_bytes, lines, neutral_row, prm800k_row
from labeling.tests.selection.pools import make_prm, selecting_round

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]  # an import keeps its tables until commit
OLD_PROJECTS = 19
OLD_PROBLEMS = 400  # in each
SIZES = (300, 3_000)
NOISE = 0.05  # seconds allowed for anything
SLOW = 100  # milliseconds; plans of slower statements are shown if the test fails
GOLD = 20  # items of each project
Times = dict[str, float]
Timed = Callable[[str, Callable[[], Any]], Any]  # a step's name, and what it does


@pytest.fixture
def old_instance() -> None:
    """An instance whose tables the planner knows in their earlier state, without rows of the next project."""
    for _ in range(OLD_PROJECTS):
        project = factories.make_project()
        problems = Problem.objects.bulk_create(
            Problem(project=project, text=f"Old {number}?", text_hash=number.to_bytes(32, "big"))
            for number in range(OLD_PROBLEMS)
        )
        Trace.objects.bulk_create(
            Trace(project=project, problem=problem, steps=["One."], trace_hash=problem.text_hash)
            for problem in problems
        )
    labeled = factories.make_round(project, 50)
    labeler = factories.make_member(project)
    Label.objects.bulk_create(
        Label(project=project, task=task, labeler=labeler, status="released")
        for task in Task.objects.filter(round=labeled)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


@pytest.fixture
def plans() -> Iterator[list[str]]:
    """Return the plans of slow statements, as Postgres executed them."""
    told: list[str] = []

    def tell(notice: Diagnostic) -> None:
        told.append(notice.message_primary or "")

    with connection.cursor() as cursor:
        cursor.execute("LOAD 'auto_explain'")
        cursor.execute(f"SET auto_explain.log_min_duration = {SLOW}; SET client_min_messages = log")
        cursor.execute("SET max_parallel_workers_per_gather = 0")  # what helpers take is not in the backend's time
        connection.connection.add_notice_handler(tell)
        yield told
        connection.connection.remove_notice_handler(tell)
        cursor.execute("RESET auto_explain.log_min_duration; RESET client_min_messages")
        cursor.execute("RESET max_parallel_workers_per_gather")


def test_ten_times_as_many_rows_take_about_ten_times_as_long(
    old_instance: None, plans: list[str], tmp_path: Path
) -> None:
    few = [times_of(tmp_path, SIZES[0]) for _ in range(2)]
    most = {step: 15 * max(NOISE, *(one[step] for one in few)) for step in few[0]}
    plans.clear()
    many = times_of(tmp_path, SIZES[1])
    if any(many[step] > most[step] for step in many):  # a second time: a plan is slow twice, a machine rarely
        again = times_of(tmp_path, SIZES[1])
        many = {step: min(many[step], again[step]) for step in many}
    slow = {step: (many[step], most[step]) for step in many if many[step] > most[step]}
    assert not slow, "\n\n".join(plans)


def test_no_temporary_table_is_joined_before_postgres_knows_its_rows(tmp_path: Path) -> None:
    """At a hundred thousand rows this decides the time; few rows show no difference."""
    project = factories.make_project()
    with CaptureQueriesContext(connection) as met:
        for row in (prm800k_row(), neutral_row("Another?", first_error=1, split="held_out")):
            assert import_bytes(project, lines(row), tmp_path).status == "succeeded"
    statements = [query["sql"].strip() for query in met.captured_queries]
    made = [name for statement in statements for name in re.findall(r"CREATE TEMP(?:ORARY)? TABLE (\w+)", statement)]
    assert len(made) > 5
    for name in set(made):
        filling = re.compile(rf"CREATE|COPY|(\d+ times: )?INSERT INTO {name}\b")
        using = [one for one in statements if re.search(rf"\b{name}\b", one) and not filling.match(one)]
        assert not using or re.match(rf"ANALYZE {name}\b", using[0]), using[0]


def times_of(folder: Path, size: int) -> Times:
    """Return the CPU seconds of each step in a new project with that many problems, traces and labels."""
    project = factories.make_project(gold_per_round=GOLD)
    times: Times = {}

    def timed(step: str, act: Callable[[], Any]) -> Any:
        began = processor_seconds()
        found = act()
        times[step] = processor_seconds() - began
        return found

    told = {"first_error": 1, "ground_truth_answer": "4", "final_answer": "5"}
    plain = lines(*(neutral_row(f"What is {size} times {number}?", **told) for number in range(size)))
    labeled = lines(*(prm800k_row(f"What is {size} plus {number}?") for number in range(size)))
    assert timed("import", lambda: import_bytes(project, plain, folder)).status == "succeeded"
    assert timed("import labels", lambda: import_bytes(project, labeled, folder)).status == "succeeded"
    make_gold_items(project, GOLD)
    round_ = timed("queue", lambda: factories.open_round(project, overlap=1))
    plan_and_spread_gold(round_, timed)
    audit_and_calibrate(project, timed)
    for format in ("neutral", "prm800k"):
        export = timed(f"export {format}", partial(export_all, project, format))
        assert export.labels_total == size
    rounds = list(project.rounds.filter(imported=True).values_list("pk", flat=True))
    switches = resolved_switches({})
    assert timed("preview", lambda: queries.training_examples.preview(project, rounds, switches))["learned"] > size / 2
    assert timed("training labels", lambda: queries.training_examples.label_ids(project, rounds, switches))
    grading = create_grading(project, by=None, wake=False)
    timed("grade", lambda: run_grading(grading.pk, all_wrong))
    apply_grading(GradingJob.objects.get(pk=grading.pk), by=None, wake=False)
    assert timed("apply grades", lambda: run_grading(grading.pk, all_wrong)).changed > size / 2
    evaluation_set = {"by": None, "name": "told", "source": "recorded"}
    assert timed("evaluation set", lambda: create_evaluation_set(project, **evaluation_set)).traces
    held_out = folder / "held_out.txt"
    held_out.write_text("".join(f"{problem.text_hash.hex()}\n" for problem in project.problems.all()))
    with held_out.open("rb") as file:
        assert timed("hold out", lambda: load_held_out(f"all {project.pk}", file, project=project)).marked > size
    again = lines(*(neutral_row(f"What is {size} times {number}?", ["Other."]) for number in range(size)))
    assert timed("import again", lambda: import_bytes(project, again, folder, skip_faulty=True)).status == "succeeded"
    score_and_select(folder, size, timed)
    return times


def processor_seconds() -> float:
    """Return the CPU time used so far by this process and the one that serves its connection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [backend] = cursor.fetchone()
    nanoseconds = int(Path(f"/proc/{backend}/schedstat").read_text().split()[0])
    return time.process_time() + nanoseconds / 1e9


def plan_and_spread_gold(round_: Round, timed: Timed) -> None:
    """Two labelers' first claims, by which their plans are made; one does all of the work that has been done."""
    people = [factories.make_member(round_.project) for _ in range(2)]
    claims = timed("plan gold", lambda: [claim_next_label(person, round_.project).label for person in people])
    assert all(claims)
    plans = GoldPlan.objects.filter(round=round_)
    assert [len(plan.tasks) for plan in plans] == [GOLD, GOLD]
    plans.filter(labeler=people[0]).update(served=round_.task_count // 2)
    assert timed("spread gold", spread_gold) > 0


def audit_and_calibrate(project: Project, timed: Timed) -> None:
    """Compare a PRM and a judge over all traces with their labels; labels that surprise the PRM are reviewed."""
    prm, judge = make_prm(project=project), make_prm(project=project, kind="judge", scale="hard")
    for scorer, says in ((prm, {}), (judge, {"first_error": 1})):
        Score.objects.bulk_create(
            Score(
                scorer=scorer,
                trace=trace,
                steps=[0.9] * len(trace.steps),
                score=-0.1,
                draw=trace.pk,
                evidence=says,
                project=project,
                problem_id=trace.problem_id,
                outcome=trace.outcome,
            )
            for trace in Trace.objects.filter(project=project).only("steps", "problem_id", "outcome", "project_id")
        )
    reader, size = factories.make_member(project, "admin"), project.labels.filter(status="submitted").count()
    config = LabelAuditConfig(50, 0.5)
    audit = timed("label audit", lambda: create_label_audit(project, by=reader, scorer=prm, config=config, seed=1))
    assert audit.items.count() == 50
    found = timed("calibrate", lambda: queries.source_calibration.calibration(reader, project, judge))
    assert found["traces"] == size
    by_machine = {"scorer": judge.pk, "bar": 0.8}
    asked = {"source": "audit", "sample_size": 50, "by_machine": by_machine}
    path = f"/api/projects/{project.slug}/rounds"
    drawn = timed("draw an audit", lambda: Browser(reader).call("POST", path, asked, status=201))
    assert Round.objects.get(pk=drawn["id"]).task_count == 50
    timed("judge by the audit", lambda: queries.audits.audit_state(project, judge, reader))


def score_and_select(folder: Path, size: int, timed: Timed) -> None:
    """Scores that a file brings, and the convincing wrong answers by them; in a project of nothing else."""
    project = factories.make_project()
    rows = lines(*(neutral_row(f"What is {size} minus {number}?") for number in range(size)))
    assert import_bytes(project, rows, folder).status == "succeeded"
    Trace.objects.filter(project=project).update(outcome="wrong")
    traces = Trace.objects.filter(project=project)
    file = folder / "scores.jsonl"
    file.write_bytes(lines(*({"trace_hash": bytes(trace.trace_hash).hex(), "scores": [0.9, 0.5]} for trace in traces)))
    of = {"name": "Elsewhere", "fingerprint": f"sha256:{size}"}
    job = record_score_import(project, by=None, path=str(file), file_name=file.name, **of)
    done = timed("import scores", lambda: run_score_import(job.pk))
    assert done is not None
    assert done.report["scores"]["new"] == size
    round_ = selecting_round(project, StepScorer.objects.get(pk=done.scorer_id), k=1)
    timed("select", lambda: select_traces(round_))
    assert Task.objects.filter(round=round_).count() == size


def export_all(project: Project, format: str) -> Any:
    """A finished export of every label."""
    return run_export(create_export(project, by=None, format=format, wake=False).pk)


def all_wrong(questions: Iterable[Question]) -> Iterator[Grade]:
    """Grades without looking: only the writing of grades is measured."""
    return (Grade("wrong", "differs") for _ in questions)
