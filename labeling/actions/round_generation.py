"""Candidates from a generator: each problem's samples are written as they arrive, with a record of which arrived.

A worker that takes over a chunk only requests samples that are not written yet, so a killed worker loses only those it
was waiting for. A dropped sample is not requested again.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import orjson
from django.db import connection, transaction
from django.db.models import F

from labeling.actions.jobs import LeaseLost
from labeling.formats.normalise import trace_key
from labeling.generation.prompts import PROMPTS, template_of
from labeling.generation.sampling import DUPLICATE, Candidate, Sample, judge
from labeling.models import ProblemSamples, Project, RoundChunk
from labeling.queries.candidates import ProblemToSample

SOURCE = "generated"
INSERT = """
    INSERT INTO labeling_trace (project_id, problem_id, external_id, source, generator, sampling, steps, final_answer,
        outcome, grader_version, splitter_version, metadata, trace_hash)
    VALUES (%(project)s, %(problem)s, '', %(source)s, %(model)s, %(sampling)s, %(steps)s, %(answer)s,
        'ungraded', '', %(splitter)s, '{}', %(key)s)
    ON CONFLICT (project_id, trace_hash) DO NOTHING
"""


@transaction.atomic
def add_samples(chunk: RoundChunk, problem: ProblemToSample, samples: Sequence[Sample]) -> int:
    """Write what arrived of one problem's samples. Returns how many became a trace.

    Raises LeaseLost, having written nothing, if another worker has the chunk by now.
    """
    kind = chunk.round.project.answer_kind
    splitter = chunk.round.staged_config.generating.splitter
    about = {"answered": kind != Project.AnswerKind.NONE, "options": kind == Project.AnswerKind.CHOICE}
    _require_lease(chunk)
    row, _ = ProblemSamples.objects.select_for_update().get_or_create(round=chunk.round, problem_id=problem.problem_id)
    dropped: Counter[str] = Counter(row.dropped)
    known, kept = len(row.done), 0
    for sample in samples:
        if sample.number in row.done:
            continue
        row.done.append(sample.number)
        found = judge(sample, splitter, **about)
        if isinstance(found, str):
            dropped[found] += 1
        elif _add_trace(chunk, problem, found, splitter.version):
            kept += 1
        else:
            dropped[DUPLICATE] += 1
    row.kept += kept
    row.dropped = dict(dropped)
    row.save(update_fields=["done", "kept", "dropped"])
    RoundChunk.objects.filter(pk=chunk.pk).update(done=F("done") + len(row.done) - known)
    return kept


def _require_lease(chunk: RoundChunk) -> None:
    """Lock the chunk's row until the transaction ends. Raises LeaseLost."""
    mine = RoundChunk.objects.select_for_update(no_key=True).filter(pk=chunk.pk, lease_token=chunk.lease_token)
    if not mine.filter(status=RoundChunk.Status.RUNNING).exists():
        raise LeaseLost


def _add_trace(chunk: RoundChunk, problem: ProblemToSample, found: Candidate, splitter_version: str) -> bool:
    """Add the trace. Returns False if the project already has it."""
    about: dict[str, Any] = {
        "project": chunk.round.project_id,
        "problem": problem.problem_id,
        "source": SOURCE,
        "model": chunk.round.staged_config.generating.model,
        "sampling": orjson.dumps(sampling_of(chunk, found)).decode(),
        "steps": found.steps,
        "answer": found.final_answer,
        "splitter": splitter_version,
        "key": trace_key(problem.text_hash, found.steps),
    }
    with connection.cursor() as cursor:
        cursor.execute(INSERT, about)
        return cursor.rowcount == 1


def sampling_of(chunk: RoundChunk, found: Candidate) -> dict[str, Any]:
    """Return what `Trace.sampling` stores: everything that was requested, and which of the round's samples it is."""
    asked = chunk.round.staged_config.generating
    return {
        **asked.as_json(),
        "prompt": template_of(asked.prompt),
        "prompt_name": asked.prompt if asked.prompt in PROMPTS else "",
        "round": chunk.round.number,
        "sample": found.sample.number,
        "sample_seed": found.sample.seed,
        "finish_reason": found.sample.finish_reason,
    }
