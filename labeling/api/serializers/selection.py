"""Shapes of a round's pool, of the selection from it, and of scores."""

from rest_framework import serializers

from labeling.api.answers import Shape
from labeling.api.serializers.mixes import AdviceOut
from labeling.api.serializers.rounds import PrmRef
from labeling.models import Score, Task
from labeling.queries.selection_summary import finite, numbers
from labeling.selection import WAYS

SCALES = ["probability", "log_ratio", ""]
REASONS = ["control", "convincing_wrong", "convincing_rest", "random", *WAYS]


class ExpectedOut(serializers.Serializer):
    selected = serializers.IntegerField(
        help_text="The sum of the following, or all drawn at random if there is no PRM."
    )
    wrong = serializers.IntegerField()
    rest = serializers.IntegerField()
    control = serializers.IntegerField()
    mixed = serializers.DictField(child=serializers.IntegerField(), help_text="Traces chosen in other ways, by way.")
    shortfall = serializers.IntegerField(help_text="How much of the quota cannot be filled.")


class WarningOut(serializers.Serializer):
    code = serializers.CharField()
    text = serializers.CharField()


class PoolCountOut(serializers.Serializer):
    """`correct`, `wrong` and `ungraded` add up to `traces`, and so do `scored` and `unscored`."""

    problems = serializers.IntegerField()
    traces = serializers.IntegerField()
    correct = serializers.IntegerField()
    wrong = serializers.IntegerField()
    ungraded = serializers.IntegerField()
    scored = serializers.IntegerField()
    unscored = serializers.IntegerField()
    queued = serializers.IntegerField(help_text="Labeled, or queued by a round that was not cancelled.")
    approximate = serializers.BooleanField(help_text="Extrapolated from a sample of the problems.")
    samples = serializers.IntegerField(
        help_text="Samples that a generator would be asked for first; they are not counted here."
    )
    expected = ExpectedOut()
    fitting_k = serializers.IntegerField(
        help_text="A K per problem that suits the pool: at most 4, such that most problems fill it; one in five."
    )
    warnings = WarningOut(many=True)
    advice = AdviceOut()


class SelectedPool(serializers.Serializer):
    problems = serializers.IntegerField()
    traces = serializers.IntegerField()
    correct = serializers.IntegerField()
    wrong = serializers.IntegerField()
    ungraded = serializers.IntegerField()
    unscored = serializers.IntegerField()
    queued = serializers.IntegerField()


class ScoreHistogram(serializers.Serializer):
    """Twenty bins between 21 edges, for logs of scores. The first bin also holds everything below it."""

    edges = serializers.ListField(child=serializers.FloatField())
    pool_correct = serializers.ListField(child=serializers.IntegerField())
    pool_wrong = serializers.ListField(child=serializers.IntegerField())
    selected = serializers.ListField(child=serializers.IntegerField())
    control = serializers.ListField(child=serializers.IntegerField())


class MedianScores(serializers.Serializer):
    """Logs of scores; null if there is no score, or for the log of zero."""

    selected = serializers.FloatField(allow_null=True)
    pool = serializers.FloatField(allow_null=True)
    control = serializers.FloatField(allow_null=True)


class SampleTrace(Shape):
    """A task with its texts. `step_scores` are read separately."""

    task_id = serializers.IntegerField(source="pk")
    trace_id = serializers.IntegerField()
    reason = serializers.ChoiceField(REASONS)
    rank = serializers.IntegerField(allow_null=True)
    score = serializers.FloatField(allow_null=True)
    outcome = serializers.ChoiceField(["correct", "wrong", "ungraded"], source="trace.outcome")
    problem_text = serializers.CharField(source="trace.problem.text")
    steps = serializers.ListField(child=serializers.CharField(), source="trace.steps")
    step_scores = serializers.ListField(child=serializers.FloatField(allow_null=True), allow_null=True)
    final_answer = serializers.CharField(source="trace.final_answer", allow_null=True)

    def score_of(self, task: Task) -> float | None:
        """Null for log 0."""
        return finite(task.score)


class SelectionOut(serializers.Serializer):
    """What was selected and left out, frozen with the round."""

    chosen = serializers.DictField(child=serializers.IntegerField(), help_text="By reason.")
    dropped = serializers.DictField(child=serializers.IntegerField(), help_text="By reason.")
    shortfall = serializers.IntegerField(help_text="How much of the quota was not filled.")
    fell_back_to_random = serializers.BooleanField()
    pool = SelectedPool()
    histogram = ScoreHistogram(allow_null=True, help_text="Null if nothing is scored.")
    per_problem = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="[traces chosen from a problem, number of problems]",
    )
    median = MedianScores()
    seconds = serializers.FloatField()
    sample = SampleTrace(many=True)


class TraceScores(Shape):
    """One PRM's scores for one trace. With `steps` and `score` null, it could not score the trace, for `reason`."""

    prm = PrmRef(source="scorer")
    scale = serializers.ChoiceField(SCALES, source="scorer.scale")
    steps = serializers.ListField(
        child=serializers.FloatField(allow_null=True),
        allow_null=True,
        help_text="A step is null if JSON cannot hold its number.",
    )
    score = serializers.FloatField(allow_null=True, help_text="The log of the trace's score; null also for log 0.")
    reason = serializers.CharField(allow_blank=True)
    exact = serializers.BooleanField(help_text="False: computed only in bfloat16.")

    def steps_of(self, score: Score) -> list[float | None] | None:
        """The step scores, with null for infinity, which JSON does not have."""
        return numbers(score.steps)

    def score_of(self, score: Score) -> float | None:
        """The score, with null for infinity, which JSON does not have."""
        return finite(score.score)
