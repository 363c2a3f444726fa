"""SCIM 2.0 groups as identity providers write them: a name, the provider's own id for it, and users."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from labeling.formats.scim import ScimFault, as_list, as_text, folded, read_operations, refuse_unreadable

GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"
ONE_MEMBER = re.compile(r'members\[\s*value\s+eq\s+"([^"]*)"\s*\](?:\.value)?', re.IGNORECASE)
LONGEST_ID = 18  # digits


@dataclass(frozen=True)
class ScimGroup:
    """The attributes of a group that are stored; `members` are ids of users."""

    display_name: str
    external_id: str = ""
    members: frozenset[int] = frozenset()

    @property
    def keys(self) -> frozenset[str]:
        """The values by which roles may name it: some providers' tokens contain names, others contain ids."""
        return frozenset({self.display_name, self.external_id} - {""})


def read_group(body: Any) -> ScimGroup:
    """Read a whole group (POST, PUT). Raises ScimFault."""
    given = folded(body)
    if GROUP.lower() not in [str(one).lower() for one in as_list(given.get("schemas"))]:
        raise ScimFault(400, f"schemas must include {GROUP}.", "invalidSyntax")
    name, external = _name(given.get("displayname")), as_text(given.get("externalid"), 200)
    return ScimGroup(name, external, _people(given.get("members") or []))


def patch_group(group: ScimGroup, body: Any) -> ScimGroup:
    """Return the group after all operations of a PATCH, or none of them. Raises ScimFault."""
    for verb, path, value in read_operations(body):
        group = _changed(group, verb, path, value)
    return group


def _changed(group: ScimGroup, verb: str, path: str, value: Any) -> ScimGroup:
    """Return the group after one operation. Attributes that are not stored are ignored, as the standard allows."""
    path = path.removeprefix(f"{GROUP}:")
    name = path.lower()
    if name == "displayname":
        return replace(group, display_name=_name(None if verb == "remove" else value))
    if name == "externalid":
        return replace(group, external_id=as_text(None if verb == "remove" else value, 200))
    if name == "members":
        return replace(group, members=_members(group.members, verb, value))
    if found := ONE_MEMBER.fullmatch(path):
        if verb != "remove":
            raise ScimFault(400, "Use the path members to add members.", "invalidPath")
        return replace(group, members=group.members - {_number(found[1])})
    if name.startswith("members"):
        raise ScimFault(400, 'Paths into members must have the form members[value eq "7"].', "invalidPath")
    refuse_unreadable(path)
    return group


def _members(now: frozenset[int], verb: str, value: Any) -> frozenset[int]:
    """Return the new members. A removal without a value removes all (RFC 7644, 3.5.2.2). Entra lists those to remove in
    it.
    """
    if verb == "remove" and value is None:
        return frozenset()
    people = _people(value)
    if verb == "replace":
        return people
    return now | people if verb == "add" else now - people


def _people(value: Any) -> frozenset[int]:
    members = value if isinstance(value, list) else [value]
    return frozenset(_person(member) for member in members)


def _person(member: Any) -> int:
    about = folded(member) if isinstance(member, Mapping) else {}
    if str(about.get("type") or "User").lower() != "user":
        raise ScimFault(400, "Members must be users: groups within groups are not supported.", "invalidValue")
    return _number(about.get("value"))


def _number(value: Any) -> int:
    if not isinstance(value, str) or not value.isascii() or not value.isdecimal() or len(value) > LONGEST_ID:
        raise ScimFault(400, "A member's value must be the id of a user.", "invalidValue")
    return int(value)


def _name(value: Any) -> str:
    name = as_text(value, 200)
    if not name:
        raise ScimFault(400, "displayName is required.", "invalidValue")
    return name


def group_resource(group: ScimGroup, number: int, created: str, changed: str, root: str) -> dict[str, Any]:
    """Return a group as the standard writes it."""
    members = [
        {"value": str(person), "$ref": f"{root}/Users/{person}", "type": "User"} for person in sorted(group.members)
    ]
    about: dict[str, Any] = {"externalId": group.external_id, "displayName": group.display_name, "members": members}
    said = {name: value for name, value in about.items() if value}
    where = f"{root}/Groups/{number}"
    meta = {"resourceType": "Group", "created": created, "lastModified": changed, "location": where}
    return {"schemas": [GROUP], "id": str(number), **said, "meta": meta}
