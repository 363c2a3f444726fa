"""A round whose labelers choose paths over completions from a test, and a person who labels in it over HTTP."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

from labeling.actions.path_rounds import open_path_round
from labeling.actions.step_offers import add_completions, claim_offer, end_offer
from labeling.api.serializers.paths import OpenPathRoundIn
from labeling.formats.normalise import problem_key
from labeling.generation.sampling import Sample
from labeling.models import Problem, Project, Round, StepOffer, User
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project

GENERATOR = {"generator": "qwen", "model": "q7"}
Writes = Callable[[Sequence[str], int], str]  # (prefix, number) -> what the generator writes


def make_problem(project: Project, text: str = "What is $3 + 4$?", **fields: Any) -> Problem:
    return Problem.objects.create(project=project, text=text, answer="7", text_hash=problem_key(text), **fields)


def open_paths(project: Project, **asked: Any) -> Round:
    """Open a round of all problems, with the body that a researcher's form sends."""
    body = OpenPathRoundIn(data={"generator": GENERATOR, "completions": 3, **asked})
    body.is_valid(raise_exception=True)
    return open_path_round(project, by=None, **body.validated_data)


def write_all(writes: Writes) -> int:
    """Do what a worker does with a generator that writes this, for all that is requested. Return how many offers."""
    count = 0
    while (offer := claim_offer()) is not None:
        lacking = [number for number in range(offer.wanted) if number not in offer.done]
        add_completions(offer, [Sample(number, number, writes(offer.prefix, number), "stop") for number in lacking])
        end_offer(offer)
        count += 1
    return count


class PathLabeler:
    """A labeler at the page for choosing paths. `writes` is the generator behind it."""

    def __init__(self, project: Project, writes: Writes, person: User | None = None) -> None:
        self.project, self.writes = project, writes
        self.person = person or make_member(project)
        self.page = Browser(self.person)
        self.label: dict[str, Any] = {}
        self.path: dict[str, Any] = {}

    def claim(self, *, prefetch: bool = False) -> dict[str, Any]:
        """Claim a label and look at its path, once its completions exist."""
        claimed = self.page.call("POST", f"/api/projects/{self.project.slug}/labels/claim", {"prefetch": prefetch})
        self.label = claimed["label"]
        assert self.label is not None, claimed["empty"]
        return self.look()

    def look(self) -> dict[str, Any]:
        """Return the path, once all requested completions have arrived."""
        return self.then_comes(self.page.call("GET", self.address))

    def then_comes(self, path: dict[str, Any]) -> dict[str, Any]:
        """Return the path as answered or, if the answer requested completions, as it is once they exist."""
        self.path = self.page.call("GET", self.address) if write_all(self.writes) else path
        return self.path

    def rest(self, rating: int | None = -1, **more: Any) -> dict[str, Any]:
        """Rate the first as not great, and show the others."""
        return self.send("rest", {"rating": rating, **more})

    def step(self, *ratings: int | None, status: int = 200, **more: Any) -> dict[str, Any]:
        """Give these ratings to what is shown, in its order, and submit the step."""
        numbers = [one["number"] for one in self.path["open"]["completions"]]
        said = [
            {"number": number, "rating": rating, "flagged": rating is None}
            for number, rating in zip(numbers, ratings, strict=True)
        ]
        return self.send("steps", {"key": str(uuid4()), "ratings": said, **more}, status=status)

    def undo(self, *, status: int = 200) -> dict[str, Any]:
        """Take the last step back."""
        return self.send("undo", {}, status=status)

    def submit(self, reason: str = "solution", *, status: int = 200, **more: Any) -> dict[str, Any]:
        """End the path."""
        body = {"idempotency_key": str(uuid4()), "finish_reason": reason, "ratings": [], **more}
        body.setdefault("path", {"prefix_hash": self.path["prefix_hash"]})
        return self.page.call("POST", f"/api/labels/{self.label['id']}/submit", body, status=status)

    def send(self, what: str, body: dict[str, Any], *, status: int = 200) -> dict[str, Any]:
        """Write to the path, and provide what it then requests."""
        body = {"prefix_hash": self.path["prefix_hash"], **body}
        found = self.page.call("POST", f"{self.address}/{what}", body, status=status)
        return self.then_comes(found) if status == 200 else found

    @property
    def address(self) -> str:
        return f"/api/labels/{self.label['id']}/path"


def project_with_problem(**fields: Any) -> Project:
    project = make_project()
    make_problem(project, **fields)
    return project


def offers(round_: Round) -> list[tuple[list[str], int, str]]:
    """Return each requested prefix, how many completions were wanted, and its status."""
    return list(StepOffer.objects.filter(round=round_).order_by("pk").values_list("prefix", "wanted", "status"))
