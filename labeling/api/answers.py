"""Answers are rendered by the serializer that also describes them in the API's schema: one declaration for both."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from django.http import FileResponse, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from rest_framework.response import Response
from rest_framework.serializers import Serializer


class Shape(Serializer):
    """A serializer of answers. Fields that a row does not have are computed by `<field>_of(row)`."""

    def get_fields(self) -> dict[str, Any]:
        """The declared fields. Each reads the row's attribute, or calls its own method."""
        fields = super().get_fields()
        for name, field in fields.items():
            worked_out = getattr(self, f"{name}_of", None)
            if worked_out is not None:
                field.get_attribute = worked_out  # type: ignore[method-assign]  # of this copy of the field alone
        return fields


class With:
    """A `row` with further values that belong to it: `With(round_, counts=...).counts`."""

    def __init__(self, row: Any, **beside: Any) -> None:
        self.__dict__.update(beside, row=row)

    def __getattr__(self, name: str) -> Any:
        """The row's own attribute. Raises AttributeError."""
        return getattr(self.__dict__["row"], name)


Row = TypeVar("Row")


def chunks_of(rows: Iterable[Row], size: int) -> Iterator[list[Row]]:
    """The same rows in chunks of `size`, so that related data can be read once per chunk."""
    remaining = iter(rows)
    while some := list(islice(remaining, size)):
        yield some


def answer(shape: type[Serializer], value: Any, status: int = 200) -> Response:
    """`value` (a row, or a dict of what `shape` names) as `shape` declares it."""
    return Response(rendered(shape, value), status=status)


REST = re.compile(r"bytes=([0-9]{1,15})-")


def file_of(*content_types: str) -> dict[tuple[int, str], OpenApiTypes]:
    """The schema of `handed_out`: the file, the rest of it, or (with a bucket) a redirect to it."""
    own = {(status, kind): OpenApiTypes.BINARY for status in (200, 206) for kind in content_types}
    return own | {(302, "text/plain"): OpenApiTypes.BINARY}


def attachment(file: object, name: str, content_type: str) -> FileResponse:
    """A file that browsers save and never show."""
    response = FileResponse(file, as_attachment=True, filename=name, content_type=content_type)
    response["X-Content-Type-Options"] = "nosniff"
    return response


def picture(data: bytes, content_type: str) -> HttpResponse:
    """A picture from an import, unchanged. A browser may draw it, and nothing else."""
    response = HttpResponse(data, content_type=content_type)
    response["Content-Disposition"] = "attachment"  # an address typed in the browser saves it; a page draws it
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["Cache-Control"] = "private, max-age=86400, immutable"
    return response


def handed_out(
    found: Path | str, name: str, content_type: str, *, tag: str, asked: Mapping[str, str]
) -> HttpResponseBase:
    """A finished file, or a redirect to it.

    `tag` identifies its bytes. The headers `asked` may name the first byte that is wanted (`Range: bytes=1024-`).
    """
    if isinstance(found, str):
        return HttpResponseRedirect(found, content_type="text/plain")
    file = found.open("rb")
    size = os.fstat(file.fileno()).st_size
    start = _start(asked, f'"{tag}"', size)
    file.seek(start)
    response = attachment(file, name, content_type)
    response["ETag"], response["Accept-Ranges"] = f'"{tag}"', "bytes"
    if start:
        response.status_code, response["Content-Range"] = 206, f"bytes {start}-{size - 1}/{size}"
    return response


def _start(asked: Mapping[str, str], tag: str, size: int) -> int:
    """The first byte to send. Any range but the rest of this file gets the whole file, as HTTP allows."""
    rest = REST.fullmatch(asked.get("Range", ""))
    if rest is None or asked.get("If-Range", tag) != tag:
        return 0
    return int(rest[1]) if int(rest[1]) < size else 0


def rendered(shape: type[Serializer], value: Any) -> dict[str, Any]:
    """Like `shape(value).data`, but with one serializer for all answers: a new one would copy every declared field."""
    return _renderer(shape).to_representation(value)


@cache
def _renderer(shape: type[Serializer]) -> Serializer:
    return shape()
