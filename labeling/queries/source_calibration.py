"""How a step scorer's first errors compare with people's: the ongoing calibration of machine labels.

The preferred comparison is the sample drawn at random for it (`audit`). Otherwise it is compared with everything that
people labeled (`labels`), or with what imports recorded (`recorded`).
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
from django.db import connection

from labeling.grading import GRADER_VERSION
from labeling.metrics.calibration import reliability
from labeling.metrics.evaluation import evaluate
from labeling.metrics.traces import EvaluatedTrace, targets_of
from labeling.models import Project, StepScorer, User
from labeling.protocol.interface import NO_ERROR
from labeling.queries.first_errors import AUDITED, LABELED, RECORDED, first_error_sql
from labeling.queries.held_labels import held_traces
from labeling.queries.sql_slots import fill
from labeling.sources.consensus import DIFFER, steps_of
from labeling.statistics.agreement import pair_agreements
from labeling.statistics.intervals import Estimate, share_of_clusters
from labeling.statistics.label_pairs import Labeled

Json = dict[str, Any]
MOST_GROUPS, MOST_FAILURES, LONGEST_EXCERPT = 12, 50, 160
RESAMPLES, GROUP_RESAMPLES = 1000, 200
FIGURES = ("first_error_accuracy", "accuracy_on_erroneous", "accuracy_on_error_free", "processbench_f1")
PEOPLE_BY = {"audit": AUDITED, "labels": LABELED, "recorded": RECORDED}
TRUTHS = tuple(PEOPLE_BY)

# Scores are looked up by trace: the planner may have no statistics about scores written a moment ago, and would scan
# all of people's labels for each of them.
OF_TRACE = """LATERAL (
    SELECT * FROM labeling_score WHERE trace_id = people.trace_id AND scorer_id = {scorer} OFFSET 0
)"""
COMPARED = f"""
    SELECT trace.id, trace.problem_id, people.first_error, people.protocol, {{said}},
        coalesce(nullif(score.reason, ''), score.evidence ->> 'why', ''), score.steps,
        cardinality(trace.steps), trace.outcome, trace.generator, problem.subject,
        left(problem.text, %(longest)s), {{other_said}}
    FROM ({{people}}) AS people JOIN labeling_trace AS trace ON trace.id = people.trace_id
    JOIN labeling_problem AS problem ON problem.id = trace.problem_id
    JOIN {fill(OF_TRACE, scorer="%(scorer)s")} AS score ON true
    LEFT JOIN {fill(OF_TRACE, scorer="%(other)s")} AS other ON true
    WHERE trace.project_id = %(project)s AND people.first_error < cardinality(trace.steps)
    ORDER BY trace.problem_id, trace.id
"""


class Compared(NamedTuple):
    """A trace that both people and the scorer judged. If `said` is None, the scorer names nothing, because of `why`."""

    trace_id: int
    problem_id: int
    people: int
    protocol: str
    said: int | None
    why: str
    steps: list[float | None] | None
    length: int
    outcome: str
    generator: str
    subject: str
    problem: str
    other: int | None


def calibration(
    user: User, project: Project, scorer: StepScorer, *, truth: str = "labels", other: StepScorer | None = None
) -> Json:
    """Return a scorer's calibration page of its marks, without traces that the reader is labeling. Two queries."""
    rows = compared(user, project, scorer, truth, other)
    said = [row for row in rows if row.said is not None]
    return {
        "truth": truth,
        "traces": len(rows),
        "silent": dict(Counter(_silence(row.why) for row in rows if row.said is None).most_common()),
        "figures": figures_of(said),
        "agreement": _agreement(said),
        "more_labels": more_labels(said),
        "groups": {name: _groups(said, of) for name, of in GROUPED.items()},
        "reliability": _reliability(rows),
        "failures": [_failure(row) for row in _worst(said)],
        "three_way": _three_way(rows) if other else None,
        "not_measurable": _why_nothing(rows, said, truth),
    }


