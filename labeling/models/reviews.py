"""Reviews of labels: why a task waits for a reviewer, what was decided, and what reviewers and labelers wrote."""

from django.db import models
from django.utils import timezone

from labeling.models.people import User
from labeling.models.rounds import Task


class ReviewKind(models.TextChoices):
    """Why a task waits for a reviewer."""

    NO_CONSENSUS = "no_consensus", "Nobody more can be asked, and they do not agree"
    DISAGREEMENT = "disagreement", "Its labels differ about the first error"
    CONTRADICTION = "contradiction", "A label contradicts itself or the outcome, and says why"
    FLAGGED = "flagged", "A labeler was unsure of a rating"
    COMMENT = "comment", "A labeler wrote about a step"
    SPLIT_BADLY = "split_badly", "A step is cut in the wrong place"
    ANSWER_WRONG = "answer_wrong", "The guess of the right answer looks wrong"
    BAD_PROBLEM = "bad_problem", "A labeler says that the problem is bad"
    ASKED_FOR = "asked_for", "A researcher asked for it in the list of labels"


class ReviewDecision(models.Model):
    """A reviewer's decision about one reason for review. A reason that arises after `at` makes the task wait again."""

    class Outcome(models.TextChoices):
        SETTLED = "settled"
        DISMISSED = "dismissed"
        BAD_PROBLEM = "bad_problem"
        CORRECTED = "corrected", "the answer was corrected"
        ACCEPTED = "accepted", "another answer was accepted"
        REPAIRED = "repaired", "the split was repaired"

    task = models.ForeignKey(Task, models.PROTECT, related_name="decisions", db_index=False)
    kind = models.CharField(max_length=14, choices=ReviewKind.choices)
    outcome = models.CharField(max_length=12, choices=Outcome.choices)
    reason = models.TextField(blank=True)
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "kind"], name="one_decision_a_task_and_kind"),
        ]


class StepReply(models.Model):
    """An answer in the thread about a step between one of the task's labelers and its reviewers. Other labelers never
    see it: a thread is identified by task, labeler and step.
    """

    task = models.ForeignKey(Task, models.PROTECT, related_name="replies", db_index=False)
    labeler = models.ForeignKey(User, models.PROTECT, related_name="+", db_index=False)
    step_index = models.PositiveIntegerField()
    author = models.ForeignKey(User, models.PROTECT, related_name="+", db_index=False)
    text = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(fields=["task", "labeler", "step_index"], name="reply_by_thread"),
            models.Index(fields=["labeler", "-id"], name="reply_by_labeler"),
        ]
