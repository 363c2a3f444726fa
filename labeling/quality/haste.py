"""Labels made faster than anyone can read: below a floor of active time per step, a label is *hasty*. Pure.

The floor starts at FIXED_MS. Once a project has labels, it is a tenth of its labelers' usual time per step, if that is
more, but never above HIGHEST_MS: the floor is meant to catch clicking, not speed. Each labeler's median counts once, so
that one who clicks a thousand times does not lower it. Labelers of PRM800K took 16 seconds per step and more (its
recorded times).

Steps that came prefilled took no reading and are not counted.
"""

from collections.abc import Sequence
from statistics import median

FIXED_MS = 2_000
TENTH = 0.1
HIGHEST_MS = 6_000
# From this many labels on, a labeler's own median counts.
FEWEST_LABELS = 5
# Admins are alerted if this many of a labeler's last WINDOW labels were hasty.
WINDOW, ALARMING = 10, 5


def floor_ms(medians: Sequence[float]) -> int:
    """Return a project's floor, given its labelers' median milliseconds per step."""
    return round(max(FIXED_MS, min(HIGHEST_MS, TENTH * median(medians)))) if medians else FIXED_MS


def is_hasty(active_ms: int, steps: int, floor: int = FIXED_MS) -> bool:
    """Whether a label took less than the floor for each step that it rates."""
    return active_ms < steps * floor


def is_alarming(hasty: Sequence[bool]) -> bool:
    """Whether a labeler's newest labels, newest last, are a reason to alert an admin."""
    return sum(hasty[-WINDOW:]) >= ALARMING
