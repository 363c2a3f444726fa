"""How workers process a chunk of a stage that needs more than one call; labeling.configs.stages names the functions."""

from labeling.actions.jobs import Lease
from labeling.actions.round_selection import select_traces
from labeling.actions.round_stages import require_tasks
from labeling.models import RoundChunk
from worker.generation import generate_chunk


def generate(chunk: RoundChunk, lease: Lease) -> int:
    """Request the samples that the chunk's problems lack from the round's generator."""
    return generate_chunk(chunk.round, chunk, lease.require)


def select(chunk: RoundChunk, lease: Lease) -> int:
    """Choose the round's tasks. Raises NothingSelected."""
    select_traces(chunk.round, lease.require)
    return require_tasks(chunk.round)
