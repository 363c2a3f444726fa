"""The demo project: a fresh installation gets people, problems, an open round, finished labels of a few days, a PRM
and traces to measure it on.

Everything goes through the actions behind people's own clicks. Each part is created only if it is missing, so
loading it again, or after an interrupted start, adds the rest and changes nothing else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Q

from labeling.actions.demo_agents import fill_agent_demo, make_agent_demo
from labeling.actions.demo_files import FOLDER, import_demo_file
from labeling.actions.demo_labels import label_past_days
from labeling.actions.demo_paths import fill_path_demo, make_path_demo, path_demos
from labeling.actions.evaluations import create_evaluation_set
from labeling.actions.guidelines import publish_guideline
from labeling.actions.invitations import accept_invitation, create_invitation
from labeling.actions.people import create_person
from labeling.actions.projects import change_project, create_project
from labeling.actions.rounds import open_round
from labeling.actions.step_scorers import register_prm
from labeling.configs import PlainConfig
from labeling.models import (
    EvaluationSet,
    Guideline,
    Membership,
    Project,
    Round,
    StepScorer,
    Trace,
    User,
)
from labeling.quality.consensus import AskedOverlap

SLUG = "demo"
NAME = "Demo"
DESCRIPTION = "Hand-written problems and solutions to try Stepmark with. Its first labels are made up too."
TRACES = FOLDER / "traces.jsonl"
GUIDELINES = FOLDER / "guidelines.md"
ROUND_SEED = 1
ROUND_TRACES = 64  # the others are left for a round that a researcher opens
ROUND_PRIORITY = -1  # rounds opened later are served first
SET_NAME = "Recorded errors"
PRM_NAMES = {"demo-prm": "Demo PRM", "demo-random": "Demo (random weights)"}
PRM_LEARNED_FROM = {"demo-prm": "33 of the labels that the demo comes with", "demo-random": "nothing"}


@dataclass(frozen=True)
class Login:
    """Someone who may log in to the demo. `role` is their role in the project; an admin also administers the site."""

    username: str
    password: str
    role: str
    display_name: str = ""


def load_demo(logins: Sequence[Login], prm: Mapping[str, Any] | None = None) -> Project:
    """Create whatever is missing of the demo project. `logins` names at least one admin, `prm` is a record
    (docs/prm.md).

    Existing accounts keep their password and rights. Raises RuntimeError if the traces cannot be imported,
    InvalidFields for a weak password, PermissionDenied if the admin's account is not an administrator's.
    """
    people = {login: _person(login) for login in logins}
    admin = next(person for login, person in people.items() if login.role == Membership.Role.ADMIN)
    project = _project(admin)
    for login, person in people.items():
        _join(project, admin, person, login.role)
    if not Trace.objects.filter(project=project).exists():
        import_demo_file(project, admin, TRACES, "neutral")
    if not Round.objects.filter(project=project).exists():
        _open_round(project, people)
    if not EvaluationSet.objects.filter(project=project).exists():
        create_evaluation_set(project, by=admin, name=SET_NAME, source=EvaluationSet.Source.RECORDED)
    if prm is not None:
        _offer_prm(project, prm)
    for demo in path_demos():
        chosen = make_path_demo(demo, admin)
        for login, person in people.items():
            _join(chosen, admin, person, login.role)
        fill_path_demo(demo, chosen, admin)
    agents = make_agent_demo(admin)
    for login, person in people.items():
        _join(agents, admin, person, login.role)
    fill_agent_demo(agents, admin)
    return project


def _person(login: Login) -> User:
    known = User.objects.filter(username__iexact=login.username).first()
    return known or create_person(
        username=login.username,
        password=login.password,
        display_name=login.display_name,
        is_superuser=login.role == Membership.Role.ADMIN,
    )


@transaction.atomic
def _project(admin: User) -> Project:
    known = Project.objects.filter(slug=SLUG).first()
    project = known or create_project(admin, slug=SLUG, name=NAME, description=DESCRIPTION)
    if known is None:
        change_project(admin, project, {"reference_solution": True})
    if not Guideline.objects.filter(project=project).exists():
        publish_guideline(admin, project, GUIDELINES.read_text(encoding="utf-8"))
    return project


@transaction.atomic
def _join(project: Project, admin: User, person: User, role: str) -> None:
    if Membership.objects.filter(project=project, user=person).exists():
        return
    _, secret = create_invitation(admin, project, role=role, email="", days=1)
    accept_invitation(secret, person)


def _offer_prm(project: Project, record: Mapping[str, Any]) -> None:
    """Register the PRM. Once a worker of the queue gpu has checked it, rounds of every project can use it.

    In an older demo, the PRM belongs to the demo project: it is opened to the other projects.
    """
    name = PRM_NAMES[record["path"]]
    learned_from = PRM_LEARNED_FROM[record["path"]]
    if not StepScorer.objects.filter(Q(project=project) | Q(project=None), name=name).exists():
        register_prm(name, record, learned_from=learned_from)
    if not StepScorer.objects.filter(project=None, name=name).exists():
        StepScorer.objects.filter(name=name, project=project).update(project=None, learned_from=learned_from)


@transaction.atomic
def _open_round(project: Project, people: dict[Login, User]) -> None:
    """Open the round together with its first labels, so that nobody can claim before them."""
    admin = next(person for login, person in people.items() if login.role == Membership.Role.ADMIN)
    round_ = open_round(
        project,
        by=admin,
        name="First round",
        config=PlainConfig.of("sample", sample_size=ROUND_TRACES, seed=ROUND_SEED),
        overlap=AskedOverlap(1),
        priority=ROUND_PRIORITY,
    )
    labelers = [person for login, person in people.items() if login.role == Membership.Role.ANNOTATOR]
    label_past_days(round_, labelers)
