"""What the product knows for a release's card. Every figure comes from the code that makes it for its own page.

Figures of labels are about the release. Agreement, gold, hasty labels, time and rounds are about the project or its
rounds, as their pages show them on the day of the check.
"""

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import F

from labeling.count_words import count_of
from labeling.formats.export_config import ExportConfig
from labeling.formats.exports import EXPORT_FORMATS
from labeling.formats.release_card import UNSAID
from labeling.models import (
    Export,
    Gold,
    LabelAudit,
    Project,
    Release,
    Round,
    ScreeningAttempt,
    StepScorer,
)
from labeling.queries import (
    agreement,
    audits,
    evaluations,
    haste,
    home,
    labeler_quality,
    releases,
    round_report,
    source_calibration,
    sources,
    time_spent,
)
from labeling.queries.exports import array_text, frozen_ids, told_filters
from labeling.statistics.intervals import share

Json = dict[str, Any]
SMALLEST = 1e-6  # share: anything less is a rounding error
KINDS = """
    SELECT person.kind, task.kind, trace.generator, problem.split, problem.licence,
        coalesce(nullif(trace.source, ''), problem.source), label.finish_reason, scorer.name, guideline.version::text,
        nullif(trace.grader_version, ''), round.number::text, count(*)
    FROM labeling_label AS label JOIN labeling_task AS task ON task.id = label.task_id
    JOIN labeling_round AS round ON round.id = task.round_id
    LEFT JOIN labeling_stepscorer AS scorer ON scorer.id = round.scorer_id
    JOIN labeling_user AS person ON person.id = label.labeler_id
    JOIN labeling_trace AS trace ON trace.id = task.trace_id
    JOIN labeling_problem AS problem ON problem.id = trace.problem_id
    LEFT JOIN labeling_guideline AS guideline ON guideline.id = label.guideline_id
    WHERE label.id = ANY(%s::bigint[]) GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
"""
RATINGS = """
    SELECT rating, count(*) FROM labeling_steplabel
    WHERE label_id = ANY(%s::bigint[]) AND completion_id IS NULL AND rating IS NOT NULL GROUP BY rating ORDER BY rating
"""
# Anyone who made a ruling is a reviewer, even if they labeled nothing.
WHO = """
    SELECT count(DISTINCT person.id) FILTER (WHERE label.status <> 'ruling' AND person.kind <> 'imported') AS people,
        count(DISTINCT person.id) FILTER (WHERE label.status <> 'ruling' AND person.kind = 'imported') AS imported,
        count(DISTINCT person.id) FILTER (WHERE label.status = 'ruling') AS reviewers
    FROM labeling_label AS label JOIN labeling_user AS person ON person.id = label.labeler_id
    WHERE label.id = ANY(%(labels)s::bigint[])
"""
GRADED_TRACES = """
    SELECT trace.grader_version, count(DISTINCT trace.id)
    FROM labeling_label AS label JOIN labeling_task AS task ON task.id = label.task_id
    JOIN labeling_trace AS trace ON trace.id = task.trace_id
    WHERE label.id = ANY(%(labels)s::bigint[]) GROUP BY 1 ORDER BY 2 DESC, 1
"""
NAMES = (
    "sources",
    "tasks",
    "generators",
    "splits",
    "licences",
    "texts_from",
    "finish_reasons",
    "prms",
    "guidelines",
    "graders",
    "labels_by_round",
)


def facts_of(release: Release, ids: "array[int]") -> Json:
    """Return the facts as JSON values, to be frozen with the release."""
    project = release.project
    exports = releases.exports_in(release)
    counts = _counts(ids)
    return {
        "labels": len(ids),
        "rows": sum(export.rows for export in exports),
        **counts,
        "who": _who(ids),
        "graded_traces": _graded_traces(ids),
        "labelers": [{"labeler": name, "labels": n} for _, name, n in releases.labelers_in(release)],
        "imported_names": releases.imported_names(release),
        "ratings": _ratings(ids),
        "splits_by_export": _splits_by_export(exports),
        "left_out": _left_out(exports),
        "without": release.without,
        "agreement": agreement.project_agreement(project)["figures"],
        "gold": _gold(project),
        "screening": _screening(project),
        "hasty": _hasty(project),
        "time": time_spent.time_report(project),
        "rounds": _rounds(project, counts["labels_by_round"]),
        "audits": _audits(project),
        "machine_sources": _machine_sources(project),
        "evaluation_sets": [
            {"name": one.name, "traces": one.traces, "problems": one.problems} for one in evaluations.sets_of(project)
        ],
    }


