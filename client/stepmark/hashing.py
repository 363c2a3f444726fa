"""The hash that identifies a trace on every server; rows of scores can name a trace by it."""

import hashlib
import json
import unicodedata
from collections.abc import Sequence


def trace_hash(problem: str, steps: Sequence[str]) -> str:
    """Return the SHA-256, in hex, of a problem's text, whatever its white space, and of the steps byte for byte."""
    words = " ".join(unicodedata.normalize("NFC", problem).split())
    listed = json.dumps(list(steps), ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(hashlib.sha256(words.encode()).digest() + listed.encode()).hexdigest()
