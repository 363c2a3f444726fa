"""Makes typed dicts of the client's answers from the OpenAPI schema: the shapes of ROOTS, and those within them.

`python client/make_shapes.py SCHEMA.json client/stepmark/shapes.py`; `make schema` does it.
"""

import json
import keyword
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOTS = (
    "ExportOut",
    "FoundRowOut",
    "ImportOut",
    "IncidentOut",
    "PrmOut",
    "ProjectOut",
    "Refusal",
    "ReleaseCardOut",
    "ReleaseDiffOut",
    "ReleaseOut",
    "ReleasePushOut",
    "ReleaseSummary",
    "RoundOut",
    "ScoreImportOut",
    "TrainingRunOut",
    "WentIntoOut",
)
HEAD = '''"""Shapes of the API's answers, written from its schema (`make schema`): do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict
'''
REFERENCE = "#/components/schemas/"
PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
Json = dict[str, Any]


def make_shapes(document: Json) -> str:
    """Return the module's text."""
    schemas: dict[str, Json] = document["components"]["schemas"]
    names: set[str] = set()
    for root in ROOTS:
        _collect(root, schemas, names)
    parts = [_shape(name, schemas[name]) for name in sorted(names) if _is_object(schemas[name])]
    aliases = [f"{name} = {_type(schemas[name])}" for name in sorted(names) if not _is_object(schemas[name])]
    return "\n\n".join([HEAD + "\n" + "\n".join(aliases), *parts]) + "\n"


def _collect(name: str, schemas: dict[str, Json], names: set[str]) -> None:
    if name not in names:
        names.add(name)
        for other in _references(schemas[name]):
            _collect(other, schemas, names)


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "$ref":
                yield inner.removeprefix(REFERENCE)
            else:
                yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)


def _is_object(schema: Json) -> bool:
    return "properties" in schema


def _shape(name: str, schema: Json) -> str:
    required = set(schema.get("required", []))
    fields = {field: _type(value) for field, value in schema["properties"].items()}
    fields = {field: one if field in required else f"NotRequired[{one}]" for field, one in fields.items()}
    if not any(map(keyword.iskeyword, fields)):
        return "\n".join([f"class {name}(TypedDict):", *(f"    {field}: {one}" for field, one in fields.items())])
    inside = ", ".join(f"{json.dumps(field)}: {json.dumps(one)}" for field, one in fields.items())
    return f'{name} = TypedDict("{name}", {{{inside}}})'


def _type(schema: Json) -> str:
    found = _without_null(schema)
    return f"{found} | None" if schema.get("nullable") and "None" not in found else found


def _without_null(schema: Json) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(REFERENCE)
    for one_of in ("allOf", "oneOf", "anyOf"):
        if one_of in schema:
            return " | ".join(_type(inner) for inner in schema[one_of])
    if "enum" in schema:
        return _literal(schema["enum"])
    kind = schema.get("type")
    if kind == "array":
        return f"list[{_type(schema['items'])}]"
    if kind == "object":
        return f"dict[str, {_values(schema.get('additionalProperties'))}]"
    return PLAIN.get(str(kind), "Any")


def _literal(values: list[Any]) -> str:
    return f"Literal[{', '.join('None' if value is None else repr(value) for value in values)}]"


def _values(schema: Any) -> str:
    return _type(schema) if isinstance(schema, dict) and schema else "Any"


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(make_shapes(json.loads(Path(sys.argv[1]).read_text())))
