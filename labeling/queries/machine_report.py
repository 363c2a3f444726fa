"""What it did that labelers saw a machine's marks: after their label, how often they changed it; beside the steps, how
much faster they were, and how far they followed marks that are wrong, against the tasks that showed nothing.

What is true of a trace is the newest ruling, else what people say who saw no marks in other rounds, else what imports
recorded. Where the data cannot carry a figure it says why.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
from django.db import connection

from labeling.configs import ShownMarks
from labeling.models import Round, StepScorer
from labeling.queries.first_errors import PEOPLE, RECORDED, said_by
from labeling.queries.sql_slots import fill
from labeling.statistics.intervals import (
    Estimate,
    Floats,
    difference,
    holding,
    of_totals,
    share_of_clusters,
    unknown,
)

Json = dict[str, Any]
# Of people who saw nothing: rulings, and labels of other rounds.
ELSEWHERE = fill(PEOPLE, which="(label.status = 'ruling' OR round.id <> %(round)s)")
LABELS = """
    SELECT trace.problem_id, task.assisted, label.verdict, label.active_ms, label.scores_revealed_at IS NOT NULL,
        label.edited_after_reveal, label.before_reveal IS NOT NULL, (label.before_reveal ->> 'verdict')::int,
        (label.before_reveal ->> 'finish_reason') IS DISTINCT FROM label.finish_reason, {said},
        coalesce(people.first_error, recorded.first_error)
    FROM labeling_label AS label JOIN labeling_task AS task ON task.id = label.task_id
    JOIN labeling_trace AS trace ON trace.id = task.trace_id
    LEFT JOIN labeling_score AS score ON score.trace_id = trace.id AND score.scorer_id = %(scorer)s
    LEFT JOIN ({people}) AS people ON people.trace_id = trace.id
    LEFT JOIN ({recorded}) AS recorded ON recorded.trace_id = trace.id
    WHERE task.round_id = %(round)s AND task.kind = 'work' AND label.status = 'submitted' AND NOT label.surplus
    ORDER BY label.id
