"""All tables of version 0.1.0.

It stands for the 24 migrations that led there: an installation of that version has them all, and none is older.
"""

import django.contrib.auth.models
import django.contrib.auth.validators
import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
import labeling.models.people
import labeling.models.step_scorers
import uuid
from django.conf import settings
from django.db import migrations, models

from labeling.migrations._operations import CreateModels

GUARD = """
CREATE FUNCTION labeling_refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'The audit trail is append-only: % refused.', TG_OP
        USING ERRCODE = 'insufficient_privilege';
END;
$$;
CREATE TRIGGER audit_is_append_only
    BEFORE UPDATE OR DELETE ON labeling_auditevent
    FOR EACH ROW EXECUTE FUNCTION labeling_refuse_audit_change();
CREATE TRIGGER audit_is_never_emptied
    BEFORE TRUNCATE ON labeling_auditevent
    FOR EACH STATEMENT EXECUTE FUNCTION labeling_refuse_audit_change();
"""
OPEN = """
DROP TRIGGER audit_is_never_emptied ON labeling_auditevent;
DROP TRIGGER audit_is_append_only ON labeling_auditevent;
DROP FUNCTION labeling_refuse_audit_change();
"""


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("labeling", "0001_initial"),
        ("labeling", "0002_audit_is_append_only"),
        ("labeling", "0003_export_snapshot"),
        ("labeling", "0004_one_submission_a_key"),
        ("labeling", "0005_label_look_ups"),
        ("labeling", "0006_grading"),
        ("labeling", "0007_staged_rounds"),
        ("labeling", "0008_samples_and_grade_counts"),
        ("labeling", "0009_planned_rounds"),
        ("labeling", "0010_carried_over"),
        ("labeling", "0011_sessions_and_rate"),
        ("labeling", "0012_notices"),
        ("labeling", "0013_score_sketches"),
        ("labeling", "0014_score_counts"),
        ("labeling", "0015_training"),
        ("labeling", "0016_gold"),
        ("labeling", "0017_preparing_rounds"),
        ("labeling", "0018_adaptive_overlap"),
        ("labeling", "0019_reviews"),
        ("labeling", "0020_triage"),
        ("labeling", "0021_undone_triage"),
        ("labeling", "0022_gold_short_notice"),
        ("labeling", "0023_outcomes_of_a_problem"),
        ("labeling", "0024_sketches_in_the_index"),
    ]

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        CreateModels(
            [
                migrations.CreateModel(
                    name="WorkerHeartbeat",
                    fields=[
                        ("name", models.CharField(max_length=200, primary_key=True, serialize=False)),
                        ("queues", models.CharField(max_length=200)),
                        ("seen_at", models.DateTimeField()),
                        ("processes", models.PositiveSmallIntegerField(default=1, help_text="How many tasks it does at once.")),
                    ],
                ),
                migrations.CreateModel(
                    name="User",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("password", models.CharField(max_length=128, verbose_name="password")),
                        ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                        ("is_superuser", models.BooleanField(default=False, help_text="Designates that this user has all permissions without explicitly assigning them.", verbose_name="superuser status")),
                        (
                            "username",
                            models.CharField(
                                error_messages={"unique": "A user with that username already exists."}, help_text="Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.", max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name="username"
                            ),
                        ),
                        ("first_name", models.CharField(blank=True, max_length=150, verbose_name="first name")),
                        ("last_name", models.CharField(blank=True, max_length=150, verbose_name="last name")),
                        ("email", models.EmailField(blank=True, max_length=254, verbose_name="email address")),
                        ("is_staff", models.BooleanField(default=False, help_text="Designates whether the user can log into this admin site.", verbose_name="staff status")),
                        ("is_active", models.BooleanField(default=True, help_text="Designates whether this user should be treated as active. Unselect this instead of deleting accounts.", verbose_name="active")),
                        ("date_joined", models.DateTimeField(default=django.utils.timezone.now, verbose_name="date joined")),
                        ("kind", models.CharField(choices=[("person", "Person"), ("imported", "Imported")], default="person", max_length=10)),
                        ("display_name", models.CharField(blank=True, max_length=120)),
                        ("preferences", models.JSONField(blank=True, default=dict)),
                        ("external_id", models.CharField(blank=True, help_text="The labeler id an import gave to this person.", max_length=200)),
                        ("groups", models.ManyToManyField(blank=True, help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.", related_name="user_set", related_query_name="user", to="auth.group", verbose_name="groups")),
                        ("user_permissions", models.ManyToManyField(blank=True, help_text="Specific permissions for this user.", related_name="user_set", related_query_name="user", to="auth.permission", verbose_name="user permissions")),
                        ("notice_choices", models.JSONField(blank=True, default=dict, help_text="Kind of notice -> channel (app, mail) -> whether it is wanted there.")),
                    ],
                    options={
                        "verbose_name": "user",
                        "verbose_name_plural": "users",
                        "abstract": False,
                    },
                    managers=[
                        ("objects", django.contrib.auth.models.UserManager()),
                    ],
                ),
                migrations.CreateModel(
                    name="ApiToken",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("name", models.CharField(max_length=80)),
                        ("prefix", models.CharField(max_length=12)),
                        ("token_hash", models.CharField(max_length=64, unique=True)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("last_used_at", models.DateTimeField(null=True)),
                        ("revoked_at", models.DateTimeField(null=True)),
                        ("user", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="api_tokens", to=settings.AUTH_USER_MODEL)),
                    ],
                ),
                migrations.CreateModel(
                    name="Project",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("slug", models.SlugField(max_length=60, unique=True)),
                        ("name", models.CharField(max_length=120)),
                        ("description", models.TextField(blank=True)),
                        ("status", models.CharField(choices=[("active", "Active"), ("archived", "Archived")], default="active", max_length=10)),
                        ("default_overlap", models.PositiveSmallIntegerField(default=1)),
                        ("lease_minutes", models.PositiveSmallIntegerField(default=15)),
                        ("revise_window_hours", models.PositiveSmallIntegerField(default=24)),
                        ("reference_solution", models.BooleanField(default=False, help_text="Labelers may look at the reference solution (recorded).")),
                        ("export_salt", models.CharField(default=labeling.models.people.new_export_salt, editable=False, max_length=64)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        (
                            "answer_kind",
                            models.CharField(
                                choices=[("maths", "Mathematics: equal values are equal answers"), ("exact", "Text: the same letters"), ("choice", "Lettered options: (A), (B), …"), ("numeric", "A number, within the tolerance"), ("none", "Not graded here")],
                                default="maths",
                                help_text="How final answers are graded.",
                                max_length=10,
                            ),
                        ),
                        ("answer_tolerance", models.FloatField(default=0, help_text="For numbers: a share of the true value (0.01 is one percent).")),
                        ("reveal_scores", models.BooleanField(default=False, help_text="Labelers may look at the PRM's scores of a trace they have submitted.")),
                        ("currency", models.CharField(blank=True, help_text="Of the hourly rate, as ISO 4217 has it: EUR.", max_length=3)),
                        ("hourly_rate", models.DecimalField(decimal_places=2, help_text="What an hour of active labeling costs; null: not said.", max_digits=8, null=True)),
                        ("session_traces", models.PositiveSmallIntegerField(default=0, help_text="How many traces of one problem a labeler gets in a row; 0: each comes as it comes.")),
                        ("stalled_hours", models.PositiveSmallIntegerField(default=24, help_text="After how many hours without a claim an open round that wants labels counts as stalled.")),
                        ("gold_per_round", models.PositiveSmallIntegerField(db_default=10, default=10, help_text="Gold tasks that each labeler meets in a round; 0: none.")),
                        ("screening", models.BooleanField(db_default=False, default=False, help_text="New annotators do gold tasks before they get real work.")),
                        ("screening_feedback", models.BooleanField(db_default=True, default=True, help_text="The accepted answer is shown after each screening task.")),
                        ("screening_retries", models.PositiveSmallIntegerField(db_default=1, default=1)),
                        ("screening_share", models.FloatField(db_default=0.75, default=0.75, help_text="The share to pass.")),
                        ("screening_tasks", models.PositiveSmallIntegerField(db_default=30, default=30)),
                        ("default_overlap_most", models.PositiveSmallIntegerField(db_default=0, default=0, help_text="Where labels differ, ask up to so many labelers; 0: the overlap is fixed.")),
                        ("default_overlap_needed", models.PositiveSmallIntegerField(db_default=0, default=0, help_text="How many must agree about the first error; 0: the overlap is fixed.")),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(condition=models.Q(("default_overlap__gte", 1), ("default_overlap__lte", 20)), name="project_overlap_is_1_to_20"),
                            models.CheckConstraint(condition=models.Q(("lease_minutes__gte", 1), ("lease_minutes__lte", 1440)), name="project_lease_is_a_minute_to_a_day"),
                            models.CheckConstraint(condition=models.Q(("answer_tolerance__gte", 0), ("answer_tolerance__lte", 1)), name="project_tolerance_is_a_share"),
                            models.CheckConstraint(condition=models.Q(("session_traces", 0), models.Q(("session_traces__gte", 2), ("session_traces__lte", 5)), _connector="OR"), name="project_session_is_2_to_5_traces"),
                            models.CheckConstraint(condition=models.Q(("hourly_rate__isnull", True), models.Q(("hourly_rate__gte", 0), models.Q(("currency", ""), _negated=True)), _connector="OR"), name="project_rate_has_a_currency"),
                            models.CheckConstraint(condition=models.Q(("gold_per_round__lte", 50)), name="project_gold_is_0_to_50_a_round"),
                            models.CheckConstraint(condition=models.Q(("screening_share__gt", 0), ("screening_share__lte", 1), ("screening_tasks__gte", 1), ("screening_tasks__lte", 200)), name="project_screening_can_be_passed"),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("default_overlap_most", 0), ("default_overlap_needed", 0)),
                                    models.Q(("default_overlap_most__gte", models.F("default_overlap")), ("default_overlap_most__lte", 20), ("default_overlap_needed__gte", 1), ("default_overlap_needed__lte", models.F("default_overlap_most"))),
                                    _connector="OR",
                                ),
                                name="project_overlap_is_fixed_or_adapts",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Membership",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("role", models.CharField(choices=[("annotator", "Annotator"), ("researcher", "Researcher"), ("admin", "Admin")], max_length=10)),
                        ("is_active", models.BooleanField(default=True)),
                        ("joined_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("user", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="memberships", to=settings.AUTH_USER_MODEL)),
                        ("project", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="memberships", to="labeling.project")),
                        ("admitted_at", models.DateTimeField(help_text="Passed the screening, or need not do it.", null=True)),
                        ("extra_attempts", models.PositiveSmallIntegerField(db_default=0, default=0, help_text="Screening attempts that an admin allowed beyond the project's.")),
                        ("pause", models.JSONField(db_default={}, default=dict, help_text="Why: the rule and its figures, or a reason.")),
                        ("paused_at", models.DateTimeField(help_text="Gets no new tasks since then.", null=True)),
                        ("run_since", models.DateTimeField(help_text="Gold results before it no longer count for the standing.", null=True)),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("project", "user"), name="one_membership_per_project"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Invitation",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("role", models.CharField(choices=[("annotator", "Annotator"), ("researcher", "Researcher"), ("admin", "Admin")], max_length=10)),
                        ("email", models.EmailField(blank=True, max_length=254)),
                        ("token_hash", models.CharField(max_length=64, unique=True)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("expires_at", models.DateTimeField()),
                        ("accepted_at", models.DateTimeField(null=True)),
                        ("revoked_at", models.DateTimeField(null=True)),
                        ("accepted_by", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("created_by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("project", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="invitations", to="labeling.project")),
                    ],
                ),
                migrations.CreateModel(
                    name="Guideline",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("version", models.PositiveIntegerField()),
                        ("body", models.TextField()),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("created_by", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("project", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="guidelines", to="labeling.project")),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("project", "version"), name="one_guideline_a_version"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Problem",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("external_id", models.CharField(blank=True, max_length=200)),
                        ("text", models.TextField()),
                        ("answer", models.TextField(null=True)),
                        ("reference_solution", models.TextField(null=True)),
                        ("split", models.CharField(choices=[("train", "Train"), ("held_out", "Held Out")], default="train", max_length=10)),
                        ("subject", models.CharField(blank=True, max_length=100)),
                        ("level", models.CharField(blank=True, max_length=40)),
                        ("source", models.CharField(blank=True, max_length=100)),
                        ("licence", models.CharField(blank=True, max_length=100)),
                        ("metadata", models.JSONField(default=dict)),
                        ("status", models.CharField(choices=[("active", "Active"), ("bad", "Bad")], default="active", max_length=10)),
                        ("text_hash", models.BinaryField(help_text="SHA-256 of the normalised text (labeling.formats.normalise).", max_length=32)),
                        ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), default=django.utils.timezone.now)),
                        ("project", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="problems", to="labeling.project")),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["project", "external_id"], name="problem_by_external_id"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("project", "text_hash"), name="one_problem_a_text"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Trace",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("external_id", models.CharField(blank=True, max_length=200)),
                        ("source", models.CharField(blank=True, max_length=100)),
                        ("generator", models.CharField(blank=True, max_length=200)),
                        ("sampling", models.JSONField(default=dict)),
                        ("steps", django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                        ("final_answer", models.TextField(null=True)),
                        ("outcome", models.CharField(choices=[("correct", "Correct"), ("wrong", "Wrong"), ("ungraded", "Ungraded")], default="ungraded", max_length=10)),
                        ("grader_version", models.CharField(blank=True, help_text="Empty: the outcome came with the import.", max_length=40)),
                        ("splitter_version", models.CharField(blank=True, max_length=40)),
                        ("recorded_first_error", models.IntegerField(help_text="What the import says: 0-based, -1 = no error, null = nobody looked.", null=True)),
                        ("recorded_ratings", django.contrib.postgres.fields.ArrayField(base_field=models.SmallIntegerField(null=True), null=True, size=None)),
                        ("metadata", models.JSONField(default=dict)),
                        ("trace_hash", models.BinaryField(help_text="SHA-256 of problem hash and steps (labeling.formats.normalise).", max_length=32)),
                        ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), default=django.utils.timezone.now)),
                        ("problem", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="traces", to="labeling.problem")),
                        ("project", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="traces", to="labeling.project")),
                        ("replaced_by", models.ForeignKey(db_index=False, help_text="The version with a repaired split; later rounds take that one.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name="replaces", to="labeling.trace")),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["project", "id"], name="trace_by_project"),
                            models.Index(fields=["project", "outcome", "id"], name="trace_by_outcome"),
                            models.Index(fields=["problem", "id"], include=("outcome",), name="trace_of_problem"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("project", "trace_hash"), name="one_trace_a_text"),
                            models.CheckConstraint(condition=models.Q(("steps__len__gte", 1)), name="trace_has_a_step"),
                            models.UniqueConstraint(condition=models.Q(("replaced_by__isnull", False)), fields=("replaced_by",), name="one_trace_is_replaced_by_one"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Completion",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("step_index", models.PositiveIntegerField()),
                        ("text", models.TextField()),
                        ("source", models.CharField(choices=[("model", "Model"), ("human", "Human")], default="model", max_length=10)),
                        ("metadata", models.JSONField(default=dict)),
                        ("trace", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="completions", to="labeling.trace")),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["trace", "step_index"], name="completion_by_step"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Prm",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("name", models.CharField(max_length=100, unique=True)),
                        ("spec", models.JSONField(help_text="The record as worker.prm.spec reads it; a path is relative to MODELS_DIR.")),
                        ("status", models.CharField(choices=[("unchecked", "Unchecked"), ("ready", "Ready"), ("faulty", "Faulty"), ("retired", "Retired")], default="unchecked", max_length=10)),
                        ("error", models.TextField(blank=True, help_text="What does not fit, in a worker's words.")),
                        ("checksum", models.CharField(blank=True, help_text="SHA-256 over the weights; empty for servers.", max_length=64)),
                        ("fingerprint", models.CharField(blank=True, help_text="Of everything that changes a score; scores compare only within one.", max_length=64)),
                        ("scale", models.CharField(blank=True, help_text="probability or log_ratio.", max_length=12)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("checked_at", models.DateTimeField(null=True)),
                        ("created_by", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("project", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="prms", to="labeling.project")),
                    ],
                ),
                migrations.CreateModel(
                    name="Score",
                    fields=[
                        ("pk", models.CompositePrimaryKey("prm_id", "trace_id", blank=True, editable=False, primary_key=True, serialize=False)),
                        ("prm", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="scores", to="labeling.prm")),
                        ("problem", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.problem")),
                        ("project", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.project")),
                        ("trace", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="scores", to="labeling.trace")),
                        ("outcome", models.CharField(choices=[("correct", "Correct"), ("wrong", "Wrong"), ("ungraded", "Ungraded")], max_length=10)),
                        ("draw", models.BigIntegerField(help_text="First 64 bits of the trace's hash: the order for random draws.")),
                        ("steps", django.contrib.postgres.fields.ArrayField(base_field=labeling.models.step_scorers.Real(), help_text="P(step correct) per step; for log_ratio models their rewards.", null=True, size=None)),
                        ("score", models.FloatField(help_text="Log of the trace's score. Null: unscored, for `reason`.", null=True)),
                        ("reason", models.CharField(blank=True, max_length=200)),
                        ("exact", models.BooleanField(default=True, help_text="False: in bfloat16, and not among those scored again.")),
                        ("sketch", models.BinaryField(help_text="Of the trace's text (labeling.selection.sketches). Null: made from the text when it is needed.", max_length=36, null=True)),
                    ],
                    options={
                        "indexes": [
                            models.Index(condition=models.Q(("score__isnull", False)), fields=["prm", "project", "outcome", "-score"], include=("trace", "problem"), name="score_over_project"),
                            models.Index(condition=models.Q(("score__isnull", False)), fields=["prm", "project", "draw"], include=("trace", "problem"), name="score_by_draw"),
                            models.Index(condition=models.Q(("score__isnull", False)), fields=["prm", "problem", "outcome", "-score"], include=("trace", "sketch"), name="score_by_problem"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ScoreCount",
                    fields=[
                        ("pk", models.CompositePrimaryKey("prm_id", "project_id", blank=True, editable=False, primary_key=True, serialize=False)),
                        ("traces", models.PositiveBigIntegerField()),
                        ("prm", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.prm")),
                        ("project", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.project")),
                    ],
                ),
                migrations.CreateModel(
                    name="Round",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("number", models.IntegerField()),
                        ("name", models.CharField(blank=True, max_length=120)),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("draft", "Draft"),
                                    ("preparing", "Preparing"),
                                    ("generating", "Generating"),
                                    ("grading", "Grading"),
                                    ("scoring", "Scoring"),
                                    ("ready", "Ready"),
                                    ("labeling", "Labeling"),
                                    ("paused", "Paused"),
                                    ("closed", "Closed"),
                                    ("cancelled", "Cancelled"),
                                    ("failed", "Failed"),
                                    ("screening", "Screening"),
                                ],
                                default="draft",
                                max_length=12,
                            ),
                        ),
                        ("priority", models.SmallIntegerField(default=0, help_text="Higher is served first.")),
                        ("overlap", models.PositiveSmallIntegerField(default=1)),
                        ("seed", models.BigIntegerField(default=0)),
                        ("config", models.JSONField(default=dict, help_text="Which traces, as the person asked.")),
                        ("task_count", models.PositiveIntegerField(default=0, help_text="Tasks of work; gold is not among them.")),
                        ("imported", models.BooleanField(default=False, help_text="Holds labels that came with an import; never served.")),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("opened_at", models.DateTimeField(help_text="Since when it is served: a staged round's publication.", null=True)),
                        ("closed_at", models.DateTimeField(null=True)),
                        ("created_by", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("project", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="rounds", to="labeling.project")),
                        ("error", models.TextField(blank=True, help_text="Why it failed, and the way out.")),
                        ("report", models.JSONField(help_text="What the round was worth, frozen when it is closed.", null=True)),
                        (
                            "resume_to",
                            models.CharField(
                                blank=True,
                                choices=[
                                    ("draft", "Draft"),
                                    ("preparing", "Preparing"),
                                    ("generating", "Generating"),
                                    ("grading", "Grading"),
                                    ("scoring", "Scoring"),
                                    ("ready", "Ready"),
                                    ("labeling", "Labeling"),
                                    ("paused", "Paused"),
                                    ("closed", "Closed"),
                                    ("cancelled", "Cancelled"),
                                    ("failed", "Failed"),
                                    ("screening", "Screening"),
                                ],
                                help_text="Where a paused or failed round goes on.",
                                max_length=12,
                            ),
                        ),
                        ("selection", models.JSONField(help_text="What was selected and left out, for the preview.", null=True)),
                        ("prm", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="rounds", to="labeling.prm")),
                        ("planned", models.CharField(blank=True, help_text="The stage whose chunks are all in the table; empty before the first.", max_length=12)),
                        ("gold_count", models.PositiveSmallIntegerField(db_default=0, default=0, help_text="Gold tasks for every labeler.")),
                        ("overlap_most", models.PositiveSmallIntegerField(db_default=0, default=0, help_text="Where labels differ, ask up to so many labelers; 0: the overlap is fixed.")),
                        ("overlap_needed", models.PositiveSmallIntegerField(db_default=0, default=0, help_text="How many must agree about the first error; 0: the overlap is fixed.")),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("project", "number"), name="one_round_a_number"),
                            models.CheckConstraint(condition=models.Q(("overlap__gte", 1), ("overlap__lte", 20)), name="round_overlap_is_1_to_20"),
                            models.UniqueConstraint(condition=models.Q(("status__in", ["generating", "grading", "scoring"])), fields=("project",), name="one_running_round_a_project"),
                            models.CheckConstraint(condition=models.Q(("number__gte", 0), ("status", "screening"), _connector="OR"), name="only_screening_is_numbered_below_zero"),
                            models.CheckConstraint(
                                condition=models.Q(models.Q(("overlap_most", 0), ("overlap_needed", 0)), models.Q(("overlap_most__gte", models.F("overlap")), ("overlap_most__lte", 20), ("overlap_needed__gte", 1), ("overlap_needed__lte", models.F("overlap_most"))), _connector="OR"),
                                name="round_overlap_is_fixed_or_adapts",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="RoundChunk",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("stage", models.CharField(choices=[("generating", "Generating"), ("grading", "Grading"), ("scoring", "Scoring"), ("selecting", "Selecting"), ("queueing", "Queueing")], max_length=10)),
                        ("number", models.PositiveIntegerField()),
                        ("first_problem", models.BigIntegerField(help_text="Lowest problem id of the chunk.")),
                        ("last_problem", models.BigIntegerField(help_text="Highest problem id of the chunk, itself included.")),
                        ("total", models.PositiveIntegerField(default=0, help_text="Traces to make, grade or score.")),
                        ("done", models.PositiveIntegerField(default=0)),
                        ("status", models.CharField(choices=[("queued", "Queued"), ("running", "Running"), ("done", "Done"), ("failed", "Failed")], default="queued", max_length=8)),
                        ("lease_token", models.UUIDField(null=True)),
                        ("leased_until", models.DateTimeField(null=True)),
                        ("attempts", models.PositiveSmallIntegerField(default=0)),
                        ("worker", models.CharField(blank=True, max_length=200)),
                        ("error", models.TextField(blank=True)),
                        ("started_at", models.DateTimeField(null=True)),
                        ("finished_at", models.DateTimeField(null=True)),
                        ("round", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="chunks", to="labeling.round")),
                    ],
                    options={
                        "indexes": [
                            models.Index(condition=models.Q(("status__in", ["queued", "running"])), fields=["round", "stage", "number"], name="round_chunks_to_do"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("round", "stage", "number"), name="one_chunk_a_number"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ProblemSamples",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("done", django.contrib.postgres.fields.ArrayField(base_field=models.PositiveIntegerField(), default=list, help_text="Numbers of the samples that came.", size=None)),
                        ("kept", models.PositiveIntegerField(default=0, help_text="Samples that became a trace.")),
                        ("dropped", models.JSONField(default=dict, help_text="How many were dropped, by reason.")),
                        ("problem", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="labeling.problem")),
                        ("round", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="samples", to="labeling.round")),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("round", "problem"), name="one_row_of_samples_a_problem"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Task",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("kind", models.CharField(choices=[("work", "Work"), ("gold", "Gold"), ("screening", "Screening")], default="work", max_length=10)),
                        ("reason", models.CharField(blank=True, max_length=30)),
                        ("rank", models.IntegerField(help_text="Place in the order of selection, from 0.", null=True)),
                        ("order_key", models.BigIntegerField(help_text="Seeded place in the queue; lowest first.")),
                        ("labels_wanted", models.SmallIntegerField()),
                        ("round", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="tasks", to="labeling.round")),
                        ("trace", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="tasks", to="labeling.trace")),
                        ("score", models.FloatField(help_text="The trace's score by the round's PRM when it was selected.", null=True)),
                        ("settled_at", models.DateTimeField(help_text="From then on its labelers may see each other's labels.", null=True)),
                        ("settlement", models.CharField(blank=True, choices=[("agreed", "enough labelers agree"), ("no_consensus", "nobody can be asked any more: it waits for a reviewer"), ("ruled", "a reviewer settled it")], db_default="", max_length=12)),
                        ("verdict", models.IntegerField(help_text="The first error that was settled, -1 = no error; null also where it was a bad problem.", null=True)),
                        ("withdrawn", models.SmallIntegerField(help_text="The places it had when it was taken off the queue (bad problem, repaired split); null: on it.", null=True)),
                    ],
                    options={
                        "indexes": [
                            models.Index(condition=models.Q(("labels_wanted__gt", 0)), fields=["round", "order_key", "id"], name="task_queue"),
                            models.Index(condition=models.Q(("settlement", "no_consensus")), fields=["id"], name="task_without_consensus"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("round", "trace"), name="one_task_a_trace_and_round"),
                            models.CheckConstraint(condition=models.Q(("labels_wanted__gte", 0)), name="task_never_overclaimed"),
                            models.CheckConstraint(condition=models.Q(("kind", "work"), ("labels_wanted", 0), _connector="OR"), name="gold_is_not_on_the_queue"),
                            models.CheckConstraint(condition=models.Q(models.Q(("settled_at__isnull", False), ("settlement__in", ["agreed", "ruled"])), models.Q(("settled_at", None), ("settlement__in", ["", "no_consensus"]), ("verdict", None)), _connector="OR"), name="settled_task_says_when"),
                            models.CheckConstraint(condition=models.Q(("withdrawn", None), models.Q(("labels_wanted", 0), ("withdrawn__gte", 0)), _connector="OR"), name="withdrawn_task_wants_nothing"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Label",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("status", models.CharField(choices=[("prefetched", "Prefetched"), ("open", "Open"), ("submitted", "Submitted"), ("expired", "Expired"), ("released", "Released"), ("superseded", "Superseded"), ("ruling", "Ruling")], max_length=10)),
                        ("surplus", models.BooleanField(default=False, help_text="Kept, but the task's places were taken or its round was closed.")),
                        ("leased_until", models.DateTimeField(null=True)),
                        ("claimed_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("opened_at", models.DateTimeField(null=True)),
                        ("last_seen_at", models.DateTimeField(null=True)),
                        ("submitted_at", models.DateTimeField(null=True)),
                        ("finish_reason", models.CharField(blank=True, choices=[("found_error", "Found Error"), ("solution", "Solution"), ("bad_problem", "Bad Problem"), ("give_up", "Give Up")], max_length=12)),
                        ("finish_detail", models.JSONField(default=dict)),
                        ("noticed_at_step", models.IntegerField(null=True)),
                        ("mistake", models.JSONField(null=True)),
                        ("confirmations", models.JSONField(default=list)),
                        ("active_ms", models.BigIntegerField(default=0)),
                        ("other_active_ms", models.BigIntegerField(default=0, help_text="The part of active_ms spent on no step: problem, dialogs.")),
                        ("total_ms", models.BigIntegerField(null=True)),
                        ("client_build", models.CharField(blank=True, max_length=60)),
                        ("draft", models.JSONField(null=True)),
                        ("draft_revision", models.IntegerField(default=0)),
                        ("submission", models.JSONField(help_text="The submission as it was sent.", null=True)),
                        ("idempotency_key", models.UUIDField(null=True)),
                        ("extra", models.JSONField(default=dict, help_text="What an imported record says that no column here does.")),
                        ("guideline", models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.guideline")),
                        ("labeler", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="labels", to=settings.AUTH_USER_MODEL)),
                        ("supersedes", models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="superseded_by", to="labeling.label")),
                        ("project", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="labels", to="labeling.project")),
                        ("task", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="labels", to="labeling.task")),
                        ("edited_after_reveal", models.BooleanField(db_default=False, default=False)),
                        ("scores_revealed_at", models.DateTimeField(help_text="When the labeler was shown the PRM's scores.", null=True)),
                        ("problem", models.ForeignKey(db_index=False, help_text="The trace's problem, for labels made here: a labeler's earlier ratings are looked up by it.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.problem")),
                    ],
                    options={
                        "indexes": [
                            models.Index(condition=models.Q(("status__in", ["open", "prefetched"])), fields=["leased_until"], name="label_leases"),
                            models.Index(fields=["project", "labeler", "-submitted_at"], name="label_by_labeler"),
                            models.Index(fields=["project", "submitted_at"], name="label_by_day"),
                            models.Index(condition=models.Q(("status__in", ["open", "prefetched", "expired"])), fields=["labeler", "project"], name="label_unfinished"),
                            models.Index(fields=["labeler", "id"], name="label_latest"),
                            models.Index(condition=models.Q(("status", "submitted")), fields=["labeler", "problem"], name="label_by_problem"),
                            models.Index(condition=models.Q(("status", "submitted"), models.Q(("finish_reason", "bad_problem"), models.Q(("confirmations", []), _negated=True), _connector="OR")), fields=["project"], name="label_to_review"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(condition=models.Q(("status", "open")), fields=("project", "labeler"), name="one_open_label_a_labeler_and_project"),
                            models.UniqueConstraint(condition=models.Q(("status", "prefetched")), fields=("project", "labeler"), name="one_prefetched_label_a_labeler_and_project"),
                            models.UniqueConstraint(condition=models.Q(("status__in", ["prefetched", "open", "submitted", "expired", "released"])), fields=("task", "labeler"), name="one_label_a_task_and_labeler"),
                            models.CheckConstraint(condition=models.Q(models.Q(("status__in", ["open", "prefetched"]), _negated=True), ("leased_until__isnull", False), _connector="OR"), name="held_label_has_a_lease"),
                            models.UniqueConstraint(condition=models.Q(("idempotency_key__isnull", False)), fields=("labeler", "idempotency_key"), name="one_submission_a_key"),
                            models.UniqueConstraint(condition=models.Q(("status", "ruling")), fields=("task",), name="one_ruling_a_task"),
                            models.CheckConstraint(condition=models.Q(models.Q(("status__in", ["submitted", "ruling"]), _negated=True), models.Q(models.Q(("finish_reason", ""), _negated=True), ("submitted_at__isnull", False)), _connector="OR"), name="submitted_label_is_finished"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="StepLabel",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("step_index", models.PositiveIntegerField()),
                        ("position", models.PositiveSmallIntegerField(default=0, help_text="Place among the completions offered for this step.")),
                        ("rating", models.SmallIntegerField(choices=[(-1, "Negative"), (0, "Neutral"), (1, "Positive")], null=True)),
                        ("flagged", models.BooleanField(null=True)),
                        ("chosen", models.BooleanField(default=False)),
                        ("active_ms", models.BigIntegerField(default=0)),
                        ("source", models.CharField(choices=[("typed", "Typed"), ("carried", "Carried"), ("imported", "Imported")], default="typed", max_length=10)),
                        ("completion", models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.completion")),
                        ("label", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="step_labels", to="labeling.label")),
                        ("carried_from", models.ForeignKey(db_index=False, help_text="The same labeler's earlier rating of the same text that was kept.", null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="labeling.steplabel")),
                    ],
                    options={
                        "indexes": [
                            models.Index(condition=models.Q(("carried_from__isnull", False)), fields=["carried_from"], name="step_label_carried"),
                            models.Index(condition=models.Q(("flagged", True)), fields=["label"], name="step_label_flagged"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("label", "step_index", "completion"), name="one_rating_a_completion", nulls_distinct=False),
                            models.CheckConstraint(condition=models.Q(("rating__isnull", True), ("rating__in", [-1, 0, 1]), _connector="OR"), name="rating_is_negative_neutral_or_positive"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="StepComment",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("step_index", models.PositiveIntegerField()),
                        ("text", models.TextField()),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("author", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("label", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="comments", to="labeling.label")),
                    ],
                ),
                migrations.CreateModel(
                    name="StepReply",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("step_index", models.PositiveIntegerField()),
                        ("text", models.TextField()),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("author", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("labeler", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("task", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="replies", to="labeling.task")),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["task", "labeler", "step_index"], name="reply_by_thread"),
                            models.Index(fields=["labeler", "-id"], name="reply_by_labeler"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="TraceReport",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("kind", models.CharField(choices=[("answer_wrong", "Answer Wrong"), ("split_badly", "Split Badly")], max_length=12)),
                        ("step_index", models.PositiveIntegerField(null=True)),
                        ("text", models.TextField(blank=True)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("label", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="reports", to="labeling.label")),
                        ("trace", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="reports", to="labeling.trace")),
                    ],
                ),
                migrations.CreateModel(
                    name="ReviewDecision",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("no_consensus", "Nobody more can be asked, and they do not agree"),
                                    ("disagreement", "Its labels differ about the first error"),
                                    ("contradiction", "A label contradicts itself or the outcome, and says why"),
                                    ("flagged", "A labeler was unsure of a rating"),
                                    ("comment", "A labeler wrote about a step"),
                                    ("split_badly", "A step is cut in the wrong place"),
                                    ("answer_wrong", "The guess of the right answer looks wrong"),
                                    ("bad_problem", "A labeler says that the problem is bad"),
                                ],
                                max_length=14,
                            ),
                        ),
                        ("outcome", models.CharField(choices=[("settled", "Settled"), ("dismissed", "Dismissed"), ("bad_problem", "Bad Problem"), ("corrected", "the answer was corrected"), ("repaired", "the split was repaired")], max_length=12)),
                        ("reason", models.TextField(blank=True)),
                        ("at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("task", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="decisions", to="labeling.task")),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("task", "kind"), name="one_decision_a_task_and_kind"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Gold",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("acceptable", django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), help_text="First errors that pass: steps from 0, -1 = no error.", size=None)),
                        ("explanation", models.TextField(blank=True, help_text="Shown after an answer, where feedback is on.")),
                        ("paragraph", models.TextField(blank=True, help_text="The paragraph of the guidelines that it teaches.")),
                        ("source", models.CharField(choices=[("admin", "Admin"), ("adjudication", "Adjudication"), ("import", "Import")], max_length=12)),
                        ("status", models.CharField(choices=[("active", "Active"), ("retired", "Retired")], default="active", max_length=8)),
                        ("retired_because", models.TextField(blank=True)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("changed_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("created_by", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("project", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="gold", to="labeling.project")),
                        ("trace", models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name="gold", to="labeling.trace")),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["project", "status", "id"], name="gold_by_project"),
                        ],
                        "constraints": [
                            models.CheckConstraint(condition=models.Q(("acceptable__len__gte", 1)), name="gold_accepts_something"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="GoldPlan",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("places", django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), size=None)),
                        ("tasks", django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                        ("served", models.IntegerField(default=0)),
                        ("next", models.SmallIntegerField(default=0)),
                        ("labeler", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("round", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="gold_plans", to="labeling.round")),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("round", "labeler"), name="one_gold_plan_a_round_and_labeler"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="GoldResult",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("kind", models.CharField(choices=[("work", "Work"), ("gold", "Gold"), ("screening", "Screening")], max_length=10)),
                        ("verdict", models.IntegerField(help_text="The first error found, -1 = none; null: gave up.", null=True)),
                        ("passed", models.BooleanField()),
                        ("at", models.DateTimeField()),
                        ("gold", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="results", to="labeling.gold")),
                        ("label", models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name="gold_result", to="labeling.label")),
                        ("labeler", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("project", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.project")),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["project", "labeler", "at"], name="gold_result_by_labeler"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ScreeningAttempt",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("number", models.PositiveSmallIntegerField()),
                        ("tasks", django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                        ("needed", models.PositiveSmallIntegerField()),
                        ("feedback", models.BooleanField(help_text="The accepted answer is shown after each task.")),
                        ("started_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("finished_at", models.DateTimeField(null=True)),
                        ("passed", models.PositiveSmallIntegerField(help_text="Tasks passed, once all are done.", null=True)),
                        ("labeler", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("project", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="screening_attempts", to="labeling.project")),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("project", "labeler", "number"), name="one_screening_attempt_a_number"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Triage",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("status", models.CharField(choices=[("open", "Open"), ("finished", "Finished"), ("cancelled", "no review of it changed anything"), ("undone", "its rulings were withdrawn")], default="open", max_length=9)),
                        ("seed", models.BigIntegerField(help_text="Of the control arm and of the order.")),
                        ("asked", models.JSONField(default=dict, help_text="How many labels, the control's share, the round.")),
                        ("counts", models.JSONField(default=dict, help_text="What it was chosen from: labeling.queries.label_audits.count_labels.")),
                        ("report", models.JSONField(default=dict, help_text="labeling.queries.label_audit_report, frozen at the end.")),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("ended_at", models.DateTimeField(null=True)),
                        ("created_by", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("ended_by", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("prm", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.prm")),
                        ("project", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="triages", to="labeling.project")),
                        ("undone_at", models.DateTimeField(null=True)),
                        ("undone_by", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["project", "-id"], name="triage_by_project"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="TriageItem",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("arm", models.CharField(choices=[("model", "a PRM finds it unlikely"), ("control", "drawn at random")], max_length=7)),
                        ("place", models.PositiveSmallIntegerField()),
                        ("surprise", models.FloatField(help_text="In nats, labeling.quality.surprisal.")),
                        ("surprising_step", models.PositiveIntegerField()),
                        ("held_until", models.DateTimeField(help_text="Until then nobody else is shown it.", null=True)),
                        ("reviewed_at", models.DateTimeField(null=True)),
                        ("ratings", django.contrib.postgres.fields.ArrayField(base_field=models.SmallIntegerField(null=True), null=True, size=None)),
                        ("finish_reason", models.CharField(blank=True, choices=[("found_error", "Found Error"), ("solution", "Solution"), ("bad_problem", "Bad Problem"), ("give_up", "Give Up")], max_length=12)),
                        ("finish_detail", models.JSONField(default=dict)),
                        ("mistake", models.JSONField(null=True)),
                        ("note", models.TextField(blank=True)),
                        ("held_by", models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("label", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="triage_items", to="labeling.label")),
                        ("reviewer", models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("ruling", models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.label")),
                        ("triage", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="items", to="labeling.triage")),
                        ("before", models.JSONField(default=dict, help_text="What the ruling changed: labeling.actions.reviews.state_before.")),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("triage", "label"), name="one_item_a_triage_and_label"),
                            models.UniqueConstraint(fields=("triage", "place"), name="one_item_a_triage_and_place"),
                            models.CheckConstraint(
                                condition=models.Q(models.Q(("ratings", None), ("reviewed_at", None), ("reviewer", None)), models.Q(("ratings__isnull", False), ("reviewed_at__isnull", False), ("reviewer__isnull", False), models.Q(("finish_reason", ""), _negated=True)), _connector="OR"),
                                name="reviewed_item_says_who_and_what",
                            ),
                            models.CheckConstraint(condition=models.Q(("ruling", None), ("reviewed_at__isnull", False), _connector="OR"), name="only_a_reviewed_item_rules"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="GradingJob",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("status", models.CharField(choices=[("queued", "Queued"), ("running", "Running"), ("succeeded", "Succeeded"), ("failed", "Failed"), ("cancelled", "Cancelled")], default="queued", max_length=10)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("started_at", models.DateTimeField(null=True)),
                        ("finished_at", models.DateTimeField(null=True)),
                        ("lease_token", models.UUIDField(null=True)),
                        ("leased_until", models.DateTimeField(null=True)),
                        ("attempts", models.PositiveSmallIntegerField(default=0)),
                        ("cancel_requested", models.BooleanField(default=False)),
                        ("error", models.TextField(blank=True)),
                        ("scope", models.CharField(choices=[("all", "All"), ("ungraded", "Ungraded"), ("outdated", "graded by another version, or by the import"), ("problem", "the traces of one problem, whose answer was corrected")], default="all", max_length=10)),
                        ("stage", models.CharField(choices=[("grading", "Grading"), ("applying", "Applying")], default="grading", max_length=10)),
                        ("answer_kind", models.CharField(help_text="The project's settings when the grading was asked for.", max_length=10)),
                        ("answer_tolerance", models.FloatField(default=0)),
                        ("grader_version", models.CharField(max_length=40)),
                        ("traces_total", models.BigIntegerField(default=0)),
                        ("traces_done", models.BigIntegerField(default=0)),
                        ("last_trace_id", models.BigIntegerField(default=0, help_text="How far the stage has come, by trace id.")),
                        ("changed", models.BigIntegerField(default=0, help_text="Traces whose outcome was changed by applying.")),
                        ("skipped", models.BigIntegerField(default=0, help_text="Traces that somebody else changed since they were graded.")),
                        ("applied_at", models.DateTimeField(null=True)),
                        ("applied_by", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("created_by", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("project", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="gradings", to="labeling.project")),
                        ("counts", models.JSONField(default=dict, help_text="What was found so far: labeling.actions.gradings.count_grades.")),
                        ("problem", models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.problem")),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(condition=models.Q(("status__in", ["queued", "running"])), fields=("project",), name="one_grading_at_a_time"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="TraceGrade",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("outcome", models.CharField(choices=[("correct", "Correct"), ("wrong", "Wrong"), ("ungraded", "Ungraded")], max_length=10)),
                        ("outcome_before", models.CharField(choices=[("correct", "Correct"), ("wrong", "Wrong"), ("ungraded", "Ungraded")], max_length=10)),
                        ("version_before", models.CharField(blank=True, max_length=40)),
                        ("reason", models.CharField(max_length=40)),
                        ("rule", models.CharField(blank=True, max_length=20)),
                        ("answer", models.TextField(blank=True, help_text="The final answer that was found, up to 500 characters.")),
                        ("job", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="grades", to="labeling.gradingjob")),
                        ("trace", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="grades", to="labeling.trace")),
                    ],
                    options={
                        "indexes": [
                            models.Index(condition=models.Q(("outcome", models.F("outcome_before")), _negated=True), fields=["job", "trace"], name="grade_differences"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("job", "trace"), name="one_grade_a_trace_and_job"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ImportJob",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("status", models.CharField(choices=[("queued", "Queued"), ("running", "Running"), ("succeeded", "Succeeded"), ("failed", "Failed"), ("cancelled", "Cancelled")], default="queued", max_length=10)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("started_at", models.DateTimeField(null=True)),
                        ("finished_at", models.DateTimeField(null=True)),
                        ("lease_token", models.UUIDField(null=True)),
                        ("leased_until", models.DateTimeField(null=True)),
                        ("attempts", models.PositiveSmallIntegerField(default=0)),
                        ("cancel_requested", models.BooleanField(default=False)),
                        ("error", models.TextField(blank=True)),
                        ("file_name", models.CharField(max_length=255)),
                        ("path", models.CharField(help_text="Relative to the data directory.", max_length=500)),
                        ("format", models.CharField(max_length=20)),
                        ("dry_run", models.BooleanField(default=False)),
                        ("skip_faulty", models.BooleanField(default=False)),
                        ("bytes_total", models.BigIntegerField(default=0)),
                        ("bytes_done", models.BigIntegerField(default=0)),
                        ("rows_done", models.BigIntegerField(default=0)),
                        ("report", models.JSONField(default=dict)),
                        ("created_by", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("project", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="import_jobs", to="labeling.project")),
                        ("as_gold", models.BooleanField(db_default=False, default=False, help_text="Each row's trace becomes gold, with the first error that it tells.")),
                    ],
                    options={
                        "abstract": False,
                    },
                ),
                migrations.CreateModel(
                    name="HeldOutText",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("name", models.CharField(help_text="The benchmark, as people call it.", max_length=100)),
                        ("text_hash", models.BinaryField(help_text="SHA-256 of the normalised text (labeling.formats.normalise).", max_length=32)),
                        ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), default=django.utils.timezone.now)),
                        ("project", models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="held_out_texts", to="labeling.project")),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("text_hash", "name", "project"), name="one_held_out_text_a_list", nulls_distinct=False),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Export",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("status", models.CharField(choices=[("queued", "Queued"), ("running", "Running"), ("succeeded", "Succeeded"), ("failed", "Failed"), ("cancelled", "Cancelled")], default="queued", max_length=10)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("started_at", models.DateTimeField(null=True)),
                        ("finished_at", models.DateTimeField(null=True)),
                        ("lease_token", models.UUIDField(null=True)),
                        ("leased_until", models.DateTimeField(null=True)),
                        ("attempts", models.PositiveSmallIntegerField(default=0)),
                        ("cancel_requested", models.BooleanField(default=False)),
                        ("error", models.TextField(blank=True)),
                        ("format", models.CharField(max_length=20)),
                        ("config", models.JSONField(default=dict)),
                        ("manifest", models.JSONField(default=dict)),
                        ("snapshot_id", models.CharField(blank=True, max_length=64)),
                        ("path", models.CharField(blank=True, help_text="Relative to the data directory.", max_length=500)),
                        ("labels_total", models.BigIntegerField(default=0)),
                        ("labels_done", models.BigIntegerField(default=0)),
                        ("rows", models.BigIntegerField(default=0)),
                        ("bytes", models.BigIntegerField(default=0)),
                        ("sha256", models.CharField(blank=True, max_length=64)),
                        ("created_by", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("project", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="exports", to="labeling.project")),
                        ("label_ids", models.BinaryField(help_text="The frozen labels in order: ids as packed little-endian 64-bit, deflated.", null=True)),
                        ("frozen_at", models.DateTimeField(null=True)),
                        ("checkpoint", models.JSONField(default=dict, help_text="How much of the file is surely on disk, and the counts up to there.")),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["project", "-frozen_at"], name="export_by_freezing"),
                        ],
                        "abstract": False,
                    },
                ),
                migrations.CreateModel(
                    name="EvaluationSet",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("name", models.CharField(max_length=100)),
                        ("source", models.CharField(choices=[("labels", "Labels"), ("recorded", "Recorded")], max_length=8)),
                        ("filter", models.JSONField(default=dict, help_text="What was asked for: rounds, or the source of imported traces.")),
                        ("traces", models.PositiveIntegerField()),
                        ("problems", models.PositiveIntegerField()),
                        ("erroneous", models.PositiveIntegerField(help_text="Traces with a first error.")),
                        ("set_hash", models.CharField(help_text="SHA-256 over the traces and what is true of them.", max_length=64)),
                        ("grader_versions", django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), help_text="Of the outcomes when it was frozen.", size=None)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("created_by", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("project", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="evaluation_sets", to="labeling.project")),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("project", "name"), name="one_evaluation_set_a_name"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="EvaluationItem",
                    fields=[
                        ("pk", models.CompositePrimaryKey("evaluation_set_id", "trace_id", blank=True, editable=False, primary_key=True, serialize=False)),
                        ("first_error", models.IntegerField()),
                        ("ratings", django.contrib.postgres.fields.ArrayField(base_field=models.SmallIntegerField(null=True), null=True, size=None)),
                        ("outcome", models.CharField(choices=[("correct", "Correct"), ("wrong", "Wrong"), ("ungraded", "Ungraded")], max_length=10)),
                        ("problem", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.problem")),
                        ("trace", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.trace")),
                        ("evaluation_set", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="items", to="labeling.evaluationset")),
                    ],
                ),
                migrations.CreateModel(
                    name="Evaluation",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("status", models.CharField(choices=[("queued", "Queued"), ("running", "Running"), ("succeeded", "Succeeded"), ("failed", "Failed"), ("cancelled", "Cancelled")], default="queued", max_length=10)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("started_at", models.DateTimeField(null=True)),
                        ("finished_at", models.DateTimeField(null=True)),
                        ("lease_token", models.UUIDField(null=True)),
                        ("leased_until", models.DateTimeField(null=True)),
                        ("attempts", models.PositiveSmallIntegerField(default=0)),
                        ("cancel_requested", models.BooleanField(default=False)),
                        ("error", models.TextField(blank=True)),
                        ("threshold", models.FloatField(default=0.5, help_text="A step below it is judged wrong.")),
                        ("best_of", models.PositiveSmallIntegerField(default=16, help_text="So many graded traces of each problem of the set are scored for best-of-N; 0: none.")),
                        ("traces_total", models.PositiveIntegerField(default=0)),
                        ("traces_done", models.PositiveIntegerField(default=0)),
                        ("set_hash", models.CharField(blank=True, help_text="Of the set when it was measured.", max_length=64)),
                        ("grader_versions", django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), default=list, size=None)),
                        ("report", models.JSONField(default=dict, help_text="labeling.queries.evaluation_report.")),
                        ("created_by", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("orm", models.ForeignKey(help_text="Beside it in best-of-N.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.prm")),
                        ("prm", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="evaluations", to="labeling.prm")),
                        ("project", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="evaluations", to="labeling.project")),
                        ("evaluation_set", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="evaluations", to="labeling.evaluationset")),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["project", "-id"], name="evaluation_by_project"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Promotion",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("note", models.CharField(blank=True, max_length=500)),
                        ("before", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="labeling.prm")),
                        ("by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("prm", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="promotions", to="labeling.prm")),
                        ("project", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="promotions", to="labeling.project")),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["project", "-id"], name="promotion_by_project"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="TrainingRun",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("status", models.CharField(choices=[("queued", "Queued"), ("running", "Running"), ("succeeded", "Succeeded"), ("failed", "Failed"), ("cancelled", "Cancelled")], default="queued", max_length=10)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("started_at", models.DateTimeField(null=True)),
                        ("finished_at", models.DateTimeField(null=True)),
                        ("lease_token", models.UUIDField(null=True)),
                        ("leased_until", models.DateTimeField(null=True)),
                        ("attempts", models.PositiveSmallIntegerField(default=0)),
                        ("cancel_requested", models.BooleanField(default=False)),
                        ("error", models.TextField(blank=True)),
                        ("name", models.CharField(blank=True, max_length=80)),
                        ("base", models.CharField(help_text="A name of TRAINING_BASES.", max_length=100)),
                        ("method", models.CharField(choices=[("head", "Head"), ("lora", "Lora"), ("full", "Full")], default="head", max_length=4)),
                        ("target", models.CharField(choices=[("steps", "Steps"), ("outcome", "Outcome")], default="steps", max_length=7)),
                        ("round_ids", django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), help_text="The rounds whose labels are learned.", size=None)),
                        ("switches", models.JSONField(default=dict, help_text="labeling.formats.training: what becomes of which rating.")),
                        ("options", models.JSONField(default=dict, help_text="Of the trainer; empty means its own.")),
                        ("seed", models.BigIntegerField(default=0, help_text="Of the split into train and validation problems, and of training.")),
                        ("stage", models.CharField(choices=[("waiting", "Waiting"), ("reading", "Reading"), ("training", "Training"), ("checking", "Checking"), ("done", "Done")], default="waiting", max_length=8)),
                        ("label_ids", models.BinaryField(help_text="The frozen labels in order: ids as packed little-endian 64-bit, deflated.", null=True)),
                        ("frozen_at", models.DateTimeField(null=True)),
                        ("snapshot_id", models.CharField(blank=True, max_length=64)),
                        ("labels_total", models.PositiveIntegerField(default=0)),
                        ("data", models.JSONField(default=dict, help_text="Of the rows written: counts and SHA-256.")),
                        ("points", models.JSONField(default=list, help_text="The curves as they grow: {curve, at, value}.")),
                        ("log", models.JSONField(default=list, help_text="The trainer's sentences, oldest first.")),
                        ("report", models.JSONField(default=dict, help_text="What came of it, as worker.training gives it.")),
                        ("created_by", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("prm", models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="training_run", to="labeling.prm")),
                        ("project", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="training_runs", to="labeling.project")),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["project", "-id"], name="training_run_by_project"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Notice",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("kind", models.CharField(choices=[("paused", "Paused"), ("queue_stalled", "Queue Stalled"), ("gold_short", "Gold Short"), ("round_finished", "Round Finished"), ("export_ready", "Export Ready"), ("no_worker", "No Worker")], max_length=20)),
                        ("event", models.CharField(help_text="Which happening it is about: nobody is told of one twice.", max_length=120)),
                        ("title", models.CharField(max_length=200)),
                        ("text", models.TextField()),
                        ("path", models.CharField(blank=True, help_text="The page that is about it.", max_length=200)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("read_at", models.DateTimeField(null=True)),
                        ("person", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="notices", to=settings.AUTH_USER_MODEL)),
                        ("project", models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="notices", to="labeling.project")),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["person", "-id"], name="notice_by_person"),
                            models.Index(condition=models.Q(("read_at__isnull", True)), fields=["person"], name="notice_unread"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("person", "event"), name="one_notice_an_event_and_person"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Webhook",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("url", models.URLField(max_length=500)),
                        ("kinds", models.JSONField(default=list, help_text="Which kinds of notices it is sent.")),
                        ("salt", models.CharField(default=labeling.models.people.new_export_salt, editable=False, max_length=64)),
                        ("is_active", models.BooleanField(default=True)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("created_by", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("project", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="webhooks", to="labeling.project")),
                    ],
                ),
                migrations.CreateModel(
                    name="Delivery",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("number", models.UUIDField(default=uuid.uuid4, unique=True)),
                        ("kind", models.CharField(max_length=20)),
                        ("event", models.CharField(max_length=120)),
                        ("message", models.JSONField()),
                        ("status", models.CharField(choices=[("waiting", "Waiting"), ("delivered", "Delivered"), ("failed", "Failed")], default="waiting", max_length=10)),
                        ("attempts", models.PositiveSmallIntegerField(default=0)),
                        ("next_at", models.DateTimeField(default=django.utils.timezone.now, help_text="Not before; while it is being sent, its lease.")),
                        ("last_error", models.TextField(blank=True)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("delivered_at", models.DateTimeField(null=True)),
                        ("person", models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("project", models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="deliveries", to="labeling.project")),
                        ("webhook", models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="deliveries", to="labeling.webhook")),
                    ],
                    options={
                        "indexes": [
                            models.Index(condition=models.Q(("status", "waiting")), fields=["next_at"], name="delivery_due"),
                            models.Index(fields=["project", "-id"], name="delivery_by_project"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(condition=models.Q(("webhook__isnull", False)), fields=("webhook", "event"), name="one_delivery_an_event_and_webhook"),
                            models.UniqueConstraint(condition=models.Q(("person__isnull", False)), fields=("person", "event"), name="one_delivery_an_event_and_person"),
                            models.CheckConstraint(condition=models.Q(models.Q(("person__isnull", True), ("webhook__isnull", False)), models.Q(("person__isnull", False), ("webhook__isnull", True)), _connector="OR"), name="delivery_goes_to_one"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="AuditEvent",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("action", models.CharField(max_length=60)),
                        ("target", models.CharField(blank=True, max_length=120)),
                        ("detail", models.JSONField(default=dict)),
                        ("at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("request_id", models.UUIDField(default=uuid.uuid4)),
                        ("actor", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                        ("project", models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name="audit_events", to="labeling.project")),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["project", "-id"], name="audit_by_project"),
                        ],
                    },
                ),
            ]
        ),
        # The queue's head is updated at every claim: leave room on its pages, and vacuum it often,
        # so that claimers do not walk over dead entries.
        migrations.RunSQL(
            "ALTER TABLE labeling_task SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)",
            "ALTER TABLE labeling_task RESET (fillfactor, autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold)",
        ),
        # The database itself refuses to change, delete or empty the audit trail, whoever asks.
        migrations.RunSQL(GUARD, OPEN),
    ]
