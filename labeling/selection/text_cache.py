"""A cache of the candidates' texts that a choice has to compare, and of the sketches made of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from labeling.selection.candidates import Candidate
from labeling.selection.sketches import sketches_of


class NeedsText(Exception):
    """A text that is not in the cache."""


class TextCache:
    """Texts by trace, and the sketches of traces without a stored one. `fetch` returns the texts of traces."""

    def __init__(self, fetch: Callable[[Sequence[int]], Mapping[int, str]]) -> None:
        self._fetch = fetch
        self._texts: dict[int, str] = {}
        self._sketches: dict[int, bytes] = {}

    def cached_text(self, candidate: Candidate) -> str:
        """Return a candidate's text if it is cached. Raises NeedsText."""
        text = self._texts.get(candidate.id)
        if text is None:
            raise NeedsText
        return text

    def cached_sketch(self, candidate: Candidate) -> bytes:
        """Return the sketch made for a candidate without a stored one. Raises NeedsText."""
        sketch = self._sketches.get(candidate.id)
        if sketch is None:
            raise NeedsText
        return sketch

    def text_of(self, candidate: Candidate) -> str:
        """Return a candidate's text, fetching it if needed."""
        self.load([candidate])
        return self._texts[candidate.id]

    def sketch_of(self, candidate: Candidate) -> bytes:
        """Return the sketch of a candidate without a stored one, made from its text."""
        self.load_unsketched([candidate])
        return self._sketches[candidate.id]

    def load(self, candidates: Iterable[Candidate]) -> None:
        """Fetch the missing texts of these candidates."""
        if missing := [one.id for one in candidates if one.id not in self._texts]:
            self._texts.update(self._fetch(missing))

    def load_unsketched(self, candidates: Iterable[Candidate]) -> None:
        """Fetch the texts of those without a sketch, and make it."""
        if missing := [one for one in candidates if not one.sketch and one.id not in self._sketches]:
            self.load(missing)
            made = sketches_of([self._texts[one.id] for one in missing])
            self._sketches.update(zip((one.id for one in missing), made, strict=True))

    def forget(self, candidates: Iterable[Candidate]) -> None:
        """Drop what was loaded for these."""
        for one in candidates:
            self._texts.pop(one.id, None)
            self._sketches.pop(one.id, None)

    def clear(self) -> None:
        """Drop everything."""
        self._texts.clear()
        self._sketches.clear()
