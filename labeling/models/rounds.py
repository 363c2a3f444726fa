"""Rounds, the work that workers do for them, and their tasks: the queue from which labelers claim."""

from django.db import models
from django.db.models import ExpressionWrapper, F, Q
from django.utils import timezone

from labeling.configs import (
    STAGED,
    AfterErrorConfig,
    PathConfig,
    PlainConfig,
    RoundConfig,
    ShownMarks,
    StagedConfig,
    read_round_config,
    stages,
)
from labeling.models.people import Project, User
from labeling.models.problems import Trace
from labeling.models.step_scorers import StepScorer
from labeling.protocol.first_error import FIRST_ERROR
from labeling.protocol.registry import protocol_named
from labeling.quality.consensus import Overlap


class Round(models.Model):
    """One cycle of generate, grade, score, select and label. `number` is PRM800K's generation.

    Workers carry a round through the stages of labeling.configs.stages to `ready`; a person publishes it. A plain round
    (all traces, a filter, a random sample) begins at `labeling`; a large one at `preparing`, while workers put its
    traces on the queue. A project's screening tasks are in rounds of status `screening`, one for each attempt, numbered
    -1, -2, …; these are never listed and never served as work.
    """

    class Status(models.TextChoices):
        DRAFT = "draft"
        PREPARING = stages.QUEUEING.status
        GENERATING = stages.GENERATING.status
        GRADING = stages.GRADING.status
        SCORING = stages.SCORING.status
        READY = "ready"
        LABELING = "labeling"
        PAUSED = "paused"
        CLOSED = "closed"
        CANCELLED = "cancelled"
        FAILED = "failed"
        SCREENING = "screening"

    project = models.ForeignKey(Project, models.PROTECT, related_name="rounds", db_index=False)
    number = models.IntegerField()
    name = models.CharField(max_length=120, blank=True)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.DRAFT)
    resume_to = models.CharField(
        max_length=12, choices=Status.choices, blank=True, help_text="Where a paused or failed round goes on."
    )
    planned = models.CharField(
        max_length=12, blank=True, help_text="The stage whose chunks are all in the table; empty before the first."
    )
    error = models.TextField(blank=True, help_text="Why it failed, and the way out.")
    scorer = models.ForeignKey(StepScorer, models.PROTECT, null=True, related_name="rounds")
    protocol = models.CharField(
        max_length=30,
        default=FIRST_ERROR.name,
        db_default=FIRST_ERROR.name,
        help_text="How its traces are labeled, a name in labeling.protocol.registry; it never changes.",
    )
    priority = models.SmallIntegerField(default=0, help_text="Higher is served first.")
    overlap = models.PositiveSmallIntegerField(default=1)
    overlap_most = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="Where labels differ, ask up to so many labelers; 0: the overlap is fixed."
    )
    overlap_needed = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="How many must agree about the first error; 0: the overlap is fixed."
    )
    seed = models.BigIntegerField(default=0)
    config = models.JSONField(default=dict, help_text="Which traces, as the person asked.")
    after_error = models.JSONField(
        default=dict, db_default={}, help_text="What it offers and asks at a mistake; the project's when it was opened."
    )
    machine = models.JSONField(
        default=dict,
        db_default={},
        help_text="What its labelers see of a machine's marks (configs.ShownMarks); {}: nothing.",
    )
    selection = models.JSONField(null=True, help_text="What was selected and left out, for the preview.")
    report = models.JSONField(null=True, help_text="What the round was worth, frozen when it is closed.")
    task_count = models.PositiveIntegerField(default=0, help_text="Tasks of work; gold is not among them.")
    gold_count = models.PositiveSmallIntegerField(default=0, db_default=0, help_text="Gold tasks for every labeler.")
    imported = models.BooleanField(default=False, help_text="Holds labels that came with an import; never served.")
    next_at = models.PositiveSmallIntegerField(
        null=True,
        help_text="At which percentage of its labels workers prepare the next one; null: never by themselves.",
    )
    next_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+", db_index=False)
    next_error = models.TextField(
        blank=True, default="", db_default="", help_text="Why the next one could not be prepared so far."
    )
    next_round = models.OneToOneField("self", models.PROTECT, null=True, related_name="+")
    training_due = models.BooleanField(
        default=False, db_default=False, help_text="It was closed, and the training on all labels has not begun yet."
    )
    training = models.ForeignKey(
        "labeling.TrainingRun", models.PROTECT, null=True, related_name="closes", help_text="Which its close began."
    )
    training_error = models.TextField(
        blank=True, default="", db_default="", help_text="Why no training began at its close."
    )
    created_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    opened_at = models.DateTimeField(null=True, help_text="Since when it is served: a staged round's publication.")
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="one_round_a_number"),
            models.CheckConstraint(condition=Q(overlap__gte=1, overlap__lte=20), name="round_overlap_is_1_to_20"),
            models.CheckConstraint(
                condition=Q(overlap_most=0, overlap_needed=0)
                | Q(
                    overlap_most__gte=models.F("overlap"),
                    overlap_most__lte=20,
                    overlap_needed__gte=1,
                    overlap_needed__lte=models.F("overlap_most"),
                ),
                name="round_overlap_is_fixed_or_adapts",
            ),
            models.CheckConstraint(
                condition=Q(next_at=None) | Q(next_at__range=(1, 100)), name="next_round_at_1_to_100"
            ),
            models.UniqueConstraint(
                fields=["project"],
                condition=Q(status__in=list(stages.ONE_A_PROJECT)),
                name="one_running_round_a_project",
            ),
            models.CheckConstraint(
                condition=Q(number__gte=0) | Q(status="screening"), name="only_screening_is_numbered_below_zero"
            ),
        ]

    @property
    def adapts(self) -> bool:
        """Whether more labelers are asked if labels differ."""
        return self.overlap_most > 0

    @property
    def numbered_name(self) -> str:
        """Its number and name; for a screening, whose negative number means nothing to users, only its name."""
        return self.name if self.number < 0 else f"{self.number} {self.name}".strip()

    @property
    def is_closed(self) -> bool:
        """Whether it is closed, so that later labels do not count."""
        return self.status == self.Status.CLOSED

    @property
    def keeps_quiet(self) -> bool:
        """Whether labelers see results on its labels only after it is closed: whether a trace is settled, and what a
        PRM thought of it. Gold is never settled and may have no scores, so each of these would tell gold from work.
        """
        return self.gold_count > 0 and self.status != self.Status.CLOSED

    @property
    def overlap_rule(self) -> Overlap:
        """How many labelers each task is for."""
        return Overlap(self.overlap, needed=self.overlap_needed, most=self.overlap_most)

    @property
    def is_staged(self) -> bool:
        """Whether workers prepare it, and a person publishes it."""
        return self.config.get("source") == STAGED

    @property
    def asked(self) -> RoundConfig | None:
        """What was requested of it, read from `config`; None for imported labels and screening. Raises ConfigFault."""
        return read_round_config(self.config)

    @property
    def staged_config(self) -> StagedConfig:
        """What was requested of a staged round, read from `config`. Raises ConfigFault."""
        return StagedConfig.from_json(self.config)

    @property
    def after_error_config(self) -> AfterErrorConfig:
        """What it offers and asks for at a mistake. Raises ConfigFault."""
        return AfterErrorConfig.from_json(self.after_error)

    @property
    def shown_marks(self) -> ShownMarks | None:
        """Which machine marks its labelers see; None: none. Raises ConfigFault."""
        return ShownMarks.from_json(self.machine) if self.machine else None

    @property
    def plain_config(self) -> PlainConfig:
        """What was requested of a plain round, read from `config`. Raises ConfigFault."""
        return PlainConfig.from_json(self.config)

    @property
    def path_config(self) -> PathConfig:
        """What was requested of a round whose labelers choose paths, read from `config`. Raises ConfigFault."""
        return PathConfig.from_json(self.config)

    @property
    def answers_wanted(self) -> Overlap | None:
        """How many paths of a problem must reach the same answer; None if no more labelers are asked, or none make
        paths.
        """
        if not protocol_named(self.protocol).makes_path:
            return None
        asked = self.path_config
        return Overlap(asked.paths, needed=asked.paths_needed, most=asked.paths_most) if asked.paths_most else None


