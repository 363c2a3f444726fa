"""What rounds achieved: one by one, as a table, and side by side."""

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_app.postgres.replica import read_may_lag
from labeling import queries
from labeling.api.kept_answers import kept_answer
from labeling.api.requests import checked, signed_in
from labeling.api.serializers.round_reports import (
    ComparedRoundsOut,
    CompareRoundsIn,
    RoundFiguresOut,
    RoundReportNowOut,
    RoundReportsOut,
)
from labeling.api.tables import CSV, csv_file
from labeling.queries.projects import RESEARCHER, get_project_as
from labeling.queries.rounds import get_visible_round


@extend_schema(responses=RoundReportNowOut)
@api_view(["GET"])
def get_round_report(request: Request, round_id: int) -> Response:
    """A round's report: frozen when the round was closed, or current while it is not."""
    round_ = get_visible_round(signed_in(request), round_id)
    return kept_answer(round_.project, "round_report", round=round_.pk)


@extend_schema(responses={(200, CSV): OpenApiTypes.BINARY})
@api_view(["GET"])
def download_round_report(request: Request, round_id: int) -> HttpResponse:
    """The report's figures as a table, one figure per line."""
    round_ = get_visible_round(signed_in(request), round_id)
    found = queries.round_report
    rows = read_may_lag(lambda: [*found.table(found.report_of(round_))])
    return csv_file(f"{round_.project.slug}-round-{round_.number}-report.csv", rows)


@extend_schema(responses=RoundReportsOut)
@api_view(["GET"])
def list_round_reports(request: Request, slug: str) -> Response:
    """The reports of the rounds that were served to labelers, oldest first, for comparing them."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return kept_answer(project, "round_reports")


@extend_schema(responses=RoundFiguresOut)
@api_view(["GET"])
def get_round_figures(request: Request, round_id: int) -> Response:
    """What a round found, what it cost and how reliable it is, with intervals, from its current labels."""
    round_ = get_visible_round(signed_in(request), round_id)
    return kept_answer(round_.project, "round_figures", round=round_.pk)


@extend_schema(responses=ComparedRoundsOut, parameters=[CompareRoundsIn])
@api_view(["GET"])
def compare_rounds(request: Request, slug: str) -> Response:
    """Compare two rounds, one figure per row: both values, the difference with its interval, and what it means."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    asked = checked(request.query_params.dict(), CompareRoundsIn)
    return kept_answer(project, "compared_rounds", **asked)
