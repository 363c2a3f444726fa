"""Agent runs exported and imported again: arguments as they were written, and content that a format has no place
for.
"""

import json

import pytest

from labeling.models import Problem, Project, Trace
from labeling.tests.exports.labeled import exported
from labeling.tests.exports.test_labels_go_home import label_all, make_project_of_runs
from labeling.tests.imports.files import import_bytes, lines

pytestmark = pytest.mark.django_db(transaction=True)  # several imports


@pytest.fixture
def project() -> Project:
    return make_project_of_runs()


def test_calls_keep_the_order_in_which_their_arguments_were_written(project, tmp_path):
    written = '{"origin":"SFO","date":"2024-05-20","by":{"long_name":1,"id":2}}'
    call = {"id": "c1", "type": "function", "function": {"name": "book", "arguments": written}}
    again = {**call, "id": "c2", "function": {"name": "book", "arguments": '{"origin":"LAX","by":null}'}}
    said = "I book({ it }) twice: book({}) would be wrong."
    messages = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": said, "tool_calls": [call, again]}]
    import_bytes(project, lines({"messages": messages}), tmp_path)
    label_all(project)
    [row], _ = exported(project, "run_process")
    calls = row["messages"][1]["tool_calls"]
    assert [one["function"]["arguments"] for one in calls] == [written, '{"origin":"LAX","by":null}']
    [trajectory], _ = exported(project, "atif")
    [_, step] = trajectory["steps"]
    assert json.dumps(step["tool_calls"][0]["arguments"], separators=(",", ":")) == written
    other = make_project_of_runs()
    import_bytes(other, lines(trajectory), tmp_path)
    assert Trace.objects.get(project=other).steps == Trace.objects.get(project=project).steps


def test_what_atif_has_no_place_for_comes_back_with_a_run_of_any_recorder(project, tmp_path):
    run = {
        "trajectory": [
            {"thought": "I make it.", "action": "create reproduce.py", "observation": "[File: reproduce.py]"}
        ],
        "problem_statement": "Mend it.",
        "environment": "swe_main",
    }
    import_bytes(project, lines(run), tmp_path)
    label_all(project)
    known = {"outcome": "wrong", "final_answer": "41", "source": "SWE"}
    Trace.objects.update(**known)
    Problem.objects.update(answer="42")
    [trajectory], _ = exported(project, "atif")
    other = make_project_of_runs()
    assert import_bytes(other, lines(trajectory), tmp_path).report["traces"]["new"] == 1
    before, after = Trace.objects.get(project=project), Trace.objects.get(project=other)
    assert after.steps == before.steps
    assert {name: getattr(after, name) for name in known} == known
    assert (after.problem.answer, after.problem.text) == ("42", before.problem.text)


def test_a_run_whose_sub_agent_was_in_another_file_is_the_same_run_when_it_is_read_again(project, tmp_path):
    elsewhere = {"results": [{"subagent_trajectory_ref": [{"trajectory_id": "elsewhere"}]}]}
    steps = [
        {"step_id": 1, "source": "user", "message": "Sum it up."},
        {"step_id": 2, "source": "agent", "message": "I ask another."},
        {"step_id": 3, "source": "system", "message": "Summed up.", "observation": elsewhere},
    ]
    run = {"schema_version": "ATIF-v1.7", "agent": {"name": "a", "version": "1"}, "steps": steps}
    import_bytes(project, lines(run), tmp_path)
    label_all(project)
    rows, _ = exported(project, "atif")
    assert import_bytes(project, lines(*rows), tmp_path).report["traces"] == {
        "new": 0,
        "known": 1,
        "duplicate_in_file": 0,
    }
