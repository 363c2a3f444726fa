"""A project's Home: what is waiting, how good the labels are, and when more will be done."""

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.api.answers import answer
from labeling.api.kept_answers import kept_answer
from labeling.api.requests import checked, signed_in
from labeling.api.serializers.home import BadgesOut, ForecastIn, ForecastOut, HomeOut, SelectorOut
from labeling.queries.projects import RESEARCHER, get_project_as


@extend_schema(responses=HomeOut)
@api_view(["GET"])
def get_home(request: Request, slug: str) -> Response:
    """How good the labels are by gold, agreement, haste and audits, and what more labels would teach."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return kept_answer(project, "home")


@extend_schema(responses=BadgesOut)
@api_view(["GET"])
def get_badges(request: Request, slug: str) -> Response:
    """What needs your attention, for Home and the numbers in the navigation."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return kept_answer(project, "badges", reader=signed_in(request).pk)


@extend_schema(responses=SelectorOut)
@api_view(["GET"])
def get_selector(request: Request, slug: str) -> Response:
    """The PRM that selects, and whether it is better than the previous one."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return answer(SelectorOut, queries.promotion_news.selector_news(project))


@extend_schema(responses=ForecastOut, parameters=[ForecastIn])
@api_view(["GET"])
def get_forecast(request: Request, slug: str) -> Response:
    """Hours, cost and finishing date of the labels that open rounds want, or of a number of labels after those."""
    asked = checked(request.query_params.dict(), ForecastIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return kept_answer(project, "forecast", **asked)
