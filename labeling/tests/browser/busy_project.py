"""A project with something to show on every page for researchers and admins, made with the product's actions."""

import itertools
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from django.utils import timezone

from labeling.actions import api_tokens, exports, guidelines, invitations, labels, rounds
from labeling.actions.imports import create_import, run_import
from labeling.models import Completion, Export, ImportJob, Label, Problem, Project, Round, Task, Trace, User
from labeling.tests import factories
from labeling.tests.imports.files import lines, neutral_row

_serial = itertools.count(1)
FAULTY = (
    b'{"problem": "cut off\n',
    neutral_row("No steps?", []),
    neutral_row("A number?", [1, "Two."]),
    neutral_row("Fine?"),
)


@dataclass
class BusyProject:
    """The project, the people in it, and a row of each kind to look at."""

    project: Project
    admin: User
    labelers: list[User]
    round: Round
    trace: Trace
    task: Task
    lease: Label
    refused: ImportJob
    export: Export

    def pages(self) -> list[str]:
        """Return the address of every page that an admin of the project can open."""
        start = f"/projects/{self.project.slug}"
        research = [
            *("home", "traces", "imports", "gradings", "rounds", "rounds/new", "rounds/compare", "labels", "tasks"),
            *("leases", "review", "label-audits", "agreement", "labelers", "labeler-quality", "gold", "models", "prms"),
            *("prms/train", "evaluations", "sources", "failures", "exports", "exports/new", "releases", "releases/new"),
        ]
        others = ["people", "settings", "webhooks", "retention", "audit", "guidelines", "my-work"]
        rows = [
            f"traces/{self.trace.pk}",
            f"traces/problems/{self.trace.problem_id}?trace={self.trace.pk}",
            f"imports/{self.refused.pk}",
            f"rounds/{self.round.pk}",
            f"tasks/{self.task.pk}",
            f"labelers/{self.labelers[0].pk}",
            f"exports/{self.export.pk}",
        ]
        return [
            "/projects",
            "/account",
            "/account/labeling",
            *(f"{start}/{page}" for page in [*research, *others, *rows]),
        ]


def make_busy_project(folder: Path, *, text: str = "Text with $x^2$.", short: str = "Short") -> BusyProject:
    """Make two labelers who disagree on a trace, a lease, a refused import and an export.

    `text` is in every long text field that pages show, `short` (cut to size) in every short one.
    """
    project = factories.make_project(name=short[:120], description=text[:5000], default_overlap=2)
    admin = factories.make_member(project, "admin", display_name=short[:120], email="admin@example.org")
    labelers = [factories.make_member(project, display_name=f"{number} {short}"[:120]) for number in (1, 2)]
    guidelines.publish_guideline(admin, project, "An older version.")
    guidelines.publish_guideline(admin, project, text)
    invitations.create_invitation(admin, project, role="annotator", email="grace@example.org", days=7)
    api_tokens.create_token(admin, short[:80])
    trace, round_ = _labeled_trace(project, admin, labelers, text, short)
    factories.make_round(project, 3, name="", overlap=1)
    return BusyProject(
        project=project,
        admin=admin,
        labelers=labelers,
        round=round_,
        trace=trace,
        task=Task.objects.get(round=round_),
        lease=labels.claim_next_label(labelers[0], project).label,
        refused=_refused_import(project, admin, folder, short),
        export=_finished_export(project, admin),
    )


def _labeled_trace(project: Project, admin: User, labelers: list[User], text: str, short: str) -> tuple[Trace, Round]:
    [trace] = factories.make_traces(project, steps=3)
    Trace.objects.filter(pk=trace.pk).update(
        steps=[text, "So $2^{10} = 1000$.", "Done."],
        final_answer=text,
        outcome="wrong",
        generator=short[:200],
        source=short[:100],
        recorded_first_error=1,
        recorded_ratings=[1, -1, None],
        metadata={short: text},
    )
    Problem.objects.filter(pk=trace.problem_id).update(
        text=text, answer=text, reference_solution=text, subject=short[:100], level=short[:40], licence=short[:100]
    )
    Completion.objects.create(trace=trace, step_index=1, text=text)
    round_ = rounds.open_round(project, by=admin, name=short[:120], priority=5)
    for labeler, ratings in zip(labelers, ([1, -1, None], [1, 1, 1]), strict=True):
        label = labels.claim_next_label(labeler, project).label
        Label.objects.filter(pk=label.pk).update(claimed_at=timezone.now() - timedelta(minutes=3))
        label.refresh_from_db()
        labels.submit_label(label, factories.make_submission(ratings, **_remarks(label, ratings, text)))
    trace.refresh_from_db()
    return trace, round_


def _remarks(label: Label, ratings: list[int | None], text: str) -> dict[str, object]:
    """Return everything that a labeler can write, and half a minute on each step."""
    wrong = -1 in ratings
    spans = [{"step": step, "start": step * 30_000, "end": (step + 1) * 30_000} for step in range(len(ratings))]
    return {
        "comments": [{"step": 0, "text": text}],
        "reports": [
            {"kind": "answer_wrong", "step": None, "text": text},
            {"kind": "split_badly", "step": 1, "text": text},
        ],
        "mistake": {"progress": "some", "explanation": text} if wrong else None,
        "confirmations": [] if wrong else [{"code": "solution_but_answer_wrong", "reason": text}],
        "noticed_at_step": 2 if wrong else None,
        "spans": spans,
        "total_ms": 100_000,
    }


def _refused_import(project: Project, admin: User, folder: Path, short: str) -> ImportJob:
    uploaded = folder / f"upload-{next(_serial)}"
    uploaded.write_bytes(lines(*FAULTY, neutral_row(short, [short, 1])))
    job = create_import(project, by=admin, uploaded=uploaded, file_name=f"{short}.jsonl", format="neutral")
    refused = run_import(job.pk)
    assert refused is not None
    assert refused.status == "failed"
    return refused


def _finished_export(project: Project, admin: User) -> Export:
    export = exports.run_export(exports.create_export(project, by=admin, format="prm800k").pk)
    assert export is not None
    assert export.status == "succeeded"
    return export
