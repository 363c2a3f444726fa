"""One shape for every refusal, {"code", "detail", …}, with a sentence that says what to do about it."""

import logging
import sys
from typing import Any

from django.conf import settings
from django.core.exceptions import (
    DisallowedHost,
    PermissionDenied,
    RequestDataTooBig,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.views import defaults
from kombu.exceptions import OperationalError as BrokerError
from psycopg.errors import QueryCanceled
from redis.exceptions import RedisError
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import exception_handler

from annotation_app.request_ids import current_request_id
from annotation_app.server.bodies import TooSlow
from labeling.actions.job_faults import is_full_disk
from labeling.errors import DiskFull, LabelingError

logger = logging.getLogger(__name__)
UNAVAILABLE = {
    "code": "unavailable",
    "detail": "The database does not answer just now. Nothing is half-written. Try again in a few seconds.",
}
TOO_LONG = {
    "code": "took_too_long",
    "detail": "The database took longer than a page may wait, and stopped. Nothing was changed. Ask for less at once:"
    " one round, fewer filters, a shorter time. If you need all rows, make an export.",
}
BROKER_AWAY = {
    "code": "unavailable",
    "detail": "Valkey does not answer just now, and this cannot be done without it. Try again in a few seconds.",
}
SERVER_ERROR = (
    "The server failed. Your work is kept on this machine. Try again; if it keeps failing, tell the operator."
)
TRY_AGAIN = {"Retry-After": "5"}
CANNOT_BE_READ = "The request cannot be read. Check how it is made, and send it again."
REFUSED = {
    DisallowedHost: "This site does not answer to that host name. Its names are those in ALLOWED_HOSTS.",
    TooManyFieldsSent: f"There are more than {settings.DATA_UPLOAD_MAX_NUMBER_FIELDS:,} fields. Send fewer at once.",
    TooManyFilesSent: f"There are more than {settings.DATA_UPLOAD_MAX_NUMBER_FILES:,} files. Send one at a time.",
    RequestDataTooBig: "The request's fields are larger than 8 MB. Send less at once.",
}
NOT_FOUND = {"code": "not_found", "detail": "There is no such thing here, or it is not yours to see."}


def answer_for(fault: Exception, context: dict[str, Any]) -> Response | None:
    """Return the answer for a refusal raised in a view; None lets anything unexpected become a 500."""
    if is_full_disk(fault):
        logger.error("%s: %s", context["request"].path, fault)
        fault = DiskFull()
    if isinstance(fault, OperationalError | InterfaceError):
        logger.warning("%s: the database did not answer: %s", context["request"].path, fault)
        return Response(named(database_fault(fault)), status=503, headers=TRY_AGAIN)
    if isinstance(fault, RedisError | BrokerError):
        logger.warning("%s: Valkey did not answer: %s", context["request"].path, fault)
        return Response(named(BROKER_AWAY), status=503, headers=TRY_AGAIN)
    if isinstance(fault, UnreadablePostError):
        return too_slow(context["request"])
    if isinstance(fault, LabelingError):
        later = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
        body = {"code": fault.code, "detail": str(fault), **fault.extra}
        return Response(body, status=fault.status, headers=later)
    response = exception_handler(fault, context)
    if response is not None:
        response.data = body_for(fault, response.data)
    return response


def database_fault(fault: BaseException) -> dict[str, Any]:
    """Return the body for a database that gave no answer: whether it was away, or worked for too long."""
    return TOO_LONG if isinstance(fault.__cause__, QueryCanceled) else UNAVAILABLE


def too_slow(request: Request) -> Response:
    """Return 408 for a file that stopped arriving. What was stored of it is removed now, not at garbage collection."""
    for handler in request._request.upload_handlers:
        handler.upload_interrupted()
    return Response({"code": TooSlow.code, "detail": TooSlow.detail}, status=TooSlow.status)


def body_for(fault: Exception, data: Any) -> dict[str, Any]:
    """Return the body of a refusal by Django or the REST framework, in our shape."""
    if isinstance(fault, Http404 | exceptions.NotFound):
        return NOT_FOUND
    if isinstance(fault, exceptions.ValidationError):
        fields = data if isinstance(data, dict) else {"non_field_errors": data}
        first = next(iter(fields))
        return {"code": "invalid", "detail": f"{first}: {first_sentence(fields[first])}", "fields": fields}
    if isinstance(fault, exceptions.NotAuthenticated | exceptions.AuthenticationFailed):
        return {"code": "not_authenticated", "detail": str(fault.detail)}
    if isinstance(fault, PermissionDenied | exceptions.PermissionDenied):
        return {"code": "permission_denied", "detail": str(data["detail"])}
    code = "invalid" if isinstance(fault, exceptions.ParseError) else fault.default_code  # type: ignore[attr-defined]
    return {"code": code, "detail": str(data["detail"])}


def first_sentence(value: Any) -> str:
    """Return the first text inside a serializer's nested answer."""
    while isinstance(value, dict | list) and value:
        value = next(iter(value.values())) if isinstance(value, dict) else next((v for v in value if v), "")
    return str(value)


def not_found(request: HttpRequest, exception: Exception) -> JsonResponse:
    """Return 404 for an address without a view."""
    return JsonResponse(NOT_FOUND, status=404)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return 400 for what Django refuses before a view sees it: in our shape for the API, as a page for people."""
    if not request.path.startswith("/api/"):
        return defaults.bad_request(request, exception)
    detail = next((said for kind, said in REFUSED.items() if isinstance(exception, kind)), CANNOT_BE_READ)
    return JsonResponse({"code": "invalid", "detail": detail}, status=400)


def server_error(request: HttpRequest) -> JsonResponse:
    """Return 500; the traceback is in the log, never in the answer. Return 503 if the database is away."""
    fault = sys.exc_info()[1]
    if isinstance(fault, OperationalError | InterfaceError):
        return JsonResponse(named(database_fault(fault)), status=503, headers=TRY_AGAIN)
    return JsonResponse(named({"code": "server_error", "detail": SERVER_ERROR}), status=500)


def named(body: dict[str, Any]) -> dict[str, Any]:
    """Add the request's id to the body of a server fault, so that the operator finds it in the log."""
    return {**body, "request_id": current_request_id()}
