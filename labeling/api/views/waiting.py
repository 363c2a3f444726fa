"""What a queued job waits for."""

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.api.answers import answer
from labeling.api.requests import checked, signed_in
from labeling.api.serializers.waiting import WaitingIn, WaitingOut
from labeling.queries.projects import RESEARCHER, get_project_as


@extend_schema(responses=WaitingOut, parameters=[WaitingIn])
@api_view(["GET"])
def get_waiting(request: Request, slug: str) -> Response:
    """The jobs that workers do before a queued one: named if you may see them, otherwise counted."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    asked = checked(request.query_params.dict(), WaitingIn)
    return answer(WaitingOut, queries.waiting.what_is_ahead(signed_in(request), project, asked["kind"], asked["id"]))
