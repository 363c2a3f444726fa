"""Labels of agent runs are returned to the runs' recorders, and a second export changes nothing."""

import base64
import copy
import json
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from nat.atif import Trajectory
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from labeling.actions import rounds
from labeling.actions.export_companions import companion_of
from labeling.actions.exports import create_export, run_export
from labeling.actions.guidelines import publish_guideline
from labeling.models import Export, Label, Project, Trace
from labeling.tests.exports.labeled import exported, give_label
from labeling.tests.exports.recorders import inspect_log, langfuse_score, langsmith_feedback, scout_cases
from labeling.tests.factories import make_member, make_project, open_round
from labeling.tests.gold.world import Labeler
from labeling.tests.imports.files import SHARED_DATA, import_bytes, import_file, lines

pytestmark = pytest.mark.django_db(transaction=True)  # several imports
AGENTS = SHARED_DATA / "agents"
Json = dict[str, Any]
TRACE = "0af7651916cd43dd8448eb211c80319c"
MARKS = {"decisive_error": 0, "recovered_at": 1, "outcome": "partial", "safety": "policy", "clause": "§2.1"}
MARKS |= {"comment": "It mailed a stranger."}
ACT = {"step": 0, "clause": "§2.1", "text": "Write to nobody", "verdict": "against", "severity": "high", "comment": ""}


@pytest.fixture
def project() -> Project:
    return make_project_of_runs()


def make_project_of_runs() -> Project:
    """An empty project whose guidelines contain the clauses that labels here cite."""
    project = make_project()
    body = "## 1.2 Guess nothing\n\n## 2.1 Write to nobody\n"
    publish_guideline(make_member(project, "researcher"), project, body)
    return project


def label_a_run_of_each(project: Project, folder: Path) -> None:
    """A run from every recorder that labels are returned to, labeled once."""
    uuid = "8d0e6a0c-1111-4222-8333-444444444440"
    log = json.dumps(sample_log()).encode()
    for data in (lines(atif()), lines(*spans()), lines(observed("t-1")), lines(*smith_runs(uuid)), log):
        import_bytes(project, data, folder)
    label_all(project)
    Label.objects.filter(project=project).update(run_marks={**MARKS, "outcome": "failure", "acts": [ACT]})


def label_all(project: Project, labeler: Labeler | None = None) -> list[Label]:
    """Have one person rate every run: the first unit wrong, the rest right, with every applicable mark."""
    if not project.rounds.filter(status="labeling").exists():
        rounds.open_round(project, by=None)
    labeler = labeler or Labeler(project, make_member(project))
    while label := labeler.claim()["label"]:
        count = len(label["steps"])
        marks = MARKS if count > 1 else {**MARKS, "recovered_at": None}
        body: Json = {"idempotency_key": f"00000000-0000-4000-8000-{label['id']:012}", "finish_reason": "found_error"}
        body |= {"ratings": [-1, *[1] * (count - 1)], "run_marks": marks}
        body |= {"comments": [{"step": 0, "text": "Not asked for."}]}
        body |= {"mistake": {"progress": "some", "explanation": "It guessed.", "kind": "", "clause": "§1.2"}}
        labeler.call("POST", f"/api/labels/{label['id']}/submit", body)
    return list(Label.objects.filter(project=project, status="submitted").order_by("pk"))


def atif() -> Json:
    """Two calls at once, one of them a sub-agent's run, and an answer."""
    call: Json = {"tool_call_id": "c1", "function_name": "bash", "arguments": {"cmd": "ls"}}
    inner = {"tool_call_id": "c2", "function_name": "task", "arguments": {"ask": "Count."}}
    results: list[Json] = [
        {"source_call_id": "c1", "content": "a.py"},
        {"source_call_id": "c2", "content": "One.", "subagent_trajectory_ref": [{"trajectory_id": "inner"}]},
    ]
    about: Json = {"timestamp": "2026-03-01T12:00:00Z", "metrics": {"prompt_tokens": 9, "completion_tokens": 4}}
    steps: list[Json] = [
        {"step_id": 1, "source": "user", "message": "Count the files."},
        {"step_id": 2, "source": "agent", "message": "I look.", "reasoning_content": "Both.", **about}
        | {"tool_calls": [call, inner], "observation": {"results": results}},
        {"step_id": 3, "source": "agent", "message": "One file."},
    ]
    nested: Json = {"schema_version": "ATIF-v1.7", "trajectory_id": "inner", "agent": {"name": "b", "version": "1"}}
    nested["steps"] = [{"step_id": 1, "source": "agent", "message": "One."}]
    root: Json = {"session_id": "s-1", "agent": {"name": "a", "version": "1", "model_name": "m"}}
    return {"schema_version": "ATIF-v1.7", **root, "steps": steps, "subagent_trajectories": [nested]}


