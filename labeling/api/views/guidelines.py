"""A project's labeling guidelines, version by version."""

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from labeling.actions import guidelines
from labeling.api.answers import answer
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.requests import read_body, signed_in
from labeling.api.serializers.guidelines import GuidelineIn, GuidelineOut, GuidelineVersion
from labeling.api.throttles import allowance
from labeling.queries import projects
from labeling.queries.projects import ANNOTATOR, RESEARCHER, get_project_as

NOTHING_YET = {"version": 0, "body": "", "created_at": None}


@extend_schema(parameters=PAGE_PARAMETERS, responses=paged(GuidelineVersion))
@api_view(["GET"])
def list_guidelines(request: Request, slug: str) -> Response:
    """The published versions, newest first, without their text."""
    project = get_project_as(signed_in(request), slug, ANNOTATOR)
    return page_of(request, projects.project_guidelines(project), GuidelineVersion, order=("-version",))


@extend_schema(request=GuidelineIn, responses={201: GuidelineOut})
@api_view(["POST"])
@throttle_classes([allowance("guidelines")])
def publish_guideline(request: Request, slug: str) -> Response:
    """Publish the next version."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    body = read_body(request, GuidelineIn)
    guideline = guidelines.publish_guideline(signed_in(request), project, **body)
    return answer(GuidelineOut, guideline, 201)


@extend_schema(responses=GuidelineOut)
@api_view(["GET"])
def get_current_guideline(request: Request, slug: str) -> Response:
    """The current version. Before anything is published, this is version 0 without text."""
    project = get_project_as(signed_in(request), slug, ANNOTATOR)
    return answer(GuidelineOut, projects.newest_guideline(project) or NOTHING_YET)


@extend_schema(responses=GuidelineOut)
@api_view(["GET"])
def get_guideline(request: Request, slug: str, version: int) -> Response:
    """One published version."""
    project = get_project_as(signed_in(request), slug, ANNOTATOR)
    return answer(GuidelineOut, projects.get_guideline(project, version))