def compared(
    user: User | None, project: Project, scorer: StepScorer, truth: str, other: StepScorer | None = None
) -> list[Compared]:
    """Return the traces that both people and the scorer judged, without those this person is labeling. With None,
    return all of them, for figures that reveal no single trace. Two queries.
    """
    held = set(held_traces(user, project)) if user else set()
    slots = {"people": PEOPLE_BY[truth], "said": first_error_sql("score"), "other_said": first_error_sql("other")}
    about = {
        "project": project.pk,
        "scorer": scorer.pk,
        "other": other.pk if other else None,
        "longest": LONGEST_EXCERPT + 1,
        "fingerprint": scorer.fingerprint,
        "grader": GRADER_VERSION if scorer.kind == StepScorer.Kind.ROLLOUTS else None,
    }
    with connection.cursor() as cursor:
        cursor.execute(fill(COMPARED, **slots), about)
        rows = [Compared(*row) for row in cursor.fetchall()]
    return [row for row in rows if row.trace_id not in held]


def evaluated(row: Compared) -> EvaluatedTrace:
    """Return a trace as the metrics take it: what the scorer's first error implies for each step."""
    assert row.said is not None
    scores = [0.5 if one is None else one for one in steps_of(row.said, row.length)]
    return EvaluatedTrace(row.problem_id, scores, targets_of(row.people, row.length), row.people, row.outcome)


def figures_of(rows: Sequence[Compared], resamples: int = RESAMPLES) -> list[Json]:
    """Return the figures about first errors, each with its interval and n, or with the reason why there is none."""
    found = evaluate([evaluated(row) for row in rows], resamples=resamples).metrics
    return [{"name": name, **asdict(found[name]), "why": _why(name, found[name], rows)} for name in FIGURES]


def _why(name: str, found: Estimate, rows: Sequence[Compared]) -> str:
    if found.value is not None:
        return ""
    kinds = {row.people == NO_ERROR for row in rows}
    if not rows:
        return "there is no trace that both people and the source judged"
    lacking = "without an error" if True not in kinds else "with an error"
    return f"people found no trace {lacking} among those that it marked"


def _agreement(rows: Sequence[Compared]) -> list[Json]:
    """Return kappa on whether there is an error, and the agreement on first errors within one step."""
    if not rows:
        return []
    labels = [
        Labeled(row.trace_id, who, [None] * row.length, "", verdict)
        for row in rows
        for who, verdict in (("people", row.people), ("source", row.said))
    ]
    [pair] = pair_agreements(labels, resamples=RESAMPLES)
    named = {"kappa_has_error": pair.kappa_has_error, "within_one": pair.agreement.within_one}
    return [{"name": name, **asdict(one), "why": "" if one.value is not None else "all are of one class"}
            for name, one in named.items()]  # fmt: skip


def more_labels(rows: Sequence[Compared]) -> int | None:
    """Return how many more labeled traces would halve the interval: its width shrinks with their square root."""
    return 3 * len(rows) if rows else None


LENGTHS = ((4, "1–4 steps"), (8, "5–8 steps"), (16, "9–16 steps"), (1 << 31, "17 steps and more"))
GROUPED: dict[str, Callable[[Compared], Hashable]] = {
    "place": lambda row: "no error" if row.people == NO_ERROR else _third(row),
    "length": lambda row: next(name for most, name in LENGTHS if row.length <= most),
    "subject": lambda row: row.subject or "unknown",
    "generator": lambda row: row.generator or "unknown",
    "protocol": lambda row: row.protocol,
}
THIRDS = ("first third", "middle third", "last third")
IN_ORDER: dict[Hashable, int] = {
    name: at for at, name in enumerate([*(name for _, name in LENGTHS), *THIRDS, "no error"])
}