class RoundChunk(models.Model):
    """A part of a round's stage that one worker does in one go: the problems of an id range.

    Claimed from this table; the worker that finishes a stage's last chunk moves the round on.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    round = models.ForeignKey(Round, models.CASCADE, related_name="chunks", db_index=False)
    stage = models.CharField(max_length=10, help_text="Its name in labeling.configs.stages.")
    number = models.PositiveIntegerField()
    first_problem = models.BigIntegerField(help_text="Lowest problem id of the chunk.")
    last_problem = models.BigIntegerField(help_text="Highest problem id of the chunk, itself included.")
    total = models.PositiveIntegerField(default=0, help_text="Traces to make, grade or score.")
    done = models.PositiveIntegerField(default=0)
    tokens = models.BigIntegerField(default=0, db_default=0, help_text="That a PRM on a worker computed for it.")
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.QUEUED)
    lease_token = models.UUIDField(null=True)
    leased_until = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    worker = models.CharField(max_length=200, blank=True)
    error = models.TextField(blank=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "stage", "number"], name="one_chunk_a_number"),
        ]
        indexes = [
            models.Index(
                fields=["round", "stage", "number"],
                condition=Q(status__in=["queued", "running"]),
                name="round_chunks_to_do",
            ),
        ]


class Task(models.Model):
    """One trace offered for labeling in one round, and how many labels it still wants.

    A gold or screening task wants none: it is not in the queue, and has a slot for every labeler whose plan includes
    it.
    """

    class Kind(models.TextChoices):
        WORK = "work"
        GOLD = "gold"
        SCREENING = "screening"
        IMPORTED_QC = "imported_qc", "quality control of another project, imported with its labels"

    # The kinds whose labels are compared and counted in figures. The answers of our own gold and screening are known.
    IN_FIGURES = (Kind.WORK, Kind.IMPORTED_QC)

    # Reasons of randomly drawn traces: they are like the pool, and chosen traces are compared with them.
    BY_CHANCE = ("control", "random", "sample")
    # Reasons of traces that were not chosen at all: all traces, or all that passed a filter.
    UNCHOSEN = ("all", "filter")

    class Settlement(models.TextChoices):
        AGREED = "agreed", "enough labelers agree"
        NO_CONSENSUS = "no_consensus", "nobody can be asked any more: it waits for a reviewer"
        RULED = "ruled", "a reviewer settled it"

    round = models.ForeignKey(Round, models.PROTECT, related_name="tasks", db_index=False)
    trace = models.ForeignKey(Trace, models.PROTECT, related_name="tasks")
    kind = models.CharField(max_length=12, choices=Kind.choices, default=Kind.WORK)
    reason = models.CharField(max_length=30, blank=True)
    rank = models.IntegerField(null=True, help_text="Place in the order of selection, from 0.")
    score = models.FloatField(null=True, help_text="The trace's score by the round's scorer when it was selected.")
    order_key = models.BigIntegerField(help_text="Seeded place in the queue; lowest first.")
    labels_wanted = models.SmallIntegerField()
    settlement = models.CharField(max_length=12, choices=Settlement.choices, blank=True, db_default="")
    settled_at = models.DateTimeField(null=True, help_text="From then on its labelers may see each other's labels.")
    verdict = models.IntegerField(
        null=True, help_text="The first error that was settled, -1 = no error; null also where it was a bad problem."
    )

    assisted = models.BooleanField(
        null=True,
        help_text="Of a round that shows marks beside the steps: whether this task's labelers see them; drawn by seed.",
    )
    withdrawn = models.SmallIntegerField(
        null=True,
        help_text="The slots it had when it was taken off the queue (bad problem, repaired split); null: on it.",
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(withdrawn=None) | Q(withdrawn__gte=0, labels_wanted=0), name="withdrawn_task_wants_nothing"
            ),
            # Except for imports, which may have labels of both kinds on one trace.
            models.UniqueConstraint(
                F("round"),
                F("trace"),
                ExpressionWrapper(Q(kind="imported_qc"), output_field=models.BooleanField()),
                name="one_task_a_trace_and_round",
            ),
            models.CheckConstraint(condition=Q(labels_wanted__gte=0), name="task_never_overclaimed"),
            models.CheckConstraint(condition=Q(kind="work") | Q(labels_wanted=0), name="gold_is_not_on_the_queue"),
            models.CheckConstraint(
                condition=Q(settlement__in=["agreed", "ruled"], settled_at__isnull=False)
                | Q(settlement__in=["", "no_consensus"], settled_at=None, verdict=None),
                name="settled_task_says_when",
            ),
        ]
        indexes = [
            models.Index(
                fields=["round", "order_key", "id"],
                condition=Q(labels_wanted__gt=0),
                name="task_queue",
            ),
            models.Index(fields=["id"], condition=Q(settlement="no_consensus"), name="task_without_consensus"),
        ]


class RoundTally(models.Model):
    """How many labels a round has, in 64 parts. A labeler's labels are all in one part, so that few writers wait.

    Triggers on the labels maintain it (migration 0043), whatever statement writes them. Reading it costs the same after
    ten labels and after a million.
    """

    round = models.ForeignKey(Round, models.CASCADE, related_name="tallies", db_index=False)
    part = models.SmallIntegerField(help_text="The labeler's id modulo 64.")
    labels = models.BigIntegerField(help_text="Submitted labels that hold a slot, gold among them.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "part"], name="one_tally_a_round_and_part")]
