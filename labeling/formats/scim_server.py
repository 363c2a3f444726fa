"""How the SCIM server describes itself: its capabilities, resource types and their attributes."""

from typing import Any

from labeling.formats.scim import USER, listed
from labeling.formats.scim_groups import GROUP

MOST = 200
CORE = "urn:ietf:params:scim:schemas:core:2.0"
CONFIG, TYPE, SCHEMA = f"{CORE}:ServiceProviderConfig", f"{CORE}:ResourceType", f"{CORE}:Schema"
TOKEN_WAY = {
    "type": "oauthbearertoken",
    "name": "OAuth Bearer Token",
    "description": "The token that the operator set (SCIM_TOKEN).",
}


def _attribute(name: str, kind: str, says: str, **more: Any) -> dict[str, Any]:
    usual = {"multiValued": False, "required": False, "caseExact": False, "mutability": "readWrite"}
    usual |= {"returned": "default", "uniqueness": "none"}
    return {"name": name, "type": kind, "description": says, **usual, **more}


def _schema(urn: str, name: str, says: str, attributes: list[dict[str, Any]]) -> dict[str, Any]:
    meta = {"resourceType": "Schema", "location": f"/scim/v2/Schemas/{urn}"}
    return {"id": urn, "name": name, "description": says, "attributes": attributes, "schemas": [SCHEMA], "meta": meta}


EMAIL = [
    _attribute("value", "string", "The address."),
    _attribute("type", "string", "Always work.", canonicalValues=["work"]),
    _attribute("primary", "boolean", "Whether this is the address that Stepmark keeps."),
]
READ = {"mutability": "readOnly"}
IN_GROUP = [
    _attribute("value", "string", "The group's id.", **READ),
    _attribute("$ref", "reference", "Its address.", referenceTypes=["Group"], **READ),
    _attribute("display", "string", "Its name.", **READ),
    _attribute("type", "string", "Always direct.", canonicalValues=["direct"], **READ),
]
ONCE = {"mutability": "immutable"}
MEMBER = [
    _attribute("value", "string", "The person's id.", **ONCE),
    _attribute("$ref", "reference", "Their address.", referenceTypes=["User"], **ONCE),
    _attribute("type", "string", "Always User.", canonicalValues=["User"], **ONCE),
]
USER_SCHEMA = _schema(
    USER,
    "User",
    "A person.",
    [
        _attribute("userName", "string", "The person's user name.", required=True, uniqueness="server"),
        _attribute("displayName", "string", "The name that others see."),
        _attribute("active", "boolean", "Whether the person may sign in."),
        _attribute("emails", "complex", "Stepmark keeps one address.", multiValued=True, subAttributes=EMAIL),
        _attribute("groups", "complex", "The groups of the person.", multiValued=True, subAttributes=IN_GROUP, **READ),
    ],
)
GROUP_SCHEMA = _schema(
    GROUP,
    "Group",
    "People with the roles that the operator assigned to the group's name or externalId.",
    [
        _attribute("displayName", "string", "The group's name.", required=True, uniqueness="server"),
        _attribute("members", "complex", "People.", multiValued=True, subAttributes=MEMBER),
    ],
)


def described(root: str) -> dict[str, dict[str, Any]]:
    """Return everything that the standard lets a client ask about the server itself, by its path under `root`."""
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
    kinds = [_kind(root, "User", USER), _kind(root, "Group", GROUP)]
    schemas = [USER_SCHEMA, GROUP_SCHEMA]
    return {
        "ServiceProviderConfig": config,
        "ResourceTypes": listed(kinds, len(kinds), 1),
        **{f"ResourceTypes/{kind['id']}": kind for kind in kinds},
        "Schemas": listed(schemas, len(schemas), 1),
        **{f"Schemas/{schema['id']}": schema for schema in schemas},
    }


def _kind(root: str, name: str, schema: str) -> dict[str, Any]:
    meta = {"resourceType": "ResourceType", "location": f"{root}/ResourceTypes/{name}"}
    return {"schemas": [TYPE], "id": name, "name": name, "endpoint": f"/{name}s", "schema": schema, "meta": meta}
