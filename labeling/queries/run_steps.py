"""Reads of a run's typed steps one by one: a whole step, and the pictures that steps show.

The database picks out the one step, because a run may have 50 MB.
"""

import json
import re
from typing import Any

from django.db import connection

from labeling.errors import NotFound
from labeling.models import StepImage, Trace

HEX = re.compile("[0-9a-f]{64}")
HIDDEN = ("source_ref", "turn")  # fields by which runs could be told apart
ONE_STEP = "SELECT (typed_steps #> %s::text[])::text FROM labeling_trace WHERE id = %s"
SHOWS = """
    SELECT jsonb_path_exists(
        typed_steps, '$.**.images[*].sha256 ? (@ == $named)', jsonb_build_object('named', %s::text))
    FROM labeling_trace WHERE id = %s
"""


def typed_step(trace: Trace, place: int, inside: str = "") -> dict[str, Any]:
    """Return a whole step of a run, or one of a sub-agent's run in it (`inside`: "3.1"). Raises NotFound."""
    path = [str(place)]
    for inner in inside.split("."):
        path += ["nested", inner] if inner else []
    found = _one(ONE_STEP, path, trace.pk)
    if found is None:
        raise NotFound
    return _shown(json.loads(found))


def step_image(trace: Trace, sha256: str) -> StepImage:
    """Return a picture that a run shows. Raises NotFound, even if the project has it for another run."""
    if not HEX.fullmatch(sha256) or not _one(SHOWS, sha256, trace.pk):
        raise NotFound
    found = StepImage.objects.filter(project=trace.project_id, sha256=bytes.fromhex(sha256)).first()
    if found is None:
        raise NotFound
    return found


def _shown(step: dict[str, Any]) -> dict[str, Any]:
    """Return the step, with the steps of a sub-agent's run in it, without anything that could tell runs apart."""
    shown = {name: value for name, value in step.items() if name not in HIDDEN}
    if "nested" in shown:
        shown["nested"] = [_shown(inner) for inner in shown["nested"]]
    return shown


def _one(statement: str, *named: Any) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement, named)
        row = cursor.fetchone()
    return row and row[0]
