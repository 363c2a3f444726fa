"""A project with gold in it, and people who answer it as a test wants."""

from typing import Any
from uuid import uuid4

from django.test import Client

from labeling.actions.gold import make_gold
from labeling.models import Gold, GoldPlan, Project, Round, Trace, User
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_project, make_round, make_traces

FIRST_ERROR = 1  # of every gold trace here; work has none


def make_gold_items(project: Project, count: int) -> list[Gold]:
    """Make gold of three steps each, with a wrong second step."""
    traces = make_traces(project, count)
    return [make_gold(trace, acceptable=[FIRST_ERROR], explanation="Lost a sign.", by=None) for trace in traces]


def project_with_gold(gold: int, *, traces: int = 20, **settings: Any) -> tuple[Project, Round]:
    """Make a project and its open round, with this many tasks of gold and of work."""
    project = make_project(gold_per_round=gold, **settings)
    make_gold_items(project, gold)
    return project, make_round(project, traces)


def plan_gold(round_: Round, person: User, positions: list[int]) -> None:
    """Set where this person meets the round's gold, before their first claim."""
    tasks = list(round_.tasks.filter(kind="gold").order_by("pk").values_list("pk", flat=True))
    assert len(tasks) == len(positions)
    GoldPlan.objects.create(round=round_, labeler=person, positions=positions, tasks=tasks)


class Labeler:
    """A labeler at the labeling page, over HTTP."""

    def __init__(self, project: Project, person: User) -> None:
        self.project, self.person = project, person
        self.page: Client = Browser(person)

    def claim(self, *, prefetch: bool = False) -> dict[str, Any]:
        """Return the answer to a claim."""
        return self.call("POST", f"/api/projects/{self.project.slug}/labels/claim", {"prefetch": prefetch})

    def submit(self, label: dict[str, Any], ratings: list[int | None], *, reason: str = "") -> dict[str, Any]:
        """Submit a label."""
        reason = reason or ("found_error" if -1 in ratings else "solution")
        body: dict[str, Any] = {"idempotency_key": str(uuid4()), "finish_reason": reason, "ratings": ratings}
        if reason == "give_up":
            body["finish_detail"] = {"text": "Too long."}
        return self.call("POST", f"/api/labels/{label['id']}/submit", body)

    def answer(self, label: dict[str, Any], *, right: bool) -> dict[str, Any]:
        """Answer as this world's gold wants it, or not; work is always free of errors."""
        good = [1, -1, None] if Gold.objects.filter(trace__steps=label["steps"]).exists() else [1, 1, 1]
        return self.submit(label, good if right else [-1, None, None])

    def my_quality(self) -> dict[str, Any]:
        """Return what they see about themselves."""
        return self.call("GET", f"/api/projects/{self.project.slug}/my_quality")

    def call(self, method: str, path: str, body: Any = None, *, status: int = 200) -> Any:
        """Return the JSON answer of a request that must end in `status`."""
        return self.page.call(method, path, body, status=status)  # type: ignore[attr-defined]  # a Browser


def trace_of(label: dict[str, Any]) -> Trace:
    """Return the trace behind a label's payload, which does not name it."""
    return Trace.objects.get(tasks__labels=label["id"])
