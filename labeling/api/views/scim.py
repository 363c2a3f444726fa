"""SCIM 2.0 Users and Groups under /scim/v2, for an identity provider with SCIM_TOKEN. Not part of the people's API."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import orjson
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.csrf import csrf_exempt

from labeling.actions.provisioned_groups import change_group, create_group, delete_group
from labeling.actions.provisioning import as_scim, change_provisioned, create_provisioned, delete_provisioned
from labeling.formats.scim import ScimFault, listed, patch_user, read_filter, read_user, resource
from labeling.formats.scim_groups import ScimGroup, group_resource, patch_group, read_group
from labeling.formats.scim_queries import Asked, read_parameters, read_search
from labeling.formats.scim_server import MOST, described
from labeling.queries.sign_in import (
    GROUPS_BY,
    PEOPLE_BY,
    governed_person,
    groups_to_tell,
    members_of,
    names_of_groups,
    people_to_tell,
    provisioned_group,
)

Pairs = list[tuple[str, str]]
Handler = Callable[..., HttpResponse]


def _say(what: dict[str, Any] | None, status: int = 200) -> HttpResponse:
    body = b"" if what is None else orjson.dumps(what)
    response = HttpResponse(
        body, status=status, content_type="application/scim+json", headers={"Cache-Control": "no-store"}
    )
    if status == 201 and what is not None:
        response["Location"] = what["meta"]["location"]
    return response


def guarded(handler: Handler) -> Handler:
    """Answers 404 if the settings have no token and 401 if the request has none. Faults have the standard's format."""

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
        raise ScimFault(401, "Send SCIM_TOKEN as a bearer token.")


def _body(request: HttpRequest) -> Any:
    try:
        return orjson.loads(request.body)
    except orjson.JSONDecodeError as fault:
        raise ScimFault(400, "The body is not JSON.", "invalidSyntax") from fault


def _refuse_method() -> ScimFault:
    return ScimFault(405, "This address does not support this method.")


def _root(request: HttpRequest) -> str:
    return request.build_absolute_uri("/scim/v2")


def _asked(request: HttpRequest) -> Asked:
    return read_parameters({name: str(value) for name, value in request.GET.items()}, MOST)


def _person(request: HttpRequest, asked: Asked, person: Any) -> dict[str, Any]:
    kept = getattr(person, "provisioned", None)
    created = person.date_joined.isoformat()
    changed = kept.changed_at.isoformat() if kept else created
    names = names_of_groups(person) if asked.wants("groups") else {}
    return asked.told(resource(as_scim(person), person.pk, created, changed, _root(request), names))


def _group(request: HttpRequest, asked: Asked, group: Any) -> dict[str, Any]:
    members = members_of(group) if asked.wants("members") else frozenset()
    about = ScimGroup(group.display_name, group.external_id, members)
    created, changed = group.created_at.isoformat(), group.changed_at.isoformat()
    return asked.told(group_resource(about, group.pk, created, changed, _root(request)))


@dataclass(frozen=True)
class Kind:
    """One of the two stored types: what a filter may name, how to find the objects, and how to render them."""

    known: Collection[str]
    find: Callable[[Pairs], Any]
    tell: Callable[[HttpRequest, Asked, Any], dict[str, Any]]


PEOPLE = Kind(PEOPLE_BY, people_to_tell, _person)
GROUPS = Kind(GROUPS_BY, groups_to_tell, _group)


def _found(request: HttpRequest, asked: Asked, *kinds: Kind) -> HttpResponse:
    """A page of matches, people before groups. A kind that does not have the filter's attribute has no matches."""
    every = {name for kind in kinds for name in kind.known}
    pairs = read_filter(asked.filter, every) if asked.filter else []
    told: list[dict[str, Any]] = []
    total = 0
    for kind in kinds:
        if any(name not in kind.known for name, _ in pairs):
            continue
        rows = kind.find(pairs)
        first = max(0, asked.start - 1 - total)
        told += [kind.tell(request, asked, row) for row in rows[first : first + asked.count - len(told)]]
        total += rows.count()
    return _say(listed(told, total, asked.start))


@guarded
def users(request: HttpRequest) -> HttpResponse:
    """GET: a page of people, or those matching a filter. POST: create one."""
    if request.method == "POST":
        made = create_provisioned(read_user(_body(request)))
        return _say(_person(request, _asked(request), governed_person(str(made.pk))), 201)
    if request.method != "GET":
        raise _refuse_method()
    return _found(request, _asked(request), PEOPLE)


@guarded
def groups(request: HttpRequest) -> HttpResponse:
    """GET: a page of groups, or those matching a filter. POST: create one."""
    if request.method == "POST":
        return _say(_group(request, _asked(request), create_group(read_group(_body(request)))), 201)
    if request.method != "GET":
        raise _refuse_method()
    return _found(request, _asked(request), GROUPS)


@guarded
def search(request: HttpRequest, kind: str = "") -> HttpResponse:
    """POST: the same as GET, with the query in the body. Without a kind, it searches people and groups."""
    if request.method != "POST":
        raise _refuse_method()
    kinds = {"Users": (PEOPLE,), "Groups": (GROUPS,), "": (PEOPLE, GROUPS)}
    return _found(request, read_search(_body(request), MOST), *kinds[kind])


@guarded
def user(request: HttpRequest, number: str) -> HttpResponse:
    """GET, PUT, PATCH. DELETE switches the account off, since labels depend on it."""
    person = governed_person(number)
    if person is None:
        raise ScimFault(404, "There is no such person.")
    if request.method == "GET":
        return _say(_person(request, _asked(request), person))
    if request.method == "DELETE":
        delete_provisioned(person.pk)
        return _say(None, 204)
    if request.method not in ("PUT", "PATCH"):
        raise _refuse_method()
    body, whole = _body(request), request.method == "PUT"
    change_provisioned(person.pk, lambda now: read_user(body) if whole else patch_user(now, body))
    return _say(_person(request, _asked(request), governed_person(number)))


@guarded
def group(request: HttpRequest, number: str) -> HttpResponse:
    """GET, PUT, PATCH, DELETE. Roles of people who are added or removed change immediately."""
    found = provisioned_group(number)
    if found is None:
        raise ScimFault(404, "There is no such group.")
    if request.method == "GET":
        return _say(_group(request, _asked(request), found))
    if request.method == "DELETE":
        delete_group(found.pk)
        return _say(None, 204)
    if request.method not in ("PUT", "PATCH"):
        raise _refuse_method()
    body, whole = _body(request), request.method == "PUT"
    change_group(found.pk, lambda now: read_group(body) if whole else patch_group(now, body))
    return _say(_group(request, _asked(request), provisioned_group(number)))


@guarded
def about(request: HttpRequest, what: str) -> HttpResponse:
    """The discovery resources that the standard requires of a server. Any other address is unknown."""
    known = described(_root(request))
    if what not in known:
        raise ScimFault(
            404, "There is nothing here but Users, Groups, .search, ServiceProviderConfig, ResourceTypes and Schemas."
        )
    if request.method != "GET":
        raise _refuse_method()
    return _say(known[what])
