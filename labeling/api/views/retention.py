"""Deletion and retention: admins for their project, superusers for the site and its people."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from labeling.actions import forgetting, project_moves
from labeling.api.answers import answer
from labeling.api.checks import SENSITIVE
from labeling.api.kept_answers import kept_body
from labeling.api.requests import checked, read_body, signed_in
from labeling.api.serializers.retention import (
    DaysIn,
    ForgetPersonIn,
    NamedPersonIn,
    OldOut,
    PersonDataOut,
    ProjectMoveOut,
    ProjectRetentionOut,
    PruneIn,
    SiteRetentionOut,
)
from labeling.queries import retention
from labeling.queries.projects import ADMIN, get_project_as


def _days(request: Request) -> int:
    return int(checked(request.query_params.dict(), DaysIn)["days"])


@extend_schema(responses=ProjectRetentionOut, parameters=[DaysIn])
@api_view(["GET"])
def get_project_retention(request: Request, slug: str) -> Response:
    """How much of a project can be deleted, and whether it can be taken out to a file."""
    project = get_project_as(signed_in(request), slug, ADMIN)
    about = retention.get_retention(project, _days(request))
    rows = project.taken_out["rows"] if project.taken_out else kept_body(project, "project_rows", {})["rows"]
    return answer(ProjectRetentionOut, {**about, "rows": rows, "why_not": project_moves.why_not(project)})


@extend_schema(request=PruneIn, responses=OldOut)
@api_view(["POST"])
@permission_classes(SENSITIVE)
def prune_project(request: Request, slug: str) -> Response:
    """Delete a project's old drafts, the first rows of its imports and, on request, rollouts. Returns the counts."""
    project = get_project_as(signed_in(request), slug, ADMIN)
    asked = read_body(request, PruneIn)
    return answer(OldOut, forgetting.prune(project=project, by=signed_in(request), **asked))


@extend_schema(request=None, responses={201: ProjectMoveOut})
@api_view(["POST"])
@permission_classes(SENSITIVE)
def take_out_project(request: Request, slug: str) -> Response:
    """Have a worker take everything of an archived project out into one file."""
    return _moved(request, get_project_as(signed_in(request), slug, ADMIN), project_moves.Direction.OUT)


@extend_schema(request=None, responses={201: ProjectMoveOut})
@api_view(["POST"])
@permission_classes(SENSITIVE)
def bring_back_project(request: Request, slug: str) -> Response:
    """Have a worker bring a project back from its file."""
    return _moved(request, get_project_as(signed_in(request), slug, ADMIN), project_moves.Direction.BACK)


def _moved(request: Request, project: Any, direction: str) -> Response:
    return answer(ProjectMoveOut, project_moves.move_project(project, direction, by=signed_in(request)), 201)


@extend_schema(responses=SiteRetentionOut, parameters=[DaysIn])
@api_view(["GET"])
def get_site_retention(request: Request) -> Response:
    """How much of all projects can be deleted. Superusers only."""
    retention.require_superuser(signed_in(request))
    return answer(SiteRetentionOut, {"old": retention.count_old(_days(request))})


@extend_schema(request=PruneIn, responses=OldOut)
@api_view(["POST"])
@permission_classes(SENSITIVE)
def prune_site(request: Request) -> Response:
    """Delete old drafts, first rows of imports and, on request, rollouts of all projects. Superusers only."""
    asked = read_body(request, PruneIn)
    retention.require_superuser(signed_in(request))
    return answer(OldOut, forgetting.prune(by=signed_in(request), **asked))


@extend_schema(responses=PersonDataOut, parameters=[NamedPersonIn])
@api_view(["GET"])
def get_person_data(request: Request) -> Response:
    """What forgetting a person would remove and what would stay. Changes nothing. Superusers only."""
    retention.require_superuser(signed_in(request))
    person = retention.get_named_person(checked(request.query_params.dict(), NamedPersonIn)["username"])
    return answer(PersonDataOut, _told(forgetting.preview_forgetting(person)))


@extend_schema(request=ForgetPersonIn, responses=PersonDataOut)
@api_view(["POST"])
@permission_classes(SENSITIVE)
def forget_person(request: Request) -> Response:
    """Remove a person's data, permanently. Labels stay, under a name without meaning. Superusers only."""
    asked = read_body(request, ForgetPersonIn)
    retention.require_superuser(signed_in(request))
    person = retention.get_named_person(asked["username"])
    return answer(PersonDataOut, _told(forgetting.forget_named(person, asked["again"], by=signed_in(request))))


def _told(about: dict[str, Any]) -> dict[str, Any]:
    counted = {
        part: [{"what": what, "count": count} for what, count in about[part].items() if count]
        for part in ("goes", "stays")
    }
    return {**about, **counted}
