"""A problem's traces as one tree."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rest_framework import serializers

from labeling.api.answers import Shape
from labeling.api.serializers.estimates import EstimateOut
from labeling.api.serializers.rounds import PrmRef
from labeling.api.serializers.selection import SCALES
from labeling.api.serializers.traces import ProblemFull
from labeling.metrics.tree_facts import Answer, BranchFacts, SourceSaid, StepFacts
from labeling.models import StepScorer
from labeling.queries.problem_tree import FILE, ProblemTree

MOST_LETTERS = 500
MOST_ANSWERS = 50


class ProblemTreeIn(serializers.Serializer):
    scorer = serializers.IntegerField(
        min_value=1, max_value=(1 << 63) - 1, required=False, help_text="Whose scores to show. Empty: the newest."
    )
    trace = serializers.IntegerField(
        min_value=1, max_value=(1 << 63) - 1, required=False, help_text="A trace that must be among those shown."
    )
    other = serializers.IntegerField(
        min_value=1, max_value=(1 << 63) - 1, required=False, help_text="A second trace that must be among those shown."
    )


class TreeOutcomes(serializers.Serializer):
    correct = serializers.IntegerField()
    wrong = serializers.IntegerField()
    ungraded = serializers.IntegerField()


class ScoreSpread(serializers.Serializer):
    mean = serializers.FloatField()
    least = serializers.FloatField()
    n = serializers.IntegerField(help_text="Scores of steps.")


class PeopleSaidOut(serializers.Serializer):
    negative = serializers.IntegerField()
    neutral = serializers.IntegerField()
    positive = serializers.IntegerField()
    first_errors = serializers.IntegerField(help_text="Labels whose first error is here.")


class SourceSaidOut(Shape):
    source = serializers.IntegerField(allow_null=True, help_text="One of `sources`. Null: the file of the import.")  # type: ignore[assignment]  # also a name of DRF
    right = serializers.IntegerField(help_text="Traces in which it judges the step right.")
    wrong = serializers.IntegerField()

    def source_of(self, said: SourceSaid) -> int | None:
        """The source's id."""
        return None if said.source == FILE else int(said.source)


class RolloutsSaidOut(serializers.Serializer):
    source = serializers.IntegerField(help_text="One of `sources`.")  # type: ignore[assignment]  # also a name of DRF
    hits = serializers.IntegerField()
    n = serializers.IntegerField(help_text="Graded rollouts that continue after the step.")


class TreeStep(Shape):
    place = serializers.IntegerField(help_text="From 0, the same in every trace that has it.")
    text = serializers.CharField(help_text=f"Its first {MOST_LETTERS} letters, as the oldest trace writes it.")
    score = ScoreSpread(allow_null=True)
    people = PeopleSaidOut()
    sources = SourceSaidOut(many=True)
    rollouts = RolloutsSaidOut(many=True)
    dispute = serializers.ChoiceField(
        ["people", "people_and_sources"],
        allow_blank=True,
        help_text="people: they rate it differently. people_and_sources: people agree, and a source "
        "differs. Empty: neither.",
    )
    first = serializers.BooleanField(help_text="It is disputed, and no step before it is.")

    def text_of(self, step: StepFacts) -> str:
        """The beginning of the text."""
        return step.text[:MOST_LETTERS]


class TreeAnswer(Shape):
    answer = serializers.CharField(allow_null=True, help_text="As the oldest trace writes it. Null: none.")
    outcomes = TreeOutcomes()
    traces = serializers.ListField(child=serializers.IntegerField(), help_text="Their ids.")

    def answer_of(self, answer: Answer) -> str | None:
        """The beginning of the answer."""
        return None if answer.answer is None else answer.answer[:MOST_LETTERS]


class TreeBranch(Shape):
    """Steps that the same traces share. For a branch with a single trace, `steps` has the first one and those that were
    judged; for every other branch, all.
    """

    number = serializers.IntegerField(source="branch.number", help_text="Its position in `branches`.")
    parent = serializers.IntegerField(  # type: ignore[assignment]  # also a name of DRF
        source="branch.parent", allow_null=True, help_text="The branch that it continues."
    )
    start = serializers.IntegerField(source="branch.start", help_text="The position of its first step.")
    length = serializers.IntegerField(source="branch.length", help_text="The number of its steps.")
    traces = serializers.IntegerField(help_text="The number of traces that share it.")
    outcomes = TreeOutcomes()
    right_share = EstimateOut(allow_null=True, help_text="Of the graded traces. Null for a single trace.")
    score = ScoreSpread(allow_null=True, help_text="Over all its steps and traces.")
    steps = TreeStep(many=True)
    answers = TreeAnswer(many=True, help_text="Of the traces that end with it.")

    def traces_of(self, facts: BranchFacts) -> int:
        """Their number."""
        return len(facts.branch.traces)

    def right_share_of(self, facts: BranchFacts) -> dict[str, Any] | None:
        """With its interval."""
        return None if len(facts.branch.traces) == 1 else asdict(facts.outcomes.right_share)

    def steps_of(self, facts: BranchFacts) -> Sequence[StepFacts]:
        """The steps that have something to show."""
        if len(facts.branch.traces) > 1:
            return facts.steps
        return [step for place, step in enumerate(facts.steps) if place == 0 or step.is_marked]


class DisputePlace(serializers.Serializer):
    branch = serializers.IntegerField()
    place = serializers.IntegerField(help_text="The step's position, from 0.")


class TreeScorer(PrmRef):
    scale = serializers.ChoiceField(SCALES)


class TreeSource(PrmRef):
    kind = serializers.ChoiceField(StepScorer.Kind.values)


class ProblemTreeOut(Shape):
    problem = ProblemFull()
    project = serializers.CharField(source="problem.project.slug", help_text="Its slug.")
    total = serializers.IntegerField(help_text="Traces of the problem.")
    shown = serializers.IntegerField(
        help_text="Traces in the tree. If there are fewer than `total`, they were drawn at random."
    )
    outcomes = TreeOutcomes()
    right_share = EstimateOut(help_text="Of the graded traces.")
    scorer = TreeScorer(
        allow_null=True, help_text="The scorer whose scores are shown. Null: none has scored its traces."
    )
    scorers = TreeScorer(many=True, help_text="All scorers of any of its traces.")
    sources = TreeSource(many=True, help_text="Sources of machine labels that looked at any of its traces.")
    answers = TreeAnswer(
        many=True, help_text=f"Of all traces shown: {MOST_ANSWERS}, the right ones and the commonest first."
    )
    branches = TreeBranch(
        many=True, help_text="Each branch comes before those that continue it, the biggest of these first."
    )
    first_dispute = DisputePlace(allow_null=True, help_text="The earliest disputed step.")

    def right_share_of(self, tree: ProblemTree) -> dict[str, Any]:
        """With its interval."""
        return asdict(tree.outcomes.right_share)

    def answers_of(self, tree: ProblemTree) -> Sequence[Answer]:
        """The right answers, and the most frequent of the others."""
        return tree.answers[:MOST_ANSWERS]

    def first_dispute_of(self, tree: ProblemTree) -> dict[str, int] | None:
        """By names."""
        return None if tree.first_dispute is None else dict(zip(("branch", "place"), tree.first_dispute, strict=True))
