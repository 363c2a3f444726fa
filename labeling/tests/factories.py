"""Rows for tests: people, projects, traces and open rounds, made with the product's own actions where they exist."""

import hashlib
import itertools
from typing import Any
from uuid import uuid4

from labeling.actions import rounds
from labeling.configs import PlainConfig
from labeling.models import Label, Membership, Problem, Project, Round, StepLabel, Trace, User
from labeling.protocol.submission import Submission
from labeling.quality.consensus import AskedOverlap

_serial = itertools.count(1)
# Serials of problems that a PRM may learn from. Otherwise, what a training may use would depend on the tests that ran
# before (labeling/queries/training_examples.py measures on a fifth of all problems, by the hash of this hash).
_learnable = filter(lambda serial: hashlib.sha256(_hash(f"problem {serial}")).digest()[0] >= 51, _serial)


def make_user(username: str = "", **fields: Any) -> User:
    """Make a person. Without `password`, the test must log them in another way."""
    return User.objects.create_user(username or f"person{next(_serial)}", **fields)


def make_project(slug: str = "", **fields: Any) -> Project:
    """Make an active project without members."""
    serial = next(_serial)
    return Project.objects.create(slug=slug or f"project-{serial}", **{"name": f"Project {serial}", **fields})


def make_member(project: Project, role: str = "annotator", **fields: Any) -> User:
    """Make an active member of the project."""
    user = make_user(**fields)
    join(project, user, role)
    return user


def join(project: Project, user: User, role: str = "annotator", **fields: Any) -> Membership:
    """Make the user a member."""
    return Membership.objects.create(project=project, user=user, role=role, **fields)


def make_traces(project: Project, count: int = 1, *, steps: int = 3, **fields: Any) -> list[Trace]:
    """Make traces with `steps` steps, each of a problem of its own."""
    serials = [next(_learnable) for _ in range(count)]
    problems = Problem.objects.bulk_create(
        Problem(
            project=project,
            text=f"What is ${serial} + 1$?",
            answer=str(serial + 1),
            text_hash=_hash(f"problem {serial}"),
        )
        for serial in serials
    )
    return Trace.objects.bulk_create(
        Trace(
            project=project,
            problem=problem,
            steps=[f"Step {step} of {problem.pk}." for step in range(steps)],
            trace_hash=_hash(f"the trace of {problem.pk}"),
            **fields,
        )
        for problem in problems
    )


def make_siblings(project: Project, *step_lists: list[str], **fields: Any) -> list[Trace]:
    """Make traces of one new problem, with these steps."""
    [first] = make_traces(project)
    Trace.objects.filter(pk=first.pk).delete()
    return Trace.objects.bulk_create(
        Trace(
            project=project,
            problem=first.problem,
            steps=steps,
            trace_hash=_hash(f"{first.problem_id} {number} {steps}"),
            **fields,
        )
        for number, steps in enumerate(step_lists)
    )


def make_round(project: Project, traces: int = 1, *, steps: int = 3, **settings: Any) -> Round:
    """Open a round over new traces."""
    make_traces(project, traces, steps=steps)
    return open_round(project, **settings)


def open_round(
    project: Project,
    *,
    overlap: int | None = None,
    overlap_most: int | None = None,
    overlap_needed: int | None = None,
    name: str = "",
    priority: int = 0,
    **choice: Any,
) -> Round:
    """Open a plain round over the existing traces; `choice` takes the arguments of PlainConfig.of."""
    asked = AskedOverlap(overlap, needed=overlap_needed, most=overlap_most)
    config = PlainConfig.of(**choice)
    return rounds.open_round(project, by=None, config=config, overlap=asked, name=name, priority=priority)


def make_submission(ratings: list[int | None] | None = None, **fields: Any) -> Submission:
    """Make a complete submission; by default, for a trace of three steps."""
    ratings = [1, 1, 1] if ratings is None else ratings
    reason = "found_error" if -1 in ratings else "solution"
    return Submission(**{"idempotency_key": uuid4(), "finish_reason": reason, "ratings": ratings, **fields})


def require_counted_steps() -> None:
    """Assert that every finished label's number of steps rated by hand agrees with its rows, and that some has one."""
    rows = StepLabel.objects.filter(completion=None).exclude(rating=None).exclude(source=StepLabel.Source.CARRIED)
    finished = Label.objects.exclude(submitted_at=None).exclude(rated_steps=None)
    said = dict(finished.values_list("pk", "rated_steps"))
    assert said == {pk: rows.filter(label=pk).count() for pk in said}
    assert said or not Label.objects.exclude(submitted_at=None).exists()


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
