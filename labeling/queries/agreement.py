"""How far a project's labelers agree: reads the labels; `labeling.statistics.agreement` computes the figures.

Each labeler counts once per trace, with the latest label. Gold, screening, surplus and superseded labels and rulings
are left out, and so are labels excluded by hand, because these figures describe the data. A pair is two labels of one
trace that both have a verdict, so neither says "bad problem" or "gave up". Figures are cached by the snapshot of labels
they are computed from, so nobody waits for the same figures twice while no label changes.
"""

import hashlib
from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import orjson
from django.core.cache import cache
from django.db import connection

from labeling.models import Problem, Project, Round, User
from labeling.queries.held_labels import held_traces
from labeling.queries.labels import NOT_EXCLUDED
from labeling.queries.sql_slots import fill
from labeling.statistics.agreement import Agreement, agreement, agreement_of_two, agreement_on
from labeling.statistics.intervals import RESAMPLES, Estimate, share_of_clusters
from labeling.statistics.label_pairs import Labeled, PairwiseLabels

KEPT_FOR = 7 * 24 * 3600  # seconds
VERSION = 5  # of the figures: increase it when the same labels would give different figures
PART_RESAMPLES = 300  # for subjects, levels and pairs, of which there are many
MOST_DISPUTED = 100
MOST_PAIRS = 100  # those that share the most traces
MOST_RESAMPLED = 10_000_000  # traces times resamples of one figure: above this, intervals are narrow anyway, and slow

