"""A project for `bench.gold_times`: a round of work and gold of one sort, and seven labelers with tokens."""

import json
import random

import django

django.setup()

from labeling.actions.api_tokens import create_token  # noqa: E402  # models can be read only after the set-up
from labeling.actions.gold import make_gold  # noqa: E402
from labeling.actions.rounds import open_round  # noqa: E402
from labeling.models import Membership, Problem, Project, Trace, User  # noqa: E402

WORK, GOLD, LABELERS = 900, 50, 7


def main() -> None:
    """Create the project, and print what a client needs as JSON."""
    draw = random.Random(1)
    project = Project.objects.create(slug="gold-times", name="Gold times", gold_per_round=GOLD)
    problems = Problem.objects.bulk_create(
        Problem(project=project, text=f"What is {number} + 1?", text_hash=draw.randbytes(32))
        for number in range(10_000, 10_000 + WORK + GOLD)
    )
    draw.shuffle(problems)
    traces = Trace.objects.bulk_create(
        Trace(project=project, problem=problem, steps=["Add.", "Look.", "Done."], trace_hash=draw.randbytes(32))
        for problem in problems
    )
    for trace in traces[:GOLD]:
        make_gold(trace, acceptable=[-1], by=None)
    people = [User.objects.create_user(f"labeler{number}") for number in range(LABELERS)]
    Membership.objects.bulk_create(Membership(project=project, user=person, role="annotator") for person in people)
    open_round(project, by=None)
    print(json.dumps({"slug": project.slug, "tokens": [create_token(person, "bench")[1] for person in people]}))


main()
