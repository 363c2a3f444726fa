"""The registry of PRMs: what a record must contain, and what a repeated check may find."""

import json
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from labeling.actions.step_scorers import check_prm, register_prm, sweep_prms
from labeling.errors import InvalidFields, PrmRegistered
from labeling.models import AuditEvent, Round, StepScorer
from labeling.queries.step_scorers import named_prm
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round

pytestmark = pytest.mark.django_db
RECORD = {"family": "step_classifier", "path": "tiny"}


@pytest.mark.parametrize(
    ("record", "why"),
    [
        (["step_classifier"], "a JSON object that names its family"),
        ({"path": "tiny"}, "a JSON object that names its family"),
        ({"family": "step_classifier"}, "either a path .* or a url"),
        ({**RECORD, "url": "http://127.0.0.1:8000"}, "either a path .* or a url"),
        ({"family": "implicit", "path": "tiny", "base": "/etc/passwd"}, "MODELS_DIR"),
    ],
)
def test_a_record_that_cannot_be_opened_is_refused_in_words(record: Any, why: str) -> None:
    with pytest.raises(InvalidFields) as refused:
        register_prm("Tiny", record)
    assert any(re.search(why, sentence) for said in refused.value.extra["fields"].values() for sentence in said)
    assert not StepScorer.objects.exists()


def test_a_name_is_taken_by_one_record() -> None:
    first = register_prm("Tiny", RECORD, wake=False)
    assert register_prm("Tiny", RECORD, wake=False) == first
    with pytest.raises(PrmRegistered):
        register_prm("Tiny", {**RECORD, "path": "other"}, wake=False)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("everybodys", [False, True])
def test_of_two_that_register_the_same_at_once_both_have_the_one(everybodys: bool) -> None:
    project = None if everybodys else make_project()
    together, found = threading.Barrier(6), []

    def register() -> None:
        together.wait()
        found.append(register_prm("Tiny", RECORD, project=project, wake=False).pk)
        connection.close()

    threads = [threading.Thread(target=register) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [StepScorer.objects.get().pk] * 6
    assert AuditEvent.objects.count() == 1


def test_a_name_is_one_in_its_project_and_among_the_prms_for_all() -> None:
    project, other = make_project(), make_project()
    own, others, everybodys = (register_prm("Tiny", RECORD, project=whose) for whose in (project, other, None))
    assert len({own, others, everybodys}) == 3
    assert [named_prm(whose, "Tiny") for whose in (project, other, make_project())] == [own, others, everybodys]
    with pytest.raises(PrmRegistered):
        register_prm("Tiny", {**RECORD, "path": "other"}, project=project)
    for whose in (project, None):
        with pytest.raises(IntegrityError), transaction.atomic():
            StepScorer.objects.create(name="Tiny", spec=RECORD, project=whose)


def test_a_prm_is_retired_when_no_unfinished_round_selects_by_it() -> None:
    project = make_project("algebra")
    admin = Browser(make_member(project, "admin"))
    prm = register_prm("Tiny", RECORD, project=project)
    round_ = make_round(project)
    path = f"/api/projects/algebra/prms/{prm.pk}/retire"
    for status in ("scoring", "ready", "labeling", "paused", "failed"):
        Round.objects.filter(pk=round_.pk).update(scorer=prm, status=status)
        refused = admin.call("POST", path, status=409)
        assert refused["code"] == "prm_in_use"
        assert refused["detail"] == f"Tiny is the selector of round 1 ({status}). Close or cancel it first."
    with pytest.raises(CommandError, match="round 1"):
        call_command("register_prm", "Tiny", "--retire", "--project", "algebra")
    with pytest.raises(CommandError, match="no PRM Tiny for all"):
        call_command("register_prm", "Tiny", "--retire")
    Round.objects.update(status="closed")
    assert admin.call("POST", path)["status"] == "retired"


def test_a_prm_whose_weights_have_changed_is_faulty_and_says_so() -> None:
    prm = register_prm("Tiny", RECORD, wake=False)
    found = {"fingerprint": "a", "scale": "probability"}
    assert check_prm(prm, lambda _: found).status == "ready"
    assert check_prm(prm, lambda _: found).status == "ready"
    changed = check_prm(prm, lambda _: found | {"fingerprint": "b"})
    assert (changed.status, changed.fingerprint) == ("faulty", "a")
    assert "have changed since they were checked" in changed.error


def test_the_sweep_asks_again_for_each_prm_that_nobody_has_looked_at() -> None:
    prm = register_prm("Tiny", RECORD, wake=False)
    looked_at = register_prm("Other", {**RECORD, "path": "other"}, wake=False)
    check_prm(looked_at, lambda _: {"fingerprint": "a", "scale": "probability"})
    with current_app.connection_for_read() as connection:
        waiting: Any = connection.default_channel.client  # type: ignore[attr-defined]  # of the Redis transport
        waiting.delete("gpu")
        sweep_prms()
        messages = waiting.lrange("gpu", 0, -1)
        waiting.delete("gpu")
    assert len(messages) == 1
    assert str(prm.pk) in messages[0].decode()


def test_the_same_model_under_a_second_name_is_registered_with_a_warning_that_names_the_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def check(prm_id: int) -> None:
        check_prm(StepScorer.objects.get(pk=prm_id), lambda _: {"fingerprint": "a", "scale": "probability"})

    monkeypatch.setitem(current_app.tasks, "worker.check_prm", check)
    project, other = make_project("algebra"), make_project("sums")
    check_prm(register_prm("Elsewhere", RECORD, project=other, wake=False), lambda _: {"fingerprint": "a"})
    record = tmp_path / "record.json"
    record.write_text(json.dumps(RECORD))
    for name in ("Tiny", "Small"):
        call_command("register_prm", name, str(record), "--project", project.slug, "--check")
    said = capsys.readouterr()
    assert said.err.count("Warning") == 1
    assert "Small is the same model as Tiny (same fingerprint)" in said.err
    assert "Elsewhere" not in said.err, "what another project has is not told"
    assert StepScorer.objects.filter(project=project, status="ready").count() == 2
