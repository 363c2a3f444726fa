"""The keys by which the tables recognise equal problems and traces and store each only once."""

import hashlib
import unicodedata
from collections.abc import Sequence
from typing import Any

import orjson


def normalised_text(text: str) -> str:
    """Return the text in Unicode NFC with every run of white space collapsed to one space and none at the ends."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def problem_key(text: str) -> bytes:
    """Return the SHA-256 (32 bytes) of the normalised problem text. Copies that differ in line breaks are one
    problem."""
    return hashlib.sha256(normalised_text(text).encode()).digest()


def trace_key(problem: bytes, steps: Sequence[str], typed: list[dict[str, Any]] | None = None) -> bytes:
    """Return the SHA-256 (32 bytes) of a problem's key and the steps byte for byte.

    The steps are hashed as one JSON list, so that step boundaries are part of the key. For an agent's run, the typed
    steps are hashed as well: the same words with other observations are a different trace.
    """
    more = b"" if typed is None else orjson.dumps(typed, option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(problem + orjson.dumps(list(steps)) + more).digest()
