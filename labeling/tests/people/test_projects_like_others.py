"""A project created with another's settings: what it takes over, and what it does not."""

from decimal import Decimal

import pytest

from labeling.actions import guidelines, projects
from labeling.models import AuditEvent, Gold, Guideline, Invitation, Membership, Problem, Project, Trace, User, Webhook
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_user

pytestmark = pytest.mark.django_db
SET = {
    "default_overlap": 2,
    "default_overlap_most": 4,
    "default_overlap_needed": 2,
    "lease_minutes": 40,
    "revise_window_hours": 3,
    "reference_solution": True,
    "answer_kind": "numeric",
    "answer_tolerance": 0.01,
    "reveal_scores": True,
    "session_traces": 3,
    "rated_unit": "call",
    "hourly_rate": Decimal("21.50"),
    "currency": "EUR",
    "stalled_hours": 5,
    "gold_per_round": 7,
    "after_error": {"from_file": True, "asked": ["explanation"]},
    "trains_at_close": False,
    "screening": True,
    "screening_tasks": 4,
    "screening_share": 0.5,
    "screening_retries": 2,
    "screening_feedback": False,
}


@pytest.fixture
def root() -> User:
    return make_user("root", is_superuser=True)


@pytest.fixture
def model() -> Project:
    """A project full of things that must not be taken over."""
    model = make_project("model", name="Model", description="Its own words.", **SET)
    admin = make_member(model, "admin")
    make_member(model)
    make_round(model, 2)
    guidelines.publish_guideline(admin, model, "Older.")
    guidelines.publish_guideline(admin, model, "# Rate each step.")
    Webhook.objects.create(project=model, url="https://hook.example.org/secret", kinds=["paused"])
    browser = Browser(admin)
    browser.call("POST", "/api/projects/model/invitations", {"role": "annotator"}, status=201)
    return model


def test_a_project_begins_with_the_settings_and_the_newest_guidelines_of_another(root, model):
    made = Browser(root).call("POST", "/api/projects", {"slug": "next", "name": "Next", "like": "model"}, status=201)
    new = Project.objects.get(slug="next")
    assert {setting: getattr(new, setting) for setting in SET} == SET
    assert (made["name"], made["description"], made["status"], made["screening_tasks"]) == ("Next", "", "active", 4)
    guideline = Guideline.objects.get(project=new)
    assert (guideline.version, guideline.body, guideline.created_by) == (1, "# Rate each step.", root)
    created = AuditEvent.objects.get(project=new, action="project.create")
    assert created.detail == {"like": "model"}


def test_nothing_else_of_the_other_comes_along(root, model):
    before = {kind: kind.objects.count() for kind in (Problem, Trace, Gold, Webhook, Invitation)}
    new = projects.create_project(root, slug="next", name="Next", like="model")
    assert {kind: kind.objects.count() for kind in before} == before
    assert [member.user for member in Membership.objects.filter(project=new)] == [root]
    assert new.export_salt != model.export_salt, "who labeled is told apart from project to project"
    assert not new.rounds.exists()
    model.refresh_from_db()
    assert model.name == "Model"


def test_each_setting_of_a_project_is_either_taken_over_or_its_own():
    """Decide here about a new setting: secrets, and settings about one project alone, are not taken over."""
    own = ("id", "slug", "name", "description", "status", "taken_out", "export_salt", "created_at")
    settings = [field.name for field in Project._meta.concrete_fields]
    assert sorted(settings) == sorted([*projects.TAKEN_OVER, *own])
    assert set(SET) == set(projects.TAKEN_OVER), "the test above changes each of them"
    usual = Project()
    assert [name for name in SET if getattr(usual, name) == SET[name]] == ["trains_at_close"]


def test_a_project_without_guidelines_gives_none(root):
    make_project("bare")
    new = projects.create_project(root, slug="next", name="Next", like="bare")
    assert not Guideline.objects.filter(project=new).exists()
    assert not new.trains_at_close, "as the other, not as new ones have it"


@pytest.mark.parametrize("like", ["nowhere", "next", "../model", "x" * 61])
def test_a_project_that_is_not_there_is_refused_beside_its_field(root, model, like):
    body = {"slug": "next", "name": "Next", "like": like}
    refusal = Browser(root).call("POST", "/api/projects", body, status=400)
    assert list(refusal["fields"]) == ["like"]
    assert not Project.objects.filter(slug="next").exists()


def test_an_address_that_is_taken_leaves_nothing_behind(root, model):
    body = {"slug": "model", "name": "Next", "like": "model"}
    refusal = Browser(root).call("POST", "/api/projects", body, status=400)
    assert list(refusal["fields"]) == ["slug"]
    assert Guideline.objects.filter(project=model).count() == 2


@pytest.mark.parametrize("role", ["annotator", "researcher", "admin"])
def test_nobody_but_the_sites_administrators_makes_projects_like_others_either(model, role):
    browser = Browser(make_member(model, role))
    for like in ("model", "nowhere"):
        body = {"slug": "mine", "name": "Mine", "like": like}
        assert browser.call("POST", "/api/projects", body, status=403)["code"] == "permission_denied"
