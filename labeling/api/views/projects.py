"""Projects: the list, one project's settings, and its audit."""

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from labeling.actions import projects
from labeling.api.answers import answer
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.requests import read_body, signed_in
from labeling.api.serializers.projects import AuditEventOut, ChangeProjectIn, CreateProjectIn, ProjectOut
from labeling.queries.projects import (
    ADMIN,
    ANNOTATOR,
    get_project_as,
    project_audit,
    visible_projects,
    with_counts,
)


@extend_schema(parameters=PAGE_PARAMETERS, responses=paged(ProjectOut))
@api_view(["GET"])
def list_projects(request: Request) -> Response:
    """The projects the person is in (a superuser: all), newest first."""
    return page_of(request, visible_projects(signed_in(request)), ProjectOut, prepared=with_counts)


@extend_schema(request=CreateProjectIn, responses={201: ProjectOut})
@api_view(["POST"])
def create_project(request: Request) -> Response:
    """A new project; only superusers make them."""
    body = read_body(request, CreateProjectIn)
    project = projects.create_project(signed_in(request), **body)
    return _project(request, project.slug, 201)


@extend_schema(responses=ProjectOut)
@api_view(["GET"])
def get_project(request: Request, slug: str) -> Response:
    """One project, its settings and counts."""
    return _project(request, slug)


@extend_schema(request=ChangeProjectIn, responses=ProjectOut)
@api_view(["PATCH"])
def change_project(request: Request, slug: str) -> Response:
    """Change the project's settings; what is left out stays."""
    project = get_project_as(signed_in(request), slug, ADMIN)
    body = read_body(request, ChangeProjectIn)
    projects.change_project(signed_in(request), project, body)
    return _project(request, slug)


@extend_schema(parameters=PAGE_PARAMETERS, responses=paged(AuditEventOut))
@api_view(["GET"])
def list_audit(request: Request, slug: str) -> Response:
    """Who did what in the project, newest first."""
    project = get_project_as(signed_in(request), slug, ADMIN)
    return page_of(request, project_audit(project), AuditEventOut)


def _project(request: Request, slug: str, status: int = 200) -> Response:
    project = get_project_as(signed_in(request), slug, ANNOTATOR)
    return answer(ProjectOut, with_counts([project])[0], status)
