"""Which of many texts a text is near to: those that share half of their runs of five words, ignoring case.

Near duplicates of a problem's traces (near_duplicates.py) must be alike nearly everywhere. A benchmark's problem with
other numbers or names is still the benchmark's, so the bound here is lower.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from labeling.selection.near_duplicates import shingles

NEAR = 0.5  # Jaccard similarity of shingles


class Near(NamedTuple):
    """The nearest text with its name, and how similar it is."""

    name: str
    text: str
    similarity: float


class NearTexts:
    """Named texts, looked up by the shingles that they share with another text. Exact, not sampled."""

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        """`texts`: pairs of name and text; texts without words are never near."""
        self._texts: list[tuple[str, str, int]] = []
        self._holding: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for name, text in texts:
            found = _shingles(text)
            for shingle in found:
                self._holding[shingle].append(len(self._texts))
            self._texts.append((name, text, len(found)))

    def nearest(self, text: str) -> Near | None:
        """Return the most similar text, or None if none is near."""
        mine = _shingles(text)
        shared = Counter(place for shingle in mine for place in self._holding.get(shingle, ()))
        found = [
            (both / (len(mine) + self._texts[place][2] - both), -place)
            for place, both in shared.items()
            if 2 * both >= min(len(mine), self._texts[place][2])  # otherwise the similarity is below NEAR
        ]
        if not found or max(found)[0] < NEAR:
            return None
        similarity, place = max(found)
        name, near, _ = self._texts[-place]
        return Near(name, near, similarity)


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    found = shingles(text.casefold())
    return found - {()}
