"""Two projects with one of everything that has an address, and people of every role: the basis of the matrix."""

from array import array
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.contrib.sessions.backends.cached_db import SessionStore
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from labeling.actions import (
    exports,
    gradings,
    imported_scores,
    imports,
    labels,
    round_stages,
    rounds,
    source_runs,
    webhook_deliveries,
)
from labeling.actions.api_tokens import create_token
from labeling.actions.gold import make_gold
from labeling.actions.guidelines import publish_guideline
from labeling.actions.invitations import create_invitation
from labeling.actions.label_audits import cancel_label_audit
from labeling.actions.label_changes import change_labels, save_label_view
from labeling.actions.label_leases import lease_task
from labeling.actions.path_rounds import open_path_round
from labeling.actions.round_selection import select_traces
from labeling.configs import PathConfig, StagedConfig
from labeling.configs.stages import SCORING
from labeling.models import (
    Acceptance,
    Evaluation,
    EvaluationSet,
    Export,
    GradingJob,
    ImportJob,
    Label,
    LabelAudit,
    LabelAuditItem,
    LoggedIn,
    Notice,
    PrmTrial,
    Problem,
    Project,
    Promotion,
    Release,
    Round,
    ScoreImport,
    SecondFactor,
    SourceRun,
    StepImage,
    StepScorer,
    Task,
    Trace,
    TrainingRun,
    User,
    Webhook,
)
from labeling.queries.exports import packed_ids
from labeling.queries.label_audits import COUNTED
from labeling.queries.release_overlaps import compared_lists
from labeling.statistics.intervals import unknown
from labeling.tests.factories import (
    join,
    make_member,
    make_project,
    make_round,
    make_submission,
    make_traces,
    make_user,
)
from labeling.tests.releases.packed import pack_nothing

PATH_CALLS = ("get_path", "show_rest", "submit_step", "undo_step")
ROLES = ("annotator", "researcher", "admin")
PICTURE = {"sha256": "ab" * 32, "type": "image/gif", "width": 1, "height": 1}
RUN = [{"kind": "message", "actor": "agent", "text": "Done.", "unit": 0, "images": [PICTURE]}]


@dataclass(frozen=True)
class Operation:
    """One method of one address. `route` is as in the URL table, from the API's root."""

    method: str
    route: str
    name: str

    @property
    def key(self) -> str:
        """Its name in the matrix."""
        return f"{self.method} {self.route}"


def operations() -> list[Operation]:
    """Return everything under /api/, read from Django's URL table."""
    return sorted(_operations(get_resolver().url_patterns, ""), key=lambda found: (found.route, found.method))


def _operations(patterns: list[Any], prefix: str) -> Iterator[Operation]:
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _operations(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern) and route.startswith("api/"):
            for method in sorted(_methods(pattern.callback)):
                yield Operation(method, route.removeprefix("api/"), pattern.name or "")


def _methods(callback: Any) -> set[str]:
    if hasattr(callback, "views"):
        return set(callback.views)
    return {name.upper() for name in callback.cls.http_method_names if hasattr(callback.cls, name)} - {
        "OPTIONS",
        "HEAD",
    }


@dataclass
class Home:
    """A project, its people by role, and the id of one of each thing in it."""

    project: Project
    people: dict[str, User]
    ids: dict[str, Any] = field(default_factory=dict)

    def path(self, operation: Operation) -> str:
        """Return the operation's address with this project's ids in it."""
        path = operation.route
        for converter, name in placeholders(operation.route):
            value = self.ids.get(f"{operation.name}.{name}", self.ids.get(name))
            path = path.replace(f"<{converter}:{name}>", str(value))
        return "/api/" + path


def placeholders(route: str) -> list[tuple[str, str]]:
    """Return (converter, name) of each parameter in a route."""
    found = [part.split(">")[0] for part in route.split("<")[1:]]
    return [(part.split(":")[0], part.split(":")[1]) for part in found]


