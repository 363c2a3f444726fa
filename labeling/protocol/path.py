"""A path chosen step by step: which completions are shown, what a step still lacks, and which one is drawn.

Pure; the browser's twin is `frontend/src/protocol/`. Both sides replay `labeling/tests/choose_step_cases.json`.

A completion is identified by its place among those that arrived for the same prefix. The list only grows, so the place
never changes. Equal completions (by `carry_over.normalised_step`) are merged under the first one's place, with a count.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labeling.protocol.carry_over import normalised_step

STUCK_AFTER = 3  # steps in a row without a great completion, after which giving up is offered


@dataclass(frozen=True)
class Rules:
    """A round's rules for its paths: the most completions per step, whether a 0 may be chosen if nothing is great, and
    after how many steps a path must end.
    """

    most: int
    neutral_may_be_chosen: bool
    step_cap: int


@dataclass(frozen=True)
class RatingOrFlag:
    """A labeler's rating of a completion, or the flag that they are unsure; neither if they have not answered yet."""

    rating: int | None = None
    flagged: bool = False

    @property
    def is_given(self) -> bool:
        """Whether there is a rating or a flag."""
        return self.rating is not None or self.flagged


@dataclass(frozen=True)
class Offered:
    """A completion as shown: `count` of those that arrived are equal to it, at `places`."""

    number: int
    text: str
    places: tuple[int, ...]

    @property
    def count(self) -> int:
        """How often it arrived."""
        return len(self.places)


@dataclass(frozen=True)
class Lack:
    """What a step lacks before it can be submitted; `number` is the completion's, None if it concerns none."""

    code: str
    number: int | None = None


@dataclass(frozen=True)
class Sent:
    """A step as the labeler sends it: the rating or flag of each completion shown, and the step they wrote, if any."""

    said: Mapping[int, RatingOrFlag]
    written: str | None = None

    @property
    def great(self) -> list[int]:
        """The completions rated +1."""
        return self._rated(1)

    @property
    def neutral(self) -> list[int]:
        """The completions rated 0."""
        return self._rated(0)

    def _rated(self, rating: int) -> list[int]:
        return sorted(number for number, said in self.said.items() if said.rating == rating)


def merged(texts: Sequence[str]) -> list[Offered]:
    """Return the completions as shown, in the order in which they arrived."""
    places: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        places.setdefault(normalised_step(text), []).append(place)
    return [Offered(found[0], texts[found[0]], tuple(found)) for found in places.values()]


def lacks(rules: Rules, texts: Sequence[str], sent: Sent, *, rest_left: bool, before: str | None) -> list[Lack]:
    """Return what a step still lacks, in the order in which a labeler would complete it; empty when it can be
    submitted.

    `texts`: the completions shown. `rest_left`: more can be shown. `before`: the previous step.
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
    """Return the completions from which one is drawn; none if the labeler wrote the step. A neutral one is drawn only
    if `lacks` allowed it.
    """
    if sent.written is not None:
        return []
    return sent.great or sent.neutral


def draw(seed: str, numbers: Sequence[int]) -> int:
    """Draw one of the numbers. The same seed always draws the same one, so undoing a step gives no second draw."""
    digest = hashlib.sha256(seed.encode()).digest()
    return numbers[int.from_bytes(digest[:8], "big") % len(numbers)]


def draft_without_step(draft: dict[str, Any] | None, prefix_hash: str) -> dict[str, Any] | None:
    """Return the page's draft without the step that was accepted after this prefix; None if it holds no part of it.

    What concerns the whole label stays: comments, reports, the scratch pad, times.
    """
    content = (draft or {}).get("content")
    if not isinstance(content, dict) or content.get("prefixHash") != prefix_hash:
        return None
    empty = {"prefixHash": "", "step": {"said": {}, "text": "", "answer": ""}, "restWanted": False, "sending": None}
    return {**(draft or {}), "content": content | empty}


def is_stuck(greats: Sequence[int]) -> bool:
    """Whether the last steps had no great completion. `greats`: the number of great ones of each submitted step."""
    return len(greats) >= STUCK_AFTER and not any(greats[-STUCK_AFTER:])
