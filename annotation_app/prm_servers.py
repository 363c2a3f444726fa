"""The servers that hold PRMs, from the setting PRM_SERVERS: only the operator names an address."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from annotation_app.named_settings import is_address, read_named

FAMILIES = ("pooling_server", "generative_judge")


@dataclass(frozen=True, kw_only=True)
class PrmServer:
    """A server whose PRMs admins may connect, by its name. `url` and `options` become the PRM's record (docs/prm.md);
    `models` are those that may be asked for. Workers of the queue gpu read the key from the variable `key_env`.
    """

    url: str
    family: str
    models: tuple[str, ...]
    key_env: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


def read_prm_servers(text: str) -> dict[str, PrmServer]:
    """Return the servers by name. Raises ImproperlyConfigured with the server's name and what to write instead."""
    example = (
        '{"name": {"url": "http://host:8000", "family": "pooling_server", "models": ["Qwen/Qwen2.5-Math-PRM-7B"]}}'
    )
    return read_named("PRM_SERVERS", text, example, _server)


def _server(name: str, record: Any) -> PrmServer:
    known = {one.name for one in fields(PrmServer)}
    if not isinstance(record, Mapping) or {"url", "family", "models"} - set(record) or set(record) - known:
        raise ImproperlyConfigured(
            f"PRM_SERVERS: {name} needs url, family and models, and may have key_env and options."
        )
    if record["family"] not in FAMILIES:
        raise ImproperlyConfigured(f"PRM_SERVERS: the family of {name} must be {' or '.join(FAMILIES)}.")
    models, options = record["models"], record.get("options", {})
    if not isinstance(models, list) or not models or not all(isinstance(one, str) and one for one in models):
        raise ImproperlyConfigured(f"PRM_SERVERS: models of {name} must be a list of the names that the server uses.")
    if not isinstance(options, Mapping) or not isinstance(record.get("key_env", ""), str):
        raise ImproperlyConfigured(
            f"PRM_SERVERS: options of {name} must be an object and key_env the name of a variable."
        )
    if not is_address(record["url"], with_path=True):
        raise ImproperlyConfigured(
            f"PRM_SERVERS: the url of {name} must be http(s)://host[:port]/path and nothing else."
        )
    return PrmServer(**{**record, "models": tuple(models)})
