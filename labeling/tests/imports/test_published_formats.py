"""Published formats: rows become traces; marks become a named machine's scores, or recorded ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from labeling.models import Label, Project, Score, ScoreCount, StepScorer, Trace
from labeling.queries.step_scorers import prms_of
from labeling.tests.exports.labeled import exported
from labeling.tests.factories import make_project
from labeling.tests.imports.files import SHARED_DATA, faults_of, import_bytes, import_file, lines

pytestmark = pytest.mark.django_db(transaction=True)
FORMATS = SHARED_DATA / "formats"

SHEPHERD = {
    "input": "What is 2+3? Step 1: 2+3 = 5 + 0. ки\nStep 2: The answer is: 6 ки",
    "label": "What is 2+3? Step 1: 2+3 = 5 + 0. +\nStep 2: The answer is: 6 -",
    "task": "GSM8K",
}
QUESTION = "What is 2+3?"
STEPS = ["2+3 = 5 + 0.", "The answer is: 6"]
TURNS = [("user", f"{QUESTION} {STEPS[0]}"), ("assistant", "+"), ("user", STEPS[1]), ("assistant", "-")]
# A row of each format that describes the same trace, and the machine that made its marks.
SAME: dict[str, tuple[dict[str, Any], str]] = {
    "math_shepherd": (SHEPHERD, "Math-Shepherd"),
    "trl_stepwise": ({"prompt": QUESTION, "completions": STEPS, "labels": [True, False]}, ""),
    "rlhflow": ({"conversations": [{"role": role, "content": text} for role, text in TURNS]}, "RLHFlow"),
    "qwen": ({"question": QUESTION, "steps": STEPS, "hard_labels": [1, 0]}, "Qwen style labels"),
    "openr": ({"question": QUESTION, "process": f"{STEPS[0]} ки\n{STEPS[1]} ки", "labels": ["+", "-"]}, "OpenR"),
    "versaprm": (
        {"question": QUESTION, "chain_of_thoughts": [{"steps": STEPS, "labels": [1, -1]}], "answer": "5"},
        "VersaPRM",
    ),
    "fover": ({"problem": QUESTION, "solution_steps": STEPS, "error_labels": [True, False]}, "FoVer"),
    "prmbench": ({"modified_question": QUESTION, "modified_process": STEPS, "error_steps": [2], "idx": "p1"}, ""),
    "reasoneval": (
        {"question": QUESTION, "model_output_step_format": [[step] for step in STEPS]}
        | {"model_output_solution_first_error_step": 2, "model_output_solution_correctness": "wrong"},
        "",
    ),
    "processbench": ({"id": "gsm8k-1", "problem": QUESTION, "steps": STEPS, "label": 1}, ""),
}


def test_each_format_is_found_out_and_its_marks_are_a_machines_or_recorded(tmp_path: Path) -> None:
    for name, (row, machine) in SAME.items():
        project = make_project()
        job = import_bytes(project, lines(row), tmp_path)
        assert (job.format, job.report["faults"]["kinds"]) == (name, []), name
        trace = Trace.objects.get(project=project)
        assert (trace.problem.text, trace.steps) == (QUESTION, STEPS), name
        if machine:
            assert (trace.recorded_first_error, trace.recorded_ratings) == (None, None), name
            score = Score.objects.select_related("scorer").get(trace=trace)
            kind = "formal" if name == "fover" else "imported"
            assert (score.scorer.kind, score.scorer.name, score.steps) == (kind, machine, [1.0, 0.0]), name
            assert {"format": name, "line": 1, "kind": "hard"}.items() <= score.evidence.items()
        else:
            assert trace.recorded_first_error == 1, name
            assert not Score.objects.filter(trace=trace).exists(), name
        assert not Label.objects.filter(project=project).exists(), "nobody of this project labeled it"


def test_marks_are_written_once_and_are_no_prms(tmp_path: Path) -> None:
    project = make_project()
    other = {**SHEPHERD, "label": SHEPHERD["label"].replace("6 -", "6 +")}
    first = import_bytes(project, lines(SHEPHERD, SHEPHERD), tmp_path)
    again = import_bytes(project, lines(SHEPHERD), tmp_path)
    differs = import_bytes(project, lines(other), tmp_path)
    counts = [
        {key: job.report["marks"][0][key] for key in ("new", "known", "differing")} for job in (first, again, differs)
    ]
    assert [list(count.values()) for count in counts] == [[1, 0, 0], [0, 1, 0], [0, 1, 1]]
    assert Score.objects.get(trace__project=project).steps == [1.0, 0.0], "the first word stays"
    scorer = StepScorer.objects.get(project=project)
    assert ScoreCount.objects.get(scorer=scorer).traces == 1
    assert scorer not in prms_of(project)
    dry = import_bytes(make_project(), lines(SHEPHERD), tmp_path, dry_run=True)
    kept_out = import_bytes(make_project(), lines(SHEPHERD, {**SHEPHERD, "label": 4}), tmp_path)
    assert kept_out.status == "failed"
    told = [job.report["marks"][0] for job in (first, dry, kept_out)]
    assert [(one["new"], one["scorer"]) for one in told] == [(1, scorer.pk), (1, None), (1, None)]
    assert StepScorer.objects.count() == 1, "a dry run makes no scorer"


def test_who_imports_says_whose_the_marks_are(tmp_path: Path) -> None:
    trl, _ = SAME["trl_stepwise"]
    project = make_project()
    import_bytes(project, lines(trl), tmp_path, marks_of="rollouts of May")
    assert Score.objects.get(trace__project=project).scorer.name == "rollouts of May"
    assert Trace.objects.get(project=project).recorded_ratings is None
    bench = make_project()
    import_bytes(bench, lines(SAME["processbench"][0]), tmp_path, marks_of="a judge")
    assert Score.objects.get(trace__project=bench).steps == [1.0, 0.0]
    labeled = make_project()
    import_bytes(labeled, lines(SHEPHERD), tmp_path, labels_of="our experts")
    label = Label.objects.get(project=labeled)
    assert (label.labeler.kind, label.labeler.display_name, label.verdict) == ("imported", "our experts", 1)
    assert not Score.objects.filter(trace__project=labeled).exists()
    StepScorer.objects.create(project=bench, name="Math-Shepherd", spec={}, kind="prm")
    taken = import_bytes(bench, lines(SHEPHERD), tmp_path)
    assert [fault[0] for fault in faults_of(taken)] == ["name_taken"]


def test_shares_are_scores_and_never_ratings(tmp_path: Path) -> None:
    row = {"question": QUESTION, "steps": STEPS, "soft_labels": [0.875, 0.25], "hard_labels": [1, 0]}
    project = make_project()
    import_bytes(project, lines(row), tmp_path)
    assert Score.objects.get(trace__project=project).steps == [0.875, 0.25]
    refused = import_bytes(make_project(), lines(row), tmp_path, labels_of="somebody")
    assert faults_of(refused) == [("shares_are_no_ratings", 1, "soft_labels")]
    untold = {"question": "P?", "steps": STEPS, "hard_labels": [1, None]}
    import_bytes(project, lines(untold), tmp_path)
    score = Score.objects.get(trace__problem__text="P?")
    assert (score.steps, score.score, score.reason) == (None, None, "1 of 2 steps has no mark")
    assert score.evidence is not None
    assert score.evidence["marks"] == [1.0, None]


ROUND_TRIPS = ("trl_stepwise", "math_shepherd", "rlhflow", "qwen", "processbench")


def test_what_comes_in_goes_out_again_equal(tmp_path: Path) -> None:
    """If the format loses nothing of such rows: import them as an imported labeler's, and export them in the same
    format; only the source of the ratings is added.
    """
    for name in ROUND_TRIPS:
        project: Project = make_project()
        row = {**SAME[name][0], **({"generator": "m", "final_answer_correct": False} if name == "processbench" else {})}
        assert import_bytes(project, lines(row), tmp_path, labels_of="a lab").report["labels"]["new"] == 1, name
        [said] = exported(project, name)[0]
        sources = said.pop("step_sources", None) or [said.pop("label_source", "imported")]
        assert (said, set(sources)) == (row, {"imported"}), name


FAULTY: list[tuple[str, dict[str, Any], tuple[str, str]]] = [
    ("trl_stepwise", {"labels": [True]}, ("marks_do_not_match_steps", "labels")),
    ("trl_stepwise", {"labels": [True, 0.5]}, ("bad_mark", "labels[1]")),
    ("trl_stepwise", {"labels": "true"}, ("marks_do_not_match_steps", "labels")),
    ("trl_stepwise", {"labels": {"0": True}}, ("wrong_type", "labels")),
    ("trl_stepwise", {"completions": ["a", " "]}, ("empty_step", "completions[1]")),
    ("trl_stepwise", {"prompt": [{"role": "user"}]}, ("wrong_type", "prompt")),
    ("trl_stepwise", {"problem": "another"}, ("unexpected_key", "problem")),
    ("math_shepherd", {"label": "What is 2+3? +"}, ("marks_do_not_match_steps", "label")),
    ("math_shepherd", {"label": 5}, ("wrong_type", "label")),
    ("math_shepherd", {"input": "Only a step. ки", "label": "Only a step. +"}, ("unclear_problem", "input")),
    ("math_shepherd", {"input": "No end ки and more"}, ("no_tag", "input")),
    ("rlhflow", {"conversations": [{"role": "user", "content": "a? b"}]}, ("wrong_type", "conversations")),
    (
        "rlhflow",
        {"conversations": [{"role": "user", "content": "No end. A step."}, {"role": "assistant", "content": "+"}]},
        ("unclear_problem", "conversations[0].content"),
    ),
    ("qwen", {"hard_labels": [1, 2]}, ("bad_mark", "hard_labels[1]")),
    ("qwen", {"soft_labels": [0.5, 1.5]}, ("bad_mark", "soft_labels[1]")),
    ("openr", {"process": "no tag"}, ("no_tag", "process")),
    ("versaprm", {"chain_of_thoughts": [7]}, ("wrong_type", "chain_of_thoughts[0]")),
    (
        "versaprm",
        {"chain_of_thoughts": [{"steps": STEPS, "labels": None}, {"steps": ["a"], "labels": [1, 1]}]},
        ("marks_do_not_match_steps", "chain_of_thoughts[1].labels"),
    ),
    ("prmbench", {"error_steps": [0]}, ("no_such_step", "error_steps[0]")),
    ("prmbench", {"error_steps": None}, ("wrong_type", "error_steps")),
    (
        "reasoneval",
        {"model_output_solution_first_error_step": 3},
        ("no_such_step", "model_output_solution_first_error_step"),
    ),
    ("reasoneval", {"model_output_step_format": [[]]}, ("wrong_type", "model_output_step_format[0]")),
]


def test_a_fault_names_the_line_and_the_field_that_the_file_has(tmp_path: Path) -> None:
    project = make_project()
    for name, changes, (kind, field) in FAULTY:
        good = SAME[name][0]
        job = import_bytes(project, lines(good, {**good, **changes}), tmp_path, format=name, dry_run=True)
        assert faults_of(job) == [(kind, 2, field)], (name, changes)


def test_whole_responses_are_parted_by_a_rule_that_the_trace_names(tmp_path: Path) -> None:
    project = make_project()
    prose = {"problem": "A?", "response": "First.\n\n$$\nx\n\ny\n$$\n\nSo 5.", "answer": "5", "is_correct": True}
    rows = lines(prose, {"question": "B?", "completion": "One.\nTwo.", "model": "m"})
    job = import_bytes(project, rows, tmp_path)
    assert (job.format, job.report["traces"]["new"]) == ("whole_responses", 2)
    first, second = Trace.objects.filter(project=project).order_by("id")
    assert (first.steps, first.splitter_version) == (["First.", "$$\nx\n\ny\n$$", "So 5."], "blank_line/1")
    assert (first.outcome, first.problem.answer) == ("correct", "5")
    assert (second.steps, second.splitter_version) == (["One.", "Two."], "newline/1")


def test_a_row_with_several_solutions_is_several_traces(tmp_path: Path) -> None:
    solved = {"solution": "It is 4.\nA: 4", "is_correct": True}
    wrong = {"solution": "Five?\n5\nA: 5", "is_correct": False}
    row = {"question": "2+2?", "ground_truth": "Add.\n#### 4", "6b_finetuning": wrong, "175b_verification": solved}
    project = make_project()
    job = import_bytes(project, json.dumps([row, {**row, "question": "2 + 2?"}]).encode(), tmp_path)
    assert (job.format, job.report["traces"]["new"], job.report["problems"]["new"]) == ("gsm8k_solutions", 4, 2)
    trace = Trace.objects.get(project=project, generator="6b_finetuning", problem__text="2+2?")
    assert (trace.steps, trace.final_answer, trace.outcome) == (["Five?", "5\nA: 5"], "5", "wrong")
    assert (trace.problem.answer, trace.problem.split) == ("4", "held_out")
    no_text = {**row, "6b_finetuning": {"solution": None, "is_correct": True}}
    assert faults_of(import_bytes(project, lines(no_text), tmp_path)) == [("no_steps", 1, "6b_finetuning.solution")]


PUBLISHED = {  # file: format, traces, rows that are faulty as published, marks
    "math_shepherd.jsonl": ("math_shepherd", 7, 0, 7),
    "trl_stepwise.jsonl": ("trl_stepwise", 19, 0, 0),
    "openr_process_label.json": ("openr", 1, 0, 1),  # the same solution three times
    "versaprm_prm800k_eval_small.json": ("versaprm", 11, 0, 11),
    "fover_test.jsonl": ("fover", 8, 0, 8),
    "prmbench.jsonl": ("prmbench", 34, 2, 0),  # two rows name steps after the last one
    "processbench_gsm8k.json": ("processbench", 12, 0, 0),
    "prm800k.jsonl": ("prm800k", 6, 0, 0),
    "rlhflow_conversations.jsonl": ("rlhflow", 0, 2, 0),  # nothing there marks the end of the problem
}


@pytest.mark.skipif(not FORMATS.exists(), reason="no shared data here (STEPMARK_SHARED_DATA)")
def test_published_files_come_in(tmp_path: Path) -> None:
    for name, (format, traces, faulty, marks) in PUBLISHED.items():
        project = make_project()
        job = import_file(project, FORMATS / name, skip_faulty=True)
        found = (job.format, Trace.objects.filter(project=project).count(), job.report["faults"]["total"])
        assert found == (format, traces, faulty), name
        assert sum(one["new"] for one in job.report.get("marks", [])) == marks, name
    project = make_project()
    known = "Convert the point $(0,3)$ in rectangular coordinates  to polar coordinates."
    import_bytes(project, lines({"problem": "Convert the point"}, {"problem": known}), tmp_path)
    job = import_file(project, FORMATS / "rlhflow_conversations.jsonl")
    assert (job.report["faults"]["kinds"], Trace.objects.filter(problem__text=known).count()) == ([], 2)
    bench = Trace.objects.filter(recorded_first_error=4, metadata__original_process__0__startswith="Let's call").first()
    assert bench is not None
    assert bench.recorded_ratings == [1, 1, 1, 1, -1, -1], "error_steps count from 1"


def test_hard_and_soft_marks_of_a_format_are_two_sources(tmp_path):
    project = make_project()
    row = {"question": QUESTION, "steps": STEPS}
    import_bytes(project, lines({**row, "hard_labels": [1, 0]}), tmp_path)
    import_bytes(project, lines({**row, "soft_labels": [0.9, 0.2]}), tmp_path)
    named = project.step_scorers.order_by("pk").values_list("name", flat=True)
    assert list(named) == ["Qwen style labels", "Qwen style soft labels"]
