"""A labeler's own screening and quality."""

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.actions import gold_screening
from labeling.api.answers import answer
from labeling.api.requests import read_body, signed_in
from labeling.api.serializers.labeler_quality import FeedbackOut, MyQuality, ObjectionIn, own_quality
from labeling.queries.projects import ANNOTATOR, get_project_as


@extend_schema(responses=MyQuality)
@api_view(["GET"])
def get_my_quality(request: Request, slug: str) -> Response:
    """Whether you get work here, how your screening is going, and why you are paused."""
    project = get_project_as(signed_in(request), slug, ANNOTATOR)
    return answer(MyQuality, own_quality(signed_in(request), project))


@extend_schema(request=None, responses=MyQuality)
@api_view(["POST"])
def retry_screening(request: Request, slug: str) -> Response:
    """Start another attempt at the screening after a failed one."""
    project = get_project_as(signed_in(request), slug, ANNOTATOR)
    gold_screening.retry_screening(signed_in(request), project)
    return answer(MyQuality, own_quality(signed_in(request), project))


@extend_schema(responses=FeedbackOut)
@api_view(["GET"])
def get_feedback(request: Request, label_id: int) -> Response:
    """The accepted answer of a screening task that you have done, if the project shows it."""
    return answer(FeedbackOut, queries.screening.feedback_on(signed_in(request), label_id))


@extend_schema(request=ObjectionIn, responses=FeedbackOut)
@api_view(["POST"])
def object_to_gold(request: Request, label_id: int) -> Response:
    """Say why you think the accepted answer of a screening task is wrong. The result stands; researchers read it."""
    body = read_body(request, ObjectionIn)
    return answer(FeedbackOut, gold_screening.object_to_gold(signed_in(request), label_id, **body))
