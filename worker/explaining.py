"""Asks a generator what is wrong with a step, and for alternative next steps."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait

from labeling.configs import ExplainingConfig, GenerateConfig
from labeling.errors import GeneratorFailed
from labeling.generation.explaining import read_texts, write_prompt
from labeling.generation.sampling import REFUSED, Sample, seed_of
from labeling.queries.suggestions import StepToExplain
from worker.asking import LOOK
from worker.generation import chat_server

KINDS = ("explanation", "alternative")


def explain(step: StepToExplain, asked: ExplainingConfig, stop: Callable[[], None]) -> dict[str, list[str]]:
    """Return the texts that the generator wrote, by kind. `stop`, called every second, raises to end the work.

    Raises GeneratorFailed.
    """
    numbers = dict(zip(KINDS, (asked.explanations, asked.alternatives), strict=True))
    sampling = GenerateConfig(
        asked.generator,
        asked.model,
        temperature=asked.temperature,
        top_p=asked.top_p,
        max_tokens=asked.max_tokens,
    )
    found: dict[str, list[str]] = {}
    with chat_server(asked.generator) as server:
        pool = ThreadPoolExecutor(len(KINDS), thread_name_prefix="explaining")

        def ask(kind: str) -> list[Sample]:
            prompt = write_prompt(asked.prompt, kind, step.problem, step.before, step.step)
            seed = seed_of(asked.seed, prompt.encode(errors="replace"), 0)
            return server.samples(sampling, prompt, range(numbers[kind]), seed)

        try:
            waiting: dict[str, Future[list[Sample]]] = {kind: pool.submit(ask, kind) for kind in KINDS if numbers[kind]}
            while wait(waiting.values(), timeout=LOOK).not_done:
                stop()
            for kind, answers in waiting.items():
                found[kind] = _texts(asked, kind, answers.result())
        finally:
            server.client.stop()
            pool.shutdown(wait=False, cancel_futures=True)
    return found


def _texts(asked: ExplainingConfig, kind: str, samples: list[Sample]) -> list[str]:
    refused = [sample for sample in samples if sample.finish_reason == REFUSED]
    if refused and len(refused) == len(samples):
        raise GeneratorFailed(f"The generator {asked.generator} refused this step: {refused[0].text[:500]}")
    return read_texts(kind, [sample.text for sample in samples if sample.finish_reason != REFUSED])
