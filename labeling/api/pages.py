"""Lists: keyset pages behind signed cursors, and the `{results, next}` shape in the API schema."""

import functools
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from django.core import signing
from django.db.models import Q, QuerySet
from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request

from labeling.errors import BadCursor, InvalidFields

DEFAULT_LIMIT = 50
MAX_LIMIT = 200
MAX_CURSOR = 2000

PAGE_PARAMETERS = [
    OpenApiParameter("cursor", str, description="`next` of the page before."),
    OpenApiParameter(
        "limit",
        {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT},
        description="How many rows at most.",
    ),
]


def page_of(
    request: Request,
    rows: QuerySet[Any],
    order: Sequence[str] = ("-id",),
    shape: Callable[[list[Any]], Iterable[Any]] = list,
) -> dict[str, Any]:
    """One page of `rows` as `{"results": [...], "next": cursor | None}`.

    `order` names non-null columns or annotations, `-` for descending; the last one is unique.
    `shape` turns the page's rows (a list of model rows or dicts) into JSON values.
    Raises BadCursor, InvalidFields (limit).
    """
    limit = _limit(request.query_params.get("limit"))
    cursor = request.query_params.get("cursor")
    salt = f"page:{rows.model._meta.label}:{','.join(order)}"
    if cursor:
        rows = rows.filter(_after(order, _read_cursor(cursor, salt)))
    found = list(rows.order_by(*order)[: limit + 1])
    more = len(found) > limit
    found = found[:limit]
    following = _write_cursor(found[-1], order, salt) if more else None
    return {"results": list(shape(found)), "next": following}


@functools.cache
def paged(item: type[serializers.BaseSerializer]) -> serializers.Serializer:
    """The schema of a page of `item`: component `<Item>Page` with `results` and `next`."""
    name = item.__name__.removesuffix("Serializer").removesuffix("Out")
    return inline_serializer(
        f"{name}Page",
        {"results": item(many=True), "next": serializers.CharField(allow_null=True)},
    )


def _limit(text: str | None) -> int:
    if text is None or text == "":
        return DEFAULT_LIMIT
    if text.isascii() and text.isdigit() and len(text) < 5 and 1 <= int(text) <= MAX_LIMIT:
        return int(text)
    raise InvalidFields(fields={"limit": [f"Give a whole number from 1 to {MAX_LIMIT}."]})


def _after(order: Sequence[str], values: Sequence[Any]) -> Q:
    """Rows that come after `values` in `order`: equal up to some column, then beyond it."""
    after = Q()
    equal = Q()
    for column, value in zip(order, values, strict=True):
        name = column.removeprefix("-")
        beyond = "lt" if column.startswith("-") else "gt"
        after |= equal & Q(**{f"{name}__{beyond}": value})
        equal &= Q(**{name: value})
    return after


def _write_cursor(row: Any, order: Sequence[str], salt: str) -> str:
    values = [_value(row, column.removeprefix("-")) for column in order]
    tagged = [{"time": v.isoformat()} if isinstance(v, datetime) else v for v in values]
    return signing.dumps(tagged, salt=salt)


def _value(row: Any, name: str) -> Any:
    if isinstance(row, dict):
        return row[name]
    return functools.reduce(getattr, name.split("__"), row)


def _read_cursor(cursor: str, salt: str) -> list[Any]:
    if len(cursor) > MAX_CURSOR:
        raise BadCursor
    try:
        tagged = signing.loads(cursor, salt=salt)
    except (signing.BadSignature, ValueError) as fault:
        raise BadCursor from fault
    return [datetime.fromisoformat(v["time"]) if isinstance(v, dict) else v for v in tagged]
