"""Exports as jobs: a snapshot is permanent, a broken run continues, and the manifest describes the file's contents."""

import gzip
import hashlib
import time
from datetime import timedelta
from pathlib import Path

import orjson
import pytest
from django.utils import timezone

from labeling.actions import exports, jobs
from labeling.actions.export_file import HASH_LINE
from labeling.actions.exports import create_export, file_path, finished_file, hashes_path, repeat_export, run_export
from labeling.actions.guidelines import publish_guideline
from labeling.actions.labels import reopen_label, revise_label
from labeling.errors import InvalidFields, ReopenTooLate
from labeling.formats.exports.export_format import CHUNK
from labeling.models import Export, Project, StepScorer, Task
from labeling.tests.accounts import Browser
from labeling.tests.exports.labeled import contents, exported, give_label, traces_of
from labeling.tests.factories import make_member, make_project, make_submission, make_user, open_round
from labeling.tests.imports.files import import_bytes, import_file, lines, neutral_row, prm800k_row
from labeling.tests.killed_process import run_until_call

pytestmark = pytest.mark.django_db(transaction=True)


def many_labels(project: Project, folder: Path, count: int) -> None:
    """Import `count` labels, by ten labelers per trace."""
    file = folder / "labels.jsonl"
    with file.open("wb") as out:
        for number in range(count):
            out.write(orjson.dumps(prm800k_row(f"Problem {number // 10}?", labeler=f"labeler-{number % 10}")) + b"\n")
    assert import_file(project, file).report["labels"]["new"] == count


def test_a_snapshot_gives_the_same_bytes_after_revisions_and_new_labels(tmp_path: Path) -> None:
    project = make_project()
    traces_of(project, tmp_path)
    label = give_label(project, [1, 1])
    _, first = exported(project, gzip=True)
    revise_label(label, make_submission([1, -1]))
    give_label(project, [0, 0])
    again = run_export(repeat_export(first, by=None).pk)
    assert again is not None
    assert (again.snapshot_id, again.sha256) == (first.snapshot_id, first.sha256)
    assert finished_file(again).read_bytes() == finished_file(first).read_bytes()
    rows, later = exported(project, gzip=True)
    assert later.snapshot_id != first.snapshot_id
    assert [row["label"]["finish_reason"] for row in rows] == ["found_error", "solution"], "the revision counts now"


def test_equal_snapshots_have_equal_ids_and_bytes_and_other_shapes_other_ids(tmp_path: Path) -> None:
    project = make_project()
    traces_of(project, tmp_path)
    give_label(project, [1, 1])
    one, two = (exported(project)[1] for _ in range(2))
    assert (one.snapshot_id, one.sha256) == (two.snapshot_id, two.sha256)
    others = [exported(project, "neutral")[1], exported(project, gzip=True)[1]]
    others.append(exported(project, "neutral", switches={"after_error": "truncate"})[1])
    assert len({one.snapshot_id, *(other.snapshot_id for other in others)}) == 4


def test_gzip_holds_the_same_rows_without_a_time(tmp_path: Path) -> None:
    project = make_project()
    many_labels(project, tmp_path, 2500)
    plain, packed = exported(project)[1], exported(project, gzip=True)[1]
    assert contents(packed) == contents(plain)
    time.sleep(1.1)  # a time in the header has a resolution of seconds
    assert exported(project, gzip=True)[1].sha256 == packed.sha256
    assert plain.sha256 == hashlib.sha256(finished_file(plain).read_bytes()).hexdigest()


def test_an_export_without_rows_says_why_and_its_gzip_file_can_be_unpacked(tmp_path: Path) -> None:
    project = make_project()
    traces_of(project, tmp_path)
    give_label(project, [1, None], finish_reason="give_up", finish_detail={"text": "Too long."})
    export = exported(project, format="trl_stepwise", gzip=True)[1]
    packed = finished_file(export).read_bytes()
    assert (export.rows, gzip.decompress(packed)) == (0, b"")
    assert (export.bytes, export.sha256) == (len(packed), hashlib.sha256(packed).hexdigest())
    assert export.manifest["without_rows"] == {"no_verdict": 1}
    home = exported(project, format="inspect_scores")[1]
    assert (home.rows, home.manifest["without_rows"]) == (0, {"no_run": 1})
    told = Browser(make_member(project, "researcher")).call("GET", f"/api/exports/{export.pk}")["without_rows"]
    assert (told["labels"], told["no_verdict"], "labels without a verdict" in told["leaves_out"]) == (1, 1, True)


