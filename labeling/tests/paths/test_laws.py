"""Laws for any history of a path: its row is valid and is read back equal, each press counts once, no branch is
lost.
"""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labeling.formats import prm800k
from labeling.models import Label, PathStep, Project
from labeling.tests.exports.labeled import exported
from labeling.tests.factories import make_project
from labeling.tests.paths.world import PathLabeler, make_problem, open_paths

pytestmark = pytest.mark.django_db
RATINGS = st.sampled_from([1, 0, -1, None])
# What a labeler does at one step: what is said of up to four completions, and how often they change their mind.
MOVES = st.tuples(st.lists(RATINGS, min_size=4, max_size=4), st.integers(0, 2), st.booleans())


def writes(prefix: Sequence[str], number: int) -> str:
    """Some are equal, and some end the solution."""
    if number == 3:
        return ""  # one that gives nothing
    if len(prefix) >= 3 and number == 0:
        return "So it is 7.\n\n# Answer\n\n7"
    return f"After {len(prefix)}: way {number % 2}."


def go(ada: PathLabeler, said: list[int | None]) -> None:
    """Do one step as the rules require; sent twice, it counts once, and with the old path it is refused."""
    before = ada.path["prefix_hash"]
    if said[0] != 1:
        ada.rest(said[0], flagged=said[0] is None)
    opened = ada.path["open"]["completions"]
    ratings = [
        {"number": one["number"], "rating": rating, "flagged": rating is None}
        for one, rating in zip(opened, said, strict=False)
    ]
    great = [one["number"] for one in ratings if one["rating"] == 1]
    body = {"key": str(uuid4()), "ratings": ratings} | ({} if great else {"human": f"Mine, {uuid4()}."})
    stale = {**body, "key": str(uuid4()), "prefix_hash": before}
    ada.send("steps", body)
    again = ada.page.call("POST", f"{ada.address}/steps", {**body, "prefix_hash": before})
    assert again["steps"] == ada.path["steps"]
    refused = ada.page.call("POST", f"{ada.address}/steps", stale, status=409)
    assert (refused["code"], refused["path"]["steps"]) == ("path_moved", ada.path["steps"])
    assert ada.path["steps"][-1]["chosen"] in (great or [None])


@pytest.fixture
def project(settings: Any) -> Project:
    settings.GENERATORS = {"qwen": type("Qwen", (), {"models": ()})()}
    return make_project()


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(moves=st.lists(MOVES, min_size=1, max_size=5), reopens=st.booleans())
def test_any_history_gives_a_valid_row_that_comes_back_equal(
    project: Project, moves: list[tuple[list[int | None], int, bool]], reopens: bool
) -> None:
    subject = uuid4().hex
    make_problem(project, f"What of {subject}?", subject=subject)
    open_paths(project, completions=4, filter={"subject": subject})
    ada = PathLabeler(project, writes)
    ada.claim()
    taken_back: list[str] = []
    for said, undone, _ in moves:
        if ada.path["ended"]:
            break
        go(ada, said)
        for _ in range(min(undone, len(ada.path["steps"]))):
            taken_back.append(ada.path["steps"][-1]["text"])
            ada.undo()
    assert [step["text"] for step in ada.path["discarded"]] == taken_back
    reason = "solution" if ada.path["ended"] else "give_up"
    detail = {"finish_detail": {"text": "Stuck."}}
    if reopens:
        ada.submit(reason, **detail)
        shown = ada.page.call("POST", f"/api/labels/{ada.label['id']}/reopen")
        assert shown["status"] == "open"
        assert ada.look()["discarded"] == ada.path["discarded"]
    steps = ada.path["steps"]
    ada.submit(reason, **detail)
    label = Label.objects.select_related("task__trace").get(pk=ada.label["id"])
    assert label.task.trace.steps == [step["text"] for step in steps]
    assert PathStep.objects.filter(label=label).exclude(submitted_at=None).count() == len(steps) + len(taken_back)
    [row] = [row for row in exported(project)[0] if row["question"]["problem"] == f"What of {subject}?"]
    parsed, faults = prm800k.parse(row, 1)
    assert (faults, parsed is None) == ([], False)
    out = prm800k.label_out(parsed.problem, parsed.trace, parsed.label)
    assert prm800k.render(out, parsed.label.extra) == row
