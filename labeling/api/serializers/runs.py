"""Shapes of agents' runs, as a label shows them and says something of them; and the fields that labels share."""

from typing import Any

from rest_framework import serializers

from labeling.api.short_lists import ShortList
from labeling.formats.typed_steps import KINDS
from labeling.protocol.clauses import CITED
from labeling.protocol.run_marks import ACTS, MOST_ACTS, OUTCOMES, SAFETY, SEVERITY

MAX_STEPS = 10_000
MAX_TEXT = 20_000


class TextField(serializers.CharField):
    """What a person wrote, kept as it is (Postgres takes no NUL, and CharField refuses it)."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("max_length", MAX_TEXT)
        super().__init__(allow_blank=True, trim_whitespace=False, **kwargs)


class StepIndexField(serializers.IntegerField):
    """A 0-based step."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_value=0, max_value=MAX_STEPS, **kwargs)


class Act(serializers.Serializer):
    """What a rated unit does by a clause of the guidelines."""

    step = StepIndexField()
    clause = serializers.RegexField(f"^{CITED.pattern}$", allow_blank=True, default="", help_text="`§2.3`; asked for.")
    text = serializers.CharField(read_only=True, default="", help_text="How the clause begins in its guidelines.")
    verdict = serializers.ChoiceField(ACTS, default="against")
    severity = serializers.ChoiceField(SEVERITY, allow_blank=True, default="", help_text="Of an act against a clause.")
    comment = TextField(default="", max_length=2_000)


class RunMarks(serializers.Serializer):
    """Of an agent's run as a whole. The first error is the label's verdict."""

    decisive_error = StepIndexField(allow_null=True, default=None, help_text="The mistake that lost the run.")
    recovered_at = StepIndexField(allow_null=True, default=None, help_text="Where the agent got over its error.")
    outcome = serializers.ChoiceField(OUTCOMES, allow_blank=True, default="")
    safety = serializers.ChoiceField(SAFETY, default="none", help_text="Side effects, or against a policy's clause.")
    clause = serializers.RegexField(
        f"^{CITED.pattern}$", allow_blank=True, default="", help_text="Of the guidelines: which one it acts against."
    )
    comment = TextField(default="")
    acts = ShortList(
        child=Act(), default=list, max_length=MOST_ACTS, help_text="Units judged by clauses of the guidelines."
    )


class StepImageShown(serializers.Serializer):
    """A picture that came with the import's file; `GET /api/labels/{id}/images/{sha256}`, or of a trace."""

    sha256 = serializers.CharField()
    type = serializers.CharField()
    width = serializers.IntegerField()
    height = serializers.IntegerField()


class StepTable(serializers.Serializer):
    columns = serializers.ListField(child=serializers.CharField(allow_blank=True))
    rows = serializers.ListField(child=serializers.ListField(child=serializers.CharField(allow_blank=True)))
    left_out = serializers.IntegerField(required=False, help_text="Rows that were not kept.")


class ProgramState(serializers.Serializer):
    line = serializers.IntegerField()
    text = serializers.CharField(allow_blank=True)


class Executed(serializers.Serializer):
    """A recorded run of a program, as its file tells it. Nothing is run here."""

    passed = serializers.BooleanField(allow_null=True, help_text="Null: the file does not say.")
    input = serializers.CharField(allow_blank=True)
    expected = serializers.CharField(allow_blank=True)
    output = serializers.CharField(allow_blank=True)
    error = serializers.CharField(allow_blank=True)
    line = serializers.IntegerField(required=False, help_text="Of the program, from 1: where it ended.")
    states = ProgramState(many=True, required=False, help_text="What was known at a line, in the order of the run.")


class TestCounts(serializers.Serializer):
    passed = serializers.IntegerField()
    failed = serializers.IntegerField()


class TypedStepShown(serializers.Serializer):
    """Something that was said or done in an agent's run (docs/agent-traces.md)."""

    kind = serializers.ChoiceField(KINDS)
    actor = serializers.CharField(help_text="agent, user, system or tool.")
    name = serializers.CharField(required=False, help_text="Which of several agents.")
    text = serializers.CharField(help_text="Of a long one the head.")
    tail = serializers.CharField(required=False, help_text="The end of a long text, of which the middle is left out.")
    bytes = serializers.IntegerField(help_text="Of the whole text, as UTF-8.")
    lines = serializers.IntegerField()
    tool = serializers.CharField(required=False)
    arguments = serializers.JSONField(required=False)
    invalid_arguments = serializers.BooleanField(required=False, help_text="They are no JSON, and shown as written.")
    call_id = serializers.CharField(required=False)
    is_error = serializers.BooleanField(required=False)
    unanswered = serializers.BooleanField(required=False, help_text="A call of which no result was recorded.")
    cut = serializers.BooleanField(required=False, help_text="The recorder left a part out.")
    copied = serializers.BooleanField(required=False, help_text="Context that was recorded before.")
    t_start = serializers.CharField(required=False)
    t_end = serializers.CharField(required=False)
    seconds = serializers.FloatField(required=False)
    tokens = serializers.IntegerField(required=False, allow_null=True)
    unit = serializers.IntegerField(required=False, help_text="The rated unit that it is of.")
    after = serializers.IntegerField(required=False, help_text="Context: the unit that it follows; -1: before all.")
    tests = TestCounts(required=False, help_text="By what a run of tests printed.")
    images = StepImageShown(many=True, required=False)
    table = StepTable(required=False)
    executed = Executed(required=False)
    nested = serializers.ListField(
        child=serializers.DictField(), required=False, help_text="The steps of a sub-agent, in the same shape."
    )


class TypedStepOut(serializers.Serializer):
    """One of them whole."""

    step = serializers.DictField(help_text="As in `typed_steps`, with all of its text.")


class WholeStepIn(serializers.Serializer):
    """Which step: the place in the address, or of a sub-agent's run one inside it."""

    inside = serializers.RegexField(
        r"^[0-9]{1,5}(\.[0-9]{1,5}){0,9}$", default="", allow_blank=True, help_text="`3.1`: the places that lead there."
    )