CHOSEN_OF = """
    WITH chosen AS (
        SELECT label.id, task.trace_id, label.labeler_id, label.finish_reason, label.verdict, label.submitted_at,
            (label.run_marks->>'decisive_error')::int AS decisive,
            problem.id AS problem_id, problem.subject, problem.level, round.overlap,
            row_number() OVER (PARTITION BY task.trace_id, label.labeler_id ORDER BY label.submitted_at DESC, label.id)
                AS version,
            row_number() OVER (PARTITION BY label.task_id ORDER BY label.submitted_at, label.id) AS place
        FROM labeling_label label JOIN labeling_task task ON task.id = label.task_id
        JOIN labeling_round round ON round.id = task.round_id
        JOIN labeling_trace trace ON trace.id = task.trace_id
        JOIN labeling_problem problem ON problem.id = trace.problem_id
        WHERE label.project_id = %(project)s AND label.status = 'submitted' AND NOT label.surplus
            AND task.kind IN ('work', 'imported_qc')
            AND (%(round)s::bigint IS NULL OR task.round_id = %(round)s)
            AND (%(subject)s::text IS NULL OR problem.subject = %(subject)s)
            AND (%(level)s::text IS NULL OR problem.level = %(level)s)
            AND (%(pair)s::bigint[] IS NULL OR label.labeler_id = ANY(%(pair)s)) {narrowed}
    ), shared AS (
        SELECT *, count(*) OVER (PARTITION BY trace_id) AS labelers FROM chosen
        WHERE version = 1 AND (NOT %(base)s OR place <= overlap)
    )
"""
CHOSEN = fill(CHOSEN_OF, narrowed=f"AND {NOT_EXCLUDED}")
# Only labels made here: an imported file does not say who gave second labels or which agreeing ones it left out.
CHOSEN_HERE = fill(CHOSEN_OF, narrowed=f"AND {NOT_EXCLUDED} AND NOT round.imported")
# On the traces one labeler has, with everyone who shares them. About a labeler's work, so with labels excluded by hand.
CHOSEN_BESIDE = fill(
    CHOSEN_OF,
    narrowed="""
        AND task.trace_id IN (SELECT its.trace_id FROM labeling_label own JOIN labeling_task its ON its.id = own.task_id
            WHERE own.labeler_id = %(labeler)s AND own.project_id = %(project)s AND own.status = 'submitted')
""",
)
FARTHEST = """
    (one.verdict >= 0 AND other.verdict >= 0) IS TRUE, abs(one.verdict - other.verdict) DESC NULLS LAST, one.trace_id
"""
LABELED = (
    CHOSEN
    + """
    SELECT shared.trace_id, shared.labeler_id, shared.finish_reason, shared.verdict, shared.subject, shared.level,
        shared.problem_id, shared.decisive, said.steps, said.ratings
    FROM shared LEFT JOIN LATERAL (
        SELECT array_agg(step.step_index) AS steps, array_agg(step.rating) AS ratings FROM labeling_steplabel step
        WHERE step.label_id = shared.id AND step.completion_id IS NULL AND step.rating IS NOT NULL) said ON TRUE
    WHERE shared.labelers > 1 ORDER BY shared.trace_id, shared.labeler_id
"""
)
SNAPSHOT = (
    CHOSEN
    + """
    SELECT count(*), coalesce(sum(hashint8extended(id, 0) %% 1000000007), 0), max(submitted_at)
    FROM shared WHERE labelers > 1
"""
)
# The number of pairs with the same verdict and of all pairs, one row per problem.
PAIRS_OF = """
    {chosen}, said AS (
        SELECT trace_id, problem_id, verdict, count(*) AS votes FROM shared
        WHERE labelers > 1 AND verdict IS NOT NULL GROUP BY 1, 2, 3
    ), traces AS (
        SELECT problem_id, sum(votes * (votes - 1) / 2) AS same, sum(votes) * (sum(votes) - 1) / 2 AS pairs
        FROM said GROUP BY trace_id, problem_id HAVING sum(votes) > 1
    )
    SELECT sum(same), sum(pairs) FROM traces GROUP BY problem_id ORDER BY problem_id
"""
PAIRS, PAIRS_HERE = fill(PAIRS_OF, chosen=CHOSEN), fill(PAIRS_OF, chosen=CHOSEN_HERE)
# Two labelers disagree most where one of them finds no error or gives no verdict.
DISPUTED = (
    CHOSEN
    + """
    SELECT one.trace_id, left(problem.text, 200), one.finish_reason, one.verdict, other.finish_reason, other.verdict,
        count(*) OVER ()
    FROM shared AS one JOIN shared AS other ON other.trace_id = one.trace_id AND other.labeler_id = %(other)s
    JOIN labeling_trace AS trace ON trace.id = one.trace_id
    JOIN labeling_problem AS problem ON problem.id = trace.problem_id
    WHERE one.labeler_id = %(one)s AND one.labelers > 1 AND one.trace_id <> ALL(%(held)s::bigint[]) AND (
        one.verdict IS DISTINCT FROM other.verdict OR one.finish_reason <> other.finish_reason)
    ORDER BY """
    + FARTHEST
    + """
    LIMIT %(limit)s
"""
)


def project_agreement(
    project: Project,
    *,
    round: int | None = None,
    subject: str = "",
    level: str = "",
    one: int | None = None,
    other: int | None = None,
    base: bool = False,
) -> dict[str, Any]:
    """Return the agreement among everyone who labeled the same traces, narrowed by the arguments. `one` and `other` are
    two labelers' ids. `base` takes only the first labels of each task, as many as its round's overlap. Shapes are as in
    the API schema.
    """
    asked = {
        "project": project.pk,
        "round": round,
        "subject": subject or None,
        "level": level or None,
        "pair": [one, other] if one and other else None,
        "base": base,
    }
    with connection.cursor() as cursor:
        cursor.execute(SNAPSHOT, asked)
        snapshot = cursor.fetchone()
    key = "agreement:" + hashlib.sha256(orjson.dumps([VERSION, asked, [str(part) for part in snapshot]])).hexdigest()
    figures = cache.get(key)
    if figures is None:
        figures = _figures(asked)
        cache.set(key, figures, KEPT_FOR)
    return _named(project, figures)


def same_first_error(project: Project, *, round: int | None = None, here: bool = False) -> Estimate:
    """Return only the figure `exact` of `project_agreement`, of a round or of all labels made `here`. One query."""
    asked = {"project": project.pk, "round": round, "subject": None, "level": None, "pair": None, "base": False}
    with connection.cursor() as cursor:
        cursor.execute(PAIRS_HERE if here else PAIRS, asked)
        by_problem = np.array(cursor.fetchall(), dtype=np.float64).reshape(-1, 2)
    return share_of_clusters(by_problem[:, 0], by_problem[:, 1], n=int(by_problem[:, 1].sum()))


