"""SCIM 2.0 Users under /scim/v2, for an identity provider with SCIM_TOKEN; no part of the API for people."""

from collections.abc import Callable
from typing import Any

import orjson
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.csrf import csrf_exempt

from labeling.actions.provisioning import as_scim, change_provisioned, create_provisioned, delete_provisioned
from labeling.formats.scim import (
    USER,
    USER_SCHEMA,
    ScimFault,
    ScimUser,
    listed,
    narrowed,
    patch_user,
    read_filter,
    read_user,
    resource,
)
from labeling.queries.sign_in import governed_people, governed_person

MOST = 200
Handler = Callable[..., HttpResponse]
CONFIG = "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"
TYPE = "urn:ietf:params:scim:schemas:core:2.0:ResourceType"
TOKEN_WAY = {
    "type": "oauthbearertoken",
    "name": "OAuth Bearer Token",
    "description": "The token that the operator set (SCIM_TOKEN).",
}


def _say(what: dict[str, Any] | None, status: int = 200) -> HttpResponse:
    body = b"" if what is None else orjson.dumps(what)
    return HttpResponse(
        body, status=status, content_type="application/scim+json", headers={"Cache-Control": "no-store"}
    )


def guarded(handler: Handler) -> Handler:
    """404 without a token in the settings, 401 without it in the request; faults as the standard writes them."""

    @csrf_exempt
    def answer(request: HttpRequest, **about: Any) -> HttpResponse:
        try:
            _check_token(request)
            return handler(request, **about)
        except ScimFault as fault:
            response = _say(fault.as_json(), fault.status)
            if fault.status == 401:
                response["WWW-Authenticate"] = "Bearer"
            return response

    return answer


def _check_token(request: HttpRequest) -> None:
    if not settings.SCIM_TOKEN:
        raise ScimFault(404, "SCIM is off here (SCIM_TOKEN).")
    words = request.headers.get("Authorization", "").split(" ", 1)
    if words[0].lower() != "bearer" or not constant_time_compare(words[-1].strip(), settings.SCIM_TOKEN):
        raise ScimFault(401, "Bring SCIM_TOKEN as a bearer token.")


def _body(request: HttpRequest) -> Any:
    try:
        return orjson.loads(request.body)
    except orjson.JSONDecodeError as fault:
        raise ScimFault(400, "The body is no JSON.", "invalidSyntax") from fault


def _refuse_method() -> ScimFault:
    return ScimFault(405, "This method is not for this address.")


def _resource(request: HttpRequest, person: Any) -> dict[str, Any]:
    kept = getattr(person, "provisioned", None)
    created = person.date_joined.isoformat()
    changed = kept.changed_at.isoformat() if kept else created
    where = request.build_absolute_uri(f"/scim/v2/Users/{person.pk}")
    whole = resource(as_scim(person), person.pk, created, changed, where)
    return narrowed(whole, request.GET.get("attributes", ""), request.GET.get("excludedAttributes", ""))


@guarded
def users(request: HttpRequest) -> HttpResponse:
    """GET: a page of people, or those whom a filter finds. POST: a new one."""
    if request.method == "POST":
        made = _resource(request, create_provisioned(read_user(_body(request))))
        response = _say(made, 201)
        response["Location"] = made["meta"]["location"]
        return response
    if request.method != "GET":
        raise _refuse_method()
    found = governed_people(*read_filter(request.GET["filter"])) if request.GET.get("filter") else governed_people()
    start, count = max(1, _number(request, "startIndex", 1)), max(0, min(MOST, _number(request, "count", 100)))
    page = list(found.order_by("pk")[start - 1 : start - 1 + count])
    return _say(listed([_resource(request, person) for person in page], found.count(), start))


def _number(request: HttpRequest, name: str, default: int) -> int:
    text = request.GET.get(name, str(default))
    if not text.lstrip("-").isascii() or not text.lstrip("-").isdigit() or len(text) > 9:
        raise ScimFault(400, f"{name} is a whole number.", "invalidValue")
    return int(text)


@guarded
def user(request: HttpRequest, number: str) -> HttpResponse:
    """GET, PUT, PATCH; DELETE switches the account off, since labels stand on it."""
    person = governed_person(number)
    if person is None:
        raise ScimFault(404, "There is no such person.")
    if request.method == "GET":
        return _say(_resource(request, person))
    if request.method == "DELETE":
        delete_provisioned(person.pk, as_scim(person))
        return _say(None, 204)
    change_provisioned(person.pk, _wanted(request, as_scim(person)))
    return _say(_resource(request, governed_person(number)))


def _wanted(request: HttpRequest, now: ScimUser) -> ScimUser:
    if request.method == "PUT":
        return read_user(_body(request))
    if request.method == "PATCH":
        return patch_user(now, _body(request))
    raise _refuse_method()


@guarded
def about(request: HttpRequest, what: str) -> HttpResponse:
    """What the standard lets a client ask of the server itself; anything else there is not."""
    root = request.build_absolute_uri("/scim/v2")
    off = {"supported": False}
    config = {
        "schemas": [CONFIG],
        "patch": {"supported": True},
        "bulk": {**off, "maxOperations": 0, "maxPayloadSize": 0},
        "filter": {"supported": True, "maxResults": MOST},
        "changePassword": off,
        "sort": off,
        "etag": off,
        "authenticationSchemes": [TOKEN_WAY],
        "meta": {"resourceType": "ServiceProviderConfig", "location": f"{root}/ServiceProviderConfig"},
    }
    kind = {
        "schemas": [TYPE],
        "id": "User",
        "name": "User",
        "endpoint": "/Users",
        "schema": USER,
        "meta": {"resourceType": "ResourceType", "location": f"{root}/ResourceTypes/User"},
    }
    known: dict[str, dict[str, Any]] = {
        "ServiceProviderConfig": config,
        "ResourceTypes": listed([kind], 1, 1),
        "ResourceTypes/User": kind,
        "Schemas": listed([USER_SCHEMA], 1, 1),
        f"Schemas/{USER}": USER_SCHEMA,
    }
    if what not in known:
        raise ScimFault(404, "There is nothing here but Users, ServiceProviderConfig, ResourceTypes and Schemas.")
    if request.method != "GET":
        raise _refuse_method()
    return _say(known[what])