class MadeBy(NamedTuple):
    """What the product itself can say about who and what made labels."""

    answers: dict[str, str]  # to the questions of a card or manifest, where known
    prms: dict[str, int]  # those that chose the rounds, each with its number of labels


def made_by(ids: "array[int]") -> MadeBy:
    """Return who and what made the labels of a release or an export. One query."""
    found = _counts(ids)
    return MadeBy(_answers(found), {name: n for name, n in found["prms"].items() if name != UNSAID})


def counted_answers(ids: "array[int]") -> dict[str, str]:
    """Return the answers that the product can give itself."""
    return made_by(ids).answers


def _answers(found: dict[str, dict[str, int]]) -> dict[str, str]:
    people = found["sources"].get("person", 0)
    sources = [
        f"{count_of(n, 'label')} by {'people' if kind == 'person' else 'an import'}"
        for kind, n in found["sources"].items()
    ]
    said = {"human_label_source": "; ".join(sources), "annotators": "" if people else "found"}
    for name, kind in (("policy_model", "generators"), ("prm", "prms")):
        said[name] = ", ".join(one for one in found[kind] if one != UNSAID)
    return {name: text for name, text in said.items() if text}


def answers_of_exports(exports: Sequence[Export]) -> dict[str, str]:
    """Return what people stated when they exported."""
    said: dict[str, str] = {}
    for export in exports:
        kept = _config(export).roles | _config(export).statements
        said |= {name: text for name, text in kept.items() if text and text != "unknown"}
    return said


def _splits_by_export(exports: Sequence[Export]) -> dict[str, list[str]]:
    """Return the splits of the problems in each export's rows."""
    return {str(export.pk): sorted(_counts(frozen_ids(export))["splits"]) for export in exports}


def _counts(ids: "array[int]") -> dict[str, dict[str, int]]:
    with connection.cursor() as cursor:
        cursor.execute(KINDS, [array_text(ids)])
        rows = cursor.fetchall()
    found = {}
    for place, name in enumerate(NAMES):
        counter: Counter[str] = Counter()
        for row in rows:
            counter[row[place] or UNSAID] += row[-1]
        # Equal counts are ordered by name, so that the same labels give the same card.
        found[name] = dict(sorted(counter.items(), key=lambda item: (-item[1], item[0])))
    return found


def _who(ids: "array[int]") -> dict[str, int]:
    with connection.cursor() as cursor:
        cursor.execute(WHO, {"labels": array_text(ids)})
        return dict(zip(("people", "imported", "reviewers"), cursor.fetchone(), strict=True))


def _graded_traces(ids: "array[int]") -> dict[str, int]:
    """Count traces by the grader's version; "" counts those whose outcome was imported or that have none."""
    with connection.cursor() as cursor:
        cursor.execute(GRADED_TRACES, {"labels": array_text(ids)})
        return dict(cursor.fetchall())


def _ratings(ids: "array[int]") -> dict[str, int]:
    """Count the ratings of the traces' own steps. A label in two exports counts once."""
    with connection.cursor() as cursor:
        cursor.execute(RATINGS, [array_text(ids)])
        return {str(rating): count for rating, count in cursor.fetchall()}


def _left_out(exports: Sequence[Export]) -> list[Json]:
    """Return what each export's switches and filters left out."""
    return [
        {
            "export": export.pk,
            "format": export.format,
            "switches": _config(export).switches,
            "filters": told_filters(export.project, _config(export)),
            "left_out": export.manifest.get("left_out", {}),
        }
        for export in exports
    ]


def _config(export: Export) -> ExportConfig:
    return ExportConfig.of(EXPORT_FORMATS[export.format], export.config)


