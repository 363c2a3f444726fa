"""Labels: all of one labeler's work on one task, from claim to submission."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from labeling.models.people import Guideline, Project, User
from labeling.models.problems import Completion, Problem, Rating, Trace
from labeling.models.rounds import Task


class Label(models.Model):
    """A labeler's work on a task. While prefetched or open, it holds one of the task's slots."""

    class Status(models.TextChoices):
        PREFETCHED = "prefetched"  # leased ahead for the labeler, not yet shown
        OPEN = "open"
        SUBMITTED = "submitted"
        EXPIRED = "expired"
        RELEASED = "released"
        # Replaced by a later revision of the same labeler; a ruling: replaced by another one, or withdrawn.
        SUPERSEDED = "superseded"
        RULING = "ruling"  # a reviewer's own, which settles the task; the labels are not changed

    class FinishReason(models.TextChoices):
        FOUND_ERROR = "found_error"
        SOLUTION = "solution"
        BAD_PROBLEM = "bad_problem"
        GIVE_UP = "give_up"

    project = models.ForeignKey(Project, models.PROTECT, related_name="labels", db_index=False)
    task = models.ForeignKey(Task, models.PROTECT, related_name="labels")
    labeler = models.ForeignKey(User, models.PROTECT, related_name="labels", db_index=False)
    problem = models.ForeignKey(
        Problem,
        models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
        help_text="The trace's problem, for labels made here: a labeler's earlier ratings are looked up by it.",
    )
    status = models.CharField(max_length=10, choices=Status.choices)
    surplus = models.BooleanField(
        default=False, help_text="Kept, but the task's slots were taken or its round was closed."
    )
    # When a lost label's lease ended; null once its slot is known to be gone (labeling.queries.lost_gold_slots).
    leased_until = models.DateTimeField(null=True)
    ahead = models.IntegerField(
        default=0,
        db_default=0,
        help_text="The place among what its labeler has leased ahead; the lowest comes next.",
    )
    claimed_at = models.DateTimeField(default=timezone.now)
    opened_at = models.DateTimeField(null=True)
    last_seen_at = models.DateTimeField(null=True)
    submitted_at = models.DateTimeField(null=True)
    finish_reason = models.CharField(max_length=12, choices=FinishReason.choices, blank=True)
    finish_detail = models.JSONField(default=dict)
    verdict = models.IntegerField(
        null=True,
        help_text="Where the label says the trace first goes wrong: a step from 0, -1 = no error; null: it does not say"
        " (bad problem, gave up, unfinished). As finish_reason it stays while the label is reopened.",
    )
    rated_steps = models.IntegerField(
        null=True,
        help_text="How many steps it rates itself: not carried over, no alternatives. Null: its step labels tell"
        " (labeling.queries.haste.STEPS_OF).",
    )
    noticed_at_step = models.IntegerField(null=True)
    mistake = models.JSONField(null=True)
    run_marks = models.JSONField(
        null=True,
        help_text="Of an agent's run: decisive error, recovery, outcome, safety, comment (protocol.run_marks).",
    )
    confirmations = models.JSONField(default=list)
    active_ms = models.BigIntegerField(default=0)
    other_active_ms = models.BigIntegerField(
        default=0, help_text="The part of active_ms spent on no step: problem, dialogs."
    )
    earlier_ms = models.BigIntegerField(
        default=0, db_default=0, help_text="The active time of the versions that it supersedes; not in active_ms."
    )
    total_ms = models.BigIntegerField(null=True)
    guideline = models.ForeignKey(Guideline, models.PROTECT, null=True, related_name="+", db_index=False)
    client_build = models.CharField(max_length=60, blank=True)
    draft = models.JSONField(null=True)
    draft_revision = models.IntegerField(default=0)
    submission = models.JSONField(null=True, help_text="The submission as it was sent.")
    idempotency_key = models.UUIDField(null=True)
    supersedes = models.OneToOneField("self", models.PROTECT, null=True, related_name="superseded_by")
    scores_revealed_at = models.DateTimeField(null=True, help_text="When the labeler was shown the PRM's scores.")
    edited_after_reveal = models.BooleanField(
        default=False, db_default=False, help_text="Made, or changed, after a machine's view of the trace was shown."
    )
    before_reveal = models.JSONField(
        null=True, help_text="Finish reason and verdict as they were when a machine's view was first shown."
    )
    before_ruling = models.JSONField(
        null=True,
        help_text="Of a ruling: what its task was before anybody ruled (labeling.actions.reviews), to take it back.",
    )
    excluded = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Left out of exports, releases, training and measuring by a person (LabelChange).",
    )
    extra = models.JSONField(default=dict, help_text="What an imported record says that no column here does.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "labeler"],
                condition=Q(status="open"),
                name="one_open_label_a_labeler_and_project",
            ),
            models.UniqueConstraint(
                fields=["project", "labeler", "ahead"],
                condition=Q(status="prefetched"),
                name="one_prefetched_label_a_place",
            ),
            models.UniqueConstraint(
                fields=["task", "labeler"],
                condition=Q(status__in=["prefetched", "open", "submitted", "expired", "released"]),
                name="one_label_a_task_and_labeler",
            ),
            models.UniqueConstraint(
                fields=["labeler", "idempotency_key"],
                condition=Q(idempotency_key__isnull=False),
                name="one_submission_a_key",
            ),
            models.UniqueConstraint(fields=["task"], condition=Q(status="ruling"), name="one_ruling_a_task"),
            models.CheckConstraint(
                condition=~Q(status__in=["submitted", "ruling"])
                | (~Q(finish_reason="") & Q(submitted_at__isnull=False)),
                name="submitted_label_is_finished",
            ),
            # An imported label may have found an error in a step that is not one of the trace's own. (A comparison with
            # null is not false, and a check refuses only what is false.)
            models.CheckConstraint(
                condition=Q(finish_reason="solution", verdict__isnull=False, verdict=-1)
                | Q(finish_reason="found_error", verdict__isnull=False, verdict__gte=0)
                | (Q(finish_reason="found_error", verdict=None, submission__isnull=True) & ~Q(status="ruling"))
                | (~Q(finish_reason__in=["solution", "found_error"]) & Q(verdict=None)),
                name="verdict_fits_the_finish_reason",
            ),
            models.CheckConstraint(
                condition=~Q(status__in=["open", "prefetched"]) | Q(leased_until__isnull=False),
                name="held_label_has_a_lease",
            ),
        ]
        indexes = [
            models.Index(
                fields=["leased_until"],
                condition=Q(status__in=["open", "prefetched"]),
                name="label_leases",
            ),
            models.Index(
                fields=["labeler", "project"],
                condition=Q(status__in=["open", "prefetched", "expired"]),
                name="label_unfinished",
            ),
            models.Index(fields=["labeler", "id"], name="label_latest"),
            models.Index(fields=["labeler", "problem"], condition=Q(status="submitted"), name="label_by_problem"),
            models.Index(fields=["project", "labeler", "-submitted_at"], name="label_by_labeler"),
            models.Index(fields=["project", "submitted_at"], name="label_by_day"),
            models.Index(
                fields=["project"],
                condition=Q(status="submitted") & (Q(finish_reason="bad_problem") | ~Q(confirmations=[])),
                name="label_to_review",
            ),
        ]

    @property
    def is_ruling(self) -> bool:
        """Whether it is a reviewer's, even if it is no longer in force: a ruling is made at once, so it has no separate
        claim, while a labeler's label is claimed first.
        """
        at_once = self.opened_at is None and self.claimed_at == self.submitted_at
        return self.status == self.Status.RULING or (self.status == self.Status.SUPERSEDED and at_once)

    @property
    def surplus_because(self) -> str | None:
        """Why a finished label is surplus: it came after its round was closed, or else its slot was taken."""
        if not self.surplus or self.submitted_at is None:
            return None
        closed_at = self.task.round.closed_at
        return "round_closed" if closed_at is not None and self.submitted_at >= closed_at else "slot_taken"

    @property
    def worked_ms(self) -> int:
        """The active time of all its versions (in SQL: labeling.queries.haste.MS_OF)."""
        return self.active_ms + self.earlier_ms


class StepLabel(models.Model):
    """The rating one label gave one completion; `completion` null = the trace's own step."""

    class Source(models.TextChoices):
        TYPED = "typed"
        CARRIED = "carried"
        IMPORTED = "imported"

    label = models.ForeignKey(Label, models.CASCADE, related_name="step_labels", db_index=False)
    step_index = models.PositiveIntegerField()
    completion = models.ForeignKey(Completion, models.PROTECT, null=True, related_name="+", db_index=False)
    position = models.PositiveSmallIntegerField(
        default=0, help_text="Place among the completions offered for this step."
    )
    rating = models.SmallIntegerField(choices=Rating.choices, null=True)
    flagged = models.BooleanField(null=True)
    chosen = models.BooleanField(default=False)
    active_ms = models.BigIntegerField(default=0)
    source = models.CharField(max_length=10, choices=Source.choices, default=Source.TYPED)
    carried_from = models.ForeignKey(
        "self",
        models.SET_NULL,
        null=True,
        related_name="+",
        db_index=False,
        help_text="The same labeler's earlier rating of the same text that was kept.",
    )

    class Meta:
        indexes = [
            models.Index(fields=["carried_from"], condition=Q(carried_from__isnull=False), name="step_label_carried"),
            models.Index(fields=["label"], condition=Q(flagged=True), name="step_label_flagged"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["label", "step_index", "completion"],
                nulls_distinct=False,
                name="one_rating_a_completion",
            ),
            models.CheckConstraint(
                condition=Q(rating__isnull=True) | Q(rating__in=Rating.values),
                name="rating_is_negative_neutral_or_positive",
            ),
        ]


class StepComment(models.Model):
    """A labeler's comment on a step."""

    label = models.ForeignKey(Label, models.CASCADE, related_name="comments")
    step_index = models.PositiveIntegerField()
    author = models.ForeignKey(User, models.PROTECT, related_name="+")
    text = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)


class TraceReport(models.Model):
    """A labeler's report that the trace's answer guess, or the split of a step, is wrong."""

    class Kind(models.TextChoices):
        ANSWER_WRONG = "answer_wrong"
        SPLIT_BADLY = "split_badly"

    label = models.ForeignKey(Label, models.CASCADE, related_name="reports")
    trace = models.ForeignKey(Trace, models.PROTECT, related_name="reports")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    step_index = models.PositiveIntegerField(null=True)
    text = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now)
