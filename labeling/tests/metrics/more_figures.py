"""More projects with this many labels, for the walk over intervals: machine labels, paths, gold, a release's card."""

from collections.abc import Iterator
from random import Random
from typing import Any

from labeling.actions import exports, labels, releases
from labeling.actions.gold import make_gold
from labeling.models import Project
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_submission, make_traces, open_round
from labeling.tests.gold.world import FIRST_ERROR
from labeling.tests.paths.test_gold_and_overlap import walk
from labeling.tests.paths.world import PathLabeler, make_problem, open_paths
from labeling.tests.sources.test_assisted import assist, label_by
from labeling.tests.sources.test_audits import make_marks

Pages = tuple[Browser, list[str]]
MOST_PATHS = 14  # of seven problems: five with two paths are enough for an interval; each path takes ten requests


def more_projects(number: int, chance: Random) -> Iterator[Pages]:
    """Yield each with a person who may read all of it, and the addresses of its rows."""
    yield beside_machine(number)
    yield from ([gold(number, chance), released(number, chance)] if number else [])
    yield paths(number, chance)


def beside_machine(number: int) -> Pages:
    """Make a judge whose marks are shown with some of the tasks; every other mark is wrong."""
    project = make_project(slug=f"machine-{number}")
    judge, traces = make_marks(project, max(1, number))
    for trace in traces:
        trace.recorded_first_error = -1
        trace.save()
    reader = Browser(make_member(project, "researcher"))
    round_ = assist(reader, project, judge, blind_share=0.5)
    if number:
        label_by(project, judge, follow=True)
    calibration = f"projects/{project.slug}/sources/{judge.pk}/calibration"
    return reader, [
        f"rounds/{round_['id']}/machine",
        calibration,
        f"{calibration}?truth=labels",
        f"rounds/{round_['id']}",
    ]


def paths(number: int, chance: Random) -> Pages:
    """Make paths of two labelers over the same problems."""
    project = make_project(slug=f"paths-{number}")
    number = min(number, MOST_PATHS)
    for place in range(max(1, (number + 1) // 2)):
        make_problem(project, f"What is ${place} + 1$?")
    round_ = open_paths(project, paths=2)
    people = [PathLabeler(project, lambda prefix, place: f"# Answer\n\n{place}") for _ in range(2)]
    for place in range(number):
        walk(people[place % 2], chance.choice([1, 0, -1]))
    return Browser(make_member(project, "researcher")), [f"rounds/{round_.pk}/paths"]


def gold(number: int, chance: Random) -> Pages:
    """Make gold that one labeler judges rightly by chance, and one trace of work."""
    project = make_project(slug=f"gold-{number}", gold_per_round=min(50, number))
    items = [
        make_gold(trace, acceptable=[FIRST_ERROR], explanation="", by=None) for trace in make_traces(project, number)
    ]
    make_traces(project, 1)
    round_ = open_round(project)
    labeler = make_member(project)
    while (label := labels.claim_next_label(labeler, project).label) is not None:
        labels.submit_label(label, make_submission(chance.choice([[1, -1, None], [-1, None, None]])))
    slug = project.slug
    figures = [
        "gold",
        "gold/counts",
        "labeler_quality",
        "labelers",
        "labelers.csv",
        f"labelers/{labeler.pk}",
        "my_coaching",
    ]
    admin = Browser(make_member(project, "admin"))
    rows = [f"rounds/{round_.pk}/report", f"gold/{items[0].pk}"]
    return admin, [*(f"projects/{slug}/{page}" for page in figures), *rows]


def released(number: int, chance: Random) -> Pages:
    """Make a draft of a release with labels of two people and a machine's marks next to them."""
    project = make_project(slug=f"released-{number}")
    make_marks(project, max(1, (number + 1) // 2))
    open_round(project, overlap=2)
    people = [make_member(project) for _ in range(2)]
    for place in range(number):
        label = labels.claim_next_label(people[place % 2], project).label
        assert label is not None
        labels.submit_label(label, make_submission(chance.choice([[1, 1, 1], [1, -1, None]])))
    return Browser(admin := make_member(project, "admin")), [f"releases/{draft_of(project, admin)}/card"]


def draft_of(project: Project, admin: Any) -> int:
    """Return the id of a draft that a worker has finished."""
    export = exports.create_export(project, by=None, format="neutral", wake=False)
    draft = releases.create_release(project, by=admin, name="All", exports=[export.pk])
    done = releases.run_release(draft.pk)
    assert done is not None
    assert done.status == "succeeded", done.error
    return draft.pk
