"""A run may have 50 MB of typed steps: pages that show none of them read none of them."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from labeling.actions import rounds
from labeling.actions.gold import make_gold
from labeling.models import Label, Trace
from labeling.queries.labels import get_own_label_shown
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_submission
from labeling.tests.gold.world import Labeler
from labeling.tests.imports.files import import_bytes, lines

pytestmark = pytest.mark.django_db(transaction=True)
READS_STEPS = re.compile(r"typed_steps\b(?!\"? IS (NOT )?NULL)")
LISTS = ("traces", "traces.csv", "tasks", "labels", "gold", "reviews", "leases", "labels.csv", "my_replies")


def run(number: int) -> dict[str, object]:
    """One with a call and its result."""
    call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    said = [
        {"role": "user", "content": f"Mend {number}."},
        {"role": "assistant", "content": "I look.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "a.py"},
        {"role": "assistant", "content": "Done."},
    ]
    return {"messages": said}


@contextmanager
def no_steps_read(about: str) -> Iterator[None]:
    """Fail if a statement reads a run's typed steps."""
    with CaptureQueriesContext(connection) as asked:
        yield
    assert asked.captured_queries, about
    assert [one["sql"] for one in asked if READS_STEPS.search(one["sql"] or "")] == [], about


def test_lists_drafts_and_submissions_read_no_typed_steps(tmp_path: Path) -> None:
    project = make_project()
    import_bytes(project, lines(*map(run, range(3))), tmp_path)
    make_gold(Trace.objects.earliest("pk"), acceptable=[0], explanation="Why.", by=None)
    rounds.open_round(project, by=None)
    labeler, boss = Labeler(project, make_member(project)), Browser(make_member(project, "researcher"))
    label = labeler.claim(prefetch=True)["label"]
    assert [step["text"] for step in label["typed_steps"]][1:] == ["I look.", "", "a.py", "Done."]
    place = f"/api/labels/{label['id']}"
    # Prepared statements are not captured below.
    trace = get_own_label_shown(labeler.person, label["id"]).task.trace
    assert "typed_steps" in trace.get_deferred_fields()
    with no_steps_read("a draft"):
        labeler.call("PUT", f"{place}/draft", {"draft": {"ratings": [1]}, "base_revision": 0})
    with no_steps_read("a heartbeat"):
        labeler.call("POST", f"{place}/heartbeat")
    sent = make_submission([-1, 1]).as_sent() | {"finish_reason": "found_error"}
    with no_steps_read("a submission"):
        labeler.call("POST", f"{place}/submit", sent | {"run_marks": {"decisive_error": 0, "comment": "Late."}})
    marks = Label.objects.get(pk=label["id"]).run_marks
    assert marks is not None
    assert marks["comment"] == "Late.", "that it is a run is known all the same"
    with no_steps_read("my_labels"):
        labeler.call("GET", f"/api/projects/{project.slug}/my_labels")
    for name in LISTS:
        with no_steps_read(name):
            answer = boss.get(f"/api/projects/{project.slug}/{name}")
            assert answer.status_code == 200, name
    [gold] = boss.call("GET", f"/api/projects/{project.slug}/gold")["results"]
    assert gold["is_run"] is True


def test_one_step_of_a_run_is_taken_out_of_it_by_the_database(tmp_path: Path) -> None:
    project = make_project()
    inner = {"role": "assistant", "content": "I am asked."}
    import_bytes(project, lines(run(1)), tmp_path)
    trace = Trace.objects.get()
    assert trace.typed_steps is not None
    about = {"turn": 0, "source_ref": {"format": "atif", "step_id": 7}}
    nested = {"kind": "message", "actor": "agent", "text": inner["content"], **about}
    trace.typed_steps[2]["nested"] = [{**nested, "nested": [nested]}]
    trace.save(update_fields=["typed_steps"])
    boss = Browser(make_member(project, "researcher"))
    place = f"/api/traces/{trace.pk}/typed_steps"
    assert boss.call("GET", f"{place}/3")["step"]["text"] == "a.py"
    assert boss.call("GET", f"{place}/2?inside=0")["step"]["text"] == "I am asked."
    for whole in ("2", "2?inside=0"):
        told = json.dumps(boss.call("GET", f"{place}/{whole}"))
        assert "I am asked." in told
        assert "source_ref" not in told, "nor of a sub-agent's run, however deep: by it runs could be told apart"
    for nowhere in ("99", "2?inside=1", "3?inside=0", "2?inside=0.0.0"):
        boss.call("GET", f"{place}/{nowhere}", status=404)