def disputed_traces(project: Project, reader: User, **asked: Any) -> dict[str, Any]:
    """Return the traces on which two labelers, `one` and `other`, differ: the count and the first MOST_DISPUTED,
    largest difference first, without those the reader is labeling. Narrowed like `project_agreement`. Two queries.
    """
    narrowed = {"round": None, "base": False, **asked, "project": project.pk, "limit": MOST_DISPUTED}
    narrowed |= {name: asked.get(name) or None for name in ("subject", "level")}
    narrowed |= {"pair": [asked["one"], asked["other"]], "held": held_traces(reader, project)}
    with connection.cursor() as cursor:
        cursor.execute(DISPUTED, narrowed)
        rows = cursor.fetchall()
    names = ("trace_id", "problem", "one_reason", "one_verdict", "other_reason", "other_verdict")
    return {"count": rows[0][-1] if rows else 0, "results": [dict(zip(names, row, strict=False)) for row in rows]}


def choices(project: Project) -> dict[str, Any]:
    """Return what the figures can be narrowed by: rounds, subjects and levels of the project. Three queries."""
    problems = Problem.objects.filter(project=project)
    return {
        "rounds": list(Round.objects.filter(project=project).order_by("-number").values("id", "number", "name")),
        "subjects": sorted(set(problems.exclude(subject="").values_list("subject", flat=True).distinct())),
        "levels": sorted(set(problems.exclude(level="").values_list("level", flat=True).distinct())),
    }


def table(found: dict[str, Any]) -> list[list[Any]]:
    """Return the figures as table rows: which labels (`of`, `name`), figure, value, low, high, n."""
    rows: list[list[Any]] = [["of", "name", "figure", "value", "low", "high", "n"]]
    parts = [("all", "", found["figures"])]
    parts += [("subject", part["name"], part["figures"]) for part in found["by_subject"]]
    parts += [("level", part["name"], part["figures"]) for part in found["by_level"]]
    for of, name, figures in parts:
        rows += _table_rows(of, name, figures)
    rows += _table_rows("all", "", {"decisive_error": found["decisive_error"]})
    for pair in found["pairs"]:
        name = f"{pair['one']['shown_name']} and {pair['other']['shown_name']}"
        rows += _table_rows("pair", name, pair["figures"])
    for cell in found["finish_reasons"]:
        rows.append(["finish reasons", f"{cell['one']} and {cell['other']}", "pairs of labels", cell["n"], "", "", ""])
    return rows


def _table_rows(of: str, name: str, figures: dict[str, Any]) -> list[list[Any]]:
    columns = ("value", "low", "high", "n")
    return [
        [of, name, figure, *("n/a" if found[column] is None else found[column] for column in columns)]
        for figure, found in figures.items()
    ]


def _figures(asked: dict[str, Any]) -> dict[str, Any]:
    """Return all figures as JSON values, with people as ids."""
    labels: list[Labeled] = []
    decisive: list[Labeled] = []
    subjects: dict[Hashable, str] = {}
    levels: dict[Hashable, str] = {}
    for label, lost, subject, level in _labeled(asked):
        labels.append(label)
        if lost is not None:
            decisive.append(replace(label, ratings=(), verdict=lost))
        subjects[label.trace], levels[label.trace] = subject, level
    together = PairwiseLabels(labels)
    everything = np.arange(len(together.traces))
    whole = agreement_on(together, everything, resamples=_resamples(len(together.traces)))
    return {
        "traces": whole.traces,
        "labels": len(labels),
        "figures": _estimates(whole),
        "decisive_error": _estimate(agreement(decisive).exact),
        "finish_reasons": _matrix(whole, together, asked["pair"]),
        "pairs": _pairs(together),
        "by_subject": _parts(together, subjects),
        "by_level": _parts(together, levels),
    }


