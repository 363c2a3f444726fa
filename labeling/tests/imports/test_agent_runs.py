"""Agent runs from recorders' files to a label: units, verdicts, secrets, faults by place."""

import io
import json
import zipfile
from typing import Any

import pytest

from labeling.actions import rounds
from labeling.actions.import_reading import previewed
from labeling.formats.imports import IMPORT_FORMATS
from labeling.formats.imports.agents import files
from labeling.models import ImportJob, Label, Membership, Project, RecordedVerdict, Round, StepLabel, Trace
from labeling.quality.consensus import AskedOverlap
from labeling.tests.accounts import Browser
from labeling.tests.exports.labeled import exported
from labeling.tests.factories import make_member, make_project, make_submission
from labeling.tests.gold.world import Labeler
from labeling.tests.imports.files import SHARED_DATA, faults_of, import_bytes, import_file, lines

pytestmark = pytest.mark.django_db(transaction=True)  # several imports
Json = dict[str, Any]
AGENTS = SHARED_DATA / "agents"
# Content without an agent run, and the fault that says so.
NO_RUNS = {
    "inspect/log_tool_call_error.json": ["no_steps"],
    "langfuse/openai-agents-2025-09-30.chatml.json": ["unknown_columns"],
    "otel/schema.gen-ai-input-messages.json": ["unknown_columns"],
    "otel/schema.gen-ai-output-messages.json": ["unknown_columns"],
    "otel/vercel_ai_v6.all-spans.json": ["no_run", "no_run"],  # two traces of embeddings, next to eight runs
}


@pytest.fixture
def project() -> Project:
    return make_project()


