"""An adversary with everything that six labelers are sent over a round cannot tell gold from work.

The trace's text is excluded: a text that two labelers were both sent is known to both, whatever it is called.
"""

import json
import random
import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db.models import F
from django.test import Client

from labeling.actions.gold import make_gold
from labeling.actions.gold_plans import spread_gold
from labeling.models import Completion, Label, Problem, Project, StepScorer, Task, Trace
from labeling.tests.accounts import Program, server
from labeling.tests.factories import make_member, make_project, open_round
from labeling.tests.gold.adversary import Met, Told, tell
from labeling.tests.selection.pools import give_scores

pytestmark = pytest.mark.django_db
LABELERS = 6
AHEAD = 5  # tasks that the page requests
WATCHFUL = 2  # of them look at all figures after each submission
FIGURES = ("", "/my_progress", "/my_coaching")
CONTENT = ("problem", "steps", "alternatives[].text", "problem_text", "draft", "submission", "ratings")


class Unchecked(Program):
    """A program whose answers are not checked against the schema: other tests do that, and these are thousands."""

    def request(self, **request: Any) -> Any:
        """The answer."""
        self.handler = server()
        return Client.request(self, **request)


def test_nothing_tells_gold_where_work_is_read_once() -> None:
    labels = play(traces=400, gold=10, overlap=1)
    assert_blind(labels, work=400)


def test_nothing_tells_gold_where_work_is_read_twice_or_until_two_agree() -> None:
    labels = play(traces=60, gold=10, overlap=2, overlap_most=3)
    assert_blind(labels, work=120)


def assert_blind(labels: list[Met], *, work: int) -> None:
    """Expect no rule over the sent values to reveal gold better than chance."""
    golden = sum(label.gold for label in labels)
    assert golden == 60
    assert len(labels) - golden >= work
    every = tell(labels)
    told = [one for one in every if not is_content(one)]
    assert len(told) > 200
    print("\n".join([f"{len(told)} rules, {len(labels)} labels, {golden} gold", *map(str, told[:10])]))
    telling = [str(one) for one in told if one.beats_chance(len(told))]
    assert not telling, "\n".join(telling)
    compared = next(one for one in every if one.rule == "claimed.problem.text: how many labelers were sent it")
    print(compared)
    assert compared.beats_chance(len(every)), "what two labelers both read is no secret (docs/quality.md)"


def is_content(one: Told) -> bool:
    """Return whether the rule uses the trace itself, or what the labeler wrote."""
    path = one.rule.split(":")[0]
    return any(re.search(rf"\.{re.escape(name)}(?=[.\[]|$)", path) for name in CONTENT)


def play(*, traces: int, gold: int, overlap: int, overlap_most: int = 0) -> list[Met]:
    """Play a round from its first claim to its last, with labelers of different speeds."""
    draw = random.Random(5)
    project = make_project(gold_per_round=gold, reveal_scores=True)
    make_world(project, traces, gold, draw)
    open_round(project, seed=7, overlap=overlap, overlap_most=overlap_most, overlap_needed=min(2, overlap_most))
    everybody = [Desk(project, number, draw) for number in range(LABELERS)]
    people = list(everybody)
    met: dict[int, Met] = {}
    while people:
        if len(met) % LABELERS == 0:
            spread_gold()  # as the clock does every few seconds
        desk = draw.choices(people, [1 + desk.number / 4 for desk in people])[0]
        if not desk.label_next(met):
            people.remove(desk)
    Task.objects.update(settled_at=F("settled_at") - timedelta(minutes=5))
    for pk, kind in Label.objects.filter(project=project).values_list("pk", "task__kind"):
        met[pk].gold = kind == "gold"
    for desk in everybody:
        desk.look_back(met, ask=bool(overlap_most))
    return list(met.values())