def _ways_in(person: User) -> dict[str, int]:
    """Make a browser session of the person, and a passkey of theirs."""
    session = SessionStore()
    session.create()
    browser = LoggedIn.objects.create(user=person, session_key=str(session.session_key), how="password")
    made = {"name": "laptop", "credential": b"x", "confirmed_at": timezone.now()}
    passkey = SecondFactor.objects.create(user=person, kind="passkey", credential_id=uuid4().bytes, **made)
    return {"browser_id": browser.pk, "factor_id": passkey.pk}


def build_home() -> Home:
    """Make an open project. `owner` is an annotator with a submitted, an expired and an open label."""
    project = make_project(reference_solution=True, reveal_scores=True)
    people = {role: make_member(project, role) for role in ROLES} | {"owner": make_member(project)}
    home = Home(project, people)
    open_round = make_round(project, traces=6)
    paused = rounds.pause_round(make_round(project), by=None)
    Problem.objects.filter(project=project).update(reference_solution="Add one.")
    screened = _screen_owner(home)
    submitted = _give_labels(home)
    invitation, secret = create_invitation(people["admin"], project, role="annotator", email="", days=7)
    token, _ = create_token(people["owner"], "mine")
    evaluation = _queued_evaluation(project, people["researcher"])
    label_audit, over = _label_audits(home)
    home.ids |= {
        "label_audit_id": label_audit.pk,
        "item_id": label_audit.items.get().pk,
        "download_label_audit.label_audit_id": over.pk,
        **dict.fromkeys([f"{name}.label_id" for name in PATH_CALLS], _path(home).pk),
        "slug": project.slug,
        "provider": "sso",
        "token_id": token.pk,
        **_ways_in(people["owner"]),
        "invitation_id": invitation.pk,
        "token": secret,
        "member_id": join(project, make_user()).pk,
        "labeler_id": people["owner"].pk,
        "version": publish_guideline(people["researcher"], project, "# Rate").version,
        "round_id": open_round.pk,
        "resume_round.round_id": paused.pk,
        "cancel_round.round_id": (ready := _ready_round(project)).pk,
        "publish_round.round_id": ready.pk,
        "get_selection.round_id": ready.pk,
        "reselect_round.round_id": ready.pk,
        "schedule_next.round_id": ready.pk,
        "import_id": _queued_import(project).pk,
        **dict.fromkeys(["get_score_import.import_id", "cancel_score_import.import_id"], _queued_scores(project).pk),
        "export_id": _finished_export(project).pk,
        "download_companion.name": "stepmark_reward.py",
        **_releases(home),
        "grading_id": _finished_grading(project).pk,
        "change_id": change_labels(project, by=people["researcher"], kind="exclude", filters={}).pk,
        "view_id": save_label_view(project, people["researcher"], name="Mine", filters={}).pk,
        "notice_id": _notice(people["owner"]).pk,
        "webhook_id": (webhook := _webhook(project)).pk,
        "delivery_id": webhook_deliveries.try_webhook(webhook, by=people["admin"]).pk,
        "run_id": TrainingRun.objects.create(project=project, base="none", round_ids=[open_round.pk]).pk,
        "evaluation_id": evaluation.pk,
        "prm_id": evaluation.scorer_id,
        "trial_id": _trial(evaluation).pk,
        "acceptance_id": _acceptance(home).pk,
        "source_run_id": (checked := _source_run(project)).pk,
        "source_id": checked.scorer_id,
        "get_feedback.label_id": screened.pk,
        "gold_id": screened.task.trace.gold.pk,
        "unpause_member.member_id": join(project, make_user(), paused_at=timezone.now()).pk,
        "trace_id": submitted.task.trace_id,  # nobody holds it: its holder is told nothing about it
        "problem_id": submitted.task.trace.problem_id,
        "task_id": submitted.task_id,
    }
    return home


def _screen_owner(home: Home) -> Label:
    """Make the owner's answer to the only task of a screening, which admitted them."""
    [trace] = make_traces(home.project)
    make_gold(trace, acceptable=[-1], by=None)
    home.project.screening, home.project.screening_tasks = True, 1
    home.project.save()
    label = labels.submit_label(labels.claim_next_label(home.people["owner"], home.project).label, make_submission())
    home.project.screening = False
    home.project.save()
    return label