def _gold(project: Project) -> Json:
    """Return how often labels on hidden gold passed, over all labelers, and the number of those labelers."""
    members = [one for one in labeler_quality.members_with_quality(project) if one.recent.n]
    items = Gold.objects.filter(project=project, status=Gold.Status.ACTIVE).count()
    return {"items": items, "labelers": len(members), "passed": asdict(home.share_by(home.GOLD, project=project.pk))}


def _screening(project: Project) -> Json:
    attempts = ScreeningAttempt.objects.filter(project=project)
    over = attempts.filter(passed__isnull=False)
    passed = share(over.filter(passed__gte=F("needed")).count(), over.count())
    rule = {"tasks": project.screening_tasks, "share": project.screening_share, "retries": project.screening_retries}
    return {"asked": project.screening, "rule": rule, "attempts": attempts.count(), "passed": asdict(passed)}


def _hasty(project: Project) -> Json:
    floor = haste.project_floor_ms(project)
    rounds = haste.hasty_by_round(project, floor)
    found = share(sum(one.hasty for one in rounds), sum(one.judged for one in rounds))
    return {"floor_ms": floor, "share": asdict(found)}


def _rounds(project: Project, labels: dict[str, int]) -> list[Json]:
    """Describe each round with labels here: how its traces were chosen, and what its control arm is for."""
    found = []
    for round_, report in round_report.reported_rounds(project):
        count = labels.get(str(round_.number), 0)
        if count:
            about = {"number": round_.number, "name": round_.name, "protocol": round_.protocol, "labels": count}
            finished = {arm: sum(verdicts.values()) for arm, verdicts in report["finished"].items()}
            rule = {name: report["round"][name] for name in round_report.ASKED if report["round"].get(name) is not None}
            prm = report["prm"]["name"] if report["prm"] else None
            about |= {"rule": rule, "ways": _ways(round_), "prm": prm, "finished": finished}
            found.append({**about, "dropped": report["dropped"]})
    return found


def _ways(round_: Round) -> list[Json]:
    """Return the ways in which a prepared round's traces were chosen, each with its share; nothing for other rounds."""
    if not round_.is_staged:
        return []
    mix = round_.staged_config.mix
    found: list[Json] = [{"way": way, "share": mix.share(way)} for way in mix.asked]
    for one in found:
        if one["way"] == "disagreement":
            one["against"] = StepScorer.objects.filter(pk=mix.other or 0).values_list("name", flat=True).first()
        if one["way"] == "like":
            one["named"] = len(mix.like_traces)
    left = 1 - sum(one["share"] for one in found)
    rest = "convincing" if round_.scorer_id else "random"
    return [*found, {"way": rest, "share": left}] if left > SMALLEST else found


def _machine_sources(project: Project) -> list[Json]:
    """Return, for each source of machine labels that marked traces here, how often it names people's first error.

    It is compared on the random sample drawn for it if there is one, else on everything people labeled.
    """
    found = []
    for scorer in sources.sources_of(project).order_by("pk"):
        truth = "audit" if audits.audits_of(project, scorer) else "labels"
        rows = source_calibration.compared(None, project, scorer, truth)
        said = [row for row in rows if row.said is not None]
        if not said and not sources.has_marked(project, scorer):
            continue
        [exact] = [one for one in source_calibration.figures_of(said) if one["name"] == "first_error_accuracy"]
        about = {"name": scorer.name, "kind": scorer.kind, "fingerprint": scorer.fingerprint, "truth": truth}
        found.append({**about, "compared": len(rows), "silent": len(rows) - len(said), "same_first_error": exact})
    return found


def _audits(project: Project) -> list[Json]:
    """Return what finished label audits found, by arm."""
    audits = LabelAudit.objects.filter(project=project, status=LabelAudit.Status.FINISHED).order_by("pk")
    return [
        {
            "scorer": audit.scorer.name,
            "arms": [{"arm": arm["arm"], "corrected": arm["corrected"]} for arm in audit.report.get("arms", [])],
        }
        for audit in audits.select_related("scorer")
    ]
