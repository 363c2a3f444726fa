"""Projects: the list, one project's settings, and its audit log."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from labeling.actions import projects
from labeling.api.answers import answer
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.requests import checked, read_body, signed_in
from labeling.api.serializers.projects import (
    AuditEventOut,
    AuditFiltersIn,
    ChangeProjectIn,
    CreateProjectIn,
    ProjectOut,
    audit_table,
    with_names,
)
from labeling.api.tables import CSV, table_of_all
from labeling.api.throttles import allowance
from labeling.queries.projects import (
    ADMIN,
    ANNOTATOR,
    get_project_as,
    project_audit,
    visible_projects,
    with_counts,
    with_kept_counts,
)


@extend_schema(parameters=PAGE_PARAMETERS, responses=paged(ProjectOut))
@api_view(["GET"])
def list_projects(request: Request) -> Response:
    """The projects you are in, newest first. Superusers see all projects."""
    return page_of(request, visible_projects(signed_in(request)), ProjectOut, prepared=with_counts)


@extend_schema(request=CreateProjectIn, responses={201: ProjectOut})
@api_view(["POST"])
def create_project(request: Request) -> Response:
    """Create a project. Superusers only."""
    body = read_body(request, CreateProjectIn)
    project = projects.create_project(signed_in(request), **body)
    return _project(request, project.slug, 201)


@extend_schema(responses=ProjectOut)
@api_view(["GET"])
def get_project(request: Request, slug: str) -> Response:
    """One project with its settings and counts."""
    return _project(request, slug)


@extend_schema(request=ChangeProjectIn, responses=ProjectOut)
@api_view(["PATCH"])
@throttle_classes([allowance("project_changes")])
def change_project(request: Request, slug: str) -> Response:
    """Change the project's settings. Omitted settings stay as they are."""
    project = get_project_as(signed_in(request), slug, ADMIN)
    body = read_body(request, ChangeProjectIn)
    projects.change_project(signed_in(request), project, body)
    return _project(request, slug)


@extend_schema(parameters=[*PAGE_PARAMETERS, AuditFiltersIn], responses=paged(AuditEventOut))
@api_view(["GET"])
def list_audit(request: Request, slug: str) -> Response:
    """Who did what in the project, newest first."""
    return page_of(request, _audit(request, slug), AuditEventOut, prepared=with_names)


@extend_schema(parameters=[AuditFiltersIn], responses={(200, CSV): OpenApiTypes.BINARY})
@api_view(["GET"])
def download_audit(request: Request, slug: str) -> HttpResponse:
    """The newest 100,000 matching entries, one per row. If there are more, the file's name says so."""
    return table_of_all(f"{slug}-audit", _audit(request, slug).order_by("-id"), audit_table)


def _audit(request: Request, slug: str) -> QuerySet[Any]:
    asked = checked(request.query_params.dict(), AuditFiltersIn)
    return project_audit(get_project_as(signed_in(request), slug, ADMIN), asked)


def _project(request: Request, slug: str, status: int = 200) -> Response:
    project = get_project_as(signed_in(request), slug, ANNOTATOR)
    return answer(ProjectOut, with_kept_counts(project), status)
