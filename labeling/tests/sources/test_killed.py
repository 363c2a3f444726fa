"""Killed as by SIGKILL at their last statement, an acceptance, its withdrawal and an import of verdicts leave nothing
half done, and can be repeated.
"""

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from labeling.actions.acceptances import accept_marks, withdraw_acceptance
from labeling.actions.imports import record_import, run_import
from labeling.actions.rounds import close_round
from labeling.configs import TraceFilter
from labeling.models import Acceptance, AcceptedMark, AuditEvent, ImportJob, Score, StepScorer, Trace
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project
from labeling.tests.imports.files import lines
from labeling.tests.imports.test_formal_verdicts import SAID
from labeling.tests.killed_process import run_until_call
from labeling.tests.sources.test_audits import audit, label_all, make_marks

pytestmark = pytest.mark.django_db(transaction=True)

LAST = "actions/audit_log.py:record"
MODELS = "from labeling.models import *; from labeling.actions.acceptances import *;"


def test_an_acceptance_and_its_withdrawal_that_are_killed_take_and_give_back_nothing() -> None:
    project = make_project()
    judge, _traces = make_marks(project, 50)
    admin = make_member(project, "admin")
    drawn = audit(Browser(admin), project, judge)
    label_all(project, judge)
    close_round(drawn, by=None)
    events = AuditEvent.objects.count()
    who = f"by=User.objects.get(pk={admin.pk})"
    asked = f"Project.objects.get(pk={project.pk}), StepScorer.objects.get(pk={judge.pk}), filter=TraceFilter(), {who}"
    run_until_call(f"{MODELS} accept_marks({asked})", LAST, 1)
    assert not Acceptance.objects.exists()
    assert not AcceptedMark.objects.exists()
    made = accept_marks(project, judge, by=admin, filter=TraceFilter())
    run_until_call(f"{MODELS} withdraw_acceptance(Acceptance.objects.get(pk={made.pk}), {who})", LAST, 1)
    made.refresh_from_db()
    assert (made.withdrawn_at, AcceptedMark.objects.count()) == (None, 20)
    assert withdraw_acceptance(made, by=admin).withdrawn_at
    assert not AcceptedMark.objects.exists()
    done = AuditEvent.objects.order_by("pk")[events:].values_list("action", flat=True)
    assert list(done) == ["acceptance.create", "acceptance.withdraw"]


def test_an_import_of_verdicts_that_is_killed_leaves_neither_trace_nor_source_nor_verdict(tmp_path: Path) -> None:
    project = make_project()
    file = tmp_path / "rows.jsonl"
    file.write_bytes(lines(SAID))
    job = record_import(
        project, by=None, path=str(file), file_name=file.name, format="", dry_run=False, skip_faulty=False
    )
    code = f"from labeling.actions.imports import run_import; run_import({job.pk})"
    run_until_call(code, "actions/jobs.py:finish_unless_stopped", 1)
    for model in (Trace, StepScorer, Score):
        assert not model.objects.exists(), model
    ImportJob.objects.filter(pk=job.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
    again = run_import(job.pk)
    assert again is not None
    assert (again.status, Score.objects.get().steps) == ("succeeded", [1.0, 0.0, None])
