"""Who is asking, and what they sent."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any

from rest_framework.exceptions import NotAuthenticated, ValidationError
from rest_framework.fields import Field
from rest_framework.request import Request
from rest_framework.serializers import ListSerializer, Serializer

from labeling.api.parameters import AND_MORE, LONGEST_NAMED, MOST_NAMED, cut
from labeling.models import User


def signed_in(request: Request) -> User:
    """The person behind the request. The default permission requires one; this makes it explicit for readers."""
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user


def in_browser(request: Request) -> bool:
    """Whether a page sent the request. A program sends a token, which no other server may see."""
    return request.auth is None


def read_body(request: Request, shape: type[Serializer]) -> dict[str, Any]:
    """The request's body, checked by the serializer `shape`. Raises ValidationError."""
    return checked_whole(request.data, shape)


def checked_whole(body: Any, shape: type[Serializer]) -> dict[str, Any]:
    """Like `checked`, but also refuses keys that `shape` has no field for: a misspelt filter would filter nothing.

    A serializer with `of_any_version` ignores unknown keys, because its requests may come from a page of another
    version, or from a browser that adds keys of its own.
    """
    asked = checked(body, shape)
    if faults := unknown_fields(_checker(shape), body):
        raise ValidationError(faults)
    return asked


def checked(body: Any, shape: type[Serializer]) -> dict[str, Any]:
    """Like `shape(data=body).is_valid(raise_exception=True)`, but with one serializer for all requests: checking does
    not change it, and making a new one would copy every declared field. Raises ValidationError."""
    if body is None:
        raise ValidationError({"non_field_errors": ["No data provided"]})
    return _checker(shape).run_validation(body)


def unknown_fields(field: Field, data: Any) -> dict[str, Any]:
    """A fault for each key of `data`, at any depth, without a field. None for serializers that accept any key."""
    if isinstance(field, ListSerializer) and field.child is not None:
        found = {str(place): unknown_fields(field.child, one) for place, one in enumerate(data or ())}
        return {place: faults for place, faults in found.items() if faults}
    if not isinstance(field, Serializer) or not isinstance(data, Mapping) or getattr(field, "of_any_version", False):
        return {}
    fields = field.fields
    unknown = [str(key) for key in data if key not in fields]
    faults: dict[str, Any] = {cut(key): [_no_such(key, fields)] for key in unknown[:MOST_NAMED]}
    if len(unknown) > MOST_NAMED:
        faults[AND_MORE] = [f"There are {len(unknown):,} such keys. The first {MOST_NAMED} are listed."]
    for name in data.keys() & fields.keys():
        if inner := unknown_fields(fields[name], data[name]):
            faults[name] = inner
    return faults


def _no_such(key: str, fields: Iterable[str]) -> str:
    close = get_close_matches(key, list(fields), 1) if len(key) <= LONGEST_NAMED else []
    return f"There is no such field.{f' Did you mean {close[0]}?' if close else ''}"


@cache
def _checker(shape: type[Serializer]) -> Serializer:
    checker = shape()
    checker.fields  # noqa: B018  # created on first access: do it here, before two threads do
    return checker
