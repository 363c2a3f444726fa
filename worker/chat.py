"""Samples from an OpenAI-compatible server: POST /chat/completions, in one piece or streamed as server-sent events.

Plain HTTP; nothing here knows of Django or the database. A request asks for several samples (`n`) if the server accepts
that; otherwise, samples are requested one by one. Source: the OpenAI API reference, Chat; vLLM and llama.cpp answer the
same, and both count the seed up from one choice of a request to the next.
"""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from labeling.configs import GenerateConfig, NextStepConfig, SamplingConfig
from labeling.configs.sources import Spent
from labeling.generation.sampling import REFUSED, Sample
from labeling.sources.rollouts import tokens_of
from worker.http.errors import RefusedError, ServerError
from worker.http.server_client import Answer, ServerClient

PATH = "/chat/completions"
DONE = "[DONE]"  # the last event of a stream
# A stream's piece holds at least one token; a server may count a model's own thoughts separately.
PIECES, SPARE_PIECES = 4, 1_000
TEMPLATE = 8192  # most tokens that a server's own chat template adds to a prompt

Asked = GenerateConfig | NextStepConfig | SamplingConfig
Usage = tuple[int, int] | None  # tokens read and written, if the server reports them


@dataclass
class ChatServer:
    """A server that writes samples. `batch` shrinks to what the server turns out to accept. `counts` makes a stream end
    with the number of tokens used; `spent` is what was used so far.

    Each request may run in its own thread; stopping the client ends them all.
    """

    client: ServerClient
    batch: int
    stream: bool
    counts: bool = False
    spent: Spent = Spent()
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def samples(self, settings: Asked, prompt: str, numbers: Sequence[int], seed: int) -> list[Sample]:
        """Return the samples with these consecutive numbers; `seed` is the first one's. Usually one request.

        A refused sample has the finish reason `refused` and the server's message as its text. Raises ServerError,
        ServerUnavailableError, StoppedError.
        """
        found: list[Sample] = []
        while len(found) < len(numbers):
            left = numbers[len(found) :]
            found += self._some(settings, prompt, left[: self.batch], seed + len(found))
            if found[-1].finish_reason == REFUSED:  # the others have the same prompt
                found += [found[-1]._replace(number=number) for number in numbers[len(found) :]]
        return found

    def _some(self, settings: Asked, prompt: str, numbers: Sequence[int], seed: int) -> list[Sample]:
        """Return at least the first of these samples."""
        body: dict[str, Any] = {
            **{name: getattr(settings, name) for name in ("model", "temperature", "top_p", "max_tokens")},
            "messages": [{"role": "user", "content": prompt}],
            "seed": seed,
            "n": len(numbers),
            "stream": self.stream,
        }
        if settings.stop:
            body["stop"] = list(settings.stop)
        if self.counts and self.stream:
            body["stream_options"] = {"include_usage": True}
        try:
            read = partial(self._read, len(numbers), settings.max_tokens)
            choices, used = self.client.ask(PATH, body, read)
            self._note(prompt, choices, believed(used, prompt, settings.max_tokens * len(numbers)))
        except RefusedError as error:
            if "stream_options" in body and len(numbers) == 1:  # an older server; it may accept the rest
                self.counts = False
                return self._some(settings, prompt, numbers, seed)
            if len(numbers) == 1:
                return [Sample(numbers[0], seed, str(error), REFUSED)]
            half = self._some(settings, prompt, numbers[: len(numbers) // 2], seed)
            if half[0].finish_reason != REFUSED:  # the server refused the number of samples
                self.batch = min(self.batch, len(half))
            return half
        if len(choices) < len(numbers):  # the server ignores `n`
            self.batch = min(self.batch, len(choices))
        return [
            Sample(number, seed + place, text, finish_reason)
            for place, (number, (text, finish_reason)) in enumerate(zip(numbers, choices, strict=False))
        ]

    def _note(self, prompt: str, choices: Sequence[tuple[str, str]], used: Usage) -> None:
        estimated = used is None
        asked, wrote = used or (tokens_of(prompt), sum(tokens_of(text) for text, _ in choices))
        with self._lock:
            calls, before, after, guessed = self.spent
            self.spent = Spent(calls + len(choices), before + asked, after + wrote, guessed or estimated)

    def _read(self, wanted: int, max_tokens: int, answer: Answer) -> tuple[list[tuple[str, str]], Usage]:
        """Return (text, finish reason) of each choice, by index, and the tokens used. Choices beyond those requested
        are dropped as they arrive. Raises ServerError if far more arrives than was requested.
        """
        streamed = answer.is_stream
        pieces = answer.events(DONE) if streamed else iter([answer.json()])
        texts: dict[int, list[str]] = {}
        ends: dict[int, str] = {}
        used: Usage = None
        said, most = 0, PIECES * max_tokens * wanted + SPARE_PIECES
        for piece in pieces:
            used = usage_of(piece) or used
            if says_something(piece):
                answer.went_on()
                said += 1
                if said > most:
                    told = (
                        f"{self.client.named(PATH)} does not stop at `max_tokens` ({max_tokens:,}): "
                        f"it sent {said:,} pieces."
                    )
                    raise ServerError(told)
            for index, text, end in self._choices(piece):
                if index >= wanted:
                    continue
                texts.setdefault(index, []).append(text)
                if end is not None or not streamed:
                    ends[index] = end or ""
        if not texts or texts.keys() != ends.keys():
            raise ConnectionError("the answer was cut off")
        if sorted(texts) != list(range(len(texts))):
            raise self._foreign()
        return [("".join(texts[index]), ends[index]) for index in range(len(texts))], used

    def _choices(self, piece: Any) -> Iterator[tuple[int, str, str | None]]:
        """Yield (index, text, finish reason or None) for the choices in an answer or in a piece of a stream."""
        try:
            if piece.get("error"):  # in the middle of a stream, where a status can no longer be sent
                raise ConnectionError(self.client.without_key(f"the server broke off: {piece['error']}"[:500]))
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


def says_something(piece: Any) -> bool:
    """Return whether a piece of a stream adds to its answer: text, including a model's own thoughts, or an end."""
    choices = piece.get("choices") if isinstance(piece, dict) else None
    for choice in choices if isinstance(choices, list) else []:
        if isinstance(choice, dict) and (
            choice.get("finish_reason") is not None or any(map(str.strip, texts_of(choice)))
        ):
            return True
    return False


def texts_of(choice: dict[str, Any]) -> Iterator[str]:
    """Yield the texts of a choice, from any field except the speaker's role."""
    delta = choice.get("delta")
    for name, text in delta.items() if isinstance(delta, dict) else ():
        if name != "role" and isinstance(text, str):
            yield text


def usage_of(piece: Any) -> Usage:
    """Return the tokens of a request and its answer, if a piece of the answer has both."""
    usage = piece.get("usage") if isinstance(piece, dict) else None
    if not isinstance(usage, dict):
        return None
    read, wrote = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if type(read) is int and type(wrote) is int and read >= 0 and wrote >= 0:
        return read, wrote
    return None


def believed(claimed: Usage, prompt: str, most: int) -> Usage:
    """Return the tokens that a server claims, unless there cannot be that many: a token takes at least one byte, and at
    most `most` were to be written. For a server that ignores that limit, tokens are counted from its text.
    """
    if claimed is None or claimed[0] > len(prompt.encode(errors="replace")) + TEMPLATE or claimed[1] > most:
        return None
    return claimed