def span(number: int, *, said: str, before: list[Json]) -> Json:
    """A chat span that repeats the whole conversation before it."""
    answer = [{"role": "assistant", "parts": [{"type": "text", "content": said}]}]
    about = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(before)}
    about |= {"gen_ai.output.messages": json.dumps(answer)}
    span = {"traceId": TRACE, "spanId": f"00f067aa0ba902b{number}", "name": "chat", "startTimeUnixNano": number}
    return {**span, "attributes": about}


def spans() -> list[Json]:
    """A run in which the agent's first message appears only in the history of the next span."""
    asked = {"role": "user", "parts": [{"type": "text", "content": "Go."}]}
    early = {"role": "assistant", "parts": [{"type": "text", "content": "I begin."}]}
    first = {"role": "assistant", "parts": [{"type": "text", "content": "I look."}]}
    return [span(1, said="I look.", before=[asked, early]), span(2, said="Done.", before=[asked, early, first])]


def same_twice(project: Project, format: str) -> list[Json]:
    """Return the rows of two exports, which are identical."""
    rows, _ = exported(project, format)
    again, _ = exported(project, format)
    assert rows == again
    return rows


def test_an_atif_run_comes_back_with_its_labels_and_is_the_same_run_when_it_is_read_again(project, tmp_path):
    import_bytes(project, lines(atif()), tmp_path)
    labels = label_all(project)
    [row, inner] = same_twice(project, "atif")
    Trajectory.model_validate(row)
    assert [step["step_id"] for step in row["steps"]] == [1, 2, 3]
    [mark] = row["steps"][1]["extra"]["stepmark"]["labels"]
    assert (mark["rating"], mark["marks"]) == (-1, ["first_error", "decisive_error"])
    assert mark["explanation"] == "§1.2\nIt guessed.\nNot asked for."
    assert row["steps"][2]["extra"]["stepmark"]["labels"][0]["marks"] == ["recovered"]
    [of_run] = row["extra"]["stepmark"]["labels"]
    [recovered] = [one.run_marks for one in labels if one.run_marks["recovered_at"] is not None]
    assert (of_run["first_error_step_id"], of_run["run"]) == (2, recovered)
    assert (inner["trajectory_id"], len(inner["steps"][0]["extra"]["stepmark"]["labels"])) == ("inner", 1)
    assert row["subagent_trajectories"][0]["steps"][0]["message"] == "One."
    assert import_bytes(project, lines(inner), tmp_path).report["traces"]["known"] == 1
    assert import_bytes(project, lines(row), tmp_path).report["traces"]["known"] == 1
    label_again = Labeler(project, make_member(project))
    rounds.open_round(project, by=None)
    label_all(project, label_again)
    grown, _ = exported(project, "atif")
    assert grown[0]["steps"][1]["extra"]["stepmark"]["labels"][0] == mark


def test_the_labels_are_put_onto_the_recorders_own_file_and_nothing_else_in_it_changes(project, tmp_path):
    import_bytes(project, lines(atif()), tmp_path)
    label_all(project)
    rows, export = exported(project, "atif")
    written = run_companion(export, "stepmark_atif.py", tmp_path, rows, json.dumps(atif()))
    first = written.read_bytes()
    marked = json.loads(first)
    assert marked["steps"][1]["extra"] == rows[0]["steps"][1]["extra"]
    assert marked["subagent_trajectories"][0]["steps"][0]["extra"] == rows[1]["steps"][0]["extra"]
    bare = copy.deepcopy(marked)
    for place in (bare, *bare["steps"], *bare["subagent_trajectories"], *bare["subagent_trajectories"][0]["steps"]):
        place.pop("extra", None)
    assert bare == atif()
    Trajectory.model_validate(marked)
    again = run_companion(export, "stepmark_atif.py", tmp_path, rows, first.decode())
    assert again.read_bytes() == first


