"""How far labelers agree, as figures and as a table."""

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_app.postgres.replica import read_may_lag
from labeling import queries
from labeling.api.answers import answer
from labeling.api.kept_answers import kept_answer
from labeling.api.requests import signed_in
from labeling.api.serializers.agreement import AgreementIn, AgreementOut, DisputedIn, DisputedOut
from labeling.api.tables import CSV, csv_file
from labeling.queries.projects import RESEARCHER, get_project_as


@extend_schema(responses=AgreementOut, parameters=[AgreementIn])
@api_view(["GET"])
def get_agreement(request: Request, slug: str) -> Response:
    """Agreement on traces that two or more people labeled, filtered by round, subject, level or pair of labelers."""
    asked = AgreementIn(data=request.query_params)
    asked.is_valid(raise_exception=True)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return kept_answer(project, "agreement", asked=asked.validated_data)


@extend_schema(responses=DisputedOut, parameters=[DisputedIn])
@api_view(["GET"])
def list_disputed_traces(request: Request, slug: str) -> Response:
    """The traces on which two labelers disagree."""
    reader = signed_in(request)
    project = get_project_as(reader, slug, RESEARCHER)
    asked = DisputedIn(data=request.query_params)
    asked.is_valid(raise_exception=True)
    return answer(DisputedOut, queries.agreement.disputed_traces(project, reader, **asked.validated_data))


@extend_schema(responses={(200, CSV): OpenApiTypes.BINARY}, parameters=[AgreementIn])
@api_view(["GET"])
def download_agreement(request: Request, slug: str) -> HttpResponse:
    """The agreement figures as a table, one figure per line."""
    asked = AgreementIn(data=request.query_params)
    asked.is_valid(raise_exception=True)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    found = queries.agreement
    rows = read_may_lag(lambda: [*found.table(found.project_agreement(project, **asked.validated_data))])
    return csv_file(f"{project.slug}-agreement.csv", rows)
