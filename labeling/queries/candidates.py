"""Reads of candidates: the generators available, which samples a chunk's problems still need, and what was dropped."""

from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection
from django.db.models import Sum

from labeling.configs import StagedConfig
from labeling.errors import InvalidFields, NotFound
from labeling.generation.prompts import PROMPTS
from labeling.models import ProblemSamples, Project, Round, RoundChunk, Trace
from labeling.queries.rounds import problems_to_sample

DROPPED = """
    SELECT reason, sum(number::bigint)::bigint
    FROM labeling_problemsamples, jsonb_each_text(dropped) AS counted (reason, number)
    WHERE round_id = %s GROUP BY reason ORDER BY reason
"""


class ProblemToSample(NamedTuple):
    """A problem of a chunk, and the numbers of its samples that have already arrived."""

    problem_id: int
    text: str
    text_hash: bytes
    done: frozenset[int]


def generators() -> dict[str, Any]:
    """Return the operator's generators and our prompts as lists for a form, without addresses or keys."""
    return {
        "results": [{"name": name, "models": list(one.models)} for name, one in settings.GENERATORS.items()],
        "prompts": [{"name": name, "template": template} for name, template in PROMPTS.items()],
    }


def require_generator(name: str, model: str) -> None:
    """Raise InvalidFields if the operator named no such generator, or the generator does not offer the model."""
    generator = settings.GENERATORS.get(name)
    if generator is None:
        known = ", ".join(settings.GENERATORS) or "none so far: ask the operator to set GENERATORS"
        raise InvalidFields(fields={"generator": [f"There is no generator {name}. Choose one of: {known}."]})
    if generator.models and model not in generator.models:
        fault = f"{name} does not offer {model}. It offers: {', '.join(generator.models)}."
        raise InvalidFields(fields={"model": [fault]})


def written_text(project: Project, trace_id: int) -> str:
    """Return a trace of the project as one text, to try a splitter on. Raises NotFound."""
    trace = Trace.objects.filter(project=project, pk=trace_id).only("steps", "splitter_version").first()
    if trace is None:
        raise NotFound
    return ("\n" if trace.splitter_version.startswith("newline/") else "\n\n").join(trace.steps)


def problems_of_chunk(chunk: RoundChunk) -> list[ProblemToSample]:
    """Return the chunk's problems by id, with the samples that arrived for each. Two queries."""
    round_ = chunk.round
    place = {"pk__gte": chunk.first_problem, "pk__lte": chunk.last_problem}
    problems = problems_to_sample(round_.project, filter=round_.staged_config.filter).filter(**place).order_by("pk")
    samples = ProblemSamples.objects.filter(
        round=round_, problem__gte=chunk.first_problem, problem__lte=chunk.last_problem
    )
    done = dict(samples.values_list("problem_id", "done"))
    return [
        ProblemToSample(pk, text, bytes(text_hash), frozenset(done.get(pk, ())))
        for pk, text, text_hash in problems.values_list("pk", "text", "text_hash")
    ]


def samples_to_make(project: Project, config: StagedConfig) -> int:
    """Return how many samples a round's generator would be asked for. At most one query."""
    return config.generate.n * problems_to_sample(project, filter=config.filter).count() if config.generate else 0


def sample_counts(round_: Round) -> dict[str, Any]:
    """Return `{samples, kept, dropped: {reason: n}}` of what a round's generator has written so far. Two queries."""
    kept = ProblemSamples.objects.filter(round=round_).aggregate(kept=Sum("kept"))["kept"] or 0
    with connection.cursor() as cursor:
        cursor.execute(DROPPED, [round_.pk])
        dropped = dict(cursor.fetchall())
    return {"samples": kept + sum(dropped.values()), "kept": kept, "dropped": dropped}
