"""An import's result for its rows: each problem and trace once, text byte for byte, labels of people who never log
in.
"""

from pathlib import Path
from typing import Any

import pytest

from labeling.actions.imports import run_import
from labeling.models import Completion, ImportJob, Label, Membership, Problem, Round, StepLabel, Task, Trace, User
from labeling.tests.factories import make_project
from labeling.tests.imports.files import (
    SHARED_DATA,
    done,
    import_bytes,
    import_file,
    lines,
    neutral_row,
    prm800k_row,
)

pytestmark = pytest.mark.django_db(transaction=True)
needs_data = pytest.mark.skipif(not SHARED_DATA.exists(), reason="no shared data here (STEPMARK_SHARED_DATA)")

AWKWARD = [
    "back\\slash \\n \\frac{1}{2}",
    'quotes " and {braces} and NULL',
    "tab\tand\r\nline ends \n",
    "  spaces kept  ",
    "e\u0301 stays decomposed, \u00a0 stays, 😀",
    "\\N",
    "{}",
    "\u2028\u0085\x01",
]


def test_text_is_kept_byte_for_byte(tmp_path: Path) -> None:
    project = make_project()
    row = neutral_row("\n" + AWKWARD[0], AWKWARD, ground_truth_answer=AWKWARD[1], ground_truth_solution=AWKWARD[2])
    import_bytes(project, lines(row | {"final_answer": AWKWARD[4], "note": AWKWARD[7]}), tmp_path)
    trace = Trace.objects.select_related("problem").get(project=project)
    assert trace.steps == AWKWARD
    assert trace.problem.text == "\n" + AWKWARD[0]
    assert (trace.problem.answer, trace.problem.reference_solution) == (AWKWARD[1], AWKWARD[2])
    assert (trace.final_answer, trace.metadata) == (AWKWARD[4], {"note": AWKWARD[7]})


def test_what_is_known_of_the_steps_is_kept_beside_the_trace(tmp_path: Path) -> None:
    project = make_project()
    rows = [
        neutral_row(steps=["a", "b"], final_answer_correct=True, first_error=-1, step_labels=[1, None], generator="G"),
        neutral_row(steps=["c", "d"], final_answer_correct=False, first_error=1, source="S"),
        neutral_row(steps=["e"], final_answer_correct=None),
    ]
    import_bytes(project, lines(*rows), tmp_path)
    fields = ("steps", "outcome", "recorded_first_error", "recorded_ratings", "generator", "source")
    assert list(Trace.objects.filter(project=project).order_by("id").values_list(*fields)) == [
        (["a", "b"], "correct", -1, [1, None], "G", ""),
        (["c", "d"], "wrong", 1, None, "", "S"),
        (["e"], "ungraded", None, None, "", ""),
    ]


def test_the_same_problem_and_steps_are_counted_and_kept_once(tmp_path: Path) -> None:
    project = make_project()
    first = import_bytes(project, lines(neutral_row(), neutral_row(), neutral_row(steps=["Other."])), tmp_path)
    assert first.report["traces"] == {"new": 2, "duplicate_in_file": 1, "known": 0}
    assert first.report["problems"] == {"new": 1, "known": 0}
    again = import_bytes(project, lines(neutral_row(), neutral_row("New?")), tmp_path)
    assert again.report["traces"] == {"new": 1, "duplicate_in_file": 0, "known": 1}
    assert again.report["problems"] == {"new": 1, "known": 1}
    assert Trace.objects.filter(project=project).count() == 3


def test_a_level_or_an_id_that_is_a_number_is_kept_as_its_text(tmp_path: Path) -> None:
    project = make_project()
    import_bytes(project, lines(neutral_row(level=5, problem_id=17, subject="Algebra")), tmp_path)
    problem = Problem.objects.get(project=project)
    assert (problem.level, problem.external_id, problem.subject) == ("5", "17", "Algebra")


