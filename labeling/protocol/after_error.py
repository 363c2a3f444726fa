"""What a label says about a mistake, beyond where it is: what a round may ask for, and what is still missing. Pure.

The browser's twin is `frontend/src/protocol/afterError.ts`; both are tested on
`labeling/tests/after_error_cases.json`.
"""

from collections.abc import Collection, Mapping
from typing import Any

from labeling.protocol.submission import Finding

# What a round may ask for at a mistake, in the order of the page.
ASKABLE = ("progress", "kind", "corrected_step", "explanation")


def missing_after_error(
    asked: Collection[str], error: int | None, mistake: Mapping[str, Any], rated: Mapping[int, int | None]
) -> list[Finding]:
    """What the round asks for and the label does not say, at its first error; nothing without one.

    `rated`: of the machine's explanations of that step, by number. One that is good is as much as one's own words.
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
