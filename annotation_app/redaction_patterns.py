"""Reads REDACTION_PATTERNS: what else is removed from agents' runs before they are stored."""

import json
import re

from django.core.exceptions import ImproperlyConfigured


def read_patterns(text: str) -> list[str]:
    """Return the regular expressions of a JSON list. Raises ImproperlyConfigured, which names an invalid one."""
    try:
        patterns = json.loads(text or "[]")
    except json.JSONDecodeError as error:
        raise ImproperlyConfigured(f"REDACTION_PATTERNS is not JSON: {error}") from error
    if not isinstance(patterns, list) or not all(isinstance(one, str) and one for one in patterns):
        raise ImproperlyConfigured('REDACTION_PATTERNS must be a JSON list of regular expressions: ["ACME-[0-9]{6}"]')
    for one in patterns:
        try:
            re.compile(one)
        except re.error as error:
            raise ImproperlyConfigured(f"REDACTION_PATTERNS has {one!r}, which is not a pattern: {error}") from error
    return patterns
