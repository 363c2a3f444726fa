"""Exports: request one, follow its progress, and download it with its manifest."""

from io import BytesIO

from django.http import FileResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, permission_classes, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.actions import exports, label_pushes
from labeling.actions.export_companions import companion_of
from labeling.api.answers import answer, attachment, file_of, handed_out
from labeling.api.checks import SENSITIVE
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.requests import in_browser, read_body, signed_in
from labeling.api.serializers.exports import (
    ExportFormatsOut,
    ExportIn,
    ExportOut,
    ExportPreviewOut,
    LabelPushesOut,
    LabelPushOut,
    LabelSortsOut,
    PushExportIn,
    all_formats,
)
from labeling.api.throttles import allowance
from labeling.queries.projects import ADMIN, RESEARCHER, get_project_as


@extend_schema(responses=ExportFormatsOut)
@api_view(["GET"])
def get_export_formats(request: Request) -> Response:
    """The available formats, the switches of each, and what a manifest may say. For everyone who is logged in."""
    return answer(ExportFormatsOut, all_formats())


@extend_schema(responses=paged(ExportOut), parameters=PAGE_PARAMETERS)
@api_view(["GET"])
def list_exports(request: Request, slug: str) -> Response:
    """A project's exports, newest first."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return page_of(request, queries.exports.exports_of(project), ExportOut)


@extend_schema(responses=LabelSortsOut)
@api_view(["GET"])
def get_label_sorts(request: Request, slug: str) -> Response:
    """What can be exported: the number of labels, and how many of them each switch can leave out."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return answer(LabelSortsOut, queries.exports.label_sorts(project))


@extend_schema(request=ExportIn, responses={201: ExportOut})
@api_view(["POST"])
@permission_classes(SENSITIVE)
@throttle_classes([allowance("exports")])
def create_export(request: Request, slug: str) -> Response:
    """Queue an export of everything labeled by the time it runs."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    body = read_body(request, ExportIn)
    export = exports.create_export(project, by=signed_in(request), **body)
    return answer(ExportOut, export, 201)


@extend_schema(request=ExportIn, responses=ExportPreviewOut)
@api_view(["POST"])
def preview_export(request: Request, slug: str) -> Response:
    """The number of labels this export would hold if it were made now."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return answer(ExportPreviewOut, exports.count_labels(project, **read_body(request, ExportIn)))


@extend_schema(responses=ExportOut)
@api_view(["GET"])
def get_export(request: Request, export_id: int) -> Response:
    """One export with its progress."""
    return answer(ExportOut, queries.exports.get_visible_export(signed_in(request), export_id))


@extend_schema(responses=file_of(*exports.CONTENT_TYPES))
@api_view(["GET"])
def download_export(request: Request, export_id: int) -> HttpResponseBase:
    """The finished file. With a bucket, browsers are redirected to it; programs get the file here, so that the
    bucket does not see their token.

    `Range: bytes=1024-` requests only the rest of the file. The ETag is the file's SHA-256.
    """
    export = queries.exports.get_visible_export(signed_in(request), export_id)
    found = exports.file_to_download(export, by=signed_in(request), link=in_browser(request))
    name, kind = exports.file_name(export), exports.content_type(export)
    return handed_out(found, name, kind, tag=export.sha256, asked=request.headers)


@extend_schema(responses={(200, "application/octet-stream"): OpenApiTypes.BINARY})
@api_view(["GET"])
def download_companion(request: Request, export_id: int, name: str) -> FileResponse:
    """A companion file of the export. `GET /api/export_formats` lists those of each format."""
    export = queries.exports.get_visible_export(signed_in(request), export_id)
    return attachment(BytesIO(companion_of(export, name)), name, "application/octet-stream")


@extend_schema(responses=OpenApiTypes.OBJECT)
@api_view(["GET"])
def get_manifest(request: Request, export_id: int) -> Response:
    """What the file holds, how it was made, and what is not known about it."""
    export = queries.exports.get_visible_export(signed_in(request), export_id)
    exports.require_finished(export)
    name = f"{exports.file_stem(export)}.manifest.json"
    return Response(export.manifest, headers={"Content-Disposition": f'attachment; filename="{name}"'})


@extend_schema(responses={(200, "text/plain"): OpenApiTypes.BINARY})
@api_view(["GET"])
def download_row_hashes(request: Request, export_id: int) -> FileResponse:
    """The SHA-256 of every row, one per line. The manifest's hash is computed over this list."""
    export = queries.exports.get_visible_export(signed_in(request), export_id)
    path = exports.hashes_path(exports.finished_file(export))
    return attachment(path.open("rb"), f"{exports.file_stem(export)}.hashes", "text/plain")


@extend_schema(responses=LabelPushesOut)
@api_view(["GET"])
def list_pushes(request: Request, export_id: int) -> Response:
    """The services that accept this export (the setting LABEL_TARGETS), and what was sent to them."""
    export = queries.exports.get_visible_export(signed_in(request), export_id)
    pushes = queries.exports.pushes_of(export)
    return answer(LabelPushesOut, {"targets": label_pushes.targets_of(export), "pushes": pushes})


@extend_schema(request=PushExportIn, responses={201: LabelPushOut})
@api_view(["POST"])
@permission_classes(SENSITIVE)
@throttle_classes([allowance("exports")])
def push_export(request: Request, export_id: int) -> Response:
    """Have a worker send an export's scores to a service named by the operator. Scores it already has are skipped."""
    export = queries.exports.get_visible_export(signed_in(request), export_id, ADMIN)
    made = label_pushes.push_export(export, by=signed_in(request), **read_body(request, PushExportIn))
    return answer(LabelPushOut, made, 201)
