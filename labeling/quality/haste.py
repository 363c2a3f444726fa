"""Labels that nobody can have read for: a floor of active time a step, below which a label is *hasty*. Pure.

The floor begins at FIXED_MS. As soon as a project has labels it is a tenth of the time that its labelers usually take
for a step, if that is more, but never above HIGHEST_MS: a floor is for clicking, not for being quick. Each labeler's
median counts once, so that one who clicks a thousand times does not lower it. Labelers of PRM800K took 16 seconds a
step and more (its recorded times).

Steps that came filled in took no reading and are not counted.
"""

from collections.abc import Sequence
from statistics import median

FIXED_MS = 2_000
TENTH = 0.1
HIGHEST_MS = 6_000
# A labeler's own median is one from here on.
FEWEST_LABELS = 5
# An admin is told of a labeler of whose last WINDOW labels so many were hasty.
WINDOW, ALARMING = 10, 5


def floor_ms(medians: Sequence[float]) -> int:
    """The floor of a project, by its labelers' median milliseconds a step."""
    return round(max(FIXED_MS, min(HIGHEST_MS, TENTH * median(medians)))) if medians else FIXED_MS


def is_hasty(active_ms: int, steps: int, floor: int = FIXED_MS) -> bool:
    """Whether a label took less than the floor for each step that it rates."""
    return active_ms < steps * floor


def is_alarming(hasty: Sequence[bool]) -> bool:
    """Whether a labeler's newest labels, the newest last, are a reason to tell an admin."""
    return sum(hasty[-WINDOW:]) >= ALARMING
