"""The problems and traces that a checkpoint learned from, as hex hashes in its meta.json.

Of a problem that of its normalised text, of a trace that of its problem's hash and its steps, as docs/prm.md defines
them. Where there is no such file, or it says nothing of this, nothing is known.
"""

import json
from pathlib import Path
from typing import Any

LONGEST = 64 * 2**20  # bytes


def learned_from(folder: Path) -> set[bytes] | None:
    """The hashes; None where nothing readable says them."""
    file = folder / "meta.json"
    try:
        if file.stat().st_size > LONGEST:
            return None
        said: Any = json.loads(file.read_bytes())["lineage"]["learned"]
        found = {bytes.fromhex(one) for name in ("problems", "traces") for one in said[name]}
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if all(len(one) == 32 for one in found) else None
