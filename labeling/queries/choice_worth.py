"""What a round's choice was worth in random labels, measured by the newest training of a head that learned from it."""

from typing import Any, Literal, get_args

from django.db.models import Case, Q, When

from labeling.models import Round, Task, TrainingRun
from labeling.statistics.choice_worth import NEWEST, WorthSilence

Json = dict[str, Any]
HEADS = (TrainingRun.Method.HEAD, TrainingRun.Method.STACKED)  # fitted in a second, so they can be fitted often
# In this order: no head has learned from the round yet; one did before this was measured; there are too few random
# labels for a curve; only newer rounds were measured; nothing was learned from what the round chose.
NotMeasured = Literal["not_trained", "older_training", "no_random", "not_newest", "none_learned"]
BECAUSE = (*get_args(NotMeasured), *get_args(WorthSilence))


def choice_worth_of(round_: Round) -> Json | None:
    """Return what the labels the round chose were worth, or in `because` why that is unknown. None if it chose nothing.

    A training measures only its newest rounds, so the newest training that measured this round is used. Two queries.
    """
    work = Task.objects.filter(round=round_, kind=Task.Kind.WORK)
    if not work.exclude(reason__in=["", *Task.UNCHOSEN, *Task.BY_CHANCE]).exists():
        return None
    said: Json = {"run": None, "labels": None, "random_labels": None, "worth": None, "at_least": None}
    run = (
        TrainingRun.objects.filter(project_id=round_.project_id, status=TrainingRun.Status.SUCCEEDED)
        .filter(method__in=HEADS, round_ids__contains=[round_.pk])
        .exclude(target=TrainingRun.Target.OUTCOME)
        .annotate(measures=Q(report__has_key="choice_worth"), measured=_measured(round_))
        .order_by("-measured", "-pk")
        .values("pk", "measures", "report__choice_worth")
        .first()
    )
    if run is None:
        return {**said, "because": "not_trained"}
    told = run["report__choice_worth"] or {}
    found = next((one for one in told.get("rounds", []) if one["round"] == round_.pk), None)
    if found is None:
        return {**said, "run": run["pk"], "because": _unmeasured(run["measures"], told.get("rounds", []))}
    shown = {name: found[name] for name in ("labels", "worth", "because", "at_least")}
    return {**said, "run": run["pk"], "random_labels": told["random_labels"], **shown}


def _measured(round_: Round) -> Case:
    """Return 1 if a training's report has this round, else 0: without a report it would be null, which sorts first."""
    return Case(When(report__choice_worth__rounds__contains=[{"round": round_.pk}], then=1), default=0)


def _unmeasured(measures: bool, rounds: list[Json]) -> NotMeasured:
    """Return why the round is not among those the newest training measured."""
    if not measures:
        return "older_training"
    if not rounds:
        return "no_random"
    return "not_newest" if len(rounds) >= NEWEST else "none_learned"