def _labeled(asked: dict[str, Any]) -> Iterable[tuple[Labeled, int | None, str, str]]:
    """Yield the labels with their decisive errors, subjects and levels, all read by one query."""
    with connection.cursor() as cursor:
        cursor.execute(LABELED, asked)
        while rows := cursor.fetchmany(5_000):
            for trace, labeler, finish_reason, verdict, subject, level, problem, decisive, steps, ratings in rows:
                by_step: list[int | None] = [None] * (max(steps) + 1 if steps else 0)
                for step, rating in zip(steps or (), ratings or (), strict=True):
                    by_step[step] = rating
                yield Labeled(trace, labeler, by_step, finish_reason, verdict, problem), decisive, subject, level


def _resamples(traces: int) -> int:
    return max(PART_RESAMPLES, min(RESAMPLES, MOST_RESAMPLED // max(1, traces)))


def _estimates(found: Agreement) -> dict[str, Any]:
    figures = {
        "alpha": found.alpha,
        "exact": found.exact,
        "within_one": found.within_one,
        "has_error": found.has_error,
        "distance": found.distance,
    }
    return {name: _estimate(figure) for name, figure in figures.items()}


def _estimate(figure: Estimate) -> dict[str, Any]:
    """Return a figure. Without a value, `why` is `nothing_shared` or `no_variation` (no basis for chance agreement)."""
    why = None if figure.value is not None else "nothing_shared" if figure.n == 0 else "no_variation"
    return {**asdict(figure), "why": why}


def _matrix(whole: Agreement, together: PairwiseLabels, pair: list[int] | None) -> list[dict[str, Any]]:
    """Count pairs of labels by their two finish reasons. For two labelers, `pair[0]`'s reason comes first. For all
    labelers, each pair of labels counts once, its reasons in alphabetical order.
    """
    counts = whole.finish_reasons
    if pair is not None:
        counts = together.reasons_of(together.pairs)
        if together.labelers and together.labelers[0] != pair[0]:
            counts = {(other, one): n for (one, other), n in counts.items()}
    return [{"one": one, "other": other, "n": n} for (one, other), n in sorted(counts.items())]


def _pairs(together: PairwiseLabels) -> list[dict[str, Any]]:
    """Return the pairs of labelers who share the most traces, with Cohen's kappas."""
    shown = sorted(together.by_two, key=len, reverse=True)[:MOST_PAIRS]
    found = [agreement_of_two(together, labels, resamples=PART_RESAMPLES) for labels in shown]
    return [
        {
            "one": pair.one,
            "other": pair.other,
            "traces": pair.agreement.traces,
            "figures": {
                "kappa_ratings": _estimate(pair.kappa_ratings),
                "kappa_has_error": _estimate(pair.kappa_has_error),
                **_estimates(pair.agreement),
            },
        }
        for pair in found
    ]


def _parts(together: PairwiseLabels, names: dict[Hashable, str]) -> list[dict[str, Any]]:
    """Return the figures of each named group of traces."""
    groups: dict[str, list[int]] = defaultdict(list)
    for place, trace in enumerate(together.traces):
        groups[names[trace]].append(place)
    found = [
        (name, agreement_on(together, np.array(group), resamples=PART_RESAMPLES))
        for name, group in sorted(groups.items())
        if name
    ]
    return [{"name": name, "traces": part.traces, "figures": _estimates(part)} for name, part in found]


def _named(project: Project, figures: dict[str, Any]) -> dict[str, Any]:
    """Replace ids of people by their names. One query."""
    ids = {pair[side] for pair in figures["pairs"] for side in ("one", "other")}
    found = sorted(User.objects.filter(pk__in=ids), key=lambda person: (person.kind != "person", person.shown_name))
    people = [{"id": person.pk, "shown_name": person.shown_name, "kind": person.kind} for person in found]
    by_id = {person["id"]: person for person in people}
    pairs = [{**pair, "one": by_id[pair["one"]], "other": by_id[pair["other"]]} for pair in figures["pairs"]]
    return {**figures, "pairs": pairs, "labelers": people}
