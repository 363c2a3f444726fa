"""Gold: created from traces by people, adjudication and imports; changed, retired, and put into rounds."""

from collections.abc import Collection, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Case, Q, Value, When
from django.utils import timezone

from labeling import queries
from labeling.actions import audit_log
from labeling.errors import AlreadyGold, InvalidFields
from labeling.models import Gold, GoldResult, Project, Task, Trace, User
from labeling.protocol.verdicts import NO_ERROR


@transaction.atomic
def make_gold(
    trace: Trace,
    *,
    acceptable: Collection[int],
    by: User | None,
    acceptable_decisive: Collection[int] = (),
    explanation: str = "",
    paragraph: str = "",
    source: str | None = None,
) -> Gold:
    """Make a trace gold. `acceptable`: the first errors that pass, as steps from 0, and -1 for "no error".

    `acceptable_decisive`: the decisive errors that pass, for an agent's run; empty: they are not judged. From then on,
    no round takes the trace as work, but its tasks on a queue stay there. A retired item of the same trace becomes
    active again with the new values. `source` None: adjudication if a reviewer settled a task of the trace, else the
    admin alone. Raises AlreadyGold, InvalidFields (acceptable, acceptable_decisive).
    """
    accepted = _accepted(trace, acceptable)
    source = source or _source(trace)
    said = {"acceptable": accepted, "explanation": explanation, "paragraph": paragraph, "source": source}
    said["acceptable_decisive"] = _accepted_decisive(trace, acceptable_decisive)
    gold = Gold.objects.select_for_update().filter(trace=trace).first()
    if gold is not None and gold.status == Gold.Status.ACTIVE:
        raise AlreadyGold(gold=gold.pk)
    if gold is not None:
        _set(gold, status=Gold.Status.ACTIVE, retired_because="", **said)
        _judge_again(gold)
    else:
        try:
            with transaction.atomic():
                gold = Gold.objects.create(project=trace.project, trace=trace, created_by=by, **said)
        except IntegrityError as race:  # two people made it gold at the same time
            raise AlreadyGold from race
    about = {"trace": trace.pk, "acceptable": accepted, "source": source}
    audit_log.record("gold.make", actor=by, project=gold.project, target=f"gold {gold.pk}", **about)
    return gold


@transaction.atomic
def change_gold(
    gold: Gold,
    *,
    by: User | None,
    acceptable: Collection[int] | None = None,
    acceptable_decisive: Collection[int] | None = None,
    explanation: str | None = None,
    paragraph: str | None = None,
) -> Gold:
    """Change what passes, or what is said about the gold. None leaves a value as it is. Earlier answers are judged
    again.

    Raises InvalidFields (acceptable, acceptable_decisive).
    """
    held = Gold.objects.select_for_update(of=("self",)).select_related("project", "trace__problem")
    gold = held.defer("trace__typed_steps").get(pk=gold.pk)
    before: dict[str, Any] = {
        "acceptable": gold.acceptable,
        "acceptable_decisive": gold.acceptable_decisive,
        "explanation": gold.explanation,
        "paragraph": gold.paragraph,
    }
    asked = {"explanation": explanation, "paragraph": paragraph}
    said: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
    if acceptable is not None:
        said["acceptable"] = _accepted(gold.trace, acceptable)
    if acceptable_decisive is not None:
        said["acceptable_decisive"] = _accepted_decisive(gold.trace, acceptable_decisive)
    changed = {name: value for name, value in said.items() if before[name] != value}
    if changed:
        _set(gold, **changed)
        judged = _judge_again(gold) if {"acceptable", "acceptable_decisive"} & changed.keys() else 0
        detail = {"before": {name: before[name] for name in changed}, "after": changed, "judged_again": judged}
        audit_log.record("gold.change", actor=by, project=gold.project, target=f"gold {gold.pk}", **detail)
    return gold