def _ready_round(project: Project) -> Round:
    """Make a round that workers have prepared and nobody has published."""
    config = StagedConfig(k=1)
    round_ = round_stages.start_round(project, by=None, scorer=None, config=config)
    Round.objects.filter(pk=round_.pk).update(status=SCORING.status)
    select_traces(round_)
    Round.objects.filter(pk=round_.pk).update(status=Round.Status.READY, task_count=1)
    return round_


def _give_labels(home: Home) -> Label:
    """Put the owner's labels into `home.ids`, one of them open. Return a submitted one."""
    owner, project = home.people["owner"], home.project
    submitted = labels.submit_label(labels.claim_next_label(owner, project).label, make_submission())
    claim = labels.claim_next_label(owner, project, prefetch=True)
    Label.objects.filter(pk=claim.label.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
    labels.expire_overdue_labels(project=project)
    held = labels.claim_next_label(owner, project).label
    assert held is not None
    assert held.pk == claim.next.pk
    about = {"content_type": "image/gif", "width": 1, "height": 1, "data": b"GIF89a"}
    StepImage.objects.create(project=project, sha256=bytes.fromhex("ab" * 32), **about)
    Trace.objects.filter(pk__in=[held.task.trace_id, submitted.task.trace_id]).update(typed_steps=RUN)
    home.ids |= {
        "label_id": held.pk,
        "place": 0,
        "sha256": "ab" * 32,
        "resume_label.label_id": claim.label.pk,
        "reopen_label.label_id": submitted.pk,
        "reveal_scores.label_id": submitted.pk,
        "reply_to_reviewer.label_id": submitted.pk,
        "get_comparison.label_id": _settled(project, owner).pk,
        "revise_label.label_id": submitted.pk,
    }
    return submitted


def _path(home: Home) -> Label:
    """Make the owner's next label, of a round whose labelers choose paths. The round serves nobody else."""
    round_ = open_path_round(home.project, by=None, config=PathConfig(sample_size=1))
    Round.objects.filter(pk=round_.pk).update(status=Round.Status.PAUSED, resume_to=Round.Status.LABELING)
    Task.objects.filter(round=round_).update(labels_wanted=0)
    return lease_task(home.people["owner"], home.project, round_.tasks.get().pk, Label.Status.PREFETCHED)


def _notice(person: User) -> Notice:
    return Notice.objects.create(person=person, kind="paused", event="paused:1", title="Paused", text="See why.")


def _webhook(project: Project) -> Webhook:
    return Webhook.objects.create(project=project, url="https://hooks.example.org/stepmark", kinds=["paused"])


def _settled(project: Project, labeler: User) -> Label:
    """Make a label of a settled task, without leaving anything new to claim."""
    [trace] = make_traces(project)
    round_ = Round.objects.get(project=project, status=Round.Status.LABELING)
    about = {"settlement": Task.Settlement.RULED, "settled_at": timezone.now(), "verdict": -1}
    task = Task.objects.create(round=round_, trace=trace, order_key=0, labels_wanted=0, **about)
    done = {
        "status": Label.Status.SUBMITTED,
        "finish_reason": "solution",
        "verdict": -1,
        "submitted_at": timezone.now(),
    }
    return Label.objects.create(project=project, task=task, labeler=labeler, **done)


def _label_audits(home: Home) -> tuple[LabelAudit, LabelAudit]:
    """Make an open one, with a label of the annotator's to review, and a cancelled one."""
    about = {"project": home.project, "scorer": StepScorer.objects.get(project=home.project), "seed": 1}
    about |= {"asked": {"labels": 2, "control_share": 0.5, "round": None}, "counts": dict.fromkeys(COUNTED, 0)}
    label = _settled(home.project, home.people["annotator"])
    Trace.objects.filter(pk=label.task.trace_id).update(typed_steps=RUN)
    label_audit, over = LabelAudit.objects.create(**about), LabelAudit.objects.create(**about)
    LabelAuditItem.objects.create(
        label_audit=label_audit, label=label, arm="model", position=0, surprisal=1.0, least_likely_step=0
    )
    return label_audit, cancel_label_audit(over, by=home.people["admin"])


def _acceptance(home: Home) -> Acceptance:
    """Audit a source's marks on a sample; it accepted none."""
    about = {"project": home.project, "scorer": StepScorer.objects.get(project=home.project), "bar": 0.9}
    return Acceptance.objects.create(audit=home.project.rounds.earliest("pk"), sample=asdict(unknown(0)), **about)


def _queued_import(project: Project) -> ImportJob:
    path = settings.DATA_DIR / "imports" / f"{project.slug}.jsonl"
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.write_text("{}\n")
    about = {"file_name": "new.jsonl", "format": "neutral", "dry_run": False, "skip_faulty": False}
    return imports.record_import(project, by=None, path=f"imports/{path.name}", **about)


def _queued_scores(project: Project) -> ScoreImport:
    path = settings.DATA_DIR / "imports" / f"{project.slug}.scores"
    path.write_text("{}\n")
    about = {"path": f"imports/{path.name}", "file_name": "scores.jsonl", "name": "Elsewhere"}
    return imported_scores.record_score_import(project, by=None, **about)


def _finished_export(project: Project) -> Export:
    export = exports.create_export(project, by=None, format="rewards")
    path = exports.file_path(export)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    for file in (path, exports.hashes_path(path)):
        file.write_text("{}\n")
    Export.objects.filter(pk=export.pk).update(status=Export.Status.SUCCEEDED)
    return export


def _releases(home: Home) -> dict[str, int]:
    """Make a release of one settled label, which is packed, and the checked draft of its next version."""
    label = _settled(home.project, home.people["owner"])
    export = _finished_export(home.project)
    ids = packed_ids(array("q", [label.pk]))
    long_ago = timezone.now() - timedelta(days=1)  # so that an export contains no other labels
    Export.objects.filter(pk=export.pk).update(label_ids=ids, labels_total=1, rows=1, frozen_at=long_ago)
    lists = compared_lists(home.project)
    overlaps = {"exact": 0, "near": 0, "problems": 1, "labels": 0, "lists": lists, "rows": []}
    about: dict[str, Any] = {"project": home.project, "name": "Sums", "status": "succeeded", "overlaps": overlaps}
    done = {"released_by": home.people["admin"], "released_at": timezone.now()}
    first = Release.objects.create(**about, version=1, state="released", **done)
    draft = Release.objects.create(**about, version=2, supersedes=first)
    for release in (first, draft):
        release.exports.set([export])
    pack_nothing(first)
    steps = ("check_release", "remove_draft", "publish_release", "get_release_diff", "download_release_diff")
    drafted = {f"{name}.release_id": draft.pk for name in steps}
    return {"release_id": first.pk, "released_id": label.pk, **drafted}


def _finished_grading(project: Project) -> GradingJob:
    job = gradings.create_grading(project, by=None)
    GradingJob.objects.filter(pk=job.pk).update(status=GradingJob.Status.SUCCEEDED)
    return job


def _trial(evaluation: Evaluation) -> PrmTrial:
    """Make a trace of somebody's own, for the same PRM."""
    about = {"project": evaluation.project, "scorer": evaluation.scorer}
    return PrmTrial.objects.create(**about, problem="1 + 1?", steps=["2"], status=PrmTrial.Status.SUCCEEDED)


def _source_run(project: Project) -> SourceRun:
    """Make a source from the checks that need no model; nothing is marked yet."""
    run = source_runs.verify_new_traces(project, by=None)
    assert run is not None
    return run


def _queued_evaluation(project: Project, researcher: User) -> Evaluation:
    """Make one of a PRM that is the project's selector."""
    prm = StepScorer.objects.create(
        project=project, name=project.slug, spec={"family": "step_classifier", "path": "none"}
    )
    Promotion.objects.create(project=project, scorer=prm, by=researcher)
    counts = {"traces": 1, "problems": 1, "erroneous": 0, "grader_versions": []}
    made = EvaluationSet.objects.create(project=project, name="Set", source="recorded", **counts)
    return Evaluation.objects.create(project=project, scorer=prm, evaluation_set=made)
