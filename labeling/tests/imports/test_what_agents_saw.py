"""What agents saw, and the results: pictures and tables from the import's file, tests, recorded runs of programs."""

import base64
import io
import json
import struct
import time
import zipfile
import zlib
from typing import Any

import pytest

from labeling.actions import rounds
from labeling.formats.images import LARGEST, picture_of
from labeling.formats.passed_tests import passed_and_failed
from labeling.models import Membership, Project, StepImage, Trace
from labeling.tests.accounts import Browser
from labeling.tests.exports.labeled import exported
from labeling.tests.factories import make_member, make_project, make_submission
from labeling.tests.gold.world import Labeler
from labeling.tests.imports.files import faults_of, import_bytes, lines

pytestmark = pytest.mark.django_db(transaction=True)  # several imports
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
Json = dict[str, Any]


def png(width: int, height: int, shade: int = 120) -> bytes:
    """Return a grey picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\x00" + bytes([shade]) * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def data_url(data: bytes, kind: str = "png") -> str:
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"


def log_of_actions() -> Json:
    """A robot that sees a picture next to the rows, one within a row, an address, and a program that is not a
    picture.
    """
    table = [{"joint": "elbow", "angle": 12.5}, {"joint": "wrist", "angle": None}]
    return {
        "task": "Put the cup on the shelf.",
        "observation": {"image": "frames/0.png", "text": "The kitchen."},
        "steps": [
            {"thought": "It is left.", "action": "move_to(cup)", "observation": {"image": data_url(png(6, 4))}},
            {"action": {"name": "grip", "force": 3}, "observation": {"table": table, "text": "held"}, "seconds": 1.5},
            {"action": "lift", "observation": {"image": "https://example.org/a.png"}},
            {"action": "look", "observation": {"image": data_url(SVG, "svg+xml")}, "error": "The camera failed."},
        ],
        "success": True,
    }


def packed(row: Json) -> bytes:
    """Return the rows with the pictures that they name."""
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as archive:
        archive.writestr("log/rows.jsonl", lines(row))
        archive.writestr("log/frames/0.png", png(8, 8))
        archive.writestr("log/frames/unused.png", png(2, 2))
    return found.getvalue()


@pytest.fixture
def project() -> Project:
    return make_project()


def test_pictures_and_tables_are_shown_from_the_imports_file_and_never_from_an_address(project, tmp_path):
    job = import_bytes(project, packed(log_of_actions()), tmp_path)
    assert (job.format, faults_of(job)) == ("action_log", [])
    trace = Trace.objects.get()
    assert (trace.outcome, trace.steps[0], trace.steps[1]) == (
        "correct",
        "It is left.\n\nmove_to(move_to(cup))",
        'grip({"force":3})',
    )
    seen = [step for step in trace.typed_steps if step["kind"] == "observation"]
    sizes = [[(one["width"], one["height"]) for one in step.get("images", ())] for step in seen]
    assert sizes == [[(8, 8)], [(6, 4)], [], [], []]
    assert [step["text"] for step in seen][-2:] == [
        "[image, not in this file]",
        "The camera failed.\n[image, not in this file]",
    ]
    assert seen[2]["table"] == {"columns": ["joint", "angle"], "rows": [["elbow", "12.5"], ["wrist", ""]]}
    assert StepImage.objects.count() == 2, "what no row names is not kept"
    assert "base64" not in json.dumps(trace.typed_steps)
    import_bytes(project, packed(log_of_actions()), tmp_path)
    assert (Trace.objects.count(), StepImage.objects.count()) == (1, 2)

    rounds.open_round(project, by=None)
    labeler, other = Labeler(project, make_member(project)), Browser(make_member(project))
    label = labeler.claim()["label"]
    [image] = label["typed_steps"][0]["images"]
    address = f"/api/labels/{label['id']}/images/{image['sha256']}"
    answer = labeler.page.get(address)
    assert (answer.content, answer["Content-Type"]) == (png(8, 8), "image/png")
    assert (answer["X-Content-Type-Options"], "sandbox" in answer["Content-Security-Policy"]) == ("nosniff", True)
    other.call("GET", address, status=404)
    labeler.call("GET", address.replace(image["sha256"], "0" * 64), status=404)
    researcher = Browser(make_member(project, Membership.Role.RESEARCHER))
    assert researcher.call("GET", f"/api/traces/{trace.pk}")["typed_steps"][0]["images"] == [image]
    elsewhere = make_project()
    stranger = Browser(make_member(elsewhere, Membership.Role.ADMIN))
    stranger.call("GET", f"/api/traces/{trace.pk}/images/{image['sha256']}", status=404)
    labeler.submit(label, [1, 1, 1, 1])
    [chat], _ = exported(project, "run_process")
    held = next(one["content"] for one in chat["messages"] if one["content"].startswith("held"))
    assert held == "held\njoint | angle\nelbow | 12.5\nwrist | ", "a table leaves as its rows"
    assert image["sha256"] not in json.dumps(chat), "no picture leaves"


def gif(*frames: tuple[int, int, int, int], head: tuple[int, int] = (100, 100), colours: int = 0) -> bytes:
    """Return frames by left, top, width and height, after a comment; `colours`: whether header and frames have colour
    tables.
    """
    own = b"\x00" * 3 * 2 ** (colours + 1) if colours else b""
    flags = bytes([0x80 | colours if colours else 0])
    parts = [b"!\xfe\x03 , \x00", b"!\xf9\x04\x00\x05\x00\x00\x00"]
    parts += [b"," + struct.pack("<HHHH", *one) + flags + own + b"\x02\x02\x4c\x01\x00" for one in frames]
    return b"GIF89a" + struct.pack("<HH", *head) + flags + b"\x00\x00" + own + b"".join(parts) + b";"


@pytest.mark.parametrize("colours", [0, 1, 7])
def test_a_gif_is_as_large_as_its_largest_frame_reaches(colours: int) -> None:
    """Browsers draw the size in the frames, whatever the header says."""
    assert picture_of(gif((0, 0, 12_000, 12_000), colours=colours)) is None
    assert picture_of(gif((0, 0, 9, 9), (0, 0, 12_000, 12_000), colours=colours)) is None, "a later one"
    assert picture_of(gif((65_000, 65_000, 9, 9), colours=colours)) is None, "it stands far out"
    honest = gif((0, 0, 100, 100), (10, 20, 30, 40), colours=colours)
    for end in range(max(13, len(honest) - 60), len(honest) + 1):  # even if it was cut off
        found = picture_of(honest[:end])
        assert found is not None
        assert (found.content_type, found.width, found.height) == ("image/gif", 100, 100)
    found = picture_of(gif((0, 0, 200, 150), colours=colours))
    assert found is not None
    assert (found.width, found.height) == (200, 150)
    assert picture_of(b"GIF89a") is None


def test_pictures_in_messages_of_every_dialect_are_kept_and_what_is_none_is_said(project, tmp_path, subtests):
    url = data_url(png(5, 5))
    data = url.split(",")[1]
    parts: dict[str, Json] = {
        "openai": {"type": "image_url", "image_url": {"url": url}},
        "responses": {"type": "input_image", "image_url": url},
        "anthropic": {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}},
        "inspect": {"type": "image", "image": url},
        "gemini": {"inline_data": {"mime_type": "image/png", "data": data}},
    }
    for name, part in parts.items():
        with subtests.test(name):
            said = [{"type": "text", "text": f"Look at this: {name}"}, part]
            call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
            messages: list[Json] = [
                {"role": "user", "content": said},
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "c1", "content": [part]},
            ]
            import_bytes(project, lines({"messages": messages}), tmp_path, format="openai_chat")
            typed = Trace.objects.latest("pk").typed_steps
            assert [step["kind"] for step in typed if "images" in step] == ["message", "observation"]
    assert StepImage.objects.count() == 1
    assert picture_of(png(1, 1) + b"\x00" * LARGEST) is None, "too large"
    assert picture_of(png(1, 1)[:20]) is None
    assert picture_of(SVG) is None
    huge = struct.pack(">II", 60_000, 60_000)
    assert picture_of(png(1, 1).replace(struct.pack(">II", 1, 1), huge)) is None


def test_a_program_is_read_line_by_line_beside_its_recorded_runs(project, tmp_path):
    runs: list[Json] = [
        {"input": "1", "expected": "1", "output": "1", "states": [{"line": 2, "state": {"n": 1}}, {"line": 99}]},
        {"input": "0", "expected": "0", "output": "", "error": "ZeroDivisionError", "line": 4, "passed": False},
        {"input": "7"},
    ]
    row = {"problem": "Half of n.", "program": "def f(n):\n    m = n\n\n    return 1 / m\n", "executions": runs}
    job = import_bytes(project, lines(row), tmp_path)
    trace = Trace.objects.get()
    assert (job.format, trace.outcome) == ("program", "wrong")
    assert trace.steps == ["def f(n):", "    m = n", "\n    return 1 / m"]
    executed = [step["executed"] for step in trace.typed_steps if "executed" in step]
    assert [one["passed"] for one in executed] == [True, False, None]
    assert (executed[0]["states"], executed[1]["line"]) == ([{"line": 2, "text": '{\n  "n": 1\n}'}], 4)
    rounds.open_round(project, by=None, protocol="first_error")
    labeler = Labeler(project, make_member(project))
    label = labeler.claim()["label"]
    shown = [step["executed"]["error"] for step in label["typed_steps"] if "executed" in step]
    assert shown == ["", "ZeroDivisionError", ""]
    sent = make_submission([1, 1, -1]).as_sent() | {"finish_reason": "found_error"}
    labeler.call("POST", f"/api/labels/{label['id']}/submit", sent)
    [chat], _ = exported(project, "run_process")
    assert "ZeroDivisionError" not in json.dumps(chat), "what was found out later is no context of the model"
    [neutral], _ = exported(project, "neutral")
    other = make_project()
    import_bytes(other, lines(neutral), tmp_path)
    assert Trace.objects.get(project=other).typed_steps == trace.typed_steps
    typed = json.loads(neutral["typed_steps"])
    for part in ({"executed": {"passed": 1}}, {"images": [{"sha256": "x"}]}, {"table": {"rows": [1]}}, {"nested": [1]}):
        wrong = {**neutral, "typed_steps": [typed[0] | part, *typed[1:]]}
        [fault] = faults_of(import_bytes(make_project(), lines(wrong), tmp_path))
        assert fault == ("wrong_type", 1, f"typed_steps[0].{next(iter(part))}")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("==== 2 failed, 3 passed, 1 skipped in 0.12s ====", (3, 2)),
        ("\x1b[32m4 passed\x1b[0m in 0.02s", (4, 0)),
        ("1 passed in 1s\n=== 1 failed, 1 error in 3.10s (0:00:03) ===", (0, 2)),
        ("Ran 5 tests in 0.1s\n\nFAILED (failures=1, errors=1)", (3, 2)),
        ("Ran 3 tests in 0.001s\n\nOK", (3, 0)),
        ("test result: ok. 3 passed; 0 failed; 0\ntest result: FAILED. 1 passed; 2 failed; 0", (4, 2)),
        ("Tests:       1 failed, 2 passed, 3 total", (2, 1)),
        ("      Tests  2 passed (2)", (2, 0)),
        ("--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL", (1, 1)),
        ("Tests run: 4, Failures: 1, Errors: 0, Skipped: 1", (2, 1)),
        ("I passed the salt in 3 minutes, and 2 failed cakes", None),
        ("no tests ran in 0.01s", None),
    ],
)
def test_what_a_run_of_tests_printed_tells_how_many_passed(text, found):
    assert passed_and_failed(text) == (None if found is None else dict(zip(("passed", "failed"), found, strict=True)))


def test_the_result_of_a_test_run_says_what_passed_and_no_other_result_does(project, tmp_path):
    def call(ident: str, command: str) -> Json:
        function = {"name": "bash", "arguments": json.dumps({"cmd": command})}
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": ident, "type": "function", "function": function}],
        }

    printed = "=== 1 failed, 2 passed in 0.10s ==="
    messages = [{"role": "user", "content": "Mend it."}]
    for ident, command in (("c1", "pytest -q"), ("c2", "cat report.txt")):
        messages += [call(ident, command), {"role": "tool", "tool_call_id": ident, "content": printed}]
    import_bytes(project, lines({"messages": messages}), tmp_path)
    rounds.open_round(project, by=None)
    label = Labeler(project, make_member(project)).claim()["label"]
    tests = [step.get("tests") for step in label["typed_steps"] if step["kind"] == "observation"]
    assert tests == [{"passed": 2, "failed": 1}, None]


BIG = "9" * 5_000  # with more digits than int accepts


@pytest.mark.parametrize(
    "printed",
    [
        f"=== {BIG} passed in 0.10s ===",
        f"Ran {BIG} tests in 0.1s\n\nOK",
        f"Ran 3 tests in 0.1s\n\nFAILED (failures={BIG})",
        f"test result: ok. {BIG} passed; 0 failed;",
        f"Tests: {BIG} passed",
        f"Tests run: {BIG}, Failures: 0, Errors: 0",
        "\n" * 20_000,
        "Ran 1 tests in 1s" + " \n" * 9_000,
    ],
    ids=lambda printed: repr(printed[:12]),
)
def test_whatever_a_run_of_tests_printed_its_labeler_gets_the_run_at_once(project, tmp_path, printed):
    """Blank lines used to take half a minute of a web process at every view."""
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"cmd": "pytest -q"}'}}
    asked: list[Json] = [{"role": "user", "content": "Mend it."}]
    asked += [{"role": "assistant", "content": None, "tool_calls": [call]}]
    told = {"role": "tool", "tool_call_id": "c1", "content": f"Begin.\n{printed}."}
    import_bytes(project, lines({"messages": [*asked, told]}), tmp_path)
    rounds.open_round(project, by=None)
    labeler, began = Labeler(project, make_member(project)), time.monotonic()
    assert [step["kind"] for step in labeler.claim()["label"]["typed_steps"]][-1] == "observation"
    assert time.monotonic() - began < 2


def test_a_step_of_a_sub_agents_run_comes_whole(project, tmp_path):
    inner = {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "t2", "name": "bash", "input": {"command": "ls"}}],
    }
    told = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t2", "content": "x" * 9_000}]}
    call = {"type": "tool_use", "id": "t1", "name": "Task", "input": {"prompt": "Look."}}
    done = {"type": "tool_result", "tool_use_id": "t1", "content": "Seen."}
    events: list[Json] = [
        {"message": {"role": "user", "content": "Go."}},
        {"message": {"role": "assistant", "content": [call]}},
        {"message": inner, "parent_tool_use_id": "t1"},
        {"message": told, "parent_tool_use_id": "t1"},
        {"message": {"role": "user", "content": [done]}},
        {"message": {"role": "assistant", "content": "Done."}},
    ]
    import_bytes(project, lines({"claude_events": events}), tmp_path)
    assert Trace.objects.count() == 2, "what a sub-agent did is rated apart"
    [outer] = [one for one in Trace.objects.all() if "nested" in json.dumps(one.typed_steps)]
    researcher = Browser(make_member(project, Membership.Role.RESEARCHER))
    [place] = [at for at, step in enumerate(outer.typed_steps) if "nested" in step]
    address = f"/api/traces/{outer.pk}/typed_steps/{place}?inside="
    assert researcher.call("GET", f"{address}1")["step"]["text"] == "x" * 9_000
    researcher.call("GET", f"{address}7", status=404)
    researcher.call("GET", f"{address}x", status=400)
