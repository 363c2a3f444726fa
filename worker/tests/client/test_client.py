"""The client and the command line, from a file of traces to labels and scores, and their messages on failure."""

import ast
import hashlib
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import make_shapes
import stepmark
from labeling.actions.labels import claim_next_label, submit_label
from labeling.api.schema import OneDocument
from labeling.formats.normalise import problem_key, trace_key
from labeling.models import Score, Task, Trace
from labeling.tests.factories import make_member, make_round, make_submission
from labeling.tests.imports.files import lines, neutral_row
from labeling.tests.selection.pools import give_scores, make_prm
from stepmark import Damaged, NotReachable, Refused, Stepmark, WaitedInVain
from stepmark.cli import main
from stepmark.config import Login, find_login
from stepmark.errors import NotAPath, NotLoggedIn, NotUnderstood, StepmarkError
from stepmark.http import Http
from stepmark.releases import hold

pytestmark = pytest.mark.django_db(transaction=True)
TRACES = [
    neutral_row(f"What is {n} + 1?", ["Add.", f"It is {n}.", f"Done: {n}."], final_answer_correct=False)
    for n in range(5)
]


def run(capsys: pytest.CaptureFixture[str], *command: Any) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of a command."""
    capsys.readouterr()
    code = main([str(word) for word in command])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.mark.usefixtures("working")
def test_the_command_line_goes_from_a_file_of_traces_to_their_labels(site, algebra, tmp_path, capsys, monkeypatch):
    traces = tmp_path / "traces.jsonl"
    traces.write_bytes(lines(*TRACES[:3], neutral_row(steps=[])))
    code, out, err = run(capsys, "import", "algebra", traces)
    assert (code, "line 4, steps: " in out, "Nothing was imported" in err) == (3, True, True)
    assert run(capsys, "import", "algebra", traces, "--dry-run")[0] == 3
    code, out, _ = run(capsys, "import", "algebra", traces, "--skip-faulty")
    assert (code, "traces: 3 new" in out, Trace.objects.count()) == (0, True, 3)

    assert run(capsys, "rounds", "open", "algebra", "--split", "held_out")[0] == 1, "there are none to open a round of"
    code, out, _ = run(capsys, "rounds", "open", "algebra", "--name", "First", "--outcome", "wrong", "--json")
    round_ = json.loads(out)
    assert (code, round_["status"], round_["counts"]["tasks"]) == (0, "labeling", 3)
    labeler = make_member(algebra)
    for _ in range(3):
        submit_label(claim_next_label(labeler, algebra).label, make_submission([1, 1, -1]))

    target = tmp_path / "out" / "labels.jsonl"
    code, out, _ = run(capsys, "labels", "algebra", "--round", round_["id"], "-o", target)
    assert (code, "3 rows in" in out, len(target.read_text().splitlines())) == (0, True, 3)
    assert os.listdir(target.parent) == ["labels.jsonl"]
    code, out, _ = run(capsys, "export", "algebra", "--format", "step_pairs", "-o", target.with_name("pairs.jsonl"))
    assert (
        code,
        "3 labels gave no row: 3 with nothing to make rows of. The format leaves out: Steps without a" in out,
    ) == (
        0,
        True,
    )
    project = site.project("algebra")
    with pytest.raises(StepmarkError, match="no kind 'polars'.*pandas"):
        project.labels("polars")
    rows = project.labels(rounds=[round_["id"]])
    assert [row["problem"] for row in rows] == [json.loads(line)["problem"] for line in target.open()]
    frame, table, dataset = (project.labels(kind) for kind in ("pandas", "pyarrow", "datasets"))
    assert list(frame["problem"]) == table.column("problem").to_pylist() == dataset["problem"][:]
    assert list(frame["steps"]) == table.column("steps").to_pylist() == dataset["steps"][:]
    assert (str(table.schema.field("subject").type), dataset.features["level"].dtype) == ("string", "string"), (
        "never null"
    )

    traces.write_bytes(lines(*TRACES))
    job = project.import_file(traces)
    assert job["report"]["traces"] == {"new": 2, "known": 3, "duplicate_in_file": 0}
    scores = tmp_path / "scores.jsonl"
    hashes = [stepmark.trace_hash(row["problem"], row["steps"]) for row in TRACES]
    scores.write_bytes(lines(*({"trace_hash": one, "scores": [0.9, 0.5, 0.1]} for one in hashes)))
    about = ("--name", "Cluster", "--fingerprint", "m1")
    code, out, _ = run(capsys, "scores", "import", "algebra", scores, *about)
    assert (code, "scores: 5 new" in out, Score.objects.filter(scorer__kind="imported").count()) == (0, True, 5)
    code, out, _ = run(capsys, "scores", "import", "algebra", scores, "--name", "Nameless")
    assert (code, "  1 x no_fingerprint\n" in out) == (3, True), "one fault of the file, told once"
    rated = tmp_path / "rated.jsonl"
    rated.write_bytes(lines({"prompt": "What is 9?", "completions": ["Nine.", "Ten."], "labels": [True, False]}))
    code, out, _ = run(capsys, "import", "algebra", rated, "--dry-run")
    assert (code, "read as trl_stepwise" in out, "1 row with recorded ratings" in out) == (0, True, True)
    assert "labels: 1 new" in run(capsys, "import", "algebra", rated, "--dry-run", "--labels-of", "experts")[1]
    code, out, _ = run(capsys, "prms", "algebra")
    assert (code, out.split()[1:5]) == (0, ["imported", "ready", "5", "scored"])
    started = project.start_round(k=1, prm=project.prms()[0]["id"], grade=False)
    assert (started["status"], started["counts"]["tasks"]) == ("ready", 2)
    assert "is labeling" in run(capsys, "rounds", "publish", started["id"])[1]
    code, out, _ = run(capsys, "rounds", "list", "algebra")
    assert [row.split()[1:3] for row in out.splitlines()] == [["2", "labeling"], ["1", "labeling"]]
    assert "is closed" in run(capsys, "rounds", "close", round_["id"])[1]
    assert run(capsys, "rounds", "wait", round_["id"], "--json")[0] == 0


def test_a_round_is_made_of_what_labels_and_a_prm_say_of_traces(site, algebra, capsys):
    make_round(algebra, 3)
    labeler, prm = make_member(algebra), make_prm(project=algebra)
    traces = []
    for ratings in ([-1, None, None], [1, -1, None], [1, 1, 1]):
        label = submit_label(claim_next_label(labeler, algebra).label, make_submission(ratings))
        traces.append(label.task.trace)
    give_scores(prm, [(trace, score) for trace, score in zip(traces, (-0.1, -1.0, -3.0), strict=True)])

    def opened(*options: Any) -> list[int]:
        code, out, err = run(capsys, "rounds", "open", "algebra", *options, "--json")
        assert code == 0, err
        made = Task.objects.filter(round=json.loads(out)["id"]).values_list("trace", flat=True)
        return sorted(place for place, trace in enumerate(traces) if trace.pk in set(made))

    assert opened("--first-error", "none") == [2]
    assert opened("--error-min", 0) == [0, 1]
    assert opened("--error-max", 0) == [0], "a bound of 0 is one"
    assert opened("--score-min", 0.2, "--score-max", 0.5, "--scorer", prm.pk) == [1]
    assert opened("--score-min", 0.2, "--first-error", "some", "--scorer", prm.pk, "--sample", 1) in ([0], [1])
    code, _, err = run(capsys, "rounds", "open", "algebra", "--score-min", 0.2)
    assert (code, "Choose whose scores to use" in err) == (1, True)


def test_a_refusal_is_told_in_the_servers_words_with_an_exit_code(site, algebra, tmp_path, capsys, monkeypatch):
    code, _, err = run(capsys, "rounds", "open", "algebra")
    assert (code, "Import" in err or "trace" in err) == (1, True)
    code, _, err = run(capsys, "rounds", "open", "algebra", "--overlap", 99)
    assert (code, "overlap:" in err) == (1, True)
    with pytest.raises(Refused) as refused:
        site.project("nothing").about()
    assert (refused.value.status, refused.value.code) == (404, "not_found")
    assert run(capsys, "import", "algebra", tmp_path / "none.jsonl")[0] == 1
    with pytest.raises(SystemExit) as misunderstood:
        main(["import"])
    assert misunderstood.value.code == 2
    assert json.loads(run(capsys, "api", "get", "/api/projects")[1])["results"][0]["slug"] == "algebra"
    trial = tmp_path / "trial.jsonl"
    trial.write_bytes(lines(*TRACES))
    job = site.project("algebra").import_file(trial, wait=False)
    with pytest.raises(WaitedInVain, match="still queued"):
        stepmark.client.wait_until(lambda: site.call("GET", f"/api/imports/{job['id']}"), lambda _: False, seconds=0)
    monkeypatch.setenv("STEPMARK_TOKEN", "smk_wrong")
    assert "Make a new one under Account" in run(capsys, "projects")[2]


def test_a_login_is_kept_for_its_owner_alone(site, live_server, capsys, monkeypatch):
    secret = os.environ["STEPMARK_TOKEN"]
    for name in ("STEPMARK_URL", "STEPMARK_TOKEN"):
        monkeypatch.delenv(name)
    code, _, err = run(capsys, "whoami")
    assert (code, "stepmark login" in err) == (4, True)
    assert run(capsys, "login", "--url", live_server.url, "--token", "smk_wrong")[0] == 1
    kept = Path(os.environ["STEPMARK_CONFIG"])
    assert not kept.exists()
    assert "Logged in as rosa" in run(capsys, "login", "--url", f"{live_server.url}/", "--token", secret)[1]
    assert (kept.stat().st_mode & 0o777, run(capsys, "whoami")[1]) == (0o600, "rosa\n")
    monkeypatch.setenv("STEPMARK_URL", "https://elsewhere.example.org")
    assert run(capsys, "whoami")[0] == 4, "the token of one server is never sent to another"
    monkeypatch.delenv("STEPMARK_URL")
    kept.chmod(0o644)
    assert "chmod 600" in run(capsys, "whoami")[2]
    kept.chmod(0o600)
    assert (run(capsys, "logout")[0], kept.exists()) == (0, False)


def busy_server(*answers: httpx.Response | Exception, **options: Any) -> tuple[Http, list[float], list[httpx.Request]]:
    """Return a client of a server that gives these answers in turn, its pauses, and what it sent."""
    pauses: list[float] = []
    sent: list[httpx.Request] = []
    left = list(answers)

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        found = left.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    http = Http(Login("https://site.example.org", "smk_x"), sleep=pauses.append, **options)
    http._client = httpx.Client(transport=httpx.MockTransport(answer), base_url="https://site.example.org")
    return http, pauses, sent


def test_what_is_busy_is_asked_again_after_the_time_that_it_names(tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b"{}\n")
    busy = [httpx.Response(429, headers={"Retry-After": "7"}), httpx.Response(503), httpx.Response(201, json={"id": 1})]
    http, pauses, sent = busy_server(*busy)
    project = Stepmark(http=http).project("algebra")
    assert project.import_file(file, wait=False) == {"id": 1}
    assert (pauses[0], 0 < pauses[1] < 2) == (7.0, True)
    assert all(b"{}\n" in request.read() for request in sent), "the file is sent whole each time"
    used_up = httpx.Response(429, json={"code": "allowance_used", "detail": "Wait."}, headers={"Retry-After": "999"})
    with pytest.raises(Refused, match="Wait"):
        busy_server(used_up)[0].call("POST", "/api/x", {})
    http, _, sent = busy_server(httpx.ReadTimeout("slow"), httpx.Response(200, json=[]))
    assert (http.call("GET", "/api/x"), len(sent)) == ([], 2)
    http, _, sent = busy_server(httpx.ReadTimeout("slow"))
    with pytest.raises(NotReachable):
        http.call("POST", "/api/x", {})
    assert len(sent) == 1, "a write that may have arrived is not sent twice"
    with pytest.raises(Refused, match="Is it the address of Stepmark"):
        busy_server(httpx.Response(404, text="<html>"))[0].call("GET", "/api/x")


@pytest.mark.parametrize("body", [b"<html>Sign in</html>", b"", b"\xff\xfe{", b"[" * 200_000])
def test_an_answer_that_is_no_json_is_told_with_the_address_and_no_traceback(body):
    http, _, _ = busy_server(httpx.Response(200, content=body))
    with pytest.raises(NotReachable, match="/api/projects answered 200 with something other than JSON"):
        http.call("GET", "/api/projects")


def test_a_refusal_or_a_body_that_cannot_be_read_is_told_without_a_traceback():
    http, _, _ = busy_server(httpx.Response(400, content=b"[" * 200_000), httpx.DecodingError("incorrect header"))
    with pytest.raises(Refused, match="answered 400 without a reason"):
        http.call("GET", "/api/projects")
    with pytest.raises(NotReachable, match="cannot be decompressed: incorrect header"):
        http.call("GET", "/api/projects")


def test_a_download_is_whole_and_as_it_was_made_or_not_there(tmp_path):
    export: Any = {"id": 1, "sha256": "0" * 64, "bytes": len(b"other bytes")}
    target = tmp_path / "labels.jsonl"
    target.write_text("from before")
    project = Stepmark(http=busy_server(httpx.Response(200, content=b"other bytes"))[0]).project("algebra")
    with pytest.raises(Damaged):
        project.download(export, target)
    assert (target.read_text(), os.listdir(tmp_path)) == ("from before", ["labels.jsonl"])


def test_lists_are_read_to_their_end():
    pages = [{"results": [1, 2], "next": "here"}, {"results": [3], "next": None}]
    http, _, sent = busy_server(*(httpx.Response(200, json=page) for page in pages))
    assert list(Stepmark(http=http).pages("/api/projects")) == [1, 2, 3]
    assert sent[1].url.params["cursor"] == "here"


@given(st.text(st.characters(exclude_categories=["Cs"])), st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_a_trace_has_one_hash_on_both_sides(problem, steps):
    assert stepmark.trace_hash(problem, steps) == trace_key(problem_key(problem), steps).hex()


def test_the_shapes_are_those_of_the_schema():
    made = make_shapes.make_shapes(OneDocument().get_schema())
    kept = Path(stepmark.__file__).with_name("shapes.py").read_text()
    assert ast.dump(ast.parse(made)) == ast.dump(ast.parse(kept)), "Run: make schema"


def test_the_token_goes_to_no_other_server() -> None:
    asks = Http(Login("http://127.0.0.1:9", "secret"), patience=0)
    for path in ("https://elsewhere.example/", "//elsewhere.example/api", "api/session"):
        with pytest.raises(NotAPath):
            asks.call("GET", path)
    asks.close()


@pytest.mark.parametrize("secret", ["smk_se\rcret", "smk_se\x00cret", "smk_sécret", "smk_se cret"])
def test_a_token_that_cannot_be_sent_is_refused_and_not_shown(secret):
    with pytest.raises(NotLoggedIn) as refused:
        Stepmark("http://127.0.0.1:9", secret)
    assert "cret" not in str(refused.value), "what it is refused with may end in a log"


def test_a_token_is_read_from_the_environment_without_its_line_end(monkeypatch):
    monkeypatch.setenv("STEPMARK_TOKEN", "smk_x\r\n")
    assert find_login("https://site.example.org").token == "smk_x"


def test_what_is_no_address_is_refused_at_once():
    for url in ("http://[::bad", "ftp://site.example.org", "site.example.org", "file:///etc/passwd"):
        with pytest.raises(NotLoggedIn, match="is not a server address"):
            Stepmark(url, "smk_x")


def endless() -> Iterator[bytes]:
    """An answer that never ends."""
    while True:
        yield b" " * 2**16


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (httpx.Response(200, content=endless()), "without ever finishing"),
        (httpx.Response(500, content=endless()), "without ever finishing"),
        (
            httpx.Response(200, headers={"Content-Encoding": "gzip"}, stream=httpx.ByteStream(b"no")),
            "cannot be decompressed",
        ),
        (
            httpx.Response(200, headers={"Content-Encoding": "gzip, gzip"}, stream=httpx.ByteStream(b"")),
            "did not request",
        ),
    ],
)
def test_what_is_no_answer_of_stepmark_is_said_so(answer, said, monkeypatch):
    monkeypatch.setattr("stepmark.http.LARGEST_ANSWER", 2**20)
    with pytest.raises(NotUnderstood, match=said):
        busy_server(answer)[0].call("GET", "/api/session")


def test_an_answer_of_another_shape_ends_the_command_with_a_sentence(capsys, monkeypatch):
    for session in ([1], {}, {"user": [1]}):
        with pytest.raises(NotUnderstood, match="without naming an account"):
            Stepmark(http=busy_server(httpx.Response(200, json=session))[0]).who()
    http = busy_server(httpx.Response(200, json={"results": [1], "next": None}))[0]
    monkeypatch.setattr("stepmark.client.find_login", lambda *_: None)
    monkeypatch.setattr("stepmark.client.Http", lambda *_, **__: http)
    code, _, err = run(capsys, "projects")
    assert (code, "does not understand the server's answer: TypeError" in err) == (1, True)


def test_a_zip_that_is_no_release_is_damaged(tmp_path, monkeypatch):
    zipped = tmp_path / "release.zip"
    for manifest in (b"[1]", b'{"files": [1]}', b'{"files": null}', b'{"files": [{"path": "none"}]}'):
        with zipfile.ZipFile(zipped, "w") as archive:
            archive.writestr("MANIFEST.json", manifest)
        with pytest.raises(Damaged):
            hold(zipped, hashlib.sha256(manifest).hexdigest())
    monkeypatch.setattr("stepmark.releases.LARGEST_MANIFEST", 10)
    with pytest.raises(Damaged, match="too large"):
        hold(zipped, hashlib.sha256(manifest).hexdigest())
