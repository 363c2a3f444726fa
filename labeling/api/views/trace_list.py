"""A project's traces: lists, facet counts, one problem's traces as a tree, and bulk changes."""

from functools import partial

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.actions import trace_changes
from labeling.api.answers import answer
from labeling.api.kept_answers import kept_answer
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.parameters import refuse_unknown_parameters
from labeling.api.requests import checked, read_body, signed_in
from labeling.api.serializers.problem_tree import ProblemTreeIn, ProblemTreeOut
from labeling.api.serializers.traces import (
    BrowseTracesIn,
    ChangedOut,
    ListedTrace,
    PickedTracesIn,
    TraceFacetsOut,
    TraceFiltersIn,
    listed,
    trace_table,
)
from labeling.api.tables import CSV, table_of_all
from labeling.queries.projects import ADMIN, RESEARCHER, get_project_as


@extend_schema(responses=paged(ListedTrace), parameters=[BrowseTracesIn, *PAGE_PARAMETERS])
@api_view(["GET"])
def list_traces(request: Request, slug: str) -> Response:
    """A project's traces, searched by text, filtered by what is known about them, and sorted."""
    asked = checked(request.query_params.dict(), BrowseTracesIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    hidden = queries.held_labels.held_traces(signed_in(request), project)
    traces = queries.trace_list.browse_traces(project, asked, hidden)
    order = queries.trace_list.ORDERS[asked.get("order") or "oldest"]
    prepared = partial(listed, said=queries.trace_list.telling(project, asked, hidden))
    return page_of(request, traces, ListedTrace, order=order, prepared=prepared)


@extend_schema(responses={(200, CSV): OpenApiTypes.BINARY}, parameters=[BrowseTracesIn])
@api_view(["GET"])
def download_traces(request: Request, slug: str) -> HttpResponse:
    """The first 100,000 matching traces in their order, one per row. If there are more, the file's name says so.

    To get the steps as well, make an export.
    """
    asked = checked(request.query_params.dict(), BrowseTracesIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    hidden = queries.held_labels.held_traces(signed_in(request), project)
    refuse_unknown_parameters(request)
    order = queries.trace_list.ORDERS[asked.get("order") or "oldest"]
    found = queries.trace_list.browse_traces(project, asked, hidden).order_by(*order).defer("steps")
    said = queries.trace_list.telling(project, asked, hidden)
    return table_of_all(f"{slug}-traces", found, lambda traces: trace_table(traces, said))


@extend_schema(responses=TraceFacetsOut, parameters=[TraceFiltersIn])
@api_view(["GET"])
def get_trace_facets(request: Request, slug: str) -> Response:
    """How many traces match, and how many would match each value of each filter, given the other filters."""
    asked = checked(request.query_params.dict(), TraceFiltersIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    refuse_unknown_parameters(request)
    hidden = queries.held_labels.held_traces(signed_in(request), project)
    return kept_answer(project, "trace_facets", asked=asked, hidden=sorted(hidden))


@extend_schema(request=PickedTracesIn, responses=ChangedOut)
@api_view(["POST"])
def hold_out_traces(request: Request, slug: str) -> Response:
    """Hold out the problems of these traces: no round takes them, and no training learns from them."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    changed = trace_changes.hold_out_traces(project, by=signed_in(request), **read_body(request, PickedTracesIn))
    return answer(ChangedOut, changed)


@extend_schema(request=PickedTracesIn, responses=ChangedOut)
@api_view(["POST"])
def make_traces_gold(request: Request, slug: str) -> Response:
    """Make gold of those of these traces whose import records a first error."""
    project = get_project_as(signed_in(request), slug, ADMIN)
    changed = trace_changes.make_traces_gold(project, by=signed_in(request), **read_body(request, PickedTracesIn))
    return answer(ChangedOut, changed)


@extend_schema(responses=ProblemTreeOut, parameters=[ProblemTreeIn])
@api_view(["GET"])
def get_problem_tree(request: Request, problem_id: int) -> Response:
    """A problem's traces as one tree: what they share, where they part, and what is known about each branch."""
    asked = checked(request.query_params.dict(), ProblemTreeIn)
    named = [asked[name] for name in ("trace", "other") if name in asked]
    found = queries.problem_tree.get_problem_tree(
        signed_in(request), problem_id, scorer=asked.get("scorer"), named=named
    )
    return answer(ProblemTreeOut, found)
