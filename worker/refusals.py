"""A server's refusal (400, 413, 422) says nothing about the trace or problem in the request. If the server refuses
every request, the fault is in how it is asked, not in what it is asked about.
"""

from collections.abc import Iterable

from labeling.errors import GeneratorFailed
from labeling.generation.sampling import REFUSED, Sample

MOST_WORDS = 500  # characters of a server's complaint


class Refusals:
    """Whether a server answers at all, and its message if it refuses everything."""

    def __init__(self, generator: str, model: str, way_out: str) -> None:
        self._generator, self._model, self._way_out = generator, model, way_out
        self.answered = False
        self.words = ""

    def hear(self, samples: Iterable[Sample]) -> None:
        """Note answers and refusals."""
        for one in samples:
            if one.finish_reason == REFUSED:
                self.words = self.words or one.text
            else:
                self.answered = True

    def require_an_answer(self) -> None:
        """Raise GeneratorFailed if the server refused everything."""
        if self.words and not self.answered:
            raise GeneratorFailed(
                f"The generator {self._generator} refused every request for {self._model}: {self.words[:MOST_WORDS]}. "
                f"{self._way_out}"
            )
