"""The generating stage of a round: samples a chunk's problems, several at once, and writes them as they arrive."""

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Generic, NamedTuple, TypeVar

from django.conf import settings

from labeling.actions.round_generation import add_samples
from labeling.errors import GeneratorFailed
from labeling.generation.prompts import write_prompt
from labeling.generation.sampling import REFUSED, Sample, runs, seed_of
from labeling.models import Round, RoundChunk
from labeling.queries.candidates import ProblemToSample, problems_of_chunk
from worker.chat import ChatServer
from worker.http.errors import ServerError, ServerUnavailableError, StoppedError
from worker.http.server_client import ServerClient

LOOK = 1.0  # seconds between two looks at whether to stop
FEW_UNREAD, MANY_UNREAD = 0.5, 4.0  # answers that nobody has looked at, for each request that may be in the air


About = TypeVar("About")


class Batch(NamedTuple, Generic[About]):
    """Samples of one problem, or of whatever else they are about, that are asked for together: consecutive numbers."""

    about: About
    numbers: list[int]


def generate_chunk(round_: Round, chunk: RoundChunk, stop: Callable[[], None]) -> int:
    """Ask the round's generator for the samples that the chunk's problems lack; how many there are then.

    `stop` raises when the work is to end; it is looked at every second. Raises GeneratorFailed, and LeaseLost where the
    chunk is another worker's by now.
    """
    stop()
    asked = round_.staged_config.generating
    problems = problems_of_chunk(chunk)
    lacking = {problem: [n for n in range(asked.n) if n not in problem.done] for problem in problems}
    done = sum(asked.n - len(numbers) for numbers in lacking.values())
    refused: list[tuple[ProblemToSample, Sample]] = []
    with chat_server(asked.generator) as server:

        def ask(batch: Batch[ProblemToSample]) -> list[Sample]:
            prompt = write_prompt(asked.prompt, batch.about.text)
            seed = seed_of(asked.seed, batch.about.text_hash, batch.numbers[0])
            return server.samples(asked, prompt, batch.numbers, seed)

        batches = (Batch(problem, run) for problem in problems for run in runs(lacking[problem], server.batch))
        for problem, samples in answers(server, ask, batches, stop):
            refused += [(problem, sample) for sample in samples if sample.finish_reason == REFUSED]
            written = [sample for sample in samples if sample.finish_reason != REFUSED]
            if written:
                add_samples(chunk, problem, written)
                done += len(written)
    return done + drop_refused(chunk, refused, done)


def drop_refused(chunk: RoundChunk, refused: list[tuple[ProblemToSample, Sample]], answered: int) -> int:
    """Note which samples the server refuses, so that they are not asked for again; how many.

    Where it refused everything, it is not for the problems. Raises GeneratorFailed.
    """
    if refused and not answered:
        asked = chunk.round.staged_config.generating
        raise GeneratorFailed(
            f"The generator {asked.generator} refuses every request for {asked.model}: "
            f"{refused[0][1].text[:500]}. Check the model's name and the sampling settings, and start another round; "
            "or ask the operator to mend the generator, and resume this one."
        )
    for problem, sample in refused:
        add_samples(chunk, problem, [sample])
    return len(refused)


def answers(
    server: ChatServer,
    ask: Callable[[Batch[About]], list[Sample]],
    batches: Iterator[Batch[About]],
    stop: Callable[[], None],
) -> Iterator[tuple[About, list[Sample]]]:
    """Each batch's samples as they come, `in_flight` requests at once."""
    for came in answers_together(server, ask, batches, stop, unread=FEW_UNREAD):
        yield from came


def answers_together(
    server: ChatServer,
    ask: Callable[[Batch[About]], list[Sample]],
    batches: Iterator[Batch[About]],
    stop: Callable[[], None],
    may_ask: Callable[[], bool] = lambda: True,
    *,
    unread: float = MANY_UNREAD,
) -> Iterator[list[tuple[About, list[Sample]]]]:
    """The same, with all that came meanwhile in one list. Nothing is asked for while `may_ask` says no.

    Who is done asking asks for the next batch at once: the server is kept busy while the caller grades or writes.
    `batches` may hold more once the caller has seen an answer.
    """
    line = Line(ask, batches, server.client.in_flight, may_ask, unread)
    try:
        while line.refill() or line.busy:
            came, fault = line.came()
            fault = fault or told(stop)
            if fault is None:
                line.refill()  # so that nothing waits while the caller looks at what came
            if came:
                yield came
            if fault is not None:
                raise fault
        stop()
    finally:  # threads that still wait for the server are cut off and end; nobody waits for them
        line.closed = True
        server.client.stop()
        line.pool.shutdown(wait=False, cancel_futures=True)


