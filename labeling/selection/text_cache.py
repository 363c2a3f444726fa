"""A cache of candidates' texts, fetched where a choice has to compare them, and of the sketches made of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from labeling.selection.candidates import Candidate
from labeling.selection.sketches import sketches_of


class NeedsText(Exception):
    """A text that is not in the cache."""


class TextCache:
    """Texts by trace, and the sketches of traces that have none stored. `fetch` gives the texts of traces."""

    def __init__(self, fetch: Callable[[Sequence[int]], Mapping[int, str]]) -> None:
        self._fetch = fetch
        self._texts: dict[int, str] = {}
        self._sketches: dict[int, bytes] = {}

    def cached_text(self, candidate: Candidate) -> str:
        """A candidate's text, if it is here. Raises NeedsText."""
        text = self._texts.get(candidate.id)
        if text is None:
            raise NeedsText
        return text

    def cached_sketch(self, candidate: Candidate) -> bytes:
        """The sketch made of a candidate that has none stored. Raises NeedsText."""
        sketch = self._sketches.get(candidate.id)
        if sketch is None:
            raise NeedsText
        return sketch

    def text_of(self, candidate: Candidate) -> str:
        """A candidate's text, fetched if it must be."""
        self.load([candidate])
        return self._texts[candidate.id]

    def sketch_of(self, candidate: Candidate) -> bytes:
        """The sketch of a candidate that has none stored, made from its text."""
        self.load_unsketched([candidate])
        return self._sketches[candidate.id]

    def load(self, candidates: Iterable[Candidate]) -> None:
        """Fetch what is missing of these candidates' texts."""
        if missing := [one.id for one in candidates if one.id not in self._texts]:
            self._texts.update(self._fetch(missing))

    def load_unsketched(self, candidates: Iterable[Candidate]) -> None:
        """Fetch the texts of those that have no sketch, and make it."""
        if missing := [one for one in candidates if not one.sketch and one.id not in self._sketches]:
            self.load(missing)
            made = sketches_of([self._texts[one.id] for one in missing])
            self._sketches.update(zip((one.id for one in missing), made, strict=True))

    def forget(self, candidates: Iterable[Candidate]) -> None:
        """Let go of what was loaded of these."""
        for one in candidates:
            self._texts.pop(one.id, None)
            self._sketches.pop(one.id, None)

    def clear(self) -> None:
        """Let go of everything."""
        self._texts.clear()
        self._sketches.clear()
