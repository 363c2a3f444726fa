"""Reads of a run's typed steps one by one: a step whole, and the pictures that steps show."""

from typing import Any

from labeling.errors import NotFound
from labeling.formats.typed_steps import image_hashes, inner_step
from labeling.models import StepImage, Trace

HIDDEN = ("source_ref", "turn")  # by which runs could be told apart


def typed_step(trace: Trace, place: int, inside: str = "") -> dict[str, Any]:
    """A step of a run whole, or one of a sub-agent's run in it (`inside`: "3.1"). Raises NotFound."""
    path = [place, *(int(one) for one in inside.split(".") if one)]
    found = inner_step(trace.typed_steps or [], path)
    if found is None:
        raise NotFound
    return {name: value for name, value in found.items() if name not in HIDDEN}


def step_image(trace: Trace, sha256: str) -> StepImage:
    """A picture that a run shows. Raises NotFound, also where the project has it for another run."""
    if sha256 not in image_hashes(trace.typed_steps or []):
        raise NotFound
    found = StepImage.objects.filter(project=trace.project_id, sha256=bytes.fromhex(sha256)).first()
    if found is None:
        raise NotFound
    return found
