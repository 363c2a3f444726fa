"""Where candidates come from: the operator's generators, and how their text is split into steps."""

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.api.answers import answer
from labeling.api.requests import read_body, signed_in
from labeling.api.serializers.candidates import GeneratorsOut, PreviewSplitterIn, SplitterPreview
from labeling.generation.splitting import Splitter
from labeling.queries.projects import RESEARCHER, get_project_as


@extend_schema(responses=GeneratorsOut)
@api_view(["GET"])
def list_generators(request: Request, slug: str) -> Response:
    """The generators that a round can ask for candidates."""
    get_project_as(signed_in(request), slug, RESEARCHER)
    return answer(GeneratorsOut, queries.candidates.generators())


@extend_schema(request=PreviewSplitterIn, responses=SplitterPreview)
@api_view(["POST"])
def preview_splitter(request: Request, slug: str) -> Response:
    """The steps into which a text, or a trace's own text, would be split."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    asked = read_body(request, PreviewSplitterIn)
    text = asked.get("text")
    if text is None:
        text = queries.candidates.written_text(project, asked["trace_id"])
    splitter = Splitter(asked["kind"], asked["pattern"])
    return answer(SplitterPreview, {"steps": splitter.split(text), "version": splitter.version})
