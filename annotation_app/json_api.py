"""JSON in and out of the API with orjson: strict (no NaN, no Infinity, valid UTF-8), fast, and never cached."""

from collections.abc import Callable
from typing import Any

import orjson
from django.http import HttpRequest, HttpResponseBase
from rest_framework import status
from rest_framework.exceptions import APIException, ParseError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import JSONRenderer

PLAIN_ACCEPTS = ("*/*", "application/json")


class JSONAlways(DefaultContentNegotiation):
    """Negotiation with a single renderer: an Accept header is parsed only if it may refuse that one."""

    def select_renderer(self, request: Any, renderers: Any, format_suffix: Any = None) -> Any:
        """Return the renderer and its media type. Raises NotAcceptable (406)."""
        plain = request.META.get("HTTP_ACCEPT", "*/*") in PLAIN_ACCEPTS and not request.META.get("QUERY_STRING")
        if plain and len(renderers) == 1 and renderers[0].media_type == "application/json":
            return renderers[0], renderers[0].media_type
        return super().select_renderer(request, renderers, format_suffix)


class FastJSONRenderer(JSONRenderer):
    """Writes an answer; what orjson refuses (integers past 64 bits, lazy translations) takes the slow way."""

    def render(self, data: Any, accepted_media_type: Any = None, renderer_context: Any = None) -> bytes:
        """Return the JSON bytes of `data`, empty if there is no answer to write."""
        if data is None:
            return b""
        try:
            return orjson.dumps(data, option=orjson.OPT_UTC_Z | orjson.OPT_NON_STR_KEYS)
        except orjson.JSONEncodeError:
            return super().render(data, accepted_media_type, renderer_context)


def keep_private(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: no browser or proxy keeps what the API answers. It is one person's, and as of now."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if request.path.startswith("/api/"):
            response.headers["Cache-Control"] = "private, no-store"
        return response

    return answer


class SchemaAsOpenApi(FastJSONRenderer):
    """Writes the API's schema for clients that ask for no type, or for this one."""

    media_type = "application/vnd.oai.openapi+json"


class SchemaAsJSON(FastJSONRenderer):
    """Writes the API's schema for clients that ask for JSON."""


MAX_BODY = 8 * 2**20
MAX_STRANGERS_BODY = 64 * 2**10  # from anyone not logged in: a name, a password, a passkey
MAX_BRACKETS = 500_000  # opening: MAX_BODY of empty lists takes 211 MB, and each thread of a web process may read one
MAX_DEPTH = 100  # nested lists and objects: more than any request needs, less than recursion can handle


class BodyTooLarge(APIException):
    """A JSON body larger than allowed; it was not parsed."""

    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_code = "too_large"
    default_detail = f"The request is larger than {MAX_BODY // 2**20} MB. Send less at once."


class FastJSONParser(BaseParser):
    """Reads a body.

    Raises ParseError (400) if it is not valid JSON, is nested beyond MAX_DEPTH, or contains U+0000, which Postgres
    cannot store.
    """

    media_type = "application/json"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        """Return the value in the body; an empty body reads as an empty object."""
        body = stream.read(MAX_BODY + 1)
        if len(body) > MAX_BODY:
            raise BodyTooLarge
        if len(body) > MAX_STRANGERS_BODY and is_of_a_stranger(parser_context):
            raise BodyTooLarge(f"Before you log in a request has at most {MAX_STRANGERS_BODY // 2**10} kB.")
        if not body.strip():
            return {}
        brackets = body.count(b"[") + body.count(b"{")
        if brackets > MAX_BRACKETS:
            raise BodyTooLarge(f"The request holds more than {MAX_BRACKETS:,} lists and objects. Send less at once.")
        try:
            value = orjson.loads(body)
        except orjson.JSONDecodeError as fault:
            raise ParseError(f"The body is not valid JSON: {fault}") from fault
        if brackets > MAX_DEPTH and is_deeper_than(MAX_DEPTH, value):
            raise ParseError(f"The body is nested more than {MAX_DEPTH} deep. Send it flatter.")
        if b"\\u0000" in body and holds_nul(value):  # the only way JSON can spell it
            raise ParseError("The body holds the character U+0000, which cannot be stored. Remove it and try again.")
        return value


def is_of_a_stranger(parser_context: Any) -> bool:
    """Return whether the sender is not logged in: reading takes many times the memory of what was sent."""
    request = (parser_context or {}).get("request")
    return request is not None and not request.user.is_authenticated


def is_deeper_than(most: int, value: Any) -> bool:
    """Return whether lists and objects are nested more than `most` deep."""
    level = [value]
    for _ in range(most):
        level = [one for one in level if isinstance(one, list | dict)]
        level = [inner for one in level for inner in (one.values() if isinstance(one, dict) else one)]
    return any(isinstance(one, list | dict) for one in level)


def holds_nul(value: Any) -> bool:
    """Return whether a text or a key anywhere inside `value` contains U+0000."""
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, dict):
        return any("\0" in key or holds_nul(inner) for key, inner in value.items())
    return isinstance(value, list) and any(map(holds_nul, value))
