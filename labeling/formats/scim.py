"""SCIM 2.0 (RFC 7643, 7644): users as identity providers write them. Covers only the parts that Stepmark supports."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from labeling.formats.names import one_line
from labeling.formats.user_names import USER_NAME

USER = "urn:ietf:params:scim:schemas:core:2.0:User"
MESSAGES = "urn:ietf:params:scim:api:messages:2.0:"
LIST, PATCH, ERROR = f"{MESSAGES}ListResponse", f"{MESSAGES}PatchOp", f"{MESSAGES}Error"
COMPARED = r'\s*([a-z]+)(?:\.value)?\s+eq\s+"((?:[^"\\]|\\.)*)"\s*'
FILTER = re.compile(rf"{COMPARED}(?:\sand\s{COMPARED})?", re.IGNORECASE)
PATH = re.compile(r"[a-z][\w$-]*(?:\[[^\]]*\])?(?:\.[\w$-]+)?|urn:[\w:.-]+", re.IGNORECASE)
ADDRESS = re.compile(r"[^@\s]+@[^@\s]+")


class ScimFault(Exception):
    """An error as RFC 7644 defines it. `kind` is its scimType."""

    def __init__(self, status: int, detail: str, kind: str = "") -> None:
        super().__init__(detail)
        self.status, self.detail, self.kind = status, detail, kind

    def as_json(self) -> dict[str, Any]:
        """Return the error as the standard writes it, with the status as text."""
        named = {"scimType": self.kind} if self.kind else {}
        return {"schemas": [ERROR], "status": str(self.status), "detail": self.detail, **named}


@dataclass(frozen=True)
class ScimUser:
    """The attributes of a user that are stored."""

    user_name: str
    external_id: str = ""
    display_name: str = ""
    email: str = ""
    active: bool = True


def read_user(body: Any) -> ScimUser:
    """Read a whole user (POST, PUT). Raises ScimFault."""
    given = folded(body)
    if USER.lower() not in [str(one).lower() for one in as_list(given.get("schemas"))]:
        raise ScimFault(400, f"schemas must include {USER}.", "invalidSyntax")
    name = given.get("name")
    parts = folded(name) if isinstance(name, Mapping) else {}
    formatted = parts.get("formatted") or " ".join(
        as_text(parts[part]) for part in ("givenname", "familyname") if parts.get(part)
    )
    return ScimUser(
        user_name=_user_name(given.get("username")),
        external_id=as_text(given.get("externalid"), 200),
        display_name=one_line(as_text(given.get("displayname") or formatted, 120)),
        email=_email(given.get("emails")),
        active=_flag(given.get("active", True)),
    )


def patch_user(user: ScimUser, body: Any) -> ScimUser:
    """Return the user after all operations of a PATCH, or none of them. Raises ScimFault."""
    for verb, path, value in read_operations(body):
        user = _set(user, path, None if verb == "remove" else value)
    return user


def read_operations(body: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield (op, path, value) for each attribute that a PATCH touches. An operation without a path names them in its
    value.

    Raises ScimFault.
    """
    given = folded(body)
    operations = given.get("operations")
    if PATCH not in as_list(given.get("schemas")) or not isinstance(operations, list) or not operations:
        raise ScimFault(400, f"A PATCH must name the schema {PATCH} and contain Operations.", "invalidSyntax")
    for operation in operations:
        yield from _touched(folded(operation))


