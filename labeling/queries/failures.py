"""The failures the field warns of, for one selector: rows for `labeling.metrics.failures`, and its page's sections.

What people say of a trace is taken as for a source's calibration. Figures are cached by the labels and scores they are
computed from.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import orjson
from django.core.cache import cache
from django.db import connection

from labeling.errors import NotFound
from labeling.metrics.failures.collapse import collapse
from labeling.metrics.failures.confidence import false_confidence
from labeling.metrics.failures.drift import GoldTry, drift
from labeling.metrics.failures.figure import Arm, Figure, Scored, Seen
from labeling.metrics.failures.gaming import gaming
from labeling.metrics.failures.hidden import hidden_reasoning
from labeling.metrics.failures.transfer import KINDS, transfer
from labeling.metrics.failures.trust import Looked, over_trust
from labeling.models import Project, Promotion, StepScorer, Task, TrainingRun, User
from labeling.queries.exports import unpacked_ids
from labeling.queries.held_labels import held_traces
from labeling.queries.machine_report import assisted_labels
from labeling.queries.source_calibration import LABELED
from labeling.queries.sql_slots import fill
from labeling.queries.step_scorers import knows_origin, scorers_of

Json = dict[str, Any]
VERSION = 2  # of the figures: increase it when the same labels would give different figures
KEPT_FOR = 600  # seconds
MOST_SCORED = 3_000  # scored traces used for gaming and collapse, drawn by their hash
SECTIONS = ("gaming", "collapse", "false_confidence", "transfer", "drift", "hidden_reasoning", "over_trust")
# Traces chosen by a score (`selected`) or without a look at one (`control`); any other reason is `unknown`.
ARMS: Mapping[str, Arm] = {
    "convincing_wrong": "selected",
    "convincing_rest": "selected",
    **dict.fromkeys((*Task.BY_CHANCE, *Task.UNCHOSEN), "control"),
}

LEARNED_TRACES = """
    SELECT task.trace_id FROM labeling_label AS label JOIN labeling_task AS task ON task.id = label.task_id
    WHERE label.id = ANY(%(labels)s::bigint[])
    UNION SELECT trace.id FROM labeling_learnedtext AS text JOIN labeling_trace AS trace
        ON trace.project_id = %(project)s AND trace.trace_hash = text.text_hash WHERE text.scorer_id = %(scorer)s
"""
LEARNED = f"""
    SELECT array_agg(DISTINCT trace.problem_id), array_agg(DISTINCT problem.subject),
        array_agg(DISTINCT trace.generator), array_agg(DISTINCT round.protocol)
    FROM ({LEARNED_TRACES}) AS learned (id) JOIN labeling_trace AS trace ON trace.id = learned.id
    JOIN labeling_problem AS problem ON problem.id = trace.problem_id
    LEFT JOIN labeling_task AS task ON task.trace_id = trace.id AND task.kind = 'work'
    LEFT JOIN labeling_round AS round ON round.id = task.round_id
"""
# A trace in several rounds belongs to the first one in which it was labeled. Rollouts are those of the newest source.
SEEN = """
    SELECT trace.id, trace.problem_id, chosen.number, chosen.scorer_id IS NOT DISTINCT FROM %(scorer)s, chosen.reason,
        trace.outcome, people.first_error, cardinality(trace.steps), score.steps, score.score,
        problem.subject, trace.generator, people.protocol, chosen.rated, chosen.neutral,
        (rolled.evidence -> 'hits' ->> people.first_error + 1)::int,
        (rolled.evidence -> 'n' ->> people.first_error + 1)::int,
        coalesce((rolled.evidence ->> 'own_answer')::boolean, false)
    FROM ({people}) AS people JOIN labeling_trace AS trace ON trace.id = people.trace_id
    JOIN labeling_problem AS problem ON problem.id = trace.problem_id
    CROSS JOIN LATERAL (
        SELECT round.number, round.scorer_id, task.reason, said.rated, said.neutral
        FROM labeling_task AS task JOIN labeling_round AS round ON round.id = task.round_id
        CROSS JOIN LATERAL (
            SELECT count(DISTINCT label.id) AS labels, count(step.id) AS rated,
                count(step.id) FILTER (WHERE step.rating = 0) AS neutral
            FROM labeling_label AS label LEFT JOIN labeling_steplabel AS step ON step.label_id = label.id
                AND step.completion_id IS NULL AND step.rating IS NOT NULL
            WHERE label.task_id = task.id AND label.status = 'submitted' AND NOT label.surplus
        ) AS said
        WHERE task.trace_id = trace.id AND task.kind = 'work' ORDER BY said.labels = 0, round.number LIMIT 1
    ) AS chosen
    LEFT JOIN labeling_score AS score ON score.trace_id = trace.id AND score.scorer_id = %(scorer)s
    LEFT JOIN LATERAL (
        SELECT mark.evidence FROM labeling_score AS mark
        JOIN labeling_stepscorer AS source ON source.id = mark.scorer_id
        WHERE mark.trace_id = trace.id AND source.kind = 'rollouts' AND people.first_error >= 0
        ORDER BY mark.scorer_id DESC LIMIT 1
    ) AS rolled ON true
    WHERE trace.project_id = %(project)s AND people.first_error < cardinality(trace.steps)
    ORDER BY trace.problem_id, trace.id
