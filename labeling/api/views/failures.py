"""Known failures of one selector, as a page and as a table."""

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.api.kept_answers import Json, kept_answer
from labeling.api.requests import signed_in
from labeling.api.serializers.failures import FailuresIn, FailuresOut
from labeling.api.tables import CSV, csv_file
from labeling.queries.projects import RESEARCHER, get_project_as


@extend_schema(responses=FailuresOut, parameters=[FailuresIn])
@api_view(["GET"])
def get_failures(request: Request, slug: str) -> Response:
    """Known failures from the literature. Each has its figures, or the reason why it cannot be measured."""
    return _failures(request, slug)


@extend_schema(responses={(200, CSV): OpenApiTypes.BINARY}, parameters=[FailuresIn])
@api_view(["GET"])
def download_failures(request: Request, slug: str) -> HttpResponse:
    """The same figures as a table, one figure per line."""
    return csv_file(f"{slug}-failures.csv", queries.failures.table(_failures(request, slug).data["sections"]))


def _failures(request: Request, slug: str) -> Response:
    asked = FailuresIn(data=request.query_params)
    asked.is_valid(raise_exception=True)
    reader = signed_in(request)
    project = get_project_as(reader, slug, RESEARCHER)
    named = asked.validated_data.get("scorer")
    scorer = queries.failures.get_selector(project, named) if named else queries.failures.selector_of(project)

    def close(body: Json) -> None:
        queries.failures.close_to(reader, project, body["sections"])

    return kept_answer(project, "failures", for_reader=close, scorer=scorer.pk if scorer else None)
