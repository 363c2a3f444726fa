"""Reads about what machines suggest at a label's mistake, and about when a label may see it.

A labeler must not learn from suggestions which of their tasks is gold. So, in a round with gold, a file's suggestions
are shown only if all its traces have some, and steps are requested ahead only if all its gold is scored. What another
label of the trace already requested is shown only after the time it took then.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q

from labeling.models import Label, Round, Score, Suggestion, SuggestionAsk, SuggestionRequest, Task

Place = tuple[int, str, int]  # step, kind, number
LIKELY = 0.7  # no suggestions are requested ahead for a step more likely right than this


@dataclass(frozen=True)
class StepToExplain:
    """What a generator is given: the problem, the steps before, and the step that may be wrong."""

    problem: str
    before: list[str]
    step: str


def suggestions_rated(trace_id: int, places: Collection[Place]) -> dict[Place, str]:
    """Return the texts of these suggestions of a trace; missing ones are left out. One query, none without places."""
    if not places:
        return {}
    steps = {step for step, _, _ in places}
    rows = Suggestion.objects.filter(trace=trace_id, step_index__in=steps)
    found = {(step, kind, number): text for step, kind, number, text in rows.values_list(*COLUMNS)}
    return {place: found[place] for place in places if place in found}


COLUMNS = ("step_index", "kind", "number", "text")


def ready_suggestions(label: Label, step: int, *, generated: bool) -> list[dict[str, Any]]:
    """Return what the label may see at the step now. `generated` includes what a generator wrote."""
    rows = Suggestion.objects.filter(trace=label.task.trace_id, step_index=step)
    shown = Q(request__isnull=False) if generated else Q(pk__in=[])
    if label.task.round.after_error_config.from_file and all_have_some(label.task.round):
        shown |= Q(request=None)
    ordered = rows.filter(shown).order_by("kind", "number").values_list(*COLUMNS)
    return [{"step": at, "kind": kind, "number": number, "text": text} for at, kind, number, text in ordered]


def all_have_some(round_: Round) -> bool:
    """Return whether a file's suggestions do not reveal gold: there is none, or every trace of the round has some."""
    if not round_.gold_count:
        return True
    some = Suggestion.objects.filter(trace=OuterRef("trace"), request=None)
    return not Task.objects.filter(~Exists(some), round=round_).exists()


def likely_steps(label: Label) -> list[int]:
    """Return the steps the round's PRM likes least, worst first; none if requesting them ahead would reveal gold."""
    round_ = label.task.round
    asked = round_.after_error_config.explaining
    if asked is None or round_.scorer_id is None or not asked.ahead or not _all_gold_scored(round_):
        return []
    score = Score.objects.filter(scorer=round_.scorer_id, trace=label.task.trace_id).first()
    if score is None or not score.steps:
        return []
    worst = sorted((chance, step) for step, chance in enumerate(score.steps) if chance < LIKELY)
    return [step for _, step in worst][: asked.ahead]


def _all_gold_scored(round_: Round) -> bool:
    if not round_.gold_count:
        return True
    scored = Score.objects.filter(scorer=round_.scorer_id, trace=OuterRef("trace"), steps__isnull=False)
    return not Task.objects.filter(~Exists(scored), round=round_, kind=Task.Kind.GOLD).exists()


def ask_of(label: Label, step: int) -> SuggestionAsk | None:
    """Return the label's request for the step's suggestions, with the shared one; None if it has not asked yet."""
    asks = SuggestionAsk.objects.select_related("request").filter(label=label, request__step_index=step)
    return asks.first()


def state_of(ask: SuggestionAsk, now: datetime) -> str:
    """Return coming, here or failed. Suggestions finished earlier arrive after the time the first label waited."""
    request = ask.request
    if request.finished_at is None:
        return "coming"
    took = request.finished_at - request.created_at
    if now < ask.at + took:
        return "coming"
    return "here" if request.status == SuggestionRequest.Status.DONE else "failed"


def step_to_explain(request: SuggestionRequest) -> StepToExplain:
    """Return what the request's generator is to look at."""
    trace = request.trace
    step = request.step_index
    return StepToExplain(trace.problem.text, trace.steps[:step], trace.steps[step])