class Desk:
    """One labeler's page. Its requests and answers are recorded with the label that they are about."""

    def __init__(self, project: Project, number: int, draw: random.Random) -> None:
        self.base, self.number, self.draw = f"/api/projects/{project.slug}", number, draw
        self.page = Unchecked(make_member(project))

    def label_next(self, met: dict[int, Met]) -> bool:
        """Do one label from claim to submission, and read all figures. Returns False if there is none."""
        claimed, size = self.sized("POST", f"{self.base}/labels/claim", {"prefetch": True, "ahead": AHEAD})
        for label in filter(None, (claimed["label"], claimed["next"])):
            self.meet(met, label["id"], label)
        for place, label_id in enumerate(claimed["further"]):
            if label_id not in met:
                leased = claimed["leased"] if (claimed["leased"] or {}).get("id") == label_id else None
                self.meet(met, label_id, leased or self.page.call("GET", f"/api/labels/{label_id}"))
                met[label_id].add("further", {"place": place, "of": len(claimed["further"])})
        if claimed["label"] is None:
            return False
        label = claimed["label"]
        of_label = met[label["id"]]
        of_label.add("claim", {"bytes": size, "next": claimed["next"] is not None, "further": claimed["further"]})
        if self.number < WATCHFUL:
            self.work_on(label["id"], of_label)
        sent, size = self.sized("POST", f"/api/labels/{label['id']}/submit", self.answer(label))
        of_label.add("submitted", {"bytes": size, **sent})
        if self.number < WATCHFUL:
            for path in ("/api/notices/unread", "/api/notices", *(self.base + one for one in FIGURES)):
                found, size = self.sized("GET", path)
                of_label.add(f"after {path.removeprefix(self.base)}", {"bytes": size, "said": found})
        return True

    def work_on(self, label_id: int, label: Met) -> None:
        """Send what the page sends while a labeler reads."""
        draft = {"draft": {"ratings": [1]}, "base_revision": 0}
        for method, path, body in (("PUT", "draft", draft), ("POST", "heartbeat", {})):
            found, size = self.sized(method, f"/api/labels/{label_id}/{path}", body)
            label.add(f"while {path}", {"bytes": size, **found})

    def sized(self, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[Any, int]:
        """Return the answer and its length."""
        sent = "" if body is None else json.dumps(body)
        response = self.page.generic(method, path, sent, content_type="application/json")
        assert response.status_code == 200, response.content
        return response.json(), len(response.content)

    def meet(self, met: dict[int, Met], label_id: int, label: dict[str, Any]) -> None:
        """Record what is sent about a task when it is served."""
        if label_id not in met:
            met[label_id] = Met(self.number, gold=False)
            met[label_id].add("claimed", label)

    def answer(self, label: dict[str, Any]) -> dict[str, Any]:
        """Return ratings with an error in one of seven, whatever the trace says; the alternatives are rated."""
        ratings = [1, -1, None] if self.draw.random() < 1 / 7 else [1, 1, 1]
        rated = [{"completion": one["id"], "rating": 0, "flagged": False} for one in label["alternatives"]]
        reason = "found_error" if -1 in ratings else "solution"
        body = {"idempotency_key": str(uuid4()), "ratings": ratings, "finish_reason": reason}
        return {**body, "alternatives": rated}

    def look_back(self, met: dict[int, Met], *, ask: bool) -> None:
        """Read My work, page by page, and the details of each row."""
        page: str | None = f"{self.base}/my_labels?limit=50"
        while page:
            found = self.page.call("GET", page)
            page = found["next"] and f"{self.base}/my_labels?limit=50&cursor={found['next']}"
            for row in found["results"]:
                met[row["id"]].add("my_labels", row)
                if ask:
                    self.ask_about(row["id"], met[row["id"]])

    def ask_about(self, label_id: int, label: Met) -> None:
        """Request every other address of the labeler's own label."""
        for method, path in (("GET", ""), ("POST", "/reveal"), ("GET", "/comparison"), ("GET", "/earlier")):
            response = self.page.generic(method, f"/api/labels/{label_id}{path}")
            said = {"status": response.status_code, "bytes": len(response.content), "said": response.json()}
            label.add(path or "opened", said)


def make_world(project: Project, traces: int, gold: int, draw: random.Random) -> None:
    """Create work and gold of one sort: two traces of a problem that begin alike, each with an alternative.

    The gold was added last, and only the work has scores.
    """
    problems = Problem.objects.bulk_create(
        Problem(project=project, text=f"{draw.randrange(10**6, 10**7)} + 1?", text_hash=draw.randbytes(32))
        for _ in range((traces + gold) // 2 + 1)
    )
    pairs = [problem for problem in problems for _ in range(2)][: traces + gold]
    draw.shuffle(pairs)
    made = Trace.objects.bulk_create(
        Trace(
            project=project,
            problem=problem,
            steps=["Add them.", f"It is {draw.randrange(10**6, 10**7)}.", "So that is the answer."],
            trace_hash=draw.randbytes(32),
        )
        for problem in pairs
    )
    Completion.objects.bulk_create(Completion(trace=trace, step_index=1, text="Or so.") for trace in made)
    prm = StepScorer.objects.create(project=project, name="A PRM", spec={})
    give_scores(prm, [(trace, -0.5) for trace in made[:traces]], sketched=lambda: False)
    for trace in made[traces:]:
        make_gold(trace, acceptable=[-1], by=None)
