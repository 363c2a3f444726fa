"""With OBJECT_STORAGE, uploads, exports, releases and PRMs pass between machines that share no folder."""

import hashlib
import json
import logging
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import httpx
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.uploadedfile import SimpleUploadedFile
from moto.server import ThreadedMotoServer

from annotation_app.local.process import free_port
from annotation_app.object_storage import storages
from labeling.actions import exports, imports, kept_files, releases
from labeling.actions.backups import make_backup
from labeling.actions.project_archives import bring_back_project, take_out_project
from labeling.actions.release_folder import folder_path, unpacked_folder
from labeling.errors import FileChanged, FileGone
from labeling.models import Export, Project
from labeling.queries.outside_checks import bucket_fault
from labeling.tests.accounts import Browser, Program
from labeling.tests.exports.labeled import exported, give_label
from labeling.tests.factories import make_member, make_project, make_traces
from labeling.tests.imports.files import lines, neutral_row
from labeling.tests.releases.test_releases import drafted, released

KEY = {"access_key": "someone", "secret_key": "secret"}
BOTO_KEY = {
    f"aws_{name}": value for name, value in zip(("access_key_id", "secret_access_key"), KEY.values(), strict=True)
}
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def bucket(settings: Any, tmp_path: Path) -> Iterator[Any]:
    """A server that speaks S3, and this process as a machine that stores files there."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # one line per request hides the failure
    server.start()
    url = "http://{}:{}".format(*server.get_host_and_port())
    found = boto3.resource("s3", endpoint_url=url, region_name="us-east-1", **BOTO_KEY).create_bucket(Bucket="stepmark")
    on_machine(settings, tmp_path / "first")
    record = {"bucket": "stepmark", "url": url, "region": "us-east-1", "prefix": "here"}
    settings.STORAGES = storages(json.dumps(record), settings.DATA_DIR, KEY)
    yield found
    found.objects.all().delete()  # servers of one process share their contents
    server.stop()


def on_machine(settings: Any, folder: Path) -> None:
    """Give this process another disk from now on."""
    settings.DATA_DIR, settings.MODELS_DIR = folder / "data", folder / "models"
    (settings.DATA_DIR / "uploads").mkdir(parents=True, exist_ok=True)
    settings.FILE_UPLOAD_TEMP_DIR = str(settings.DATA_DIR / "uploads")


def objects(bucket: Any) -> set[str]:
    return {one.key for one in bucket.objects.all()}


def an_upload_reaches_a_worker_elsewhere(settings: Any, bucket: Any, project: Project, disks: Path) -> None:
    """Checked on one machine, imported on another, once; the bucket no longer contains it."""
    admin = make_member(project, "admin")
    file = SimpleUploadedFile("rows.jsonl", lines(neutral_row()))
    answer = Browser(admin).upload(f"/api/projects/{project.slug}/imports", {"file": file, "dry_run": "true"})
    assert answer.status_code == 201, answer.content
    assert len(objects(bucket)) == 2
    on_machine(settings, disks / "worker")
    checked = imports.run_import(answer.json()["id"])
    assert checked.status == "succeeded", checked.error
    on_machine(settings, disks / "first")
    asked = imports.import_checked_file(checked, by=admin)
    with pytest.raises(FileGone):
        imports.import_checked_file(checked, by=admin)
    on_machine(settings, disks / "worker")
    assert imports.run_import(asked.pk).report["imported"]
    assert objects(bucket) == set()


def an_export_is_handed_out_by_the_bucket(settings: Any, project: Project, disks: Path) -> Export:
    """To browsers; programs get it from the server, which fetches it. A packed file arrives packed."""
    _, export = exported(project, "neutral", gzip=True)
    on_machine(settings, disks / "web")
    person = make_member(project, "admin")
    address = f"/api/exports/{export.pk}/download"
    sent = Browser(person).get(address)
    assert sent.status_code == 302
    got = httpx.get(sent["Location"])
    assert hashlib.sha256(got.content).hexdigest() == export.sha256
    assert export.project.slug in got.headers["content-disposition"]
    assert not (settings.DATA_DIR / export.path).exists()
    answer: Any = Program(person).get(address)
    streamed = b"".join(answer.streaming_content)
    assert streamed == got.content
    return export


def what_was_changed_in_the_bucket_is_refused(settings: Any, bucket: Any, export: Export, disks: Path) -> None:
    """Whatever lies beside it, and nothing of it is kept."""
    on_machine(settings, disks / "third")
    thing = bucket.Object(f"here/{export.path}")
    before = thing.get()["Body"].read()
    thing.put(Body=before[:-2])
    with pytest.raises(FileChanged, match="its hash differs"):
        exports.finished_file(export)
    beside = bucket.Object(f"here/{export.path}.sha256")
    told = beside.get()["Body"].read()
    beside.put(Body=hashlib.sha256(before[:-2]).hexdigest().encode())
    with pytest.raises(FileChanged, match="its hash differs"):
        exports.finished_file(export)
    assert list(settings.DATA_DIR.rglob("*.jsonl*")) == []
    linked = Browser(make_member(export.project, "admin")).get(f"/api/exports/{export.pk}/download")
    assert (linked.status_code, linked.json()["code"]) == (500, "file_changed"), "not even a link, by its size"
    thing.put(Body=before)
    beside.put(Body=told)
    exports.finished_file(export).write_bytes(before[:-1] + b"x")
    assert exports.finished_file(export).read_bytes() == before, "fetched anew"


def a_release_is_pushed_by_a_machine_that_did_not_pack_it(settings: Any, project: Project, disks: Path) -> None:
    """Its folder comes out of its zip."""
    release = released(drafted(project, admin := make_member(project, "admin")), admin)
    packed = {path.name for path in folder_path(release).rglob("*")}
    on_machine(settings, disks / "pusher")
    assert {path.name for path in unpacked_folder(release).rglob("*")} == packed


def a_trained_prm_is_fetched_whole(settings: Any, disks: Path) -> None:
    """By a worker whose models folder lacks it."""
    made = settings.MODELS_DIR / "trained" / "sums-1"
    made.mkdir(parents=True)
    (made / "head.safetensors").write_bytes(b"weights")
    kept_files.put_folder(made)
    on_machine(settings, disks / "gpu")
    fetched = settings.MODELS_DIR / "trained" / "sums-1"
    kept_files.fetch_folder_if_missing(fetched)
    assert [(path.name, path.read_bytes()) for path in fetched.iterdir()] == [("head.safetensors", b"weights")]


def a_backup_holds_what_only_the_bucket_has(settings: Any, export: Export, disks: Path) -> None:
    """On a machine that has none of the files."""
    on_machine(settings, disks / "backup")
    folder = make_backup(disks / "kept").folder
    with tarfile.open(folder / "data.tar") as data, tarfile.open(folder / "models.tar") as models:
        assert export.path in data.getnames()
        assert "trained/sums-1/head.safetensors" in models.getnames()


def test_files_pass_between_machines_that_share_no_folder(settings: Any, bucket: Any, tmp_path: Path) -> None:
    project = make_project()
    an_upload_reaches_a_worker_elsewhere(settings, bucket, project, tmp_path)
    give_label(project, [1, -1])
    export = an_export_is_handed_out_by_the_bucket(settings, project, tmp_path)
    what_was_changed_in_the_bucket_is_refused(settings, bucket, export, tmp_path)
    a_release_is_pushed_by_a_machine_that_did_not_pack_it(settings, project, tmp_path)
    a_trained_prm_is_fetched_whole(settings, tmp_path)
    a_backup_holds_what_only_the_bucket_has(settings, export, tmp_path)


def test_a_disk_beside_a_bucket_forgets_what_nobody_touched_for_a_day_and_keeps_what_is_nowhere_else(
    settings: Any, bucket: Any
) -> None:
    project = make_project()
    make_traces(project)
    give_label(project, [1, 1, -1])
    _, export = exported(project, "neutral")
    kept, whole = settings.DATA_DIR / export.path, exports.finished_file(export).read_bytes()
    stray, fresh = kept.with_name("not-put-yet.jsonl"), kept.with_name("of-today.jsonl")
    for path in (stray, fresh):
        path.write_text("{}\n")
    kept_files.put(fresh)
    assert kept_files.forget_cached() == 0
    for path in (kept, stray):
        os.utime(path, (0, 0))
    assert kept_files.forget_cached() == 1
    assert (kept.exists(), stray.exists(), fresh.exists()) == (False, True, True)
    assert exports.finished_file(export).read_bytes() == whole, "it is fetched when somebody wants it"
    settings.STORAGES = storages("", settings.DATA_DIR, {})
    os.utime(kept, (0, 0))
    assert (kept_files.forget_cached(), kept.exists()) == (0, True), "without a bucket it is the only one"


@pytest.mark.parametrize("beside", [True, False], ids=["with its hash", "alone"])
def test_what_the_bucket_lost_is_said_to_be_lost_and_can_be_made_again(
    settings: Any, bucket: Any, tmp_path: Path, beside: bool
) -> None:
    project = make_project()
    make_traces(project)
    give_label(project, [1, 1, -1])
    admin = make_member(project, "admin")
    release = released(drafted(project, admin), admin)
    export = release.exports.get()
    on_machine(settings, tmp_path / "web")
    for key in objects(bucket):
        if beside or not key.endswith(".sha256"):
            bucket.Object(key).delete()
    for client in (Browser(admin), Program(admin)):
        refused = client.call("GET", f"/api/exports/{export.pk}/download", status=409)
        assert (refused["code"], "Make the export again" in refused["detail"]) == ("export_not_ready", True)
        refused = client.call("GET", f"/api/releases/{release.pk}/download", status=409)
        assert "can have it packed again" in refused["detail"]
    releases.repack_release(release, by=admin)
    again = releases.run_release(release.pk)
    assert (again.status, again.manifest_sha256) == ("succeeded", release.manifest_sha256)
    assert Browser(admin).get(f"/api/releases/{release.pk}/download").status_code == 302


def test_files_of_the_time_before_a_bucket_are_sent_from_the_disk_and_a_folder_that_nobody_kept_is_none(
    settings: Any, bucket: Any
) -> None:
    with_bucket, settings.STORAGES = settings.STORAGES, storages("", settings.DATA_DIR, {})
    project = make_project()
    make_traces(project)
    give_label(project, [1, 1, -1])
    _, export = exported(project, "neutral")
    settings.STORAGES = with_bucket
    assert objects(bucket) == set()
    answer: Any = Browser(make_member(project, "admin")).get(f"/api/exports/{export.pk}/download")
    assert hashlib.sha256(b"".join(answer.streaming_content)).hexdigest() == export.sha256
    trained = settings.MODELS_DIR / "trained" / "sums-1"
    kept_files.fetch_folder_if_missing(trained)
    assert not trained.exists(), "an empty folder would be taken for a PRM"


def test_a_project_is_taken_out_without_the_files_that_a_bucket_has_and_finds_them_there_again(
    settings: Any, bucket: Any, tmp_path: Path
) -> None:
    project = make_project()
    make_traces(project)
    give_label(project, [1, 1, -1])
    _, export = exported(project, "neutral")
    before, whole = objects(bucket), exports.finished_file(export).read_bytes()
    Project.objects.update(status=Project.Status.ARCHIVED)
    project.refresh_from_db()
    path = take_out_project(project, tmp_path / "archive")
    with tarfile.open(path) as archive:
        assert [name for name in archive.getnames() if name.startswith("files/")] == []
    assert objects(bucket) == before
    on_machine(settings, tmp_path / "later")
    bring_back_project(path)
    assert exports.finished_file(Export.objects.get(pk=export.pk)).read_bytes() == whole


@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "not JSON"), ("{}", "needs a bucket"), ('{"bucket": 1}', "a text"), ('{"bucket": "b", "url": "x"}', "http")],
)
def test_a_bucket_that_cannot_be_meant_is_refused_at_the_start(text: str, said: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=said):
        storages(text, Path("/nowhere"), {})


def test_the_doctor_says_when_the_bucket_is_not_to_be_had(bucket: Any, settings: Any) -> None:
    assert bucket_fault() is None
    other = json.dumps({"bucket": "another", "url": bucket.meta.client.meta.endpoint_url, "region": "us-east-1"})
    settings.STORAGES = storages(other, settings.DATA_DIR, KEY)
    assert "another cannot be used (An error occurred (404)" in str(bucket_fault())
    away = json.dumps({"bucket": "stepmark", "url": f"http://127.0.0.1:{free_port(0)}", "region": "us-east-1"})
    settings.STORAGES = storages(away, settings.DATA_DIR, KEY)
    assert "stepmark cannot be used (Could not connect" in str(bucket_fault())
