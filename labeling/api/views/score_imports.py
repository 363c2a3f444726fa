"""Scores made elsewhere: upload a file of them, follow its import, stop it."""

from pathlib import Path

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, parser_classes, throttle_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.actions import imported_scores, imports
from labeling.api.answers import answer
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.requests import checked_whole, signed_in
from labeling.api.serializers.score_imports import ScoreImportIn, ScoreImportOut
from labeling.api.throttles import allowance
from labeling.api.uploads import uploaded
from labeling.queries.projects import RESEARCHER, get_project_as


@extend_schema(responses=paged(ScoreImportOut), parameters=PAGE_PARAMETERS)
@api_view(["GET"])
def list_score_imports(request: Request, slug: str) -> Response:
    """A project's imports of scores, newest first."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return page_of(request, queries.step_scorers.score_imports_of(project), ScoreImportOut)


@extend_schema(request={"multipart/form-data": ScoreImportIn}, responses={201: ScoreImportOut})
@api_view(["POST"])
@parser_classes([MultiPartParser])
@throttle_classes([allowance("imports")])
def import_scores(request: Request, slug: str) -> Response:
    """Upload scores made elsewhere. A round can then choose by them as by a PRM's."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    imports.require_open(project)
    asked = checked_whole(uploaded(request), ScoreImportIn)
    upload = asked.pop("file")  # on disk already: the upload handler streamed it there
    path = Path(upload.temporary_file_path())
    job = imported_scores.create_score_import(
        project, by=signed_in(request), uploaded=path, file_name=upload.name, **asked
    )
    return answer(ScoreImportOut, job, 201)


@extend_schema(responses=ScoreImportOut)
@api_view(["GET"])
def get_score_import(request: Request, import_id: int) -> Response:
    """One import of scores with its progress, and its report once there is one."""
    return answer(ScoreImportOut, queries.step_scorers.get_visible_score_import(signed_in(request), import_id))


@extend_schema(request=None, responses=ScoreImportOut)
@api_view(["POST"])
def cancel_score_import(request: Request, import_id: int) -> Response:
    """Cancel an import of scores. Nothing of it is kept."""
    job = queries.step_scorers.get_visible_score_import(signed_in(request), import_id)
    return answer(ScoreImportOut, imported_scores.cancel_score_import(job, by=signed_in(request)))