def told(stop: Callable[[], None]) -> Exception | None:
    """Why the work is to end, if it is."""
    try:
        stop()
    except Exception as why:  # noqa: BLE001 (raised once what came is kept)
        return why
    return None


class Line(Generic[About]):
    """The requests in the air, and the answers that nobody has looked at: at most `unread` for each of those. Where
    the caller is slower than the server for long, the server waits."""

    def __init__(
        self,
        ask: Callable[[Batch[About]], list[Sample]],
        batches: Iterator[Batch[About]],
        in_flight: int,
        may_ask: Callable[[], bool],
        unread: float,
    ) -> None:
        self.ask, self.batches, self.in_flight, self.may_ask = ask, batches, in_flight, may_ask
        self.most_unread = int(unread * in_flight)
        self.pool = ThreadPoolExecutor(in_flight, thread_name_prefix="generating")
        self.answered: SimpleQueue[tuple[About, list[Sample] | BaseException]] = SimpleQueue()
        self.lock = threading.Lock()
        self.in_air = 0
        self.closed = False

    @property
    def busy(self) -> bool:
        """Whether something is in the air, or unread."""
        return self.in_air > 0 or not self.answered.empty()

    def refill(self) -> bool:
        """Ask for as much as may be in the air; whether anything was asked for."""
        asked = False
        with self.lock:
            while not self.closed and self.in_air < self.in_flight and self._is_read() and self.may_ask():
                batch = next(self.batches, None)
                if batch is None:
                    break
                self.in_air, asked = self.in_air + 1, True
                self.pool.submit(self._ask, batch)
        return asked

    def _is_read(self) -> bool:
        return self.answered.qsize() <= self.most_unread

    def _ask(self, batch: Batch[About]) -> None:
        try:
            found: list[Sample] | BaseException = self.ask(batch)
        except BaseException as fault:  # noqa: BLE001 (raised where the answers are read)
            found = fault
        with self.lock:
            self.answered.put((batch.about, found))
            self.in_air -= 1
        if not isinstance(found, BaseException):
            self.refill()

    def came(self) -> tuple[list[tuple[About, list[Sample]]], BaseException | None]:
        """What came, waiting for the first of it for LOOK seconds; and a fault, after what can be kept."""
        found: list[tuple[About, list[Sample]]] = []
        fault: BaseException | None = None
        try:
            about, said = self.answered.get(timeout=LOOK)
            while True:
                if isinstance(said, BaseException):
                    fault = fault or said
                else:
                    found.append((about, said))
                about, said = self.answered.get_nowait()
        except Empty:
            return found, fault


@contextmanager
def chat_server(name: str, *, retries: int | None = None, counts: bool = False) -> Iterator[ChatServer]:
    """The generator of that name; `retries` where somebody waits for it. What is wrong with it becomes GeneratorFailed,
    with its name and the way out."""
    generator = settings.GENERATORS.get(name)
    if generator is None:
        raise GeneratorFailed(
            f"This worker knows no generator {name}. Ask the operator to add it to GENERATORS of every cpu worker and "
            "to restart them; then resume the round."
        )
    key = generator.key or None
    if generator.key_env:
        key = os.environ.get(generator.key_env)
        if not key:
            raise GeneratorFailed(
                f"The generator {name} has no key: the environment variable {generator.key_env} is not set on this "
                "worker. Ask the operator to set it and to restart the worker; then resume the round."
            )
    try:
        client = ServerClient(
            generator.url,
            key,
            timeout=generator.timeout,
            retries=generator.retries if retries is None else min(retries, generator.retries),
            in_flight=generator.in_flight,
            shown=f"The generator {name}",
        )
        yield ChatServer(client, generator.batch, generator.stream, counts)
    except ServerUnavailableError as fault:
        raise GeneratorFailed(f"{fault}. What it wrote is kept. When it is up again, resume the round.") from fault
    except ServerError as fault:
        raise GeneratorFailed(f"{fault} Ask the operator to mend it; then resume the round.") from fault
    except StoppedError:  # only after another error, which has been raised already
        raise GeneratorFailed(f"The generator {name} was stopped. Resume the round.") from None