"""
SCORED = """
    SELECT score.trace_id, score.problem_id, score.outcome, score.score, score.steps,
        length(regexp_replace(said.text, '[[:alpha:][:space:]]', '', 'g'))::float8 / greatest(1, length(said.text))
    FROM (
        SELECT * FROM labeling_score WHERE scorer_id = %(scorer)s AND project_id = %(project)s AND score IS NOT NULL
        ORDER BY draw LIMIT %(most)s
    ) AS score JOIN labeling_trace AS trace ON trace.id = score.trace_id
    CROSS JOIN LATERAL (SELECT array_to_string(trace.steps, ' ') AS text) AS said
    WHERE score.steps IS NOT NULL AND trace.replaced_by_id IS NULL ORDER BY score.problem_id, score.trace_id
"""
GOLD = """
    SELECT round.number, result.gold_id, result.passed FROM labeling_goldresult AS result
    JOIN labeling_label AS label ON label.id = result.label_id JOIN labeling_task AS task ON task.id = label.task_id
    JOIN labeling_round AS round ON round.id = task.round_id
    JOIN labeling_gold AS gold ON gold.id = result.gold_id AND gold.status = 'active'
    WHERE result.project_id = %(project)s AND result.kind = 'gold' ORDER BY round.number, result.id
"""
LOOKED = """
    SELECT task.trace_id, trace.problem_id, label.edited_after_reveal FROM labeling_label AS label
    JOIN labeling_task AS task ON task.id = label.task_id JOIN labeling_trace AS trace ON trace.id = task.trace_id
    WHERE label.project_id = %(project)s AND label.status = 'submitted' AND task.kind = 'work'
        AND label.scores_revealed_at IS NOT NULL AND task.assisted IS NOT TRUE
    ORDER BY trace.problem_id, label.id
"""
# Outcomes change with entries in the audit log, and sometimes without: figures are cached for minutes only.
SNAPSHOT = """
    SELECT count(*), max(submitted_at), count(*) FILTER (WHERE edited_after_reveal), count(scores_revealed_at), (
        SELECT array_agg((scorer_id, traces)::text ORDER BY scorer_id) FROM labeling_scorecount
        WHERE project_id = %(project)s), (SELECT max(id) FROM labeling_auditevent WHERE project_id = %(project)s)
    FROM labeling_label WHERE project_id = %(project)s AND status IN ('submitted', 'ruling')
