"""Labelers side by side, each labeler's own page, and your own figures."""

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
from labeling.api.requests import checked, signed_in
from labeling.api.serializers.labeler_figures import CoachingOut, HastyLabelsOut, LabelersIn, LabelersOut
from labeling.api.serializers.labeler_page import LabelerPageOut
from labeling.api.tables import CSV, csv_file
from labeling.queries.projects import ANNOTATOR, RESEARCHER, get_project_as


@extend_schema(responses=LabelersOut, parameters=[LabelersIn])
@api_view(["GET"])
def list_labelers(request: Request, slug: str) -> Response:
    """Everyone who labeled here, optionally in one round or period, side by side. Includes deactivated members."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return kept_answer(project, "labelers", **checked(request.query_params.dict(), LabelersIn))


@extend_schema(responses=LabelerPageOut)
@api_view(["GET"])
def get_labeler(request: Request, slug: str, labeler_id: int) -> Response:
    """One labeler: gold, agreement and disagreement with others, pace by day, haste, comments, time and pay."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    labeler = queries.labeler_page.get_labeler(project, labeler_id)
    return answer(LabelerPageOut, queries.labeler_page.labeler_page(project, labeler, signed_in(request)))


@extend_schema(responses=HastyLabelsOut)
@api_view(["GET"])
def count_hasty_labels(request: Request, slug: str) -> Response:
    """How many labels of each round took less time than reading needs."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return kept_answer(project, "hasty_labels")


@extend_schema(responses={(200, CSV): OpenApiTypes.BINARY}, parameters=[LabelersIn])
@api_view(["GET"])
def download_labelers(request: Request, slug: str) -> HttpResponse:
    """The same figures as a table, one person per line."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    asked = checked(request.query_params.dict(), LabelersIn)
    found = queries.labeler_figures
    rows = read_may_lag(lambda: [*found.table(found.labeler_figures(project, **asked)["results"])])
    return csv_file(f"{project.slug}-labelers.csv", rows)


@extend_schema(responses=CoachingOut)
@api_view(["GET"])
def get_my_coaching(request: Request, slug: str) -> Response:
    """Your own work, round by round."""
    project = get_project_as(signed_in(request), slug, ANNOTATOR)
    own = signed_in(request).pk
    figures = queries.labeler_figures
    coaching = {"rounds": figures.own_rounds(own, project, gold=True), "gold": figures.own_gold(own, project)}
    differences = queries.label_comparison.own_differences(signed_in(request), project)
    return answer(CoachingOut, {**coaching, "differences": differences})
