"""Settings that are one line of JSON with names: only the operator names an address, a key, a model or a place."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

LONGEST_NAME = 100
VARIABLE = re.compile(r"[A-Za-z_]\w*")  # an environment variable
Made = TypeVar("Made")


def read_named(setting: str, text: str, example: str, read: Callable[[str, Any], Made]) -> dict[str, Made]:
    """Return what `read` makes of each name and its value, sorted by name.

    Raises ImproperlyConfigured with the setting and what to write instead, but not the text: it may hold a key.
    """
    try:
        given = json.loads(text or "{}")
    except ValueError:
        given = None
    if not isinstance(given, Mapping):
        raise ImproperlyConfigured(f"{setting} must be one line of JSON: {example}")
    for name in given:
        if not name.strip() or len(name) > LONGEST_NAME:
            raise ImproperlyConfigured(f"{setting}: a name must have 1 to {LONGEST_NAME} characters.")
    return {name: read(name, value) for name, value in sorted(given.items())}


def is_address(url: Any, *, with_path: bool) -> bool:
    """Return whether it is http(s)://host[:port], with a path only if allowed; no password, query or fragment."""
    try:
        address = urlsplit(url if isinstance(url, str) else "")
        usable = address.scheme in ("http", "https") and bool(address.hostname) and address.port != 0
    except ValueError:
        return False
    beside = "@" in address.netloc or address.query or address.fragment
    return usable and not beside and (with_path or not address.path)