def chat(*more: dict[str, Any], **about: Any) -> dict[str, Any]:
    """Return a run in which two tools are called at once, and one of them answers."""
    calls = [
        {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"cmd": "pytest -q"}'}},
        {"id": "c2", "type": "function", "function": {"name": "bash", "arguments": '{"cmd": "ls'}},
    ]
    messages = [
        {"role": "user", "content": "Mend the test. Mail ada@example.org with ghp_" + "a1" * 18 + "."},
        {"role": "assistant", "content": "I run the tests.", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": "1 failed"},
        *more,
        {"role": "assistant", "content": "Done."},
    ]
    return {"messages": messages, **about}


@pytest.mark.skipif(not AGENTS.is_dir(), reason="The recorded runs are not here (STEPMARK_SHARED_DATA).")
def test_every_file_of_recorded_runs_is_imported_or_says_why_it_holds_none(project, subtests):
    for file in sorted(AGENTS.glob("*/*")):
        name = f"{file.parent.name}/{file.name}"
        with subtests.test(name):
            job = import_file(project, file, skip_faulty=True)
            assert [kind for kind, _, _ in faults_of(job)] == NO_RUNS.get(name, [])
            assert name in NO_RUNS or IMPORT_FORMATS[job.format].runs
            assert job.report["traces"]["new"] >= (0 if name in NO_RUNS else 1)
    assert not Trace.objects.filter(typed_steps__isnull=True).exists()
    rated = Trace.objects.filter(source="AgentProcessBench").values_list("steps", "recorded_ratings")
    assert len(rated) == 125
    assert all(len(steps) == len(ratings) and None not in ratings for steps, ratings in rated)
    assert sum(ratings.count(-1) for _, ratings in rated) == 78
    embedded = Trace.objects.get(metadata__sub_agent_of="parent-doc")
    assert [step["kind"] for step in embedded.typed_steps if step.get("unit") is not None] == ["final"]


def test_a_run_is_rated_by_messages_or_by_calls_and_what_is_context_never_is(project, tmp_path):
    job = import_bytes(project, lines(chat()), tmp_path)
    trace = Trace.objects.get()
    assert trace.steps == ['I run the tests.\n\nbash({"cmd":"pytest -q"})\n\nbash({"cmd": "ls)', "Done."]
    shown = [(step["kind"], step.get("unit"), step.get("after")) for step in trace.typed_steps]
    expected = [("message", None, -1), ("message", 0, None), ("test_run", 0, None), ("tool_call", 0, None)]
    assert shown == [*expected, ("observation", None, 0), ("final", 1, None)]
    assert [step.get("unanswered") for step in trace.typed_steps] == [None, None, None, True, None, None]
    assert trace.typed_steps[3]["invalid_arguments"] is True
    assert trace.problem.text == "Mend the test. Mail [redacted: e-mail] with [redacted: token]."
    assert job.report["redacted"] == {"e-mail": 1, "token": 1}
    by_calls = make_project(rated_unit="call")
    checked = import_bytes(by_calls, lines(chat()), tmp_path, dry_run=True)
    assert "Mail [redacted: e-mail] with [redacted: token]." in json.dumps(checked.head), "what is kept to be looked at"
    assert [len(row.trace.steps) for _, row in previewed(checked, None)[0] if row.trace] == [3]
    assert checked.report["redacted"] == {"e-mail": 1, "token": 1}
    import_bytes(by_calls, lines(chat()), tmp_path)
    assert [len(one.steps) for one in Trace.objects.order_by("pk")] == [2, 3]


def test_the_same_words_beside_another_observation_are_another_trace(project, tmp_path):
    more = {"role": "tool", "tool_call_id": "c2", "content": "a.py"}
    job = import_bytes(project, lines(chat(), chat(more), chat()), tmp_path)
    assert job.report["traces"] == {"new": 2, "duplicate_in_file": 1, "known": 0}


def test_what_does_not_fit_is_named_by_its_place(project, tmp_path):
    atif = {
        "schema_version": "ATIF-v1.7",
        "agent": {"name": "a", "version": "1"},
        "steps": [
            {"step_id": 1, "source": "user", "message": "Go."},
            {"step_id": 2, "source": "agent", "message": "x", "observation": {"results": [{"source_call_id": "c9"}]}},
        ],
    }
    judged = {"messages": chat()["messages"], "step_labels": {"1": 1, "2": -1}}
    who = {"history": [{"role": "a", "name": "A", "content": "x"}], "question": "q", "mistake_step": "4"}
    rows = [atif, {**atif, "schema_version": "ATIF-v2.0"}]
    assert faults_of(import_bytes(project, lines(*rows), tmp_path)) == [
        ("no_such_call", 1, "steps[1].observation.results[0].source_call_id"),
        ("newer_format", 2, "schema_version"),
    ]
    assert faults_of(import_bytes(project, lines(judged), tmp_path)) == [("no_such_step", 1, "step_labels.2")]
    assert faults_of(import_bytes(project, lines(who), tmp_path)) == [("no_such_step", 1, "mistake_step")]
    for odd in ("²", "9" * 5_000):  # a digit that is not a number, and more digits than int accepts
        judged["step_labels"], who["mistake_step"] = {odd: 1}, odd
        [fault] = faults_of(import_bytes(project, lines(judged), tmp_path))
        assert (fault[0], fault[2][:12]) == ("no_such_step", "step_labels.")
        assert faults_of(import_bytes(project, lines(who), tmp_path)) == [("no_such_step", 1, "mistake_step")]
    assert not Trace.objects.exists()


def test_texts_of_many_digits_are_read_in_yaml(project, tmp_path):
    digest, many = "a1b2c3d4" * 16, "31415926" * 20
    said = "- type: {0}\n  message:\n    role: {0}\n    content: {1}\n"
    data = "messages:\n" + said.format("user", digest) + said.format("assistant", f"'{many}'")
    import_bytes(project, data.encode(), tmp_path)
    trace = Trace.objects.get()
    assert (trace.problem.text, trace.steps) == (digest, [many])


def test_hostile_files_of_runs_are_faults_and_never_grow(project, tmp_path, subtests):
    bombs = "".join(f"- &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    deep = json.dumps(chat(extra=0)).encode().replace(b'"extra": 0', b'"extra": ' + b"[" * 900 + b"]" * 900)
    sample = {"id": 1, "messages": [{"role": "user", "content": "x"}]}
    log = io.BytesIO()
    with zipfile.ZipFile(log, "w") as archive:
        archive.writestr("header.json", "[1]")
        archive.writestr("samples/1_epoch_1.json", json.dumps(sample))
    hostile = {
        "aliases": (("messages:\n- &a0 lol\n" + bombs).encode(), "bad_yaml"),
        "an alias of itself": (b"messages:\n- &a [*a]\n", "bad_yaml"),
        "lists in lists": (b"messages:\n- " + b"[" * 150_000, "bad_yaml"),
        "a number of many parts": (b"messages:\n- a: 1" + b":1" * 1_000_000 + b"\n", "bad_yaml"),
        "a number by its tag": (b"messages:\n- a: !!int '1" + b":1" * 1_000_000 + b"'\n", "bad_yaml"),
        "a number of many digits": (b"messages:\n- a: " + b"1" * 1_000_000 + b"\n", "bad_yaml"),
        "calls": (b'["client.x", {"id": [1]}]\n5\n', "bad_json"),
        "a log without words of its own": (log.getvalue(), None),
        "a trace named by a list": (lines({"traceId": [1], "attributes": [], "spanContext": "x"}), None),
        "spans of text": (lines({"resourceSpans": ["x", {"scopeSpans": "y"}]}), None),
    }
    for name, (data, kind) in hostile.items():
        with subtests.test(name):
            job = import_bytes(project, data, tmp_path)
            found = [fault for fault, _, _ in faults_of(job)]
            assert found if kind is None else kind in found
            assert job.status == ImportJob.Status.FAILED
    assert not Trace.objects.exists()
    import_bytes(project, deep, tmp_path)  # of which only the run is kept
    assert Trace.objects.count() == 1


def test_runs_that_many_lines_tell_are_held_up_to_a_limit(project, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "TOGETHER_LIMIT", 500)
    span = {"traceId": "t", "spanId": "s", "name": "chat", "attributes": [], "pad": "x" * 200}
    job = import_bytes(project, lines(*[span] * 4), tmp_path)
    assert [kind for kind, _, _ in faults_of(job)] == ["file_too_large"]


def test_a_run_is_labeled_step_by_step_with_its_marks_and_its_long_results_come_whole(project, tmp_path):
    long = {"role": "tool", "tool_call_id": "c2", "content": "é" * 9_000}
    import_bytes(project, lines(chat(long)), tmp_path)
    round_ = rounds.open_round(project, by=None)
    ada, eve = Labeler(project, make_member(project)), Browser(make_member(project))
    label = ada.claim()["label"]
    assert (round_.protocol, label["protocol"]) == ("every_step", "every_step")
    folded = label["typed_steps"][5]
    assert (folded["bytes"], len(folded["text"]) + len(folded["tail"])) == (18_000, 3_600)
    assert "source_ref" not in json.dumps(label)
    whole = f"/api/labels/{label['id']}/typed_steps/5"
    assert ada.call("GET", whole)["step"]["text"] == "é" * 9_000
    eve.call("GET", whole, status=404)
    ada.call("GET", whole.replace("/5", "/99"), status=404)
    sent = make_submission([-1, 1]).as_sent() | {"finish_reason": "found_error"}
    wrong = sent | {"run_marks": {"decisive_error": 1, "recovered_at": None}}
    answer = ada.call("POST", f"/api/labels/{label['id']}/submit", wrong, status=422)
    assert answer["missing"] == [{"code": "decisive_is_no_error", "step": 1}]
    marks = {"decisive_error": 0, "recovered_at": 1, "outcome": "partial", "safety": "side_effect", "comment": "Late."}
    ada.call("POST", f"/api/labels/{label['id']}/submit", sent | {"run_marks": marks})
    kept = Label.objects.get(pk=label["id"])
    assert (kept.verdict, kept.run_marks) == (0, {**marks, "clause": "", "acts": []})
    assert list(StepLabel.objects.order_by("step_index").values_list("rating", flat=True)) == [-1, 1]

    rows, _ = exported(project, "neutral")
    assert json.loads(rows[0]["typed_steps"])[5]["source_ref"] == {"format": "openai_chat", "message_index": 3}
    assert (rows[0]["label"]["run"], rows[0]["step_labels"]) == (kept.run_marks, [-1, 1])
    other = make_project()
    import_bytes(other, lines(rows[0]), tmp_path)
    assert Trace.objects.get(project=other).typed_steps == Trace.objects.get(project=project).typed_steps
    [rewarded], _ = exported(project, "rewards")
    assert rewarded["step_rewards"] == [-1.0, 1.0]
    unlike = {**rows[0], "steps": ["One."], "step_labels": None, "first_error": None}
    assert faults_of(import_bytes(other, lines(unlike), tmp_path)) == [("units_do_not_match_steps", 1, "typed_steps")]


def test_recorded_ratings_of_a_run_become_a_label_of_every_step_with_its_marks(project, tmp_path):
    judged = {"messages": chat()["messages"], "step_labels": {"1": -1, "3": 1}, "final_label": 1}
    who = {"history": [{"role": "a", "name": "A", "content": "x"}] * 3, "question": "q", "mistake_step": "1"}
    for row in (judged, who):
        import_bytes(project, lines(row), tmp_path, labels_of="the set's people")
    first, second = Label.objects.select_related("task__round").order_by("pk")
    assert [first.task.round.protocol, second.task.round.protocol] == ["every_step", "every_step"]
    assert (first.verdict, first.run_marks) == (0, {"outcome": "success"})
    assert (second.verdict, second.run_marks) == (None, {"decisive_error": 1}), "it is no first error"
    rated = StepLabel.objects.order_by("label_id", "step_index").values_list("label_id", "step_index", "rating")
    assert list(rated) == [(first.pk, 0, -1), (first.pk, 1, 1)]
    [kept, lost], _ = exported(project, "neutral")
    assert (kept["step_labels"], kept["label"]["run"]["outcome"]) == ([-1, 1], "success")
    assert (lost["first_error"], lost["label"]["run"]) == (None, {"decisive_error": 1})


def test_a_recorded_decisive_error_is_a_mark_of_its_own_and_no_first_error(project, tmp_path):
    who = {"history": [{"role": "a", "name": "A", "content": "x"}] * 3, "question": "q", "mistake_step": "1"}
    import_bytes(project, lines(who), tmp_path)
    trace = Trace.objects.get()
    assert (trace.recorded_first_error, trace.recorded_marks) == (None, {"decisive_error": 1})
    researcher = Browser(make_member(project, Membership.Role.RESEARCHER))
    shown = researcher.call("GET", f"/api/traces/{trace.pk}")
    assert shown["recorded_marks"]["decisive_error"] == 1
    [own] = shown["recorded_verdicts"]
    assert (own["first_error"], own["marks"]["decisive_error"]) == (None, 1)
    again = import_bytes(project, lines(who, who | {"mistake_step": "2"}), tmp_path)
    assert again.report["verdicts"] == {"filled": 0, "new": 1, "known": 0}
    assert [one.marks for one in RecordedVerdict.objects.all()] == [{"decisive_error": 2}]
    assert faults_of(import_bytes(project, lines(who), tmp_path, as_gold=True))[0][0] == "no_first_error"


def test_two_labelers_and_a_file_agree_on_the_decisive_error(project, tmp_path):
    who = {"history": [{"role": "a", "name": "A", "content": "x"}] * 3, "question": "q", "mistake_step": "1"}
    import_bytes(project, lines(who), tmp_path, labels_of="the set's people")
    rounds.open_round(project, by=None)
    labeler = Labeler(project, make_member(project))
    label = labeler.claim()["label"]
    sent = make_submission([-1, -1, 1]).as_sent() | {"finish_reason": "found_error"}
    marks = {"decisive_error": 1, "recovered_at": None}
    labeler.call("POST", f"/api/labels/{label['id']}/submit", sent | {"run_marks": marks})
    found = Browser(make_member(project, Membership.Role.RESEARCHER)).call(
        "GET", f"/api/projects/{project.slug}/agreement"
    )
    assert (found["decisive_error"]["value"], found["decisive_error"]["n"]) == (1.0, 1)
    assert found["figures"]["exact"]["n"] == 0, "the file says no first error"


def test_a_staged_round_of_runs_rates_every_step_unless_another_protocol_is_chosen(project, tmp_path):
    import_bytes(project, lines(chat()), tmp_path)
    boss = Browser(make_member(project, Membership.Role.RESEARCHER))
    asked = {"mode": "per_problem", "k": 1, "grade": False}
    for protocol, expected in (("", "every_step"), ("first_error", "first_error")):
        started = boss.call(
            "POST", f"/api/projects/{project.slug}/rounds/start", {**asked, "protocol": protocol}, status=201
        )
        assert started["protocol"] == expected
        rounds.cancel_round(Round.objects.get(pk=started["id"]), by=None)


def test_two_labelers_agree_on_the_decisive_error_or_not(project, tmp_path):
    import_bytes(project, lines(chat()), tmp_path)
    rounds.open_round(project, by=None, overlap=AskedOverlap(2))
    for decisive in (0, 1):
        labeler = Labeler(project, make_member(project))
        label = labeler.claim()["label"]
        sent = make_submission([-1, -1]).as_sent() | {"finish_reason": "found_error"}
        marks = {"decisive_error": decisive, "recovered_at": None}
        labeler.call("POST", f"/api/labels/{label['id']}/submit", sent | {"run_marks": marks})
    found = Browser(make_member(project, Membership.Role.RESEARCHER)).call(
        "GET", f"/api/projects/{project.slug}/agreement"
    )
    assert (found["decisive_error"]["value"], found["decisive_error"]["n"]) == (0.0, 1)
    assert (found["figures"]["exact"]["value"], found["figures"]["alpha"]["n"]) == (1.0, 2)


def test_sub_agents_of_sub_agents_are_traces_of_their_own_and_shown_three_deep_and_once(project, tmp_path):
    depth = 7
    inner: Json | None = None
    for level in range(depth, -1, -1):
        inner = nested_run(level, inner)
    assert inner is not None
    job = import_bytes(project, lines(inner), tmp_path)
    assert job.report["traces"]["new"] == depth + 1
    outermost = Trace.objects.get(metadata__atif__trajectory_id="level-0")
    texts = [step["text"] for step in observations(outermost.typed_steps)]
    told_again = "seen\n[a sub-agent's run, which is told before]"
    assert texts[:2] == ["seen", told_again], "a run that is named twice is told once"
    assert texts.count("seen\n[a sub-agent's run, which is a trace of its own]") == 2
    assert (len(texts), any("not in this file" in text for text in texts)) == (8, False)
    third = Trace.objects.get(metadata__atif__trajectory_id="level-3")
    assert third.metadata["sub_agent_of"] == "level-2"
    last = Trace.objects.get(metadata__atif__trajectory_id=f"level-{depth}").typed_steps[-1]
    assert (last["cut"], last["text"]) == (True, "seen\n[a sub-agent's run, which is not in this file]")


def test_a_span_that_was_exported_twice_is_told_once_as_it_was_sent_last(project, tmp_path):
    first, last = (chat_span("1" * 16, said) for said in ("It is begi", "It is begun."))
    import_bytes(project, lines(first, last, chat_span("2" * 16, "It is done.")), tmp_path)
    assert project.traces.get().steps == ["It is begun.", "It is done."]


def chat_span(ident: str, said: str) -> Json:
    """A span of OpenTelemetry's GenAI conventions in which the agent says this."""
    asked = [{"role": "user", "parts": [{"type": "text", "content": "Is it done?"}]}]
    answer = [{"role": "assistant", "parts": [{"type": "text", "content": said}]}]
    about = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(asked)}
    about["gen_ai.output.messages"] = json.dumps(answer)
    return {"trace_id": "a" * 32, "span_id": ident, "name": "chat", "start_time": ident[0], "attributes": about}


def nested_run(level: int, inner: Json | None) -> Json:
    """A trajectory with two calls that both name the trajectory inside it."""
    refs = [{"trajectory_id": f"level-{level + 1}"}]
    refs += [] if inner else [{"trajectory_id": "elsewhere"}]  # neither is in the file, which is reported once
    names = ["a", "b"] if inner else ["a"]
    calls = [{"tool_call_id": name, "function_name": "task", "arguments": {}} for name in names]
    results = [{"source_call_id": name, "content": "seen", "subagent_trajectory_ref": refs} for name in names]
    step = {"step_id": 2, "source": "agent", "message": f"At {level}.", "tool_calls": calls}
    steps = [
        {"step_id": 1, "source": "user", "message": f"Level {level}"},
        {**step, "observation": {"results": results}},
    ]
    found = {"schema_version": "ATIF-v1.7", "trajectory_id": f"level-{level}", "agent": {"name": "a", "version": "1"}}
    return {**found, "steps": steps, **({"subagent_trajectories": [inner]} if inner else {})}


def observations(steps: list[Json]) -> list[Json]:
    """Return the observations of a run and of the runs within it, each run's own first."""
    own = [step for step in steps if step["kind"] == "observation"]
    return own + [one for step in own for one in observations(step.get("nested", []))]
