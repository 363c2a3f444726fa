"""Rounds of paths with gold, with answers that should agree, and with labelers who ask for more completions."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from labeling.actions.gold import make_gold
from labeling.actions.notices import watch_rounds
from labeling.actions.problem_withdrawals import mark_bad_problem
from labeling.formats.normalise import trace_key
from labeling.models import Gold, GoldResult, Label, Project, Task, Trace
from labeling.quality.gold_paths import Told, told_of_gold
from labeling.tests.accounts import Browser
from labeling.tests.exports.labeled import exported
from labeling.tests.factories import make_member, make_project, make_traces
from labeling.tests.imports.files import import_bytes, lines, prm800k_row
from labeling.tests.paths.world import PathLabeler, make_problem, open_paths, project_with_problem
from labeling.tests.selection.pools import ready_round

pytestmark = pytest.mark.django_db(transaction=True)  # an import: another connection renews its lease
GOLDEN = ["I double 3.", "That is 7.", "# Answer\n\n7"]


def writes(prefix: Sequence[str], number: int) -> str:
    return f"So.\n\n# Answer\n\n{number}" if len(prefix) == 2 else f"Step {len(prefix)}, version {number}."


@pytest.fixture(autouse=True)
def generator(settings: Any) -> None:
    settings.GENERATORS = {"qwen": type("Qwen", (), {"models": ()})()}


def gold_of(project: Project, text: str = "What is $3 + 4$, doubled?", acceptable: Sequence[int] = (1,)) -> Gold:
    problem = make_problem(project, text)
    trace = Trace.objects.create(project=project, problem=problem, steps=GOLDEN, trace_hash=trace_key(b"", [text]))
    return make_gold(trace, acceptable=acceptable, by=None)


def walk(labeler: PathLabeler, *said: int) -> None:
    """Say this of the first completion of each step: a great one is the next step, of others the last great of the
    rest is taken. Then submit."""
    labeler.claim()
    for rating in said:
        if rating == 1:
            labeler.step(1)
        else:
            labeler.rest(rating)
            labeler.step(rating, *(0 for _ in labeler.path["open"]["completions"][2:]), 1)
    while not labeler.path["ended"]:
        labeler.step(1)
    labeler.submit()


def test_gold_in_a_round_of_paths_is_met_as_work_is_and_judged_by_what_was_said_of_its_steps() -> None:
    project = make_project(gold_per_round=3)
    gold = gold_of(project)
    gold_of(project, "And $1 + 1$?", acceptable=[-1])
    for text in ("What is $5$?", "What is $6$?"):
        make_problem(project, text)
    round_ = open_paths(project, paths=3)
    assert (round_.task_count, round_.gold_count) == (6, 2), "a problem whose trace is gold is no work"
    people = {name: PathLabeler(project, writes) for name in ("finds", "overlooks", "leaves")}
    said = {"finds": [1, -1], "overlooks": [1, 1], "leaves": [0]}
    shapes = set()
    for name, labeler in people.items():
        for _ in range(4):
            labeler.claim()
            shapes.add((tuple(labeler.label), tuple(labeler.path), tuple(labeler.path["open"])))
            assert labeler.label["steps"] == []
            golden = labeler.path["open"]["completions"][0]["text"] == GOLDEN[0]
            error = labeler.label["problem"]["text"] == gold.trace.problem.text
            walk(labeler, *(said[name] if golden and error else [1]))
    assert len(shapes) == 1, "an answer tells gold from work by its shape"
    results = GoldResult.objects.filter(gold=gold).order_by("pk")
    told = {labeler.person.pk: name for name, labeler in people.items()}
    assert {told[one.labeler_id]: (one.verdict, one.passed) for one in results} == {
        "finds": (1, True),
        "overlooks": (-1, False),
    }, "who left the gold before its error said nothing of it"
    gold.trace.refresh_from_db()
    assert gold.trace.steps == GOLDEN, "paths along gold are traces of their own"
    assert Label.objects.filter(task__kind=Task.Kind.GOLD).count() == 6
    assert {tuple(label.task.trace.steps[:2]) for label in Label.objects.filter(gold_result__passed=False)} == {
        tuple(GOLDEN[:2])
    }
    report = Browser(make_member(project, "researcher")).call("GET", f"/api/rounds/{round_.pk}/paths")
    assert (report["labels"], report["gold"]["paths"], report["gold"]["told"]) == (6, 6, 5)
    assert len(exported(project, "neutral", switches={"gold": "exclude"})[0]) == 6
    admin = Browser(make_member(project, "admin"))
    assert open_paths(project).gold_count == 2
    watch_rounds()
    [notice] = [one for one in admin.call("GET", "/api/notices")["results"] if one["kind"] == "gold_short"]
    assert "3 of 3 labelers already had some of its 2 gold tasks" in notice["text"]
    assert "only 0 new ones are left for the labeler with the fewest" in notice["text"]
    ada = people["finds"]
    for _ in range(2):
        walk(ada, 1)
    claimed = ada.page.call("POST", f"/api/projects/{project.slug}/labels/claim", {})
    assert claimed["label"] is None, "gold comes to nobody twice"


def test_what_a_path_says_of_gold() -> None:
    asked = {"given": 1, "steps": 5}
    assert told_of_gold([1, -1, 1], **asked, acceptable=[2, 3]) == Told(2, True)
    assert told_of_gold([1, 1, 0, 1], **asked, acceptable=[-1]) == Told(-1, True)
    assert told_of_gold([1, 0], **asked, acceptable=[1, 2]) == Told(None, False), "both places that pass lie behind"
    assert told_of_gold([1, 0], **asked, acceptable=[3]) is None
    assert told_of_gold([0], **asked, acceptable=[-1]) is None


def answer_of(labeler: PathLabeler, number: int, *, claimed: bool = False) -> None:
    """Choose a path that ends in the answer of this completion; claim it first, unless it was claimed."""
    if not claimed:
        labeler.claim()
    labeler.step(1)
    labeler.step(1)
    labeler.rest(-1)
    labeler.step(*(1 if at == number else -1 for at in range(3)))
    labeler.submit()


def test_where_answers_differ_more_labelers_are_asked_until_enough_agree() -> None:
    project = project_with_problem()
    round_ = open_paths(project, paths=2, paths_needed=2, paths_most=4)
    ada, ben, cyd, dan = (PathLabeler(project, writes) for _ in range(4))
    answer_of(ada, 1)
    assert Task.objects.count() == 2
    answer_of(ben, 2)
    round_.refresh_from_db()
    assert (Task.objects.count(), round_.task_count) == (3, 3), "they differ: one more is asked"
    answer_of(cyd, 1)
    settled = list(Task.objects.values_list("settlement", "verdict"))
    assert settled == [("agreed", -1)] * 3
    claimed = dan.page.call("POST", f"/api/projects/{project.slug}/labels/claim", {})
    assert claimed["label"] is None
    report = Browser(make_member(project, "researcher")).call("GET", f"/api/rounds/{round_.pk}/paths")
    assert report["answers"] == {"agreed": 1, "asking": 0, "no_consensus": 0}
    cyd.page.call("POST", f"/api/labels/{cyd.label['id']}/reopen", {})
    assert set(Task.objects.values_list("settlement", flat=True)) == {""}, "taken back, nothing is settled"
    cyd.look()
    cyd.undo()
    cyd.step(-1, -1, -1, human="I give it.", final_answer="9")
    cyd.submit()
    answer_of(dan, 0)
    waits = Task.objects.exclude(settlement="")
    assert list(waits.values_list("settlement", flat=True)) == ["no_consensus"], "it waits for a reviewer once"
    assert Task.objects.count() == 4


def test_labelers_who_find_the_problem_bad_agree_as_those_do_who_find_one_answer() -> None:
    project = project_with_problem()
    open_paths(project, paths=2, paths_needed=2, paths_most=3)
    ada, ben, cyd = (PathLabeler(project, writes) for _ in range(3))

    def finds_it_bad(labeler: PathLabeler) -> None:
        labeler.claim()
        labeler.submit("bad_problem", finish_detail={"kind": "vague", "text": "3 and 4 of what?"})

    finds_it_bad(ada)
    answer_of(ben, 1)
    assert Task.objects.count() == 3, "they differ: one more is asked"
    assert set(Task.objects.values_list("settlement", flat=True)) == {""}
    finds_it_bad(cyd)
    settled = list(Task.objects.values_list("settlement", "verdict"))
    assert settled == [("agreed", None)] * 3, "of a bad problem no path is right"


def test_nobody_more_is_asked_about_a_problem_that_a_reviewer_found_bad() -> None:
    project = project_with_problem()
    open_paths(project, paths=2, paths_needed=2, paths_most=4)
    ada, ben = (PathLabeler(project, writes) for _ in range(2))
    for labeler in (ada, ben):
        labeler.claim()
    reviewer = make_member(project, "admin")
    mark_bad_problem(Task.objects.earliest("pk"), by=reviewer, reason="3 and 4 of what?")
    answer_of(ada, 1, claimed=True)
    answer_of(ben, 2, claimed=True)
    assert Label.objects.filter(status="submitted").count() == 2, "what was open goes on and counts"
    assert list(Task.objects.values_list("settlement", "labels_wanted")) == [("", 0)] * 2


def test_a_labeler_asks_for_more_completions_than_the_round_offers_and_others_see_none_of_them() -> None:
    project = project_with_problem()
    open_paths(project, paths=2)
    ada, ben = PathLabeler(project, writes), PathLabeler(project, writes)
    ada.claim()
    assert ada.send("rest", {"rating": None, "more": 1}, status=422)["code"] == "rest_not_wanted"
    assert ada.rest(-1)["open"]["may_ask_more"]
    path = ada.send("rest", {"rating": -1, "more": 1})
    assert (len(path["open"]["completions"]), path["open"]["more"]) == (6, 1)
    assert ada.send("rest", {"rating": -1, "more": 1})["open"]["more"] == 1, "sent again it counts once"
    path = ada.send("rest", {"rating": -1, "more": 2})
    assert (len(path["open"]["completions"]), path["open"]["may_ask_more"]) == (9, False)
    ben.claim()
    assert len(ben.rest(-1)["open"]["completions"]) == 3
    path = ada.step(-1, -1, -1, -1, -1, -1, -1, -1, 1)
    assert path["steps"][0]["offered"] == 9
    assert len(ada.undo()["open"]["completions"]) == 9


def test_researchers_read_a_finished_path_and_nobody_reads_one_beside_their_own() -> None:
    project = project_with_problem()
    open_paths(project, paths=2)
    ada = PathLabeler(project, writes)
    ada.claim()
    reader = make_member(project, "researcher")
    page = Browser(reader)
    page.call("GET", ada.address, status=404)
    for _ in range(3):
        ada.step(1)
    ada.submit()
    path = page.call("GET", ada.address)
    assert ([step["great"] for step in path["steps"]], path["open"], path["can_undo"]) == ([1, 1, 1], None, False)
    page.call("POST", f"{ada.address}/undo", {"prefix_hash": path["prefix_hash"]}, status=404)
    PathLabeler(project, writes, reader).claim()
    assert page.call("GET", ada.address, status=409)["code"] == "label_held"
    Browser(make_member(project)).call("GET", ada.address, status=404)


def test_a_round_without_paths_has_a_report_that_holds_none(tmp_path: Path) -> None:
    project = make_project()
    make_traces(project, 2, outcome="wrong")
    ready_round(project, None)
    import_bytes(project, lines(prm800k_row()), tmp_path)
    admin = Browser(make_member(project, "admin"))
    for round_ in project.rounds.all():
        assert admin.call("GET", f"/api/rounds/{round_.pk}/paths")["answers"] == {
            "agreed": 0,
            "asking": 0,
            "no_consensus": 0,
        }
