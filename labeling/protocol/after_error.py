"""What a label records about a mistake besides its place: what a round may ask for, and what is still missing. Pure.

The browser's twin is `frontend/src/protocol/afterError.ts`; both are tested on
`labeling/tests/after_error_cases.json`.
"""

from collections.abc import Collection, Mapping
from typing import Any

from labeling.protocol.submission import Finding

# What a round may ask for at a mistake, in the order shown on the page.
ASKABLE = ("progress", "kind", "corrected_step", "explanation")


def missing_after_error(
    asked: Collection[str], error: int | None, mistake: Mapping[str, Any], rated: Mapping[int, int | None]
) -> list[Finding]:
    """Return what the round asks for that the label lacks at its first error; nothing without an error.

    `rated`: ratings of the machine's explanations of that step, by number. One rated good counts as an explanation.
    """
    if error is None:
        return []
    said = {
        "progress": bool(mistake.get("progress")),
        "kind": bool(mistake.get("kind")),
        "corrected_step": bool((mistake.get("corrected_step") or "").strip()),
        "explanation": bool((mistake.get("explanation") or "").strip()) or 1 in rated.values(),
    }
    return [Finding(f"{name}_asked", error) for name in ASKABLE if name in asked and not said[name]]
