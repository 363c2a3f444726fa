"""The problems and traces that a checkpoint learned from, as hex hashes in its meta.json.

A problem's hash is that of its normalised text, a trace's that of its problem's hash and its steps, as docs/prm.md
defines them. Without such a file, or if it does not list them, nothing is known.
"""

import json
from pathlib import Path
from typing import Any

LONGEST = 64 * 2**20  # bytes


def learned_from(folder: Path) -> set[bytes] | None:
    """Return the hashes; None if nothing readable lists them."""
    file = folder / "meta.json"
    try:
        if file.stat().st_size > LONGEST:
            return None
        said: Any = json.loads(file.read_bytes())["lineage"]["learned"]
        found = {bytes.fromhex(one) for name in ("problems", "traces") for one in said[name]}
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if all(len(one) == 32 for one in found) else None
