"""Lists: keyset pages with signed cursors, and the `{results, next}` shape in the API schema."""

import functools
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from django.core import signing
from django.db.models import Q, QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from labeling.api.answers import answer
from labeling.api.parameters import refuse_unknown_parameters
from labeling.errors import BadCursor, InvalidFields

DEFAULT_LIMIT = 50
MAX_LIMIT = 200
MAX_CURSOR = 2000
LOOKED_AT = 2_000  # rows read per page when a list is filtered without an index

PAGE_PARAMETERS = [
    OpenApiParameter("cursor", str, description="`next` of the previous page."),
    OpenApiParameter(
        "limit",
        {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT},
        description="Maximum number of rows.",
    ),
]


def page_of(
    request: Request,
    rows: QuerySet[Any],
    shape: type[serializers.Serializer],
    *,
    order: Sequence[str] = ("-id",),
    prepared: Callable[[list[Any]], Iterable[Any]] = list,
    narrowed: Callable[[QuerySet[Any]], QuerySet[Any]] | None = None,
) -> Response:
    """One page of `rows`, each rendered by `shape`: `{"results": [...], "next": cursor | None}`.

    `order` names non-null columns or annotations, `-` for descending; the last one is unique.
    `prepared` adds to the page's rows, all at once, whatever else `shape` reads (labeling.api.answers.With).
    `narrowed` filters rows by something that has no index. It looks only at the next LOOKED_AT rows of the usual
    order, so a page with few rows or none may still have a `next`.
    Raises BadCursor, InvalidFields (limit), or ValidationError for a parameter that the view does not have.
    """
    refuse_unknown_parameters(request)
    limit = _limit(request.query_params.get("limit"))
    cursor = request.query_params.get("cursor")
    salt = f"page:{rows.model._meta.label}:{','.join(order)}"
    if cursor:
        rows = rows.filter(_after(order, _read_cursor(cursor, salt)))
    floor = None
    if narrowed is not None:
        floor = next(iter(rows.order_by("-id").values_list("id")[LOOKED_AT - 1 : LOOKED_AT]), None)
        rows = narrowed(rows if floor is None else rows.filter(id__gte=floor[0]))
    found = list(rows.order_by(*order)[: limit + 1])
    more = len(found) > limit
    found = found[:limit]
    following = None if floor is None else signing.dumps([*floor], salt=salt)
    if more:
        following = _write_cursor(found[-1], order, salt)
    return answer(paged(shape), {"results": prepared(found), "next": following})


@functools.cache
def paged(item: type[serializers.Serializer]) -> type[serializers.Serializer]:
    """The schema of a page of `item`: component `<Item>Page` with `results` and `next`."""
    name = item.__name__.removesuffix("Serializer").removesuffix("Out")
    fields = {"results": item(many=True), "next": serializers.CharField(allow_null=True)}
    return type(f"{name}PageSerializer", (serializers.Serializer,), fields)


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