def run_companion(export: Export, name: str, folder: Path, rows: list[Json], original: str) -> Path:
    """Return the result of an export's companion script for a recorder's file."""
    script, data, file = folder / name, folder / "labels.jsonl", folder / "original.json"
    script.write_bytes(companion_of(export, name))
    data.write_bytes(lines(*rows))
    file.write_text(original)
    subprocess.run([sys.executable, "-I", str(script), str(data), str(file)], check=True, capture_output=True)
    return file


def test_evaluations_are_events_on_the_spans_that_they_are_about(project, tmp_path):
    import_bytes(project, lines(*spans()), tmp_path)
    label_all(project)
    [row] = same_twice(project, "otel_evaluations")
    request = json_format.ParseDict(hex_as_base64(row), ExportLogsServiceRequest())
    records = request.resource_logs[0].scope_logs[0].log_records
    assert {record.event_name for record in records} == {"gen_ai.evaluation.result"}
    assert {record.trace_id.hex() for record in records} == {TRACE}
    said = [{pair.key: pair.value for pair in record.attributes} for record in records]
    steps = [
        (record.span_id.hex(), about["stepmark.unit"].int_value, about["gen_ai.evaluation.score.value"].double_value)
        for record, about in zip(records, said, strict=True)
        if about["gen_ai.evaluation.name"].string_value == "stepmark.step"
    ]
    expected = [("", 0, -1.0), ("00f067aa0ba902b1", 1, 1.0), ("00f067aa0ba902b2", 2, 1.0)]
    assert steps == expected, "a message that only a later chat's history tells is said of the trace"
    ids = [about["log.record.uid"].string_value for about in said]
    assert len(set(ids)) == len(ids) == 3 + 2 + 3
    outcome = next(one for one in said if one["gen_ai.evaluation.name"].string_value == "stepmark.outcome")
    assert outcome["gen_ai.evaluation.score.label"].string_value == "partial"
    assert outcome["gen_ai.evaluation.explanation"].string_value == "It mailed a stranger."
    Trace.objects.update(metadata={"trace_id": "of another kind"})
    refused = run_export(create_export(project, by=None, format="otel_evaluations").pk)
    assert (refused.status, "32 and 16 hexadecimal digits" in refused.error) == ("failed", True)


def hex_as_base64(row: Json) -> Json:
    """OTLP's JSON has hex ids where protobuf's own has base64 (according to its specification)."""
    row = copy.deepcopy(row)
    for scope in row["resourceLogs"][0]["scopeLogs"]:
        for record in scope["logRecords"]:
            for name in {"traceId", "spanId"} & record.keys():
                record[name] = base64.b64encode(bytes.fromhex(record[name])).decode()
    return row


def observed(trace_id: str) -> Json:
    """A trace of Langfuse with a chat and its tool."""
    asked = [{"role": "user", "content": "Go."}]
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    chat = {"id": "o1", "traceId": trace_id, "type": "GENERATION", "name": "chat", "startTime": "2026-03-01T12:00:00Z"}
    tool = {"id": "o2", "traceId": trace_id, "type": "TOOL", "name": "bash", "startTime": "2026-03-01T12:00:01Z"}
    last = {**chat, "id": "o3", "startTime": "2026-03-01T12:00:02Z", "input": asked}
    return {
        "trace": {"id": trace_id, "name": "run"},
        "observations": [
            {**chat, "input": asked, "output": {"role": "assistant", "content": "I look.", "tool_calls": [call]}},
            {**tool, "input": {}, "output": "a.py"},
            {**last, "output": {"role": "assistant", "content": "Done."}},
        ],
    }


