"""The servers that write candidates, from the setting GENERATORS: only the operator names an address or a key."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from annotation_app.named_settings import is_address, read_named


@dataclass(frozen=True, kw_only=True)
class Generator:
    """An OpenAI-compatible server. `/chat/completions` is appended to `url`: https://host/v1.

    Workers read the key from the environment variable `key_env`, or it is in `key`. `models` are those that may be
    asked for; empty means any. `batch` samples are asked for in one request (`n`); `in_flight` requests run at once per
    worker process. `timeout` is in seconds without a sign of life. `stream` has the answer sent as it is written.
    """

    url: str
    key: str = field(default="", repr=False)
    key_env: str = ""
    models: tuple[str, ...] = ()
    batch: int = 8
    in_flight: int = 4
    timeout: float = 120.0
    retries: int = 8
    stream: bool = True


def read_generators(text: str) -> dict[str, Generator]:
    """Return the generators by name. Raises ImproperlyConfigured with the name and what to write instead."""
    return read_named("GENERATORS", text, '{"name": {"url": "https://host/v1"}}', _generator)


def _generator(name: str, record: Any) -> Generator:
    known = {one.name for one in fields(Generator)}
    if not isinstance(record, Mapping) or not isinstance(record.get("url"), str):
        raise ImproperlyConfigured(f'GENERATORS: {name} needs an object with at least "url".')
    if unknown := sorted(set(record) - known):
        raise ImproperlyConfigured(f"GENERATORS: {name} has unknown keys {unknown}. Known: {sorted(known)}.")
    if not is_address(record["url"], with_path=True):
        raise ImproperlyConfigured(
            f"GENERATORS: the url of {name} must be http(s)://host[:port]/path and nothing else."
        )
    if not isinstance(record.get("models", []), list):
        raise ImproperlyConfigured(f"GENERATORS: models of {name} must be a list of names.")
    generator = Generator(**{**record, "models": tuple(record.get("models", ()))})
    _check(name, generator)
    return generator


def _check(name: str, generator: Generator) -> None:
    texts = (generator.key, generator.key_env, *generator.models)
    numbers = {
        "batch": type(generator.batch) is int and 1 <= generator.batch <= 128,
        "in_flight": type(generator.in_flight) is int and 1 <= generator.in_flight <= 256,
        "retries": type(generator.retries) is int and 0 <= generator.retries <= 20,
        "timeout": type(generator.timeout) in (int, float) and 1 <= generator.timeout <= 3600,
        "stream": type(generator.stream) is bool,
        "key, key_env and models": all(isinstance(text, str) for text in texts),
    }
    if wrong := [what for what, right in numbers.items() if not right]:
        raise ImproperlyConfigured(f"GENERATORS: {name} has an invalid {', '.join(wrong)}. See docs/candidates.md.")
    if generator.key and generator.key_env:
        raise ImproperlyConfigured(f"GENERATORS: {name} has both key and key_env. Keep one of them.")
