"""Active time and what it costs."""

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_app.postgres.replica import read_may_lag
from labeling import queries
from labeling.api.kept_answers import kept_answer
from labeling.api.requests import signed_in
from labeling.api.serializers.time_spent import TimeReportOut
from labeling.api.tables import CSV, csv_file
from labeling.queries.projects import RESEARCHER, get_project_as


@extend_schema(responses=TimeReportOut)
@api_view(["GET"])
def get_time_report(request: Request, slug: str) -> Response:
    """Active minutes and cost per trace, step and confirmed error; problem sessions against shuffled order."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return kept_answer(project, "time_spent")


@extend_schema(responses={(200, CSV): OpenApiTypes.BINARY})
@api_view(["GET"])
def download_time_report(request: Request, slug: str) -> HttpResponse:
    """The same figures as a table, one figure per line."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    found = queries.time_spent
    rows = read_may_lag(lambda: [*found.table(found.time_report(project), found.session_report(project))])
    head = ("figure", "of", "value", "low", "high", "n")
    return csv_file(f"{project.slug}-time.csv", [head, *rows])
