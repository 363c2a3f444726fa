"""The generating stage of a round: samples a chunk's problems, several at once, and writes them as they arrive."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings

from labeling.actions.round_generation import add_samples
from labeling.errors import GeneratorFailed
from labeling.generation.prompts import write_prompt
from labeling.generation.sampling import REFUSED, Sample, runs, seed_of
from labeling.models import Round, RoundChunk
from labeling.queries.candidates import ProblemToSample, problems_of_chunk
from worker.asking import Batch, answers
from worker.chat import ChatServer
from worker.http.errors import ServerError, ServerUnavailableError, StoppedError
from worker.http.server_client import ServerClient
from worker.refusals import Refusals

WAY_OUT = (
    "Check the model's name and the sampling settings and start another round. Or ask the operator to fix the "
    "generator, then resume this round."
)


def generate_chunk(round_: Round, chunk: RoundChunk, stop: Callable[[], None]) -> int:
    """Request the samples that the chunk's problems lack from the round's generator. Return how many there are then.

    `stop`, called every second, raises to end the work. Raises GeneratorFailed, and LeaseLost if the chunk now belongs
    to another worker.
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
    """Record the samples that the server refuses, so that they are not requested again. Return how many there are.

    If it refused everything, the problems are not the cause: raises GeneratorFailed.
    """
    asked = chunk.round.staged_config.generating
    refusals = Refusals(asked.generator, asked.model, WAY_OUT)
    refusals.answered = answered > 0
    refusals.hear(sample for _, sample in refused)
    refusals.require_an_answer()
    for problem, sample in refused:
        add_samples(chunk, problem, [sample])
    return len(refused)


@contextmanager
def chat_server(name: str, *, retries: int | None = None, counts: bool = False) -> Iterator[ChatServer]:
    """Yield the generator with that name; `retries` limits attempts if a person is waiting. Its faults become
    GeneratorFailed, with its name and what to do.
    """
    generator = settings.GENERATORS.get(name)
    if generator is None:
        raise GeneratorFailed(
            f"This worker has no generator {name}. Ask the operator to add it to GENERATORS on every cpu worker and "
            "restart them; then resume the work."
        )
    key = generator.key or None
    if generator.key_env:
        key = os.environ.get(generator.key_env)
        if not key:
            raise GeneratorFailed(
                f"The generator {name} has no key: the environment variable {generator.key_env} is not set on this "
                "worker. Ask the operator to set it and restart the worker; then resume the work."
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
        raise GeneratorFailed(f"{fault}. Its answers so far are kept; resume the work when it is back up.") from fault
    except ServerError as fault:
        raise GeneratorFailed(f"{fault} Ask the operator to fix it; then resume the work.") from fault
    except StoppedError:  # only after another error, which has already been raised
        raise GeneratorFailed(f"The generator {name} was stopped. Resume the round.") from None