def _touched(operation: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    verb, path, value = str(operation.get("op", "")).lower(), operation.get("path"), operation.get("value")
    if verb not in ("add", "replace", "remove"):
        raise ScimFault(400, "op must be add, replace or remove.", "invalidSyntax")
    if path is None and verb == "remove":
        raise ScimFault(400, "remove needs a path.", "noTarget")
    if path is not None and not isinstance(path, str):
        raise ScimFault(400, "path must be a string.", "invalidPath")
    if path is None:
        yield from ((verb, str(name), one) for name, one in as_mapping(value).items())
    else:
        yield verb, path, value


def _set(user: ScimUser, path: str, value: Any) -> ScimUser:
    """Set one attribute; None removes it. Attributes that are not stored are ignored, as the standard allows."""
    name = path.removeprefix(f"{USER}:").lower()
    if name == "username":
        return replace(user, user_name=_user_name(value))
    if name == "active":
        return replace(user, active=_flag(value))
    if name == "externalid":
        return replace(user, external_id=as_text(value, 200))
    if name in ("displayname", "name.formatted"):
        return replace(user, display_name=one_line(as_text(value, 120)))
    if name.startswith("emails"):
        found = _email(value) if isinstance(value, list | Mapping) or value is None else _email([{"value": value}])
        return replace(user, email=found)
    refuse_unreadable(path)
    return user


def refuse_unreadable(path: str) -> None:
    """Refuse a path that does not name an attribute. Raises ScimFault."""
    if PATH.fullmatch(path) is None:
        raise ScimFault(400, f"The path {path[:80]} cannot be read.", "invalidPath")


def read_filter(text: str, known: Iterable[str]) -> list[tuple[str, str]]:
    """Return (attribute, value) of `userName eq "ada"`, or of two of these joined by `and`. The standard does not
    require more.

    Raises ScimFault.
    """
    found = FILTER.fullmatch(text)
    parts = [part for part in found.groups() if part is not None] if found else []
    pairs = [
        (name.lower(), re.sub(r"\\(.)", r"\1", value)) for name, value in zip(parts[::2], parts[1::2], strict=True)
    ]
    if not pairs or any(name not in known for name, _ in pairs):
        can = f"Supported attributes: {', '.join(sorted(known))}."
        form = 'Filters must have the form id eq "7", or two of these joined by and.'
        raise ScimFault(400, f"{form} {can}", "invalidFilter")
    return pairs


def resource(
    user: ScimUser, number: int, created: str, changed: str, root: str, groups: Mapping[int, str]
) -> dict[str, Any]:
    """Return a user as the standard writes it. `groups`: the names of the user's groups by id."""
    kept = {
        "externalId": user.external_id,
        "displayName": user.display_name,
        "emails": [{"value": user.email, "type": "work", "primary": True}] if user.email else [],
    }
    where = f"{root}/Users/{number}"
    meta = {"resourceType": "User", "created": created, "lastModified": changed, "location": where}
    said = {name: value for name, value in kept.items() if value}
    about: dict[str, Any] = {"userName": user.user_name, **said, "active": user.active}
    if groups:
        about["groups"] = [
            {"value": str(group), "$ref": f"{root}/Groups/{group}", "display": name, "type": "direct"}
            for group, name in sorted(groups.items())
        ]
    return {"schemas": [USER], "id": str(number), **about, "meta": meta}


def narrowed(whole: dict[str, Any], wanted: str, unwanted: str) -> dict[str, Any]:
    """Return only the wanted attributes, or all but the unwanted ones; `schemas` and `id` are always included."""
    asked, left = ({one.strip().lower().split(".")[0] for one in text.split(",")} - {""} for text in (wanted, unwanted))

    def told(name: str) -> bool:
        return name in ("schemas", "id") or (name.lower() in asked if asked else name.lower() not in left)

    return {name: value for name, value in whole.items() if told(name)}


def listed(resources: list[dict[str, Any]], total: int, start: int) -> dict[str, Any]:
    """Return one page of resources."""
    counts = {"totalResults": total, "startIndex": start, "itemsPerPage": len(resources)}
    return {"schemas": [LIST], **counts, "Resources": resources}


def as_mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ScimFault(400, "An object is required here.", "invalidSyntax")
    return value


def folded(value: Any) -> dict[str, Any]:
    """Return the object with its names in lower case: names of attributes are case-insensitive."""
    return {str(name).lower(): one for name, one in as_mapping(value).items()}


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def as_text(value: Any, most: int = 150) -> str:
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > most or "\0" in value:
        raise ScimFault(400, f"A string of at most {most} characters is required.", "invalidValue")
    return value.strip()


def _user_name(value: Any) -> str:
    if not isinstance(value, str) or not USER_NAME.fullmatch(value):
        raise ScimFault(400, "userName is required: letters, digits and . _ - + @, 150 at most.", "invalidValue")
    return value


def _flag(value: Any) -> bool:
    """Return a boolean. Entra sends the words True and False."""
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if not isinstance(value, bool):
        raise ScimFault(400, "active must be true or false.", "invalidValue")
    return value


def _email(value: Any) -> str:
    """Return the primary address, else the first one."""
    found = [folded(one) for one in (value if isinstance(value, list) else [value]) if isinstance(one, Mapping)]
    first = next((one for one in found if one.get("primary") is True), found[0] if found else {})
    address = as_text(first.get("value"), 254)
    if address and not ADDRESS.fullmatch(address):
        raise ScimFault(400, "This is not an e-mail address.", "invalidValue")
    return address
