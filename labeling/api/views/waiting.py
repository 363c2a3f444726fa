"""What a job that waits for a worker waits for."""

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
    """What workers do before a job that waits: by name where it is yours to see, else how many."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    asked = checked(request.query_params.dict(), WaitingIn)
    return answer(WaitingOut, queries.waiting.what_is_ahead(signed_in(request), project, asked["kind"], asked["id"]))
