"""Near duplicates: two traces of a problem whose texts share nearly all runs of five words.

Exact, not sampled: sketches rule out nearly all pairs, and the remaining few are compared shingle by shingle.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

from labeling.selection.sketches import SHINGLE, Sketch

NEAR_DUPLICATE = 0.9  # Jaccard similarity of shingles at which two traces of a problem count as one
One = TypeVar("One")


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Return the overlapping runs of five words in a text; a shorter text is one shingle."""
    words = text.split()
    if len(words) <= SHINGLE:
        return frozenset([tuple(words)])
    return frozenset(zip(*(words[start:] for start in range(SHINGLE)), strict=False))


def similarity(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    """Return the Jaccard similarity of two shingle sets."""
    return len(one & other) / len(one | other)


class ChosenTexts(Generic[One]):
    """The texts chosen of one problem, to check further ones against. A text without words is never a near duplicate.

    A text is represented by its sketch, and read only if two sketches leave the question open.
    """

    def __init__(self) -> None:
        self._chosen: list[tuple[int, int, One]] = []  # slack and parities of the sketch

    def copy(self) -> "ChosenTexts[One]":
        """Return a copy with the same texts."""
        other = ChosenTexts[One]()
        other._chosen = self._chosen.copy()
        return other

    def add_unless_near(self, one: One, sketch: Sketch, text_of: Callable[[One], str]) -> bool:
        """Add one, unless it is a near duplicate of one already here. Return whether it was added."""
        for other in self.suspects(sketch):
            if _are_near(text_of(one), text_of(other)):
                return False
        self.add(one, sketch)
        return True

    def add(self, one: One, sketch: Sketch) -> None:
        """Add one that the caller knows is near none of these."""
        if sketch.most:
            self._chosen.append((sketch.slack, sketch.parities, one))

    def suspects(self, sketch: Sketch) -> list[One]:
        """Return those that a text with this sketch may be near to: `may_be_near` inlined, as it is called most."""
        mine, parities = sketch.slack, sketch.parities
        return [
            one
            for slack, others, one in self._chosen
            if (differing := (parities ^ others).bit_count()) <= mine and differing <= slack
        ]


def _are_near(one: str, other: str) -> bool:
    return similarity(shingles(one), shingles(other)) >= NEAR_DUPLICATE