def test_an_exported_label_can_be_revised_but_not_taken_back(tmp_path: Path) -> None:
    project = make_project()
    traces_of(project, tmp_path)
    exported_label, later_label = give_label(project, [1, 1]), None
    _, export = exported(project)
    with pytest.raises(ReopenTooLate, match="An export made in the meantime"):
        reopen_label(exported_label)
    later_label = give_label(project, [1, 0])
    assert reopen_label(later_label).status == "open", "a label that came after the export"
    assert revise_label(exported_label, make_submission([0, 0])).supersedes_id == exported_label.pk
    assert export.labels_total == 1


def test_gold_that_an_export_leaves_out_can_no_more_be_taken_back_than_what_it_holds(tmp_path: Path) -> None:
    """Otherwise a labeler who undoes everything they just submitted learns which of it was gold."""
    project = make_project()
    traces_of(project, tmp_path)
    on_gold = give_label(project, [1, 1])
    Task.objects.filter(pk=on_gold.task_id).update(kind=Task.Kind.GOLD, labels_wanted=0)
    _, export = exported(project, format="neutral")
    assert export.labels_total == 0
    with pytest.raises(ReopenTooLate, match="An export made in the meantime"):
        reopen_label(on_gold)


def test_labels_still_open_are_not_exported(tmp_path: Path) -> None:
    project = make_project()
    traces_of(project, tmp_path)
    reopen_label(give_label(project, [1, 1]))
    rows, export = exported(project)
    assert rows == []
    assert (export.status, export.rows, export.bytes) == ("succeeded", 0, 0)


@pytest.mark.parametrize("packed", [False, True])
def test_a_run_that_breaks_between_disk_and_database_is_mended(tmp_path: Path, packed: bool) -> None:
    project = make_project()
    many_labels(project, tmp_path, 2500)
    whole = exported(project, gzip=packed)[1]
    broken = repeat_export(whole, by=None)
    file_path(broken).write_bytes(finished_file(whole).read_bytes()[:3000] + b"torn")
    hashes_path(file_path(broken)).write_bytes(b"torn")
    mended = run_export(broken.pk)
    assert mended is not None
    assert finished_file(mended).read_bytes() == finished_file(whole).read_bytes()
    assert mended.manifest["row_hashes"] == whole.manifest["row_hashes"]