def test_where_one_step_ends_makes_another_trace(tmp_path: Path) -> None:
    project = make_project()
    rows = [neutral_row(steps=["ab", "c"]), neutral_row(steps=["a", "bc"]), neutral_row(steps=["abc"])]
    assert import_bytes(project, lines(*rows), tmp_path).report["traces"]["new"] == 3


def test_a_problem_told_differently_is_one_problem_and_the_difference_is_kept(tmp_path: Path) -> None:
    project = make_project()
    told = neutral_row("Caf\u00e9:  what is\n2+2?", ["B."], ground_truth_answer="four", problem_id="second")
    import_bytes(
        project, lines(neutral_row("Cafe\u0301: what is 2+2?", ["A."], ground_truth_answer="4"), told), tmp_path
    )
    assert Problem.objects.get(project=project).answer == "4"
    kept = Trace.objects.get(project=project, steps=["B."]).metadata["problem_as_given"]
    assert kept == {"problem": told["problem"], "ground_truth_answer": "four", "problem_id": "second"}


def test_two_projects_keep_the_same_trace_apart(tmp_path: Path) -> None:
    for project in (make_project(), make_project()):
        job = import_bytes(project, lines(neutral_row(), prm800k_row()), tmp_path, format="", skip_faulty=True)
        assert job.report["traces"]["new"] == 1
        job = import_bytes(project, lines(prm800k_row()), tmp_path)
        assert job.report["labels"]["new"] == 1


def test_problems_alone_come_in_the_spellings_of_gsm8k_and_math(tmp_path: Path) -> None:
    project = make_project()
    rows = [
        {"question": "GSM?", "answer": "Add 2.\n#### 4"},
        {"problem": "MATH?", "solution": "So $4$.", "answer": "4", "level": 5, "type": "Algebra", "unique_id": "m/1"},
        {"problem": "Ours?", "ground_truth_answer": "1", "split": "held_out", "note": {"a": 1}},
    ]
    job = import_bytes(project, lines(*rows), tmp_path)
    assert (job.format, job.report["problems"]["new"], job.report["traces"]["new"]) == ("problems", 3, 0)
    gsm, math, ours = Problem.objects.filter(project=project).order_by("id")
    assert (gsm.answer, gsm.reference_solution) == ("4", "Add 2.\n#### 4")
    assert (math.level, math.subject, math.external_id, math.reference_solution) == ("5", "Algebra", "m/1", "So $4$.")
    assert (ours.split, ours.metadata) == ("held_out", {"note": {"a": 1}})


def test_imported_labels_stand_in_a_closed_round_by_people_who_cannot_log_in(tmp_path: Path) -> None:
    project = make_project()
    job = import_bytes(project, lines(prm800k_row(), prm800k_row(labeler="labeler-b")), tmp_path)
    assert job.report["labels"] == {"new": 2, "duplicate_in_file": 0, "known": 0}
    round_ = Round.objects.get(project=project)
    assert (round_.status, round_.imported, round_.task_count) == ("closed", True, 1)
    assert list(Task.objects.filter(round=round_).values_list("labels_wanted", flat=True)) == [0]
    people = User.objects.filter(labels__project=project).distinct()
    assert {person.external_id for person in people} == {"labeler-a", "labeler-b"}
    assert not any(person.has_usable_password() or person.is_active for person in people)
    assert not Membership.objects.filter(project=project, is_active=True).exists()
    label = Label.objects.get(labeler__external_id="labeler-a")
    assert (label.status, label.finish_reason, label.total_ms) == ("submitted", "found_error", 164458)
    assert label.submitted_at.isoformat() == "2022-11-22T16:51:29.980606+00:00"
    fields = ("step_index", "position", "completion__text", "rating", "flagged", "chosen", "source")
    assert list(label.step_labels.order_by("step_index", "position").values_list(*fields)) == [
        (0, 0, None, 1, None, True, "imported"),
        (1, 0, None, -1, None, False, "imported"),
        (1, 1, "It is 4.", 1, False, False, "imported"),
    ]