def _third(row: Compared) -> str:
    return THIRDS[min(2, 3 * row.people // row.length)]


def _groups(rows: Sequence[Compared], of: Callable[[Compared], Hashable]) -> list[Json]:
    """Return first-error accuracy and F1 of the largest groups; lengths and places in their own order."""
    found = []
    largest = Counter(of(row) for row in rows).most_common(MOST_GROUPS)
    for group, count in sorted(largest, key=lambda one: IN_ORDER.get(one[0], 0)):
        figures = figures_of([row for row in rows if of(row) == group], GROUP_RESAMPLES)
        found.append({"group": str(group), "traces": count, "figures": figures})
    return found


def _reliability(rows: Sequence[Compared]) -> list[Json]:
    """Return whether its numbers mean what they say, over the steps that people rated and it scored."""
    numbers = {problem: place for place, problem in enumerate(dict.fromkeys(row.problem_id for row in rows))}
    pairs = [
        (target, min(1.0, max(0.0, score)), numbers[row.problem_id])
        for row in rows
        for target, score in zip(targets_of(row.people, row.length), row.steps or [], strict=False)
        if target is not None and score is not None
    ]
    if not pairs:
        return []
    targets, scores, problems = (np.array(column) for column in zip(*pairs, strict=True))
    return [{**asdict(one), "right": asdict(one.right)} for one in reliability(targets, scores, problems)]


def _worst(rows: Sequence[Compared]) -> list[Compared]:
    """Return where it differs from people: first the errors it misses, then those farthest away."""
    wrong = [row for row in rows if row.said != row.people]
    return sorted(wrong, key=_how_bad)[:MOST_FAILURES]


def _how_bad(row: Compared) -> tuple[int, int, int]:
    missed, alarm = row.said == NO_ERROR, row.people == NO_ERROR
    return (0 if missed else 1 if alarm else 2, -abs((row.said or 0) - row.people), row.trace_id)


def _silence(why: str) -> str:
    """Return why it names nothing, without what each consensus member said, which differs for each trace."""
    return DIFFER if why.startswith(f"{DIFFER}: ") else why or "it does not say"


def _failure(row: Compared) -> Json:
    cut = len(row.problem) > LONGEST_EXCERPT
    problem = row.problem[: LONGEST_EXCERPT - 1].rstrip() + "…" if cut else row.problem
    return {"trace": row.trace_id, "problem": problem, "people": row.people, "said": row.said, "steps": row.length}


PATTERNS = ("all", "this_and_people", "other_and_people", "both_against_people", "all_differ")


def _three_way(rows: Sequence[Compared]) -> Json:
    """Return who agrees with whom about the first error, and how often, on the traces that both sources marked."""
    both = [(_pattern(row), row.problem_id) for row in rows if row.said is not None and row.other is not None]
    kinds = Counter(pattern for pattern, _ in both)
    return {
        "traces": len(both),
        "counts": {name: kinds[name] for name in PATTERNS},
        "shares": [_share_of_pattern(name, both) for name in PATTERNS],
    }


def _share_of_pattern(name: str, both: Sequence[tuple[str, int]]) -> Json:
    problems = {problem: place for place, problem in enumerate(dict.fromkeys(problem for _, problem in both))}
    places = np.array([problems[problem] for _, problem in both], dtype=int)
    is_so = np.array([pattern == name for pattern, _ in both], dtype=np.float64)
    trials = np.bincount(places).astype(np.float64)
    found = share_of_clusters(np.bincount(places, weights=is_so).astype(np.float64), trials, n=len(both))
    return {"name": name, **asdict(found), "why": "" if both else "there is no trace that both marked"}


def _pattern(row: Compared) -> str:
    this, other, same = row.said == row.people, row.other == row.people, row.said == row.other
    if this and other:
        return "all"
    if this or other:
        return "this_and_people" if this else "other_and_people"
    return "both_against_people" if same else "all_differ"


def _why_nothing(rows: Sequence[Compared], said: Sequence[Compared], truth: str) -> str:
    if not rows:
        people = "recorded a first error of" if truth == "recorded" else "labeled"
        return f"There is no trace that this source has marked and people have {people}. Have it mark labeled traces."
    if not said:
        return "It does not name the first error of any of these traces."
    return ""
