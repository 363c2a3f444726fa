"""The shape of a problem's traces as one tree."""

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
        min_value=1, max_value=(1 << 63) - 1, required=False, help_text="Whose scores; the newest, if empty."
    )
    trace = serializers.IntegerField(
        min_value=1, max_value=(1 << 63) - 1, required=False, help_text="A trace that is to be among those shown."
    )
    other = serializers.IntegerField(min_value=1, max_value=(1 << 63) - 1, required=False, help_text="And another one.")


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
    first_errors = serializers.IntegerField(help_text="Labels that see the first error here.")


class SourceSaidOut(Shape):
    source = serializers.IntegerField(allow_null=True, help_text="One of `sources`; null: the file that it came with.")  # type: ignore[assignment]  # also a name of DRF
    right = serializers.IntegerField(help_text="Traces of which it holds the step right.")
    wrong = serializers.IntegerField()

    def source_of(self, said: SourceSaid) -> int | None:
        """Its id."""
        return None if said.source == FILE else int(said.source)


class RolloutsSaidOut(serializers.Serializer):
    source = serializers.IntegerField(help_text="One of `sources`.")  # type: ignore[assignment]  # also a name of DRF
    hits = serializers.IntegerField()
    n = serializers.IntegerField(help_text="Graded rollouts from behind the step.")


class TreeStep(Shape):
    place = serializers.IntegerField(help_text="0-based, in every trace that has it.")
    text = serializers.CharField(help_text=f"Its first {MOST_LETTERS} letters, as the oldest trace writes it.")
    score = ScoreSpread(allow_null=True)
    people = PeopleSaidOut()
    sources = SourceSaidOut(many=True)
    rollouts = RolloutsSaidOut(many=True)
    dispute = serializers.ChoiceField(
        ["people", "people_and_sources"],
        allow_blank=True,
        help_text="People rate it differently; or are of one mind, and a source is not. Empty: neither.",
    )
    first = serializers.BooleanField(help_text="It is disputed, and no step before it is.")

    def text_of(self, step: StepFacts) -> str:
        """Its beginning."""
        return step.text[:MOST_LETTERS]


class TreeAnswer(Shape):
    answer = serializers.CharField(allow_null=True, help_text="As the oldest trace writes it; null: none.")
    outcomes = TreeOutcomes()
    traces = serializers.ListField(child=serializers.IntegerField(), help_text="Their ids.")

    def answer_of(self, answer: Answer) -> str | None:
        """Its beginning."""
        return None if answer.answer is None else answer.answer[:MOST_LETTERS]


class TreeBranch(Shape):
    """Steps that the same traces share. Of a branch with a single trace `steps` are the first one and those of which
    somebody said something; of every other one all."""

    number = serializers.IntegerField(source="branch.number", help_text="Its place in `branches`.")
    parent = serializers.IntegerField(  # type: ignore[assignment]  # also a name of DRF
        source="branch.parent", allow_null=True, help_text="The branch it goes on from."
    )
    start = serializers.IntegerField(source="branch.start", help_text="The place of its first step.")
    length = serializers.IntegerField(source="branch.length", help_text="How many steps.")
    traces = serializers.IntegerField(help_text="How many share it.")
    outcomes = TreeOutcomes()
    right_share = EstimateOut(allow_null=True, help_text="Of the graded ones; null of a single trace.")
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
        """Those that tell something."""
        if len(facts.branch.traces) > 1:
            return facts.steps
        return [step for place, step in enumerate(facts.steps) if place == 0 or step.is_marked]


class DisputePlace(serializers.Serializer):
    branch = serializers.IntegerField()
    place = serializers.IntegerField(help_text="Of the step, 0-based.")


class TreeScorer(PrmRef):
    scale = serializers.ChoiceField(SCALES)


class TreeSource(PrmRef):
    kind = serializers.ChoiceField(StepScorer.Kind.values)


class ProblemTreeOut(Shape):
    problem = ProblemFull()
    project = serializers.CharField(source="problem.project.slug", help_text="Its slug.")
    total = serializers.IntegerField(help_text="Traces of the problem.")
    shown = serializers.IntegerField(help_text="Traces in the tree; where it is fewer, they were drawn at random.")
    outcomes = TreeOutcomes()
    right_share = EstimateOut(help_text="Of the graded ones.")
    scorer = TreeScorer(allow_null=True, help_text="Whose scores are shown; null: nothing scored its traces.")
    scorers = TreeScorer(many=True, help_text="All that scored any of its traces.")
    sources = TreeSource(many=True, help_text="Sources of machine labels that looked at any of its traces.")
    answers = TreeAnswer(
        many=True, help_text=f"Of all traces shown: {MOST_ANSWERS}, the right ones and the commonest first."
    )
    branches = TreeBranch(many=True, help_text="A branch before those that go on from it, the biggest of these first.")
    first_dispute = DisputePlace(allow_null=True, help_text="The earliest disputed step.")

    def right_share_of(self, tree: ProblemTree) -> dict[str, Any]:
        """With its interval."""
        return asdict(tree.outcomes.right_share)

    def answers_of(self, tree: ProblemTree) -> Sequence[Answer]:
        """The right ones, and the commonest of the others."""
        return tree.answers[:MOST_ANSWERS]

    def first_dispute_of(self, tree: ProblemTree) -> dict[str, int] | None:
        """By names."""
        return None if tree.first_dispute is None else dict(zip(("branch", "place"), tree.first_dispute, strict=True))