def smith_runs(trace_id: str) -> list[Json]:
    """A tree of LangSmith: the root and two chats."""
    about = {"trace_id": trace_id, "session_id": "x"}
    found = []
    for number, said in enumerate(("I look.", "Done.")):
        chat = {"id": f"{trace_id[:-1]}{number + 1}", "run_type": "llm", "name": "chat", "dotted_order": f"1.{number}"}
        inputs = {"messages": [{"role": "user", "content": "Go."}]}
        found.append({**about, **chat, "inputs": inputs, "outputs": {"role": "assistant", "content": said}})
    root = {"id": trace_id, "run_type": "chain", "name": "agent", "dotted_order": "1", "inputs": {}, "outputs": {}}
    return [{**about, **root}, *found]


def test_scores_of_langfuse_and_langsmith_have_the_ids_of_what_they_are_about(project, tmp_path):
    uuid = "8d0e6a0c-1111-4222-8333-444444444440"
    import_bytes(project, lines(observed("t-1")), tmp_path)
    import_bytes(project, lines(*smith_runs(uuid)), tmp_path)
    label_all(project)
    scores = same_twice(project, "langfuse_scores")
    for score in scores:
        langfuse_score(score)
    rated = [(one["traceId"], one["observationId"], one["value"]) for one in scores if one["name"] == "stepmark.step"]
    assert rated == [("t-1", "o1", -1.0), ("t-1", "o3", 1.0)]
    assert {one["observationId"] for one in scores if one["name"] == "stepmark.outcome"} == {None}
    feedback = same_twice(project, "langsmith_feedback")
    for one in feedback:
        langsmith_feedback(one)
    rated = [(one["run_id"][-1], one["score"], one["comment"]) for one in feedback if one["key"] == "stepmark.step"]
    assert rated == [("1", -1.0, "§1.2\nIt guessed.\nNot asked for."), ("2", 1.0, None)]
    assert [one["run_id"] for one in feedback if one["key"] == "stepmark.first_error"] == [uuid]
    assert len({one["id"] for one in (*scores, *feedback)}) == len(scores) + len(feedback)


def test_a_label_that_says_nothing_of_a_run_is_counted_beside_one_that_does(project, tmp_path):
    import_bytes(project, lines(observed("t-1")), tmp_path)
    open_round(project, overlap=2)
    label_all(project)
    Label.objects.update(run_marks={**MARKS, "outcome": "failure"})
    give_label(project, [None, None], finish_reason="give_up", finish_detail={"kind": "too_hard", "text": "Too long."})
    for format, counted in (("langfuse_scores", 1), ("run_outcome", 1), ("atif", 0)):
        rows, export = exported(project, format)
        assert (bool(rows), export.manifest["without_rows"].get("no_verdict", 0)) == (True, counted), format


def sample_log() -> Json:
    """An Inspect log of one sample in two epochs, the first with a score."""
    messages = [
        {"id": "m1", "role": "user", "content": "Go."},
        {"id": "m2", "role": "assistant", "content": "I guess."},
        {"id": "m3", "role": "user", "content": "Sure?"},
        {"id": "m4", "role": "assistant", "content": "No."},
    ]
    sample = {"id": 7, "input": "Go.", "target": "x", "messages": messages, "scores": {"match": {"value": "I"}}}
    second = [*messages[:3], {**messages[3], "content": "Yes."}]
    return {
        "version": 2,
        "eval": {"eval_id": "e1", "task": "guess", "model": "m", "created": "2026-03-01T12:00:00Z"},
        "samples": [{**sample, "epoch": 1, "uuid": "u1"}, {**sample, "epoch": 2, "uuid": "u2", "messages": second}],
    }


