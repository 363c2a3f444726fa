"""Completions for paths that labelers choose: generated from the prefix, and written as they arrive, because a labeler
is waiting.
"""

import logging
import time
from collections.abc import Iterator

from labeling.actions.job_faults import reason_of
from labeling.actions.jobs import Lease, LeaseLost, leased
from labeling.actions.step_offers import OfferLease, add_completions, claim_offer, end_offer, note_trouble
from labeling.errors import GeneratorFailed
from labeling.generation.prompts import write_next_step_prompt
from labeling.generation.sampling import Sample, runs, seed_of
from labeling.models import StepOffer
from worker.asking import Batch, answers
from worker.generation import chat_server

logger = logging.getLogger(__name__)
TURN = 30.0  # seconds; then the queue's other messages get their turn, and the sweep or the next look resumes this
RETRIES = 1  # a labeler is waiting, and may write the step meanwhile


def complete_offers(seconds: float = TURN) -> int:
    """Complete one offer after another. Return how many."""
    end, count = time.monotonic() + seconds, 0
    while time.monotonic() < end and (offer := claim_offer()) is not None:
        complete_offer(offer)
        count += 1
    return count


def complete_offer(offer: StepOffer) -> None:
    """Request what a claimed offer lacks, and note how that ended."""
    try:
        with leased(offer, OfferLease(offer)) as lease:
            _ask(offer, lease)
    except LeaseLost:
        logger.warning("offer %s is another worker's by now", offer.pk)
    except GeneratorFailed as fault:
        logger.warning("offer %s: %s", offer.pk, fault)
        note_trouble(offer, str(fault))
    except Exception as fault:  # whatever it is, the labeler may write the step meanwhile, and it is retried
        logger.exception("offer %s", offer.pk)
        note_trouble(offer, reason_of(fault))
    else:
        end_offer(offer)


def _ask(offer: StepOffer, lease: Lease) -> None:
    asked = offer.round.path_config.generator
    lacking = [number for number in range(offer.wanted) if number not in offer.done]
    if asked is None or not lacking:
        return
    prompt = write_next_step_prompt(asked.prompt, offer.problem.text, offer.prefix)
    key = bytes(offer.prefix_key)
    with chat_server(asked.generator, retries=RETRIES) as server:

        def ask(batch: Batch[None]) -> list[Sample]:
            return server.samples(asked, prompt, batch.numbers, seed_of(asked.seed, key, batch.numbers[0]))

        for _, samples in answers(server, ask, _batches(lacking, server.batch), lease.require):
            add_completions(offer, samples)


def _batches(numbers: list[int], longest: int) -> Iterator[Batch[None]]:
    """Yield the first one alone, because it is shown as soon as it arrives."""
    first = [number for number in numbers if number == 0]
    if first:
        yield Batch(None, first)
    for run in runs([number for number in numbers if number != 0], longest):
        yield Batch(None, run)