"""


class Said(NamedTuple):
    """A label of the round. `before` counts only where `was_blind`: it said so before the marks were shown."""

    problem: int
    assisted: bool | None
    verdict: int | None
    active_ms: int
    seen: bool
    edited: bool
    was_blind: bool
    before: int | None
    finished_otherwise: bool
    machine: int | None
    truth: int | None

    @property
    def changed(self) -> bool:
        """Whether it says something else than before the marks were shown."""
        return self.edited and (self.verdict != self.before or self.finished_otherwise)


def machine_report(round_: Round) -> Json | None:
    """The report of a round that shows marks; None of any other. One query."""
    shown = round_.shown_marks
    if shown is None:
        return None
    source = StepScorer.objects.get(pk=shown.source)
    labels = _labels(round_, shown)
    figures = _after(labels) if shown.when == "after" else _beside(labels)
    counted = {"labels": len(labels), "seen": sum(one.seen for one in labels)}
    return {"source": source, "when": shown.when, **counted, "figures": figures}


def _labels(round_: Round, shown: ShownMarks) -> list[Said]:
    slots = {"said": said_by("score"), "people": ELSEWHERE, "recorded": RECORDED}
    about = {"project": round_.project_id, "round": round_.pk, "scorer": shown.source}
    with connection.cursor() as cursor:
        cursor.execute(fill(LABELS, **slots), about)
        return [Said(*row) for row in cursor.fetchall()]


def _after(labels: Sequence[Said]) -> list[Json]:
    """Of those that were shown a mark after they had said their own."""
    seen = [one for one in labels if one.was_blind and one.machine is not None]
    differed = [one for one in seen if one.before != one.machine]
    known = [one for one in seen if one.truth is not None]
    right = [one for one in known if one.before == one.truth]
    nobody = "nobody was shown a mark yet"
    no_truth = "nothing tells which was right: no ruling, no label of another round, no recorded first error"
    return [
        _share("changed", seen, lambda one: one.changed, nobody),
        _share("changed_where_it_differed", differed, lambda one: one.changed, "no mark that was shown differed"),
        _share("changed_to_the_machine", differed, lambda one: one.changed and one.verdict == one.machine,
               "no mark that was shown differed"),
        _share("right_before", known, lambda one: one.before == one.truth, no_truth if seen else nobody),
        _share("right_after", known, lambda one: one.verdict == one.truth, no_truth if seen else nobody),
        _share("right_given_up", right, lambda one: one.verdict != one.truth, no_truth if seen else nobody),
    ]  # fmt: skip


def _beside(labels: Sequence[Said]) -> list[Json]:
    """The tasks that showed marks against those that showed nothing; only traces of which the machine speaks."""
    spoken = [one for one in labels if one.machine is not None and one.assisted is not None]
    arms = [[one for one in spoken if one.assisted is arm] for arm in (True, False)]
    known = [[one for one in arm if one.truth is not None] for arm in arms]
    wrong = [[one for one in arm if one.machine != one.truth] for arm in known]
    empty = "one of the two arms has no label of a trace that the machine speaks of"
    no_truth = "nothing tells what is true of the traces of both arms: no ruling, no label of another round, no record"
    never_wrong = "the machine is not known to be wrong about any trace of both arms"
    return [
        *_seconds(arms, empty),
        *_compared("agreed_with_the_machine", arms, lambda one: one.verdict == one.machine, empty),
        *_compared("right", known, lambda one: one.verdict == one.truth, no_truth),
        *_compared("followed_wrong_marks", wrong, lambda one: one.verdict == one.machine, never_wrong),
    ]


def _seconds(arms: Sequence[Sequence[Said]], why: str) -> list[Json]:
    """Active seconds a label of each arm, and how many are saved beside marks."""
    places = _places([one for arm in arms for one in arm])
    parts = np.zeros((len(places), 4))
    for column, arm in enumerate(arms):
        for one in arm:
            parts[places[one.problem], 2 * column] += one.active_ms / 1000
            parts[places[one.problem], 2 * column + 1] += 1
    n = [len(arm) for arm in arms]
    figures = {
        "seconds_beside": _mean(parts, lambda sums: _ratio(sums[..., 0], sums[..., 1]), n[0], 1),
        "seconds_blind": _mean(parts, lambda sums: _ratio(sums[..., 2], sums[..., 3]), n[1], 3),
        "seconds_saved": _mean(parts, _saved, sum(n), 1, 3),
    }
    return [_named(name, one, why) for name, one in figures.items()]


def _saved(sums: Floats) -> Floats:
    return _ratio(sums[..., 2], sums[..., 3]) - _ratio(sums[..., 0], sums[..., 1])


def _ratio(top: Floats, bottom: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bottom > 0, top / bottom, np.nan)


def _mean(parts: Floats, figure: Callable[[Floats], Floats], n: int, *counts: int) -> Estimate:
    if any(parts[:, count].sum() == 0 for count in counts):
        return unknown(n)
    return of_totals(parts, figure, n=n, clusters=holding(*(parts[:, count] for count in counts)))


def _compared(name: str, arms: Sequence[Sequence[Said]], yes: Callable[[Said], bool], why: str) -> list[Json]:
    """A share of both arms, and how much higher it is beside marks."""
    beside, blind = (_estimate(arm, yes) for arm in arms)
    both = difference(beside, blind) if None not in (beside.low, blind.low) else _without_interval(beside, blind)
    named = {f"{name}_beside": beside, f"{name}_blind": blind, f"{name}_difference": both}
    return [_named(one, figure, why) for one, figure in named.items()]


def _without_interval(one: Estimate, other: Estimate) -> Estimate:
    n = one.n + other.n
    if one.value is None or other.value is None:
        return unknown(n)
    fewest = min(one.clusters or 0, other.clusters or 0)
    return Estimate(one.value - other.value, None, None, n, fewest, one.no_interval or other.no_interval)


def _share(name: str, labels: Sequence[Said], yes: Callable[[Said], bool], why: str) -> Json:
    return _named(name, _estimate(labels, yes), why)


def _estimate(labels: Sequence[Said], yes: Callable[[Said], bool]) -> Estimate:
    """A share over problems, which are drawn whole."""
    places = _places(labels)
    of = np.array([places[one.problem] for one in labels], dtype=int)
    hits = np.array([yes(one) for one in labels], dtype=float)
    counted = np.bincount(of, minlength=len(places)).astype(float)
    return share_of_clusters(np.bincount(of, hits, len(places)).astype(float), counted, n=len(labels))


def _places(labels: Sequence[Said]) -> dict[int, int]:
    return {problem: place for place, problem in enumerate(dict.fromkeys(one.problem for one in labels))}


def _named(name: str, found: Estimate, why: str) -> Json:
    return {"name": name, **asdict(found), "why": "" if found.value is not None else why}
