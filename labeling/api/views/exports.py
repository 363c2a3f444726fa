"""Data out: ask for an export, watch it, download it with its manifest."""

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
    """The formats there are, the switches of each, and what a manifest may say; for everybody who is signed in."""
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
    """What there is to export: how many labels, and how many of them a switch may keep out."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return answer(LabelSortsOut, queries.exports.label_sorts(project))


@extend_schema(request=ExportIn, responses={201: ExportOut})
@api_view(["POST"])
@permission_classes(SENSITIVE)
@throttle_classes([allowance("exports")])
def create_export(request: Request, slug: str) -> Response:
    """Queue an export of what is labeled by then."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    body = read_body(request, ExportIn)
    export = exports.create_export(project, by=signed_in(request), **body)
    return answer(ExportOut, export, 201)


@extend_schema(request=ExportIn, responses=ExportPreviewOut)
@api_view(["POST"])
def preview_export(request: Request, slug: str) -> Response:
    """How many labels such an export would hold if it were made now."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return answer(ExportPreviewOut, exports.count_labels(project, **read_body(request, ExportIn)))


@extend_schema(responses=ExportOut)
@api_view(["GET"])
def get_export(request: Request, export_id: int) -> Response:
    """One export and how far it has come."""
    return answer(ExportOut, queries.exports.get_visible_export(signed_in(request), export_id))


@extend_schema(responses=file_of(*exports.CONTENT_TYPES))
@api_view(["GET"])
def download_export(request: Request, export_id: int) -> HttpResponseBase:
    """The finished file. With a bucket browsers are sent there; programs, whose token it must not see, get it here.

    `Range: bytes=1024-` asks for the rest alone; the ETag is the file's SHA-256.
    """
    export = queries.exports.get_visible_export(signed_in(request), export_id)
    found = exports.hand_out(export, by=signed_in(request), link=in_browser(request))
    name, kind = exports.file_name(export), exports.content_type(export)
    return handed_out(found, name, kind, tag=export.sha256, asked=request.headers)


@extend_schema(responses={(200, "application/octet-stream"): OpenApiTypes.BINARY})
@api_view(["GET"])
def download_companion(request: Request, export_id: int, name: str) -> FileResponse:
    """A file that belongs beside the export's own; `GET /api/export_formats` names those of each format."""
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
    """The SHA-256 of every row, a line each: the list that the manifest's hash is of."""
    export = queries.exports.get_visible_export(signed_in(request), export_id)
    path = exports.hashes_path(exports.finished_file(export))
    return attachment(path.open("rb"), f"{exports.file_stem(export)}.hashes", "text/plain")


@extend_schema(responses=LabelPushesOut)
@api_view(["GET"])
def list_pushes(request: Request, export_id: int) -> Response:
    """The services that take this export (the setting LABEL_TARGETS), and what was sent to them."""
    export = queries.exports.get_visible_export(signed_in(request), export_id)
    pushes = queries.exports.pushes_of(export)
    return answer(LabelPushesOut, {"targets": label_pushes.targets_of(export), "pushes": pushes})


@extend_schema(request=PushExportIn, responses={201: LabelPushOut})
@api_view(["POST"])
@permission_classes(SENSITIVE)
@throttle_classes([allowance("exports")])
def push_export(request: Request, export_id: int) -> Response:
    """Have a worker send an export's scores to a service that the operator named; what it has is not sent again."""
    export = queries.exports.get_visible_export(signed_in(request), export_id, ADMIN)
    made = label_pushes.push_export(export, by=signed_in(request), **read_body(request, PushExportIn))
    return answer(LabelPushOut, made, 201)