"""


class Learned(NamedTuple):
    """What a selector learned from: problems, and the values of each kind, or None where these are unknown."""

    problems: frozenset[int]
    values: Mapping[str, frozenset[str]] | None


def failures_of(project: Project, scorer: StepScorer | None) -> Json:
    """Return the sections of a selector's page, the same for every reader (`close_to` adapts them). Without a selector,
    only figures that need none are measured.
    """
    about = {"project": project.pk, "scorer": scorer.pk if scorer else None, "most": MOST_SCORED}
    key = _key(about)
    sections = cache.get(key)
    if sections is None:
        sections = _sections(project, scorer, about)
        cache.set(key, sections, KEPT_FOR)
    return {"selector": scorer, "choices": list(scorers_of(project)), "sections": sections}


def close_to(reader: User, project: Project, sections: Sequence[Json]) -> None:
    """Remove the traces the reader is labeling from those listed with the figures. One query."""
    held = set(held_traces(reader, project))
    for section in sections:
        for figure in section["figures"]:
            figure["traces"] = [trace for trace in figure["traces"] if trace not in held]


def selector_of(project: Project) -> StepScorer | None:
    """Return the promoted selector, otherwise the newest one the project may choose by."""
    newest = Promotion.objects.filter(project=project).order_by("-pk").select_related("scorer").first()
    return newest.scorer if newest is not None and newest.scorer is not None else scorers_of(project).first()


def get_selector(project: Project, scorer_id: int) -> StepScorer:
    """Return a selector the project may choose by. Raises NotFound."""
    found = scorers_of(project).filter(pk=scorer_id).first()
    if found is None:
        raise NotFound
    return found


def table(sections: Sequence[Json]) -> list[tuple[Any, ...]]:
    """Return the figures as rows, header first."""
    head = ("section", "figure", "of", "value", "low", "high", "n", "problems", "not measurable because", "needs")
    rows = [
        (section["name"], one["name"], one["of"], *(one[name] for name in ("value", "low", "high", "n", "clusters")))
        + (one["why"], one["needs"])
        for section in sections
        for one in section["figures"]
    ]
    return [head, *rows]


def _key(about: Json) -> str:
    [snapshot] = _rows(SNAPSHOT, about)
    return "failures:" + hashlib.sha256(orjson.dumps([VERSION, about, [str(part) for part in snapshot]])).hexdigest()


def _sections(project: Project, scorer: StepScorer | None, about: Json) -> list[Json]:
    learned = learned_by(project, scorer)
    rows = [_seen(row, learned.problems, scorer) for row in _rows(fill(SEEN, people=LABELED), about)]
    pool = [_scored(row) for row in _rows(SCORED, about)] if scorer else []
    gold = [GoldTry(*row) for row in _rows(GOLD, about)]
    looked = [Looked(*row) for row in _rows(LOOKED, about)]
    probabilities = scorer is None or scorer.scale != "log_ratio"
    found = {
        "gaming": gaming(rows, pool),
        "collapse": collapse(rows, pool),
        "false_confidence": false_confidence(rows, probabilities=probabilities),
        "transfer": transfer(rows, learned.values),
        "drift": drift(rows, gold),
        "hidden_reasoning": hidden_reasoning(rows),
        "over_trust": over_trust(looked, list(assisted_labels(project))),
    }
    return [{"name": name, "figures": [_flat(one) for one in found[name]]} for name in SECTIONS]


def _flat(one: Figure) -> Json:
    said = {name: getattr(one, name) for name in ("name", "unit", "of", "why", "needs")}
    return {**said, **asdict(one.found), "traces": list(one.traces)}


def _rows(statement: str, about: Json) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, about)
        return list(cursor.fetchall())


def _seen(row: tuple[Any, ...], learned: frozenset[int], scorer: StepScorer | None) -> Seen:
    trace, problem, number, by_it, reason, outcome, first, length, steps, score, subject, generator, *rest = row
    protocol, rated, neutral, hits, trials, own_answer = rest
    sure = hits is None or trials is None or (own_answer and first == length - 1)  # the last are the trace's own answer
    return Seen(
        trace, problem, number, by_it and scorer is not None, ARMS.get(reason, "unknown"), outcome, first, length,
        _numbers(steps, scorer), score, problem in learned, subject, generator, protocol, rated, neutral,
        None if sure else (hits, trials),
    )  # fmt: skip


def _scored(row: tuple[Any, ...]) -> Scored:
    trace, problem, outcome, score, steps, formula = row
    return Scored(trace, problem, outcome, score, steps, formula)


def _numbers(steps: list[float | None] | None, scorer: StepScorer | None) -> list[float] | None:
    """Return a selector's scores if every step has one, else None. Log ratios, as log odds, become probabilities."""
    if steps is None or scorer is None or any(one is None or math.isnan(one) for one in steps):
        return None
    if scorer.scale == "log_ratio":
        return [1 / (1 + math.exp(-max(-700.0, min(700.0, one or 0.0)))) for one in steps]
    return [one or 0.0 for one in steps]


def learned_by(project: Project, scorer: StepScorer | None) -> Learned:
    """Return what a selector learned from in this project. At most four queries."""
    if scorer is None:
        return Learned(frozenset(), None)
    packed = TrainingRun.objects.filter(prm=scorer).values_list("label_ids", flat=True).first()
    about = {"project": project.pk, "scorer": scorer.pk, "labels": list(unpacked_ids(packed))}
    [(problems, *values)] = _rows(LEARNED, about)
    known = knows_origin(scorer) or TrainingRun.objects.filter(prm=scorer).exists()
    by_kind = {kind: frozenset(filter(None, some or ())) for kind, some in zip(KINDS, values, strict=True)}
    return Learned(frozenset(problems or ()), by_kind if known else None)
