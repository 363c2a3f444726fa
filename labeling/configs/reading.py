"""Conversion of JSON objects to frozen dataclasses and back, by the dataclass's own types. Pure.

An unknown key, a missing required key and a value of the wrong type are faults; each is reported with its place. A
field with a default may be missing: rows written by older versions lack fields that were added later.
"""

import dataclasses
from collections.abc import Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

Config = TypeVar("Config")
Json = dict[str, Any]


class ConfigFault(ValueError):
    """A stored config that this version cannot read; the text begins with the place: `config.generate.n: …`."""


def read_config(kind: type[Config], value: object, place: str = "config") -> Config:
    """Read a JSON object as this dataclass. Raises ConfigFault."""
    if not isinstance(value, Mapping):
        raise ConfigFault(f"{place}: an object is expected, not {type(value).__name__}.")
    types = _types_of(kind)  # type: ignore[arg-type]  # a class can be hashed
    fields = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]  # a dataclass
    if unknown := sorted(set(value) - set(fields)):
        raise ConfigFault(f"{place}.{unknown[0]}: there is no such setting. The settings are: {', '.join(fields)}.")
    if missing := [name for name, field in fields.items() if name not in value and not _has_default(field)]:
        raise ConfigFault(f"{place}.{missing[0]}: is missing.")
    return kind(**{name: _read(types[name], one, f"{place}.{name}") for name, one in value.items()})


def write_config(config: object) -> Json:
    """Return the dataclass as a JSON object with every key."""
    return {
        field.name: _written(getattr(config, field.name))
        for field in dataclasses.fields(config)  # type: ignore[arg-type]  # a dataclass
    }


def _written(value: object) -> Any:
    as_json = getattr(value, "as_json", None)
    if as_json is not None:
        return as_json()
    if dataclasses.is_dataclass(value):
        return write_config(value)
    return list(value) if isinstance(value, tuple) else value


@cache
def _types_of(kind: type) -> dict[str, Any]:
    """Return each field's type. Cached, because the config of a label's round is read with each request."""
    return get_type_hints(kind)


def _has_default(field: dataclasses.Field[Any]) -> bool:
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING


def _read(kind: Any, value: object, place: str) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (UnionType, Union):  # a type or None
        if value is None and NoneType in inner:
            return None
        (kind,) = (one for one in inner if one is not NoneType)
        return _read(kind, value, place)
    if origin is Literal:
        if value not in inner:
            raise ConfigFault(f"{place}: one of {', '.join(map(str, inner))} is expected, not {value!r}.")
        return value
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise ConfigFault(f"{place}: a list is expected, not {type(value).__name__}.")
        return tuple(_read(inner[0], one, f"{place}[{at}]") for at, one in enumerate(value))
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return read_config(kind, value, place)
    expected = (int, float) if kind is float else kind
    if not isinstance(value, expected) or (isinstance(value, bool) and kind is not bool):
        raise ConfigFault(f"{place}: {kind.__name__} is expected, not {type(value).__name__}.")
    return value
