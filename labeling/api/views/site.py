"""The operator's page: how the site is running."""

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from labeling.api.answers import answer
from labeling.api.requests import signed_in
from labeling.api.serializers.site import SiteOut
from labeling.queries import site


@extend_schema(responses=SiteOut)
@api_view(["GET"])
def get_site(request: Request) -> Response:
    """Workers, queues, disks, database, last backup, versions, and configuration problems. Superusers only."""
    return answer(SiteOut, site.get_site(signed_in(request)))
