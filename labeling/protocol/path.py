"""A path that is chosen step by step: what is shown of the completions, what a step still lacks, and what is drawn.

Pure; the browser's twin is `frontend/src/protocol/`. Both sides replay `labeling/tests/choose_step_cases.json`.

Completions are known by their place among those that came for the same prefix, which never changes: the list only
grows. Equal ones (by `carry_over.normalised_step`) are one, under the first one's place, with a count.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from labeling.protocol.carry_over import normalised_step

STUCK_AFTER = 3  # steps in a row without a great completion; then giving up is offered


@dataclass(frozen=True)
class Rules:
    """What a round says of its paths: completions a step at most, whether a 0 may be chosen where nothing is great, and
    after how many steps a path takes no further one."""

    most: int
    neutral_may_be_chosen: bool
    step_cap: int


@dataclass(frozen=True)
class RatingOrFlag:
    """A labeler's rating of a completion, or the flag that they are unsure; neither where nothing was said yet."""

    rating: int | None = None
    flagged: bool = False

    @property
    def is_given(self) -> bool:
        """Whether anything was said."""
        return self.rating is not None or self.flagged


@dataclass(frozen=True)
class Offered:
    """A completion as it is shown: `count` of those that came are equal to it, and stand at `places`."""

    number: int
    text: str
    places: tuple[int, ...]

    @property
    def count(self) -> int:
        """How often it came."""
        return len(self.places)


@dataclass(frozen=True)
class Lack:
    """What a step lacks before it can be taken; `number` is the completion's, None where it is about none."""

    code: str
    number: int | None = None


@dataclass(frozen=True)
class Sent:
    """A step as the labeler sends it: what they said of each completion shown, and the step they wrote, if any."""

    said: Mapping[int, RatingOrFlag]
    written: str | None = None

    @property
    def great(self) -> list[int]:
        """Those rated +1."""
        return self._rated(1)

    @property
    def neutral(self) -> list[int]:
        """Those rated 0."""
        return self._rated(0)

    def _rated(self, rating: int) -> list[int]:
        return sorted(number for number, said in self.said.items() if said.rating == rating)


def merged(texts: Sequence[str]) -> list[Offered]:
    """The completions as they are shown, in the order in which they came."""
    places: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        places.setdefault(normalised_step(text), []).append(place)
    return [Offered(found[0], texts[found[0]], tuple(found)) for found in places.values()]


def lacks(rules: Rules, texts: Sequence[str], sent: Sent, *, rest_left: bool, before: str | None) -> list[Lack]:
    """What a step still lacks, in the order in which a labeler would mend it; empty when it can be taken.

    `texts`: the completions shown. `rest_left`: more of them can be had and are not shown. `before`: the step before.
    """
    shown = [one.number for one in merged(texts)]
    found = [Lack("unrated", number) for number in shown if not sent.said.get(number, RatingOrFlag()).is_given]
    found += [Lack("not_offered", number) for number in sent.said if number not in shown]
    if found:
        return found
    if sent.great:
        return [Lack("human_not_wanted")] if sent.written is not None else []
    if rest_left:
        return [Lack("rest_not_seen")]
    if sent.written is None:
        return [] if rules.neutral_may_be_chosen and sent.neutral else [Lack("human_needed")]
    if not sent.written.strip():
        return [Lack("human_blank")]
    if before is not None and normalised_step(sent.written) == normalised_step(before):
        return [Lack("repeats_step")]
    return []


def among(sent: Sent) -> list[int]:
    """The completions of which one is drawn; none where the labeler wrote the step. A neutral one only stands for a
    step where `lacks` let it."""
    if sent.written is not None:
        return []
    return sent.great or sent.neutral


def draw(seed: str, numbers: Sequence[int]) -> int:
    """One of them, always the same for the same seed: whoever takes a step back gets no second draw."""
    digest = hashlib.sha256(seed.encode()).digest()
    return numbers[int.from_bytes(digest[:8], "big") % len(numbers)]


def is_stuck(greats: Sequence[int]) -> bool:
    """Whether the last steps had nothing great. `greats`: of each submitted step, how many completions were."""
    return len(greats) >= STUCK_AFTER and not any(greats[-STUCK_AFTER:])
