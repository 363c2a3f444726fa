"""What a round's choice was worth in random labels, as the newest training of a head that learned from it measured."""

from typing import Any, Literal, get_args

from django.db.models import Q

from labeling.models import Round, Task, TrainingRun
from labeling.statistics.choice_worth import WorthSilence

Json = dict[str, Any]
HEADS = (TrainingRun.Method.HEAD, TrainingRun.Method.STACKED)  # fitted in a second, so that they can be fitted often
# No head learned from the round yet; one did before this was measured; random labels are too few for a curve.
NotMeasured = Literal["not_trained", "older_training", "no_random"]
BECAUSE = (*get_args(NotMeasured), *get_args(WorthSilence))


def choice_worth_of(round_: Round) -> Json | None:
    """What the labels that the round chose were worth, or `because`: why nobody can say. None where it chose nothing.
    Two queries.
    """
    work = Task.objects.filter(round=round_, kind=Task.Kind.WORK)
    if not work.exclude(reason__in=["", *Task.UNCHOSEN, *Task.BY_CHANCE]).exists():
        return None
    said: Json = {"run": None, "labels": None, "random_labels": None, "worth": None, "at_least": None}
    run = (
        TrainingRun.objects.filter(project_id=round_.project_id, status=TrainingRun.Status.SUCCEEDED)
        .filter(method__in=HEADS, round_ids__contains=[round_.pk])
        .exclude(target=TrainingRun.Target.OUTCOME)
        .annotate(measures=Q(report__has_key="choice_worth"))
        .order_by("-pk")
        .values("pk", "measures", "report__choice_worth")
        .first()
    )
    if run is None:
        return {**said, "because": "not_trained"}
    told = run["report__choice_worth"] or {}
    found = next((one for one in told.get("rounds", []) if one["round"] == round_.pk), None)
    if found is None:
        return {**said, "run": run["pk"], "because": "no_random" if run["measures"] else "older_training"}
    shown = {name: found[name] for name in ("labels", "worth", "because", "at_least")}
    return {**said, "run": run["pk"], "random_labels": told["random_labels"], **shown}
