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
    clause = serializers.RegexField(
        f"^{CITED.pattern}$", allow_blank=True, default="", help_text="Such as `§2.3`; required."
    )
    text = serializers.CharField(read_only=True, default="", help_text="The beginning of the clause in its guidelines.")
    verdict = serializers.ChoiceField(ACTS, default="against")
    severity = serializers.ChoiceField(
        SEVERITY, allow_blank=True, default="", help_text="How severe the violation of the clause is."
    )
    comment = TextField(default="", max_length=2_000)


class RunMarks(serializers.Serializer):
    """Marks on an agent's run as a whole. The first error is in the label's verdict."""

    decisive_error = StepIndexField(allow_null=True, default=None, help_text="The mistake that made the run fail.")
    recovered_at = StepIndexField(
        allow_null=True, default=None, help_text="The step at which the agent recovered from its error."
    )
    outcome = serializers.ChoiceField(OUTCOMES, allow_blank=True, default="")
    safety = serializers.ChoiceField(
        SAFETY, default="none", help_text="Side effects, or a violation of a policy clause."
    )
    clause = serializers.RegexField(
        f"^{CITED.pattern}$", allow_blank=True, default="", help_text="The clause of the guidelines that it violates."
    )
    comment = TextField(default="")
    acts = ShortList(
        child=Act(), default=list, max_length=MOST_ACTS, help_text="Units judged against clauses of the guidelines."
    )


class StepImageShown(serializers.Serializer):
    """A picture from an imported file, served at `GET /api/labels/{id}/images/{sha256}` or at a trace's address."""

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
    """A recorded run of a program, as the file describes it. Nothing is executed here."""

    passed = serializers.BooleanField(allow_null=True, help_text="Null if the file does not say.")
    input = serializers.CharField(allow_blank=True)
    expected = serializers.CharField(allow_blank=True)
    output = serializers.CharField(allow_blank=True)
    error = serializers.CharField(allow_blank=True)
    line = serializers.IntegerField(required=False, help_text="The line of the program, from 1, at which it ended.")
    states = ProgramState(
        many=True, required=False, help_text="The values known at each line, in the order of the run."
    )


class TestCounts(serializers.Serializer):
    passed = serializers.IntegerField()
    failed = serializers.IntegerField()


class TypedStepShown(serializers.Serializer):
    """Something said or done in an agent's run (docs/agent-traces.md)."""

    kind = serializers.ChoiceField(KINDS)
    actor = serializers.CharField(help_text="agent, user, system or tool.")
    name = serializers.CharField(required=False, help_text="Which agent, if there are several.")
    text = serializers.CharField(help_text="The text, or the beginning of a long text.")
    tail = serializers.CharField(required=False, help_text="The end of a long text whose middle is left out.")
    bytes = serializers.IntegerField(help_text="Size of the full text as UTF-8.")
    lines = serializers.IntegerField()
    tool = serializers.CharField(required=False)
    arguments = serializers.JSONField(required=False)
    invalid_arguments = serializers.BooleanField(
        required=False, help_text="The arguments are not valid JSON and are shown as written."
    )
    call_id = serializers.CharField(required=False)
    is_error = serializers.BooleanField(required=False)
    unanswered = serializers.BooleanField(required=False, help_text="A call without a recorded result.")
    cut = serializers.BooleanField(required=False, help_text="The recorder left out a part.")
    copied = serializers.BooleanField(required=False, help_text="Context that was already recorded earlier.")
    t_start = serializers.CharField(required=False)
    t_end = serializers.CharField(required=False)
    seconds = serializers.FloatField(required=False)
    tokens = serializers.IntegerField(required=False, allow_null=True)
    unit = serializers.IntegerField(required=False, help_text="The rated unit that it belongs to.")
    after = serializers.IntegerField(
        required=False, help_text="For context: the unit that it follows; -1: before all units."
    )
    tests = TestCounts(required=False, help_text="According to the output of a test run.")
    images = StepImageShown(many=True, required=False)
    table = StepTable(required=False)
    executed = Executed(required=False)
    nested = serializers.ListField(
        child=serializers.DictField(), required=False, help_text="The steps of a sub-agent, in the same shape."
    )


class TypedStepOut(serializers.Serializer):
    """One typed step with its full text."""

    step = serializers.DictField(help_text="As in `typed_steps`, with its full text.")


class WholeStepIn(serializers.Serializer):
    """Which step: its position in the URL or, inside a sub-agent's run, the positions that lead to it."""

    inside = serializers.RegexField(
        r"^[0-9]{1,5}(\.[0-9]{1,5}){0,9}$",
        default="",
        allow_blank=True,
        help_text="The positions that lead to the step, such as `3.1`.",
    )
