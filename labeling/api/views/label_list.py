"""A project's labels: lists, facet counts, downloads, bulk changes and saved views."""

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.actions import label_changes
from labeling.api.answers import answer
from labeling.api.kept_answers import kept_answer
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.parameters import refuse_unknown_parameters
from labeling.api.requests import checked, read_body, signed_in
from labeling.api.serializers.label_list import (
    ChangeLabelsIn,
    LabelChangeOut,
    LabelFacetsOut,
    LabelFiltersIn,
    LabelViewOut,
    LabelViewsOut,
    ListedLabel,
    SaveLabelViewIn,
    label_table,
    with_facts,
)
from labeling.api.tables import CSV, table_of_all
from labeling.queries.label_list import ORDER, LabelList
from labeling.queries.projects import RESEARCHER, get_project_as


def _asked(request: Request) -> dict[str, object]:
    return checked(request.query_params.dict(), LabelFiltersIn)


@extend_schema(responses=paged(ListedLabel), parameters=[*PAGE_PARAMETERS, LabelFiltersIn])
@api_view(["GET"])
def list_labels(request: Request, slug: str) -> Response:
    """The current labels that match the filters, newest first. Labels of traces that you are labeling are left out."""
    asked = _asked(request)
    listed = LabelList(get_project_as(signed_in(request), slug, RESEARCHER), signed_in(request))
    return page_of(
        request, listed.labels(asked), ListedLabel, order=ORDER, prepared=lambda page: with_facts(listed, page)
    )


@extend_schema(responses=LabelFacetsOut, parameters=[LabelFiltersIn])
@api_view(["GET"])
def get_label_facets(request: Request, slug: str) -> Response:
    """How many labels match, and how many would match each value of each filter, given the other filters."""
    asked = _asked(request)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    refuse_unknown_parameters(request)
    return kept_answer(project, "label_facets", reader=signed_in(request).pk, asked=asked)


@extend_schema(responses={(200, CSV): OpenApiTypes.BINARY}, parameters=[LabelFiltersIn])
@api_view(["GET"])
def download_labels(request: Request, slug: str) -> HttpResponse:
    """The newest 100,000 matching labels, one per row. If there are more, the file's name says so."""
    asked = _asked(request)
    listed = LabelList(get_project_as(signed_in(request), slug, RESEARCHER), signed_in(request))
    refuse_unknown_parameters(request)
    found = listed.labels(asked).order_by(*ORDER)
    return table_of_all(f"{slug}-labels", found, lambda labels: label_table(listed, labels))


@extend_schema(responses=paged(LabelChangeOut), parameters=PAGE_PARAMETERS)
@api_view(["GET"])
def list_label_changes(request: Request, slug: str) -> Response:
    """Bulk changes to labels, newest first."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return page_of(request, queries.label_list.label_changes_of(project), LabelChangeOut)


@extend_schema(request=ChangeLabelsIn, responses={201: LabelChangeOut})
@api_view(["POST"])
def change_labels(request: Request, slug: str) -> Response:
    """Exclude or include labels, send them to review, have them made again, or tag them."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    made = label_changes.change_labels(project, by=signed_in(request), **read_body(request, ChangeLabelsIn))
    return answer(LabelChangeOut, made, 201)


@extend_schema(request=None, responses=LabelChangeOut)
@api_view(["POST"])
def undo_label_change(request: Request, change_id: int) -> Response:
    """Undo a bulk change wherever it still applies."""
    change = queries.label_list.get_label_change(signed_in(request), change_id)
    return answer(LabelChangeOut, label_changes.undo_label_change(change, by=signed_in(request)))


@extend_schema(responses=LabelViewsOut)
@api_view(["GET"])
def list_label_views(request: Request, slug: str) -> Response:
    """Your saved views."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    found = queries.label_list.label_views_of(project, signed_in(request))
    return answer(LabelViewsOut, {"results": list(found)})


@extend_schema(request=SaveLabelViewIn, responses={201: LabelViewOut})
@api_view(["POST"])
def save_label_view(request: Request, slug: str) -> Response:
    """Save filters under a name. A view with the same name is replaced."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    made = label_changes.save_label_view(project, signed_in(request), **read_body(request, SaveLabelViewIn))
    return answer(LabelViewOut, made, 201)


@extend_schema(request=None, responses=LabelViewsOut)
@api_view(["POST"])
def remove_label_view(request: Request, view_id: int) -> Response:
    """Delete one of your views. Returns the remaining ones."""
    view = queries.label_list.get_own_label_view(signed_in(request), view_id)
    label_changes.remove_label_view(view)
    left = queries.label_list.label_views_of(view.project, signed_in(request))
    return answer(LabelViewsOut, {"results": list(left)})
