"""Projects, their members, guidelines, and the audit log of what people did."""

import secrets
import uuid

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from labeling.configs import AfterErrorConfig
from labeling.quality.consensus import AskedOverlap


def new_export_salt() -> str:
    """Return a new secret from which a project's labeler ids in exports are derived."""
    return secrets.token_hex(32)


class User(AbstractUser):
    """A person who logs in, or the author of imported labels, who never does."""

    class Kind(models.TextChoices):
        PERSON = "person"
        IMPORTED = "imported"

    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.PERSON)
    display_name = models.CharField(max_length=120, blank=True)
    preferences = models.JSONField(default=dict, blank=True)
    notice_choices = models.JSONField(
        default=dict, blank=True, help_text="Kind of notice -> channel (app, mail) -> whether it is wanted there."
    )
    external_id = models.CharField(
        max_length=200, blank=True, help_text="The labeler id an import gave to this person."
    )

    @property
    def shown_name(self) -> str:
        """The name that others see: the display name, or the user name if there is none."""
        return self.display_name or self.username


class Project(models.Model):
    """A unit of labeling: its problems, people, guidelines and rounds."""

    class Status(models.TextChoices):
        ACTIVE = "active"
        ARCHIVED = "archived"

    class AnswerKind(models.TextChoices):
        MATHS = "maths", "Mathematics: equal values are equal answers"
        EXACT = "exact", "Text: the same letters"
        CHOICE = "choice", "Lettered options: (A), (B), …"
        NUMERIC = "numeric", "A number, within the tolerance"
        NONE = "none", "Not graded here"

    class RatedUnit(models.TextChoices):
        MESSAGE = "message", "Each message of the agent, with all the calls in it"
        CALL = "call", "Each call of a tool"

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.ACTIVE)
    taken_out = models.JSONField(null=True, help_text="The file that its rows are in: file, at, rows, sha256.")
    default_overlap = models.PositiveSmallIntegerField(default=1)
    default_overlap_most = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="Where labels differ, ask up to so many labelers; 0: the overlap is fixed."
    )
    default_overlap_needed = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="How many must agree about the first error; 0: the overlap is fixed."
    )
    lease_minutes = models.PositiveSmallIntegerField(default=15)
    revise_window_hours = models.PositiveSmallIntegerField(default=24)
    reference_solution = models.BooleanField(
        default=False, help_text="Labelers may look at the reference solution (recorded)."
    )
    answer_kind = models.CharField(
        max_length=10, choices=AnswerKind.choices, default=AnswerKind.MATHS, help_text="How final answers are graded."
    )
    answer_tolerance = models.FloatField(
        default=0, help_text="For numbers: a share of the true value (0.01 is one percent)."
    )
    reveal_scores = models.BooleanField(
        default=False, help_text="Labelers may look at the PRM's scores of a trace they have submitted."
    )
    session_traces = models.PositiveSmallIntegerField(
        default=0, help_text="How many traces of one problem a labeler gets in a row; 0: each comes as it comes."
    )
    hourly_rate = models.DecimalField(
        max_digits=8, decimal_places=2, null=True, help_text="What an hour of active labeling costs; null: not said."
    )
    currency = models.CharField(max_length=3, blank=True, help_text="Of the hourly rate, as ISO 4217 has it: EUR.")
    stalled_hours = models.PositiveSmallIntegerField(
        default=24, help_text="After how many hours without a claim an open round that wants labels counts as stalled."
    )
    gold_per_round = models.PositiveSmallIntegerField(
        default=10, db_default=10, help_text="Gold tasks that each labeler meets in a round; 0: none."
    )
    screening = models.BooleanField(
        default=False, db_default=False, help_text="New annotators do gold tasks before they get real work."
    )
    screening_tasks = models.PositiveSmallIntegerField(default=30, db_default=30)
    screening_share = models.FloatField(default=0.75, db_default=0.75, help_text="The share to pass.")
    screening_retries = models.PositiveSmallIntegerField(default=1, db_default=1)
    screening_feedback = models.BooleanField(
        default=True, db_default=True, help_text="The accepted answer is shown after each screening task."
    )
    rated_unit = models.CharField(
        max_length=8,
        choices=RatedUnit.choices,
        default=RatedUnit.MESSAGE,
        db_default=RatedUnit.MESSAGE,
        help_text="What is rated of an agent's run that is imported from now on.",
    )
    after_error = models.JSONField(
        default=dict, db_default={}, help_text="What new rounds offer and ask at a mistake (configs.after_error)."
    )
    trains_at_close = models.BooleanField(
        default=False,
        db_default=False,
        help_text="When a round closes, a PRM is trained on all labels. New projects have it on (create_project).",
    )
    export_salt = models.CharField(max_length=64, default=new_export_salt, editable=False)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(default_overlap__gte=1, default_overlap__lte=20),
                name="project_overlap_is_1_to_20",
            ),
            models.CheckConstraint(
                condition=Q(default_overlap_most=0, default_overlap_needed=0)
                | Q(
                    default_overlap_most__gte=models.F("default_overlap"),
                    default_overlap_most__lte=20,
                    default_overlap_needed__gte=1,
                    default_overlap_needed__lte=models.F("default_overlap_most"),
                ),
                name="project_overlap_is_fixed_or_adapts",
            ),
            models.CheckConstraint(
                condition=Q(lease_minutes__gte=1, lease_minutes__lte=24 * 60),
                name="project_lease_is_a_minute_to_a_day",
            ),
            models.CheckConstraint(
                condition=Q(answer_tolerance__gte=0, answer_tolerance__lte=1),
                name="project_tolerance_is_a_share",
            ),
            models.CheckConstraint(
                condition=Q(session_traces=0) | Q(session_traces__gte=2, session_traces__lte=5),
                name="project_session_is_2_to_5_traces",
            ),
            models.CheckConstraint(
                condition=Q(hourly_rate__isnull=True) | (Q(hourly_rate__gte=0) & ~Q(currency="")),
                name="project_rate_has_a_currency",
            ),
            models.CheckConstraint(condition=Q(gold_per_round__lte=50), name="project_gold_is_0_to_50_a_round"),
            models.CheckConstraint(
                condition=Q(
                    screening_tasks__gte=1, screening_tasks__lte=200, screening_share__gt=0, screening_share__lte=1
                ),
                name="project_screening_can_be_passed",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def after_error_config(self) -> AfterErrorConfig:
        """What new rounds offer and ask for at a mistake. Raises ConfigFault."""
        return AfterErrorConfig.from_json(self.after_error)

    @property
    def default_overlap_asked(self) -> AskedOverlap:
        """The overlap of rounds that do not set their own."""
        return AskedOverlap(self.default_overlap, needed=self.default_overlap_needed, most=self.default_overlap_most)


class Membership(models.Model):
    """A person's role in a project. Each role includes the ones below it; a deactivated person keeps their labels."""

    class Role(models.TextChoices):
        ANNOTATOR = "annotator"
        RESEARCHER = "researcher"
        ADMIN = "admin"

    project = models.ForeignKey(Project, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)
    is_active = models.BooleanField(default=True)
    joined_at = models.DateTimeField(default=timezone.now)
    admitted_at = models.DateTimeField(null=True, help_text="Passed the screening, or need not do it.")
    extra_attempts = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="Screening attempts that an admin allowed beyond the project's."
    )
    paused_at = models.DateTimeField(null=True, help_text="Gets no new tasks since then.")
    pause = models.JSONField(default=dict, db_default={}, help_text="Why: the rule and its figures, or a reason.")
    run_since = models.DateTimeField(null=True, help_text="Gold results before it no longer count for labeler quality.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="one_membership_per_project"),
        ]