def test_an_inspect_log_gets_edits_with_their_provenance_once_and_scout_its_cases(project, tmp_path):
    import_bytes(project, json.dumps(sample_log()).encode(), tmp_path)
    labels = label_all(project)
    rows = same_twice(project, "inspect_scores")
    rows.sort(key=lambda row: row["epoch"])
    assert [(row["sample_id"], row["epoch"], row["sample_uuid"]) for row in rows] == [("7", 1, "u1"), ("7", 2, "u2")]
    assert rows[0]["value"] == {"first_error": 0, **{name: MARKS[name] for name in list(rows[0]["value"])[1:]}}
    assert [(step["message_id"], step["rating"]) for step in rows[0]["steps"]] == [("m2", -1), ("m4", 1)]
    script = tmp_path / "stepmark_inspect.py"
    script.write_bytes(companion_of(Export.objects.latest("pk"), script.name))
    companion = runpy.run_path(str(script))
    log = inspect_log(sample_log())
    with log.installed():
        assert [companion["edit_log"](log, rows), companion["edit_log"](log, rows)] == [2, 0]
    first, second = log.samples
    assert [len(one.scores["stepmark"].history) for one in (first, second)] == [1, 1]
    edit = first.scores["stepmark"].history[0]
    assert edit.provenance.author == rows[0]["provenance"]["author"]
    assert edit.provenance.timestamp in [label.submitted_at.isoformat() for label in labels]
    data = tmp_path / "labels.jsonl"
    data.write_bytes(lines(*rows))
    cases = {
        about: scout_cases(subprocess.check_output([sys.executable, "-I", script, "scout", data, about], text=True))
        for about in ("has_error", "outcome", "messages")
    }
    assert {about: [(case["id"], case["target"]) for case in found] for about, found in cases.items()} == {
        "has_error": [("u1", True), ("u2", True)],
        "outcome": [("u1", "partial"), ("u2", "partial")],
        "messages": [("m2", True), ("m4", False)],
    }


@pytest.mark.skipif(not AGENTS.is_dir(), reason="The recorded runs are not here (STEPMARK_SHARED_DATA).")
def test_every_recorded_run_is_labeled_once_and_goes_home(project, tmp_path):
    for file in sorted(AGENTS.glob("*/*")):
        if file.parent.name != "agentprocessbench":
            import_file(project, file, skip_faulty=True)
    label_all(project)
    trajectories = exported(project, "atif")[0]
    assert len(trajectories) == Trace.objects.count() > 40
    for row in trajectories:
        Trajectory.model_validate(row)
    for name in ("otel_evaluations", "langfuse_scores", "langsmith_feedback", "inspect_scores"):
        assert exported(project, name)[0], name
    for score in exported(project, "langfuse_scores")[0]:
        langfuse_score(score)
    for one in exported(project, "langsmith_feedback")[0]:
        langsmith_feedback(one)
    for row in exported(project, "otel_evaluations")[0]:
        json_format.ParseDict(hex_as_base64(row), ExportLogsServiceRequest())
    own = [row for row in trajectories if "subagent_trajectories" not in row and row["agent"]["version"] != "unknown"]
    assert len(own) > 5
    last = Trace.objects.latest("pk").pk
    assert import_bytes(project, lines(*own), tmp_path).report["traces"]["known"] > 5
    assert not Trace.objects.filter(pk__gt=last).exists()


def test_runs_are_chats_to_train_on_with_a_rating_for_each_message_of_the_agent(project, tmp_path):
    import_bytes(project, lines(atif()), tmp_path)
    label_all(project)
    row = max(exported(project, "run_process")[0], key=lambda row: len(row["messages"]))
    roles = [message["role"] for message in row["messages"]]
    assert list(zip(roles, row["labels"], strict=True)) == [
        ("user", None),
        ("assistant", -1),
        ("tool", None),
        ("tool", None),
        ("assistant", 1),
    ]
    said = row["messages"][1]
    assert (said["content"], said["reasoning_content"]) == ("I look.", "Both.")
    assert said["tool_calls"][0] == {
        "id": "c1",
        "type": "function",
        "function": {"name": "bash", "arguments": '{"cmd":"ls"}'},
    }
    assert [message["tool_call_id"] for message in row["messages"][2:4]] == ["c1", "c2"]
    assert (row["outcome"], exported(project, "run_outcome")[0]) == (None, [])
    Label.objects.update(run_marks={"outcome": "failure"})
    assert [row["label"] for row in exported(project, "run_outcome")[0]] == [False, False]
