"""Checks that the OpenAPI document describes an answer of the API. Tests' browsers and programs check every answer.

Objects are closed here: a property that the document does not name is a fault, so nothing undeclared can leave the
server.
"""

import re
from functools import cache, lru_cache
from typing import Any

import jsonschema_rs
import orjson
from django.http import HttpResponse
from django.urls import Resolver404, resolve

from labeling.api.schema import OneDocument

JSON = "application/json"
SELF = "/api/schema"  # the one address that the document leaves out
PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
REFERENCE = re.compile(r'"#/components/schemas/([^"]+)"')

Json = Any


class Undescribed(AssertionError):
    """A response that the API's document does not describe."""


def check_response(response: Any) -> None:
    """Do `check_answer` for a response of Django's test client. Raises Undescribed."""
    path, method = response.request["PATH_INFO"], response.request["REQUEST_METHOD"]
    template = template_of(path) if path.startswith("/api/") else SELF
    if template != SELF:
        content = response.content if isinstance(response, HttpResponse) else b""
        check_answer(method, template, response.status_code, response.get("Content-Type", ""), content)


def check_answer(method: str, template: str | None, status: int, content_type: str, content: bytes) -> None:
    """Check status, content type and the shape of JSON against the document. Raises Undescribed."""
    kind = content_type.partition(";")[0]
    answers = _answers(method, template, status)
    if kind not in answers:
        raise Undescribed(f"{method} {template} answers {status} {kind}, which the schema does not describe")
    validator = answers[kind]
    if validator is not None:
        body = orjson.loads(content)
        if not validator.is_valid(body):
            faults = "\n".join(f"{fault.instance_path}: {fault.message[:300]}" for fault in validator.iter_errors(body))
            raise Undescribed(f"{method} {template} {status} is not as the schema says:\n{faults}")


def document() -> dict[str, Json]:
    """Return the OpenAPI document that the product serves."""
    return OneDocument().get_schema()


@lru_cache(maxsize=1000)  # fuzzing requests the same addresses a hundred times over
def template_of(path: str) -> str | None:
    """`/api/labels/7` -> `/api/labels/{label_id}`; None for an address without a view."""
    try:
        return "/" + PARAMETER.sub(r"{\1}", resolve(path).route)
    except Resolver404:
        return None


@cache
def _answers(method: str, template: str | None, status: int) -> dict[str, Any]:
    """Return the validator by content type, None if it is not JSON. Empty: no such answer is described."""
    operation = document()["paths"].get(template, {}).get(method.lower(), {"responses": {}})
    found = operation["responses"].get(str(status))
    if found is not None:
        return {kind: _validator(orjson.dumps(body["schema"])) for kind, body in found["content"].items()}
    return {JSON: _validator(orjson.dumps({"$ref": "#/components/schemas/Refusal"}))} if status >= 400 else {}


@cache
def _validator(schema: bytes) -> Any:
    described = orjson.loads(schema)
    if described.get("format") == "binary":
        return None
    whole = {**_closed(described), "components": {"schemas": _shapes_named_by(schema.decode())}}
    return jsonschema_rs.Draft202012Validator(whole, validate_formats=True)


def _shapes_named_by(schema: str) -> Json:
    """Return the shapes that it refers to, and theirs in turn: reading in all shapes for each answer takes seconds."""
    shapes, found = document()["components"]["schemas"], set[str]()
    waiting = set(REFERENCE.findall(schema))
    while waiting:
        found |= waiting
        waiting = {name for one in waiting for name in _names_in(one)} - found
    return {name: _closed(shapes[name]) for name in found}


@cache
def _names_in(shape: str) -> list[str]:
    return REFERENCE.findall(orjson.dumps(document()["components"]["schemas"][shape]).decode())


def _closed(schema: Json) -> Json:
    """Return OpenAPI 3.0 as JSON Schema: `nullable` becomes a type, and objects hold only named properties."""
    if isinstance(schema, list):
        return [_closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    nullable = schema.get("nullable") is True
    parts = {name: _closed(part) for name, part in schema.items() if not (nullable and name == "nullable")}
    if parts.get("type") == "object" and "properties" in parts:
        parts.setdefault("additionalProperties", False)
    return {"anyOf": [parts, {"type": "null"}]} if nullable else parts
