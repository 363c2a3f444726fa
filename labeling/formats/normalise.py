"""Which problems and traces are the same: the keys by which the tables store each of them once."""

import hashlib
import unicodedata
from collections.abc import Sequence
from typing import Any

import orjson


def normalised_text(text: str) -> str:
    """The text in Unicode NFC with every run of white space collapsed to one space and none at the ends."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def problem_key(text: str) -> bytes:
    """SHA-256 (32 bytes) of the normalised problem text: two copies that differ in line breaks are one problem."""
    return hashlib.sha256(normalised_text(text).encode()).digest()


def trace_key(problem: bytes, steps: Sequence[str], typed: list[dict[str, Any]] | None = None) -> bytes:
    """SHA-256 (32 bytes) of a problem's key and the steps byte for byte.

    The steps are hashed as one JSON list, so that where a step ends is part of the key. Of an agent's run its typed
    steps are hashed with them: the same words beside other observations are another trace.
    """
    more = b"" if typed is None else orjson.dumps(typed, option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(problem + orjson.dumps(list(steps)) + more).digest()