def test_an_alternative_rated_by_two_labelers_is_one_completion(tmp_path: Path) -> None:
    project = make_project()
    import_bytes(project, lines(prm800k_row()), tmp_path)
    import_bytes(project, lines(prm800k_row(labeler="labeler-b")), tmp_path)
    completion = Completion.objects.get(trace__project=project)
    assert StepLabel.objects.filter(completion=completion).count() == 2


def test_equal_alternatives_of_one_step_stay_two_completions(tmp_path: Path) -> None:
    project = make_project()
    row = prm800k_row()
    row["label"]["steps"][1]["completions"].append(done("It is 4.", 0, False))
    import_bytes(project, lines(row), tmp_path)
    ratings = (
        StepLabel.objects.filter(completion__text="It is 4.").order_by("position").values_list("rating", flat=True)
    )
    assert list(ratings) == [1, 0]


def test_a_label_imported_again_is_known(tmp_path: Path) -> None:
    project = make_project()
    import_bytes(project, lines(prm800k_row()), tmp_path)
    again = import_bytes(project, lines(prm800k_row(), prm800k_row()), tmp_path)
    assert again.report["labels"] == {"new": 0, "duplicate_in_file": 1, "known": 1}
    assert Label.objects.count() == Round.objects.count() == 1


def test_one_labelers_second_label_on_a_trace_goes_to_a_second_round(tmp_path: Path) -> None:
    project = make_project()
    later = prm800k_row(timestamp="2022-11-23T10:00:00")
    job = import_bytes(project, lines(prm800k_row(), later), tmp_path)
    assert job.report["labels"]["new"] == 2
    assert [round_.number for round_ in Round.objects.order_by("number")] == [1, 2]
    assert Label.objects.filter(status="submitted").count() == 2


def test_a_job_is_run_once_however_often_a_worker_is_woken(tmp_path: Path) -> None:
    job = import_bytes(make_project(), lines(neutral_row()), tmp_path)
    assert run_import(job.pk) is None
    assert ImportJob.objects.get(pk=job.pk).attempts == 1


def test_a_file_that_is_gone_fails_with_the_way_out(tmp_path: Path) -> None:
    project = make_project()
    job = ImportJob.objects.create(project=project, file_name="x", path="imports/none", format="")
    finished = run_import(job.pk)
    assert finished is not None
    assert (finished.status, finished.error) == ("failed", "The file is no longer on the server. Upload it again.")


EXPECTED: dict[str, tuple[int, int, int]] = {  # rows, problems, traces
    "bbmistake_logical_deduction": (300, 300, 300),
    "bbmistake_multistep_arithmetic": (300, 300, 300),
    "bbmistake_tracking_shuffled_objects": (300, 300, 300),
    "gsm8k_openai": (2568, 642, 2564),
    "mrben_coding": (238, 90, 238),
    "mrben_physics": (667, 226, 667),
    "prm800k_native_records": (8, 8, 8),
    "prm800k_val": (615, 99, 586),
    "processbench_gsm8k": (221, 207, 221),
    "processbench_math": (475, 454, 475),
    "tot_game24": (2700, 27, 1704),
    "problems/math500": (123, 123, 0),
}


@needs_data
@pytest.mark.parametrize("name", EXPECTED)
def test_real_files_come_in_without_a_fault(name: str) -> None:
    project = make_project()
    job = import_file(project, SHARED_DATA / f"{name}.jsonl")
    report: dict[str, Any] = job.report
    assert (job.status, report["faults"]["total"], report["imported"]) == ("succeeded", 0, True)
    assert (report["rows"], report["problems"]["new"], report["traces"]["new"]) == EXPECTED[name]
    assert Trace.objects.filter(project=project).count() == EXPECTED[name][2]