def test_an_export_that_was_begun_in_other_chunks_leaves_out_no_row(tmp_path: Path) -> None:
    project = make_project()
    many_labels(project, tmp_path, 2500)
    whole = exported(project)[1]
    begun = repeat_export(whole, by=None)
    written, place = finished_file(whole).read_bytes().splitlines(keepends=True)[:1206], file_path(begun)
    place.write_bytes(b"".join(written))
    hashes_path(place).write_bytes(hashes_path(finished_file(whole)).read_bytes()[: 1206 * HASH_LINE])
    at = {"labels": 1206, "bytes": place.stat().st_size, "rows": 1206, "counts": whole.manifest["ratings"]}
    Export.objects.filter(pk=begun.pk).update(checkpoint=at)
    ended = run_export(begun.pk)
    assert ended is not None
    assert finished_file(ended).read_bytes() == finished_file(whole).read_bytes()
    assert ended.manifest == whole.manifest


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True])
def test_an_export_killed_in_the_middle_goes_on_where_it_was_and_ends_equal(tmp_path: Path, packed: bool) -> None:
    project = make_project()
    many_labels(project, tmp_path, 5000)
    whole = exported(project, gzip=packed)[1]
    broken = repeat_export(whole, by=None)
    code = "from labeling.actions import exports; exports.NOTE_EVERY = 0.0;"
    run_until_call(f"{code} exports.run_export({broken.pk})", "actions/exports.py:_note_progress", times=4)
    broken.refresh_from_db()
    assert (broken.status, broken.labels_done) == ("running", 3 * CHUNK)
    assert run_export(broken.pk) is None, "the lease still holds"
    Export.objects.filter(pk=broken.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
    woken: list[tuple[str, int]] = []
    jobs.sweep_jobs(lambda task, job_id: woken.append((task, job_id)))
    assert woken == [("worker.run_export", broken.pk)]
    mended = run_export(broken.pk)
    assert mended is not None
    assert (mended.status, mended.attempts, mended.sha256) == ("succeeded", 2, whole.sha256)
    assert {**mended.manifest} == whole.manifest


def test_a_second_writer_keeps_its_hands_off_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_project()
    many_labels(project, tmp_path, 30)
    export = create_export(project, by=None, format="prm800k")
    held = exports.ExportFile(file_path(export), False, exports.Written())
    assert run_export(export.pk) is None
    held.close()
    export.refresh_from_db()
    assert export.status == "running", "it waits for its lease to end, and is started again"


def test_a_running_export_is_cancelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_project()
    many_labels(project, tmp_path, 30)
    export = create_export(project, by=None, format="prm800k")
    assert jobs.cancel_job(export, by=make_user()).status == "cancelled"
    assert run_export(export.pk) is None


def test_the_manifest_tells_what_is_in_the_file_and_what_is_not_known(tmp_path: Path) -> None:
    project = make_project()
    researcher = make_member(project, "researcher")
    publish_guideline(researcher, project, "Rate each step.")
    traces_of(project, tmp_path, neutral_row(steps=["a", "b", "c"]))
    give_label(project, [1, 0, 1])
    publish_guideline(researcher, project, "Rate each step with care.")
    give_label(project, [1, -1, None])
    rows, export = exported(project, filters={"split": "train"}, roles={"policy_model": "gpt-x"})
    manifest = export.manifest
    assert manifest["ratings"] == {"-1": 1, "0": 1, "1": 3}
    assert manifest["finish_reasons"] == {"found_error": 1, "solution": 1}
    assert manifest["guideline_versions"] == {"1": 1, "2": 1}
    assert manifest["filters"] == {"split": "train"}
    assert (manifest["rows"], manifest["labels"], manifest["snapshot_id"]) == (2, 2, export.snapshot_id)
    assert manifest["roles"].pop("policy_model") == "gpt-x"
    assert manifest["roles"].pop("human_label_source") == "2 labels by people", "what is known, nobody has to type"
    assert set(manifest["roles"].values()) == set(manifest["statements"].values()) == {"unknown"}
    assert (len(manifest["roles"]), len(manifest["statements"]), manifest["prm_versions"]) == (6, 4, {})
    hashes = [hashlib.sha256(line).hexdigest() for line in contents(export).splitlines()]
    assert manifest["row_hashes"]["list"] == hashes
    listed = "".join(f"{row_hash}\n" for row_hash in hashes).encode()
    assert manifest["row_hashes"]["sha256_of_list"] == hashlib.sha256(listed).hexdigest()
    assert len(rows) == 2


def test_the_manifest_names_the_generators_and_the_prms_behind_the_rounds(tmp_path: Path) -> None:
    project = make_project()
    traces_of(project, tmp_path, neutral_row(steps=["a"], generator="gpt-x"), neutral_row("R", ["a"], generator="o-y"))
    round_, ada = open_round(project), make_member(project)
    round_.scorer = StepScorer.objects.create(project=project, name="prm-7", spec={})
    round_.save(update_fields=["scorer"])
    give_label(project, [1], ada)
    give_label(project, [-1], ada)
    manifest = exported(project)[1].manifest
    assert manifest["prm_versions"] == {"prm-7": 2}
    assert (manifest["roles"]["policy_model"], manifest["roles"]["prm"]) == ("gpt-x, o-y", "prm-7")
    assert manifest["roles"]["orm"] == "unknown"


def test_many_row_hashes_stand_beside_the_file(tmp_path: Path) -> None:
    project = make_project()
    many_labels(project, tmp_path, 1001)
    export = exported(project)[1]
    assert export.manifest["row_hashes"]["list"] is None
    listed = hashes_path(finished_file(export)).read_bytes()
    assert len(listed.splitlines()) == 1001
    assert hashlib.sha256(listed).hexdigest() == export.manifest["row_hashes"]["sha256_of_list"]


def test_blank_roles_and_statements_are_refused() -> None:
    project = make_project()
    for said in ({"roles": {"orm": " "}}, {"statements": {"tested_where": ""}}, {"roles": {"king": "x"}}):
        with pytest.raises(InvalidFields):
            create_export(project, by=None, format="neutral", **said)


def test_the_file_is_private(tmp_path: Path) -> None:
    project = make_project()
    import_bytes(project, lines(prm800k_row()), tmp_path)
    path = finished_file(exported(project, gzip=True)[1])
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert gzip.decompress(path.read_bytes()).count(b"\n") == 1