@transaction.atomic
def retire_gold(gold: Gold, *, by: User | None, reason: str) -> Gold:
    """Stop serving gold, and stop counting answers to it. Labelers who hold one of its tasks finish it as usual.

    Open rounds continue to serve it, so that nobody can see which of their tasks it was.
    """
    if Gold.objects.filter(pk=gold.pk, status=Gold.Status.ACTIVE).exists():
        _set(gold, status=Gold.Status.RETIRED, retired_because=reason)
        audit_log.record("gold.retire", actor=by, project=gold.project, target=f"gold {gold.pk}", reason=reason)
    return gold


@transaction.atomic
def restore_gold(gold: Gold, *, by: User | None) -> Gold:
    """Undo a retirement: the gold is served again, and its answers count again."""
    if Gold.objects.filter(pk=gold.pk, status=Gold.Status.RETIRED).exists():
        _set(gold, status=Gold.Status.ACTIVE, retired_because="")
        audit_log.record("gold.restore", actor=by, project=gold.project, target=f"gold {gold.pk}")
    return gold


def gold_traces_for_round(project: Project, tasks: int) -> list[int]:
    """Return the gold traces for a round of this many tasks: as many as the project wants, at most as many as tasks."""
    wanted = min(project.gold_per_round, tasks)
    return [gold.trace_id for gold in queries.gold.gold_for_round(project, wanted)] if wanted else []


def import_as_gold(project: Project, told: Sequence[tuple[int, int]], *, by: User | None) -> dict[str, int]:
    """Make gold of imported traces, given as (trace id, first error or -1). Returns the counts of new and known.

    Existing gold stays as people left it.
    """
    traces = Trace.objects.filter(pk__in=[trace for trace, _ in told])
    known = set(Gold.objects.filter(trace__in=traces).values_list("trace", flat=True))
    new = {trace: first for trace, first in told if trace not in known}
    Gold.objects.bulk_create(
        Gold(project=project, trace_id=trace, acceptable=[first], source=Gold.Source.IMPORT, created_by=by)
        for trace, first in new.items()
    )
    if new:
        audit_log.record("gold.import", actor=by, project=project, target=f"{len(new)} gold", traces=sorted(new)[:1000])
    return {"new": len(new), "known": len(dict(told)) - len(new)}


def _accepted(trace: Trace, acceptable: Collection[int]) -> list[int]:
    accepted = sorted(set(acceptable))
    if not accepted:
        raise InvalidFields(fields={"acceptable": ["Choose at least one step, or choose that there is no error."]})
    if accepted[0] < NO_ERROR or accepted[-1] >= len(trace.steps):
        raise InvalidFields(
            fields={"acceptable": [f"Steps go from 0 to {len(trace.steps) - 1}; -1 means that there is no error."]}
        )
    return accepted


def _accepted_decisive(trace: Trace, acceptable: Collection[int]) -> list[int]:
    accepted = sorted(set(acceptable))
    if accepted and not trace.is_run:
        raise InvalidFields(fields={"acceptable_decisive": ["Only an agent's run has a decisive error."]})
    if accepted and not 0 <= accepted[0] <= accepted[-1] < len(trace.steps):
        raise InvalidFields(fields={"acceptable_decisive": [f"Steps go from 0 to {len(trace.steps) - 1}."]})
    return accepted


def _source(trace: Trace) -> str:
    ruled = Task.objects.filter(trace=trace, settlement=Task.Settlement.RULED).exists()
    return Gold.Source.ADJUDICATION if ruled else Gold.Source.ADMIN


def _set(gold: Gold, **values: object) -> None:
    values["changed_at"] = timezone.now()
    for name, value in values.items():
        setattr(gold, name, value)
    gold.save(update_fields=list(values))


def _judge_again(gold: Gold) -> int:
    """Judge every answer again by what the gold accepts now. Returns the number of answers."""
    accepted = Q(verdict__in=gold.acceptable)
    if gold.acceptable_decisive:
        accepted &= Q(decisive=None) | Q(decisive__in=gold.acceptable_decisive)
    passes = Case(When(accepted, then=Value(True)), default=Value(False))
    return GoldResult.objects.filter(gold=gold).update(passed=passes)