class Invitation(models.Model):
    """A link that lets one person join a project until it expires. Only the token's hash is stored."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=10, choices=Membership.Role.choices)
    email = models.EmailField(blank=True)
    username = models.CharField(
        max_length=150, blank=True, default="", db_default="", help_text="Whom it is for, as it was typed."
    )
    invitee = models.ForeignKey(
        User, models.PROTECT, null=True, related_name="+", help_text="Whose name that is; told to nobody else."
    )
    told_at = models.DateTimeField(null=True, help_text="When the invitee was told of it.")
    token_hash = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    accepted_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    accepted_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)


class ApiToken(models.Model):
    """A key for programs. Shown once; only its hash is stored. It may do what its person may, or only read."""

    user = models.ForeignKey(User, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=12)
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)
    read_only = models.BooleanField(default=False, db_default=False, help_text="It changes nothing.")
    expires_at = models.DateTimeField(null=True, help_text="Null: it never ends by itself.")
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)


class Identity(models.Model):
    """A person's identity at an OpenID Connect provider. Keyed by issuer and subject, since addresses change owners."""

    user = models.ForeignKey(User, models.CASCADE, related_name="identities")
    issuer = models.CharField(max_length=400)
    subject = models.CharField(max_length=255)
    groups = ArrayField(
        models.TextField(), default=list, db_default=[], help_text="That give roles, as the last sign-in said."
    )
    created_at = models.DateTimeField(default=timezone.now)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="one_person_an_identity"),
        ]


class Guideline(models.Model):
    """One version of a project's labeling guidelines, in Markdown. Never edited; a new version follows."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="guidelines")
    version = models.PositiveIntegerField()
    body = models.TextField()
    created_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "version"], name="one_guideline_a_version"),
        ]


class AuditEvent(models.Model):
    """An entry of who did what, and when. The database refuses to change or delete a row (a trigger)."""

    project = models.ForeignKey(Project, models.PROTECT, null=True, related_name="audit_events")
    actor = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    action = models.CharField(max_length=60)
    target = models.CharField(max_length=120, blank=True)
    detail = models.JSONField(default=dict)
    at = models.DateTimeField(default=timezone.now)
    request_id = models.UUIDField(default=uuid.uuid4)

    class Meta:
        indexes = [models.Index(fields=["project", "-id"], name="audit_by_project")]
