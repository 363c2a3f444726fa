"""Paths that are chosen step by step."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rest_framework import serializers

from labeling import configs
from labeling.api.answers import Shape, rendered
from labeling.api.one_line import OneLine
from labeling.api.serializers.candidates import MAX_SEED, NextStepIn
from labeling.api.serializers.estimates import EstimateOut
from labeling.api.serializers.gradings import OutcomeCounts
from labeling.api.serializers.labels import CompletionRating, PrefixHashField
from labeling.api.serializers.my_progress import RatingCounts
from labeling.api.serializers.runs import TextField
from labeling.errors import LabelingError
from labeling.models import PathStep, Problem, Rating
from labeling.quality.consensus import overlap_faults
from labeling.queries.paths import MOST_MORE, TROUBLES, Path, Rated, great_of

MOST_COMPLETIONS = 7


class ShowRestIn(serializers.Serializer):
    of_any_version = True
    prefix_hash = PrefixHashField()
    rating = serializers.ChoiceField(Rating.values, allow_null=True, default=None)
    flagged = serializers.BooleanField(default=False)
    more = serializers.IntegerField(
        min_value=0,
        max_value=MOST_MORE,
        default=0,
        help_text="How many times to request as many completions again as a step of the round has.",
    )


class SubmitStepIn(serializers.Serializer):
    of_any_version = True
    prefix_hash = PrefixHashField()
    key = serializers.UUIDField(
        help_text="Identifies one press of the button. If it is sent again, it takes effect once."
    )
    ratings = CompletionRating(many=True, max_length=100)  # type: ignore[call-arg]  # many takes it
    human = TextField(allow_null=True, default=None, help_text="The labeler's own step, if none is great.")
    final_answer = TextField(
        allow_null=True, default=None, max_length=1000, help_text="The written step ends the solution."
    )


class UndoStepIn(serializers.Serializer):
    of_any_version = True
    prefix_hash = PrefixHashField()


class RatedCompletion(Shape):
    number = serializers.IntegerField(source="offered.number", help_text="It never changes.")
    text = serializers.CharField(source="offered.text")
    count = serializers.IntegerField(source="offered.count", help_text="How many identical completions arrived.")
    final = serializers.BooleanField(help_text="It contains a final answer. Choosing it ends the path.")
    rating = serializers.ChoiceField(Rating.values, allow_null=True, source="said.rating")
    flagged = serializers.BooleanField(source="said.flagged")


class PathStepOut(serializers.Serializer):
    step = serializers.IntegerField()
    text = serializers.CharField()
    source = serializers.ChoiceField(["given", "model", "human"])  # type: ignore[assignment]  # also a name of DRF
    great = serializers.IntegerField(help_text="How many of the shown completions are rated +1.")
    offered = serializers.IntegerField(help_text="How many different completions were shown.")
    ratings = RatedCompletion(many=True)
    chosen = serializers.IntegerField(allow_null=True, help_text="Drawn by the server from the great ones.")


class DiscardedStepOut(serializers.Serializer):
    """A step that was taken back."""

    step = serializers.IntegerField()
    text = serializers.CharField()
    source = serializers.ChoiceField(["model", "human"])  # type: ignore[assignment]  # also a name of DRF
    ratings = RatedCompletion(many=True)
    chosen = serializers.IntegerField(allow_null=True)
    at = serializers.DateTimeField()


class TroubleOut(serializers.Serializer):
    code = serializers.ChoiceField(list(TROUBLES))
    detail = serializers.CharField()


class OpenStepOut(serializers.Serializer):
    step = serializers.IntegerField()
    state = serializers.ChoiceField(["waiting", "first", "rest_waiting", "all"])
    completions = RatedCompletion(many=True)
    may_write = serializers.BooleanField(help_text="The labeler may write the step if no shown completion is great.")
    more = serializers.IntegerField(help_text="How often more were requested.")
    may_ask_more = serializers.BooleanField(help_text="All are shown, and more can be requested.")
    trouble = TroubleOut(allow_null=True)
    look_again_ms = serializers.IntegerField(allow_null=True, help_text="Null: nothing more arrives automatically.")


class PathOut(serializers.Serializer):
    prefix_hash = serializers.CharField()
    steps = PathStepOut(many=True)
    open = OpenStepOut(allow_null=True)
    ended = serializers.ChoiceField(["final_answer", "step_cap"], allow_null=True)
    stuck = serializers.BooleanField(help_text="Nothing was great three steps in a row, so giving up is offered.")
    can_undo = serializers.BooleanField()
    discarded = DiscardedStepOut(many=True)
    most = serializers.IntegerField(help_text="Completions per step, at most.")
    neutral_may_be_chosen = serializers.BooleanField()
    step_cap = serializers.IntegerField()


def path_shown(path: Path) -> dict[str, Any]:
    """A path as PathOut."""
    return {
        "prefix_hash": path.key.hex(),
        "steps": [*map(_given, range(len(path.given)), path.given), *(_step(path, step) for step in path.steps)],
        "open": _open(path) if path.is_open else None,
        "ended": path.ended,
        "stuck": path.stuck,
        "can_undo": path.is_held and bool(path.steps),
        "discarded": [
            _said(path, step) | {"at": step.discarded_at} for step in path.discarded if step.submitted_at is not None
        ],
        "most": path.config.completions,
        "neutral_may_be_chosen": path.config.neutral_may_be_chosen,
        "step_cap": path.config.step_cap,
    }


def _given(step: int, text: str) -> dict[str, Any]:
    return {"step": step, "text": text, "source": "given", "great": 0, "offered": 0, "ratings": [], "chosen": None}


def _step(path: Path, step: PathStep) -> dict[str, Any]:
    said = _said(path, step)
    return said | {"great": great_of(step), "offered": len(said["ratings"])}


def _said(path: Path, step: PathStep) -> dict[str, Any]:
    return {
        "step": step.step,
        "text": step.text,
        "source": "human" if step.written is not None else "model",
        "ratings": path.rated(step),
        "chosen": step.chosen,
    }


def _open(path: Path) -> dict[str, Any]:
    completions: list[Rated] = path.rated(path.open)
    code = path.trouble
    return {
        "step": len(path.texts),
        "state": path.state,
        "completions": completions,
        "may_write": path.may_write,
        "more": path.open.more if path.open else 0,
        "may_ask_more": path.may_ask_more,
        "trouble": None if code is None else {"code": code, "detail": TROUBLES[code]},
        "look_again_ms": path.look_again_ms,
    }


@contextmanager
def path_in_refusals() -> Iterator[None]:
    """A refusal that includes the current path shows it in the same form as an answer."""
    try:
        yield
    except LabelingError as refusal:
        if "path" in refusal.extra:
            refusal.extra["path"] = rendered(PathOut, path_shown(refusal.extra["path"]))
        raise


class ProblemFilter(serializers.Serializer):
    subject = serializers.CharField(max_length=100, required=False, allow_blank=True)
    level = serializers.CharField(max_length=40, required=False, allow_blank=True)
    split = serializers.ChoiceField(Problem.Split.values, required=False, allow_blank=True)

    def validate(self, attrs: dict[str, Any]) -> Any:
        """The validated value is a `configs.TraceFilter`."""
        return configs.TraceFilter(**attrs)


class PathRoundIn(serializers.Serializer):
    """Which problems, how many labelers for each, and where completions come from: a generator, or recorded steps."""

    # Validated they are one: `config`.

    filter = ProblemFilter(default=configs.TraceFilter)
    sample_size = serializers.IntegerField(min_value=1, max_value=20_000, allow_null=True, default=None)
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, default=0)
    paths = serializers.IntegerField(min_value=1, max_value=5, default=1, help_text="Labelers per problem.")
    paths_needed = serializers.IntegerField(
        min_value=0,
        max_value=20,
        default=0,
        help_text="How many paths must reach the same answer. 0: nobody else is asked.",
    )
    paths_most = serializers.IntegerField(
        min_value=0,
        max_value=20,
        default=0,
        help_text="If answers differ, ask up to this many labelers. 0: ask no more.",
    )
    completions = serializers.IntegerField(min_value=1, max_value=MOST_COMPLETIONS, default=MOST_COMPLETIONS)
    neutral_may_be_chosen = serializers.BooleanField(default=False, help_text="If nothing is rated +1.")
    step_cap = serializers.IntegerField(min_value=1, max_value=200, default=60)
    generator = NextStepIn(allow_null=True, default=None, help_text="Null: the next steps of the project's traces.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if faults := overlap_faults(attrs["paths"], attrs["paths_needed"], attrs["paths_most"]):
            raise serializers.ValidationError({f"paths_{name}": [fault] for name, fault in faults.items()})
        if attrs["paths_most"] and attrs["paths"] < 2:
            raise serializers.ValidationError({"paths": ["At least 2 if answers must agree."]})
        whole = ("paths", "paths_needed", "paths_most")
        names = ("filter", "sample_size", "seed", *whole, "completions", "neutral_may_be_chosen", "step_cap")
        asked = {name: attrs.pop(name) for name in (*names, "generator")}
        key = attrs.pop("client_key", None)
        return attrs | {"config": configs.PathConfig(**asked, client_key=str(key) if key else None)}


class OpenPathRoundIn(PathRoundIn):
    name = OneLine(max_length=120, allow_blank=True, default="")
    priority = serializers.IntegerField(min_value=-1000, max_value=1000, default=0)
    client_key = serializers.UUIDField(
        allow_null=True,
        default=None,
        help_text="Identifies one press of the button. If it is sent again, it opens no second round.",
    )


class PathRoundPreview(serializers.Serializer):
    problems = serializers.IntegerField()
    held_out = serializers.IntegerField(
        help_text="Of these problems, the held-out ones. Their labels are for measuring."
    )
    with_starting_steps = serializers.IntegerField()
    with_recorded_steps = serializers.IntegerField(
        help_text="Problems that have traces in the project, and so have next steps."
    )


class PathAnswersOut(Shape):
    agreed = serializers.IntegerField()
    asking = serializers.IntegerField(help_text="Problems that still wait for a path.")
    no_consensus = serializers.IntegerField(
        help_text="Problems for which everyone was asked. They wait for a reviewer."
    )


class PathGoldOut(Shape):
    """Finished paths of problems with a known error."""

    paths = serializers.IntegerField()
    told = serializers.IntegerField(help_text="Paths that followed the gold far enough to pass or fail.")
    passed = EstimateOut(help_text="The share of those that pass.")


class PathReportOut(serializers.Serializer):
    """The submitted labels of a round. Empty if labelers do not choose paths."""

    labels = serializers.IntegerField()
    finish_reasons = serializers.DictField(child=serializers.IntegerField())
    steps = serializers.IntegerField(help_text="Steps in the paths. Starting steps do not count.")
    offered_alone = serializers.IntegerField(help_text="Steps whose first completion was taken.")
    drawn_of_several = serializers.IntegerField(help_text="Steps with two or more great completions.")
    written = serializers.IntegerField(help_text="By labelers.")
    taken_back = serializers.IntegerField(help_text="Steps that were submitted and taken back.")
    completions_rated = serializers.IntegerField()
    ratings = RatingCounts(help_text="Of the completions. One that was only flagged has no rating.")
    alpha = EstimateOut(help_text="Krippendorff's alpha, ordinal, of the completions that two or more people rated.")
    gold = PathGoldOut(help_text="Gold is not in the other figures.")
    answers = PathAnswersOut(help_text="Problems of a round that asks more labelers until answers agree.")
    outcomes = OutcomeCounts(help_text="How a grading judged the answers of the paths that reached one.")
