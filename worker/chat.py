"""Samples from an OpenAI-compatible server: POST /chat/completions, in one piece or streamed as server-sent events.

Plain HTTP; nothing here knows of Django or the database. Several samples go into one request (`n`) as far as the server
takes that; where it does not, they are asked for one by one. Source: the OpenAI API reference, Chat; vLLM and llama.cpp
answer the same, and both count the seed up from one choice of a request to the next.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from labeling.configs import GenerateConfig, NextStepConfig
from labeling.generation.sampling import REFUSED, Sample
from worker.http.errors import RefusedError, ServerError
from worker.http.server_client import Answer, ServerClient

PATH = "/chat/completions"
DONE = "[DONE]"  # the last event of a stream

Asked = GenerateConfig | NextStepConfig


@dataclass
class ChatServer:
    """A server that writes samples. `batch` shrinks to what the server turns out to take.

    Each request may run in a thread of its own; stopping the client ends them all.
    """

    client: ServerClient
    batch: int
    stream: bool

    def samples(self, settings: Asked, prompt: str, numbers: Sequence[int], seed: int) -> list[Sample]:
        """The samples with these consecutive numbers; `seed` is the first one's. Usually one request.

        A refused sample has the finish reason `refused` and
        the server's words as text. Raises ServerError, ServerUnavailableError, StoppedError.
        """
        found: list[Sample] = []
        while len(found) < len(numbers):
            left = numbers[len(found) :]
            found += self._some(settings, prompt, left[: self.batch], seed + len(found))
            if found[-1].finish_reason == REFUSED:  # the others have the same prompt
                found += [found[-1]._replace(number=number) for number in numbers[len(found) :]]
        return found

    def _some(self, settings: Asked, prompt: str, numbers: Sequence[int], seed: int) -> list[Sample]:
        """At least the first of these samples."""
        body: dict[str, Any] = {
            **{name: getattr(settings, name) for name in ("model", "temperature", "top_p", "max_tokens")},
            "messages": [{"role": "user", "content": prompt}],
            "seed": seed,
            "n": len(numbers),
            "stream": self.stream,
        }
        if settings.stop:
            body["stop"] = list(settings.stop)
        try:
            choices = self.client.ask(PATH, body, self._read)
        except RefusedError as error:
            if len(numbers) == 1:
                return [Sample(numbers[0], seed, str(error), REFUSED)]
            half = self._some(settings, prompt, numbers[: len(numbers) // 2], seed)
            if half[0].finish_reason != REFUSED:  # it was the number of samples that the server did not take
                self.batch = min(self.batch, len(half))
            return half
        if len(choices) < len(numbers):  # the server looks past `n`
            self.batch = min(self.batch, len(choices))
        return [
            Sample(number, seed + place, text, finish_reason)
            for place, (number, (text, finish_reason)) in enumerate(zip(numbers, choices, strict=False))
        ]

    def _read(self, answer: Answer) -> list[tuple[str, str]]:
        """(text, finish reason) of each choice, by index."""
        streamed = answer.is_stream
        pieces = answer.events(DONE) if streamed else iter([answer.json()])
        texts: dict[int, list[str]] = {}
        ends: dict[int, str] = {}
        for piece in pieces:
            for index, text, end in self._choices(piece):
                texts.setdefault(index, []).append(text)
                if end is not None or not streamed:
                    ends[index] = end or ""
        if not texts or texts.keys() != ends.keys():
            raise ConnectionError("the answer was cut off")
        if sorted(texts) != list(range(len(texts))):
            raise self._foreign()
        return [("".join(texts[index]), ends[index]) for index in range(len(texts))]

    def _choices(self, piece: Any) -> Iterator[tuple[int, str, str | None]]:
        """(index, text, finish reason or None) of the choices in an answer, or in a piece of a stream."""
        try:
            if piece.get("error"):  # in the middle of a stream, where no status can be sent any more
                raise ConnectionError(self.client.without_key(f"the server breaks off: {piece['error']}"[:500]))
            for choice in piece["choices"]:
                said = choice.get("delta" if "delta" in choice else "message") or {}
                text, end = said.get("content") or "", choice.get("finish_reason")
                if not isinstance(text, str) or not isinstance(end, str | None) or type(choice["index"]) is not int:
                    raise TypeError
                yield choice["index"], text, end
        except (AttributeError, KeyError, TypeError) as error:
            raise self._foreign() from error

    def _foreign(self) -> ServerError:
        return ServerError(
            f"{self.client.named()} does not answer like an OpenAI-compatible chat server. Its address ends before "
            f"{PATH}, usually in /v1."
        )
