"""Paths over one generator, in the environment of the installation: `-m bench.one_path GENERATOR MODEL STEPS READING`.

A labeler reads for READING seconds and rates the first completion +1, or finds none great and writes the step. Prints
how long each submission waited until the next step's first completion could be shown, as JSON.
"""

import json
import sys
import time
from typing import Any
from uuid import uuid4

import django

django.setup()

from labeling.actions.labels import claim_next_label  # noqa: E402
from labeling.actions.path_rounds import open_path_round  # noqa: E402
from labeling.actions.paths import look_at_path, show_rest, submit_step  # noqa: E402
from labeling.configs import NextStepConfig, PathConfig  # noqa: E402
from labeling.formats.normalise import problem_key  # noqa: E402
from labeling.models import Label, Membership, Problem, Project, User  # noqa: E402
from labeling.queries.paths import Path  # noqa: E402

LONGEST = 180.0  # seconds per completion
LOOK = 0.02


def waited(label: Label) -> tuple[float, Path]:
    """Wait until something can be shown; return the seconds, and the path at that time."""
    began = time.monotonic()
    while not (path := look_at_path(label)).visible or path.ended:
        if path.ended or time.monotonic() - began > LONGEST:
            break
        time.sleep(LOOK)
    return time.monotonic() - began, path


def rest_of(label: Label) -> Path:
    """Return the path once all completions are there."""
    end = time.monotonic() + LONGEST
    while not (path := look_at_path(label)).is_complete and time.monotonic() < end:
        time.sleep(LOOK)
    return path


def labels_of(generator: str, model: str, count: int) -> list[Label]:
    """Return a new label for each path, each with its own labeler and problem."""
    project = Project.objects.create(slug=f"paths-{uuid4().hex[:8]}", name="Paths")
    texts = [
        f"A shop sells {n + 3} pens a day for {n + 2} dollars each. What does it take in a week?" for n in range(count)
    ]
    Problem.objects.bulk_create(Problem(project=project, text=text, text_hash=problem_key(text)) for text in texts)
    asked = NextStepConfig(generator, model, max_tokens=120)
    open_path_round(project, by=None, config=PathConfig(generator=asked, completions=4))
    found = []
    for _ in range(count):
        person = User.objects.create_user(uuid4().hex[:12])
        Membership.objects.create(project=project, user=person, role="annotator")
        label = claim_next_label(person, project).label
        assert label is not None
        found.append(label)
    return found


def measure(label: Label, steps: int, reading: float, *, writes: bool) -> list[float]:
    """Return the waits of one path."""
    first, path = waited(label)
    waits = [first]
    for number in range(steps):
        if path.ended:
            break
        time.sleep(reading)
        about: dict[str, Any] = {"prefix_hash": path.key.hex(), "key": uuid4()}
        rated = [{"number": 0, "rating": -1 if writes else 1, "flagged": False}]
        if writes:
            rest_of(label)
            path = show_rest(label, prefix_hash=path.key.hex(), rating=-1)
            rated = [{"number": one.offered.number, "rating": -1, "flagged": False} for one in path.rated(path.open)]
            about["human"] = f"I write step {number} myself."
        submit_step(label, ratings=rated, **about)
        wait, path = waited(label)
        waits.append(wait)
    return waits


if __name__ == "__main__":
    generator, model, steps, reading = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
    great, own = labels_of(generator, model, 2)
    found = {
        "great": measure(great, steps, reading, writes=False),
        "written": measure(own, steps, reading, writes=True),
    }
    print(json.dumps(found))
