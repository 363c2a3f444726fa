"""Imports: upload a file, follow its import, stop it."""

from pathlib import Path

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, parser_classes, throttle_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.actions import imports
from labeling.actions.import_reading import previewed
from labeling.api.answers import answer
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.requests import checked_whole, read_body, signed_in
from labeling.api.serializers.imports import (
    ImportCheckedIn,
    ImportFormatsOut,
    ImportIn,
    ImportOut,
    ImportPreviewIn,
    ImportPreviewOut,
    ImportRowsOut,
    previewed_trace,
)
from labeling.api.throttles import allowance
from labeling.api.uploads import uploaded
from labeling.formats.imports import IMPORT_FORMATS
from labeling.formats.imports.column_guess import columns_of
from labeling.queries.projects import ADMIN, RESEARCHER, get_project_as, get_project_by_id_as, require_role


@extend_schema(responses=ImportFormatsOut)
@api_view(["GET"])
def get_import_formats(request: Request) -> Response:
    """The supported file formats. For everyone who is logged in."""
    return answer(ImportFormatsOut, {"formats": IMPORT_FORMATS.values()})


@extend_schema(responses=paged(ImportOut), parameters=PAGE_PARAMETERS)
@api_view(["GET"])
def list_imports(request: Request, slug: str) -> Response:
    """A project's imports, newest first."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return page_of(request, queries.imports.imports_of(project), ImportOut)


@extend_schema(request={"multipart/form-data": ImportIn}, responses={201: ImportOut})
@api_view(["POST"])
@parser_classes([MultiPartParser])
@throttle_classes([allowance("imports")])
def create_import(request: Request, slug: str) -> Response:
    """Upload a file and queue its import."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    imports.require_open(project)
    asked = checked_whole(uploaded(request), ImportIn)
    if asked["as_gold"]:
        require_role(project, ADMIN)
    upload = asked.pop("file")  # on disk already: the upload handler streamed it there
    job = imports.create_import(
        project,
        by=signed_in(request),
        uploaded=Path(upload.temporary_file_path()),
        file_name=upload.name,
        **asked,
    )
    return answer(ImportOut, job, 201)


@extend_schema(responses=ImportOut)
@api_view(["GET"])
def get_import(request: Request, import_id: int) -> Response:
    """One import with its progress, and its report once there is one."""
    return answer(ImportOut, queries.imports.get_visible_import(signed_in(request), import_id))


@extend_schema(responses=ImportRowsOut)
@api_view(["GET"])
def get_import_rows(request: Request, import_id: int) -> Response:
    """The first rows of a file that was checked or rejected, for mapping its columns. Empty once it is imported."""
    job = queries.imports.get_visible_import(signed_in(request), import_id)
    mapping, suggested_by = queries.imports.suggested_mapping(job)
    rows = queries.imports.head_rows(job)
    columns = columns_of([row for _, row in rows])
    told = {
        "rows": [{"line": line, "row": row} for line, row in rows],
        "columns": [column._asdict() for column in columns],
    }
    return answer(ImportRowsOut, {**told, "suggested": mapping, "suggested_by": suggested_by})


@extend_schema(request=ImportPreviewIn, responses=ImportPreviewOut)
@api_view(["POST"])
def preview_import(request: Request, import_id: int) -> Response:
    """What the first rows would become with a given mapping. Nothing is written."""
    job = queries.imports.get_visible_import(signed_in(request), import_id)
    body = read_body(request, ImportPreviewIn)
    mapping = body.get("mapping")
    read, faults = previewed(job, mapping)
    traces = [told for line, parsed in read if (told := previewed_trace(line, parsed))]
    return answer(ImportPreviewOut, {"traces": traces, "faults": faults})


@extend_schema(request=ImportCheckedIn, responses={201: ImportOut})
@api_view(["POST"])
def import_checked_file(request: Request, import_id: int) -> Response:
    """Import the file of a dry run, or one rejected for its faults, without uploading it again."""
    checked = queries.imports.get_visible_import(signed_in(request), import_id)
    body = read_body(request, ImportCheckedIn)
    if checked.as_gold:
        require_role(get_project_by_id_as(signed_in(request), checked.project_id, RESEARCHER), ADMIN)
    return answer(ImportOut, imports.import_checked_file(checked, by=signed_in(request), **body), 201)


@extend_schema(request=None, responses=ImportOut)
@api_view(["POST"])
def cancel_import(request: Request, import_id: int) -> Response:
    """Cancel an import. Nothing of it is kept."""
    job = queries.imports.get_visible_import(signed_in(request), import_id)
    return answer(ImportOut, imports.cancel_import(job, by=signed_in(request)))
