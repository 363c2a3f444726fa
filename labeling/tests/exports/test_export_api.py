"""Exports over the API and by `manage.py export_labels`."""

import gzip
import io
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from labeling.actions.exports import create_export, finished_file, run_export
from labeling.errors import InvalidFields
from labeling.formats.exports import EXPORT_FORMATS
from labeling.models import AuditEvent, Export, Label, Project
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project
from labeling.tests.imports.files import import_bytes, lines, prm800k_row

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = make_project("algebra")
    import_bytes(project, lines(prm800k_row()), tmp_path)
    return project


@pytest.fixture
def researcher(project: Project) -> Browser:
    return Browser(make_member(project, "researcher"))


def finished(researcher: Browser, **body: Any) -> dict[str, Any]:
    made = researcher.call("POST", "/api/projects/algebra/exports", {"format": "prm800k", **body}, status=201)
    run_export(made["id"])
    return researcher.call("GET", f"/api/exports/{made['id']}")


def test_an_export_is_asked_for_watched_and_downloaded_with_its_manifest(researcher: Browser) -> None:
    export = finished(researcher, gzip=True, roles={"prm": "none"})
    assert (export["status"], export["rows"], export["error"]) == ("succeeded", 1, "")
    assert export["progress"] == {"labels_done": 1, "labels_total": 1}
    answer = researcher.get(f"/api/exports/{export['id']}/download")
    assert answer["Content-Disposition"] == f'attachment; filename="algebra-prm800k-{export["id"]}.jsonl.gz"'
    assert answer["Content-Type"] == "application/gzip"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert json.loads(gzip.decompress(answer.getvalue())) == prm800k_row()
    manifest = researcher.get(f"/api/exports/{export['id']}/manifest")
    assert (manifest.json()["roles"]["prm"], manifest.json()["file"]["sha256"]) == ("none", export["sha256"])
    hashes = researcher.get(f"/api/exports/{export['id']}/row_hashes")
    assert hashes.getvalue().decode().split() == manifest.json()["row_hashes"]["list"]
    assert AuditEvent.objects.filter(action="export.download", target=f"export {export['id']}").count() == 1
    listed = researcher.call("GET", "/api/projects/algebra/exports")["results"]
    assert [item["id"] for item in listed] == [export["id"]]


def test_a_download_before_the_end_says_so(researcher: Browser) -> None:
    made = researcher.call("POST", "/api/projects/algebra/exports", {"format": "neutral"}, status=201)
    for part in ("download", "manifest", "row_hashes"):
        refused = researcher.call("GET", f"/api/exports/{made['id']}/{part}", status=409)
        assert (refused["code"], refused["status"]) == ("export_not_ready", "queued")
    run_export(made["id"])
    finished_file(Export.objects.get(pk=made["id"])).unlink()
    gone = researcher.call("GET", f"/api/exports/{made['id']}/download", status=409)
    assert "Make the export again" in gone["detail"]


def test_an_export_that_cannot_be_is_refused_with_its_fields(researcher: Browser) -> None:
    for body, field in (
        ({"format": "csv"}, "format"),
        ({"format": "neutral", "switches": {"neutral": "x"}}, "neutral"),
        ({"format": "neutral", "filters": {"rounds": ["x"]}}, "filters"),
        ({"format": "neutral", "filters": {"rounds": [2**70]}}, "filters"),
        ({"format": "neutral", "filters": {"finish": ["done"]}}, "filters"),
        ({"format": "neutral", "roles": {"prm": ""}}, "prm"),
        ({"format": "neutral", "gzip": "maybe"}, "gzip"),
    ):
        refused = researcher.call("POST", "/api/projects/algebra/exports", body, status=400)
        assert field in refused["fields"], (body, refused)
    assert not Export.objects.exists()


def test_every_listed_choice_of_every_format_may_be_asked_for(researcher: Browser) -> None:
    listed = researcher.call("GET", "/api/export_formats")
    assert [one["name"] for one in listed["formats"]] == list(EXPORT_FORMATS)
    for one in listed["formats"]:
        assert one["group"] in ("label", "trace", "problem")
        assert one["kind"] in {kind["name"] for kind in listed["kinds"]}
        values = {switch["name"]: [choice["value"] for choice in switch["choices"]] for switch in one["switches"]}
        assert all(choice["means"] for switch in one["switches"] for choice in switch["choices"])
        untouched = made_with(researcher, one["name"], {})
        assert untouched == {name: choices[0] for name, choices in values.items()}, "the first is the default"
        for place in range(max(map(len, values.values()))):
            asked = {name: choices[min(place, len(choices) - 1)] for name, choices in values.items()}
            assert made_with(researcher, one["name"], asked) == asked
    containers = [(one["name"], one["ending"], one["content_type"]) for one in listed["containers"]]
    assert containers == [
        ("json_lines", ".jsonl", "application/x-ndjson"),
        ("parquet", ".parquet", "application/vnd.apache.parquet"),
    ]
    said = {part: {entry["name"]: "x" for entry in listed[part]} for part in ("roles", "statements")}
    assert (len(said["roles"]), len(said["statements"])) == (8, 4)
    researcher.call("POST", "/api/projects/algebra/exports", {"format": "neutral", **said}, status=201)


def made_with(researcher: Browser, format: str, switches: dict[str, str]) -> dict[str, str]:
    """Return the stored switches of an export."""
    asked = {"format": format, "switches": switches}
    kept: dict[str, str] = researcher.call("POST", "/api/projects/algebra/exports", asked, status=201)["config"][
        "switches"
    ]
    return kept


def test_labels_of_some_people_in_some_days_are_asked_for(researcher: Browser, project: Project) -> None:
    label = Label.objects.get()
    assert label.submitted_at is not None
    start, end = (label.submitted_at + timedelta(minutes=minutes) for minutes in (0, 1))
    filters = {"labelers": [label.labeler_id], "since": start.isoformat(), "until": end.isoformat()}
    asked = {"format": "prm800k", "filters": filters}
    made = researcher.call("POST", "/api/projects/algebra/exports", asked, status=201)
    assert made["config"]["filters"] == filters
    done = run_export(made["id"])
    assert done is not None
    assert (done.status, done.rows) == ("succeeded", 1)
    swapped = {"format": "prm800k", "filters": {"since": end.isoformat(), "until": start.isoformat()}}
    refused = researcher.call("POST", "/api/projects/algebra/exports", swapped, status=400)
    assert refused["fields"]["filters"] == ["Choose an `until` that is later than `since`: nothing lies between them."]


def test_how_many_labels_an_export_would_hold_is_told_before_it_is_asked_for(researcher: Browser) -> None:
    def told(**asked: Any) -> int:
        answer = researcher.call("POST", "/api/projects/algebra/exports/preview", {"format": "prm800k", **asked})
        labels: int = answer["labels"]
        return labels

    submitted = Label.objects.get().submitted_at
    assert submitted is not None
    later = {"filters": {"since": (submitted + timedelta(minutes=1)).isoformat()}}
    for asked, labels in (({}, 1), (later, 0), ({"switches": {"imported": "exclude"}}, 0)):
        assert told(**asked) == finished(researcher, **asked)["progress"]["labels_total"] == labels
    unknown = {"format": "prm800k", "filters": {"rounds": [10**9]}}
    refused = researcher.call("POST", "/api/projects/algebra/exports/preview", unknown, status=400)
    assert "no round with the id" in refused["fields"]["filters"][0]
    assert Export.objects.count() == 3, "a question makes none"


def test_only_researchers_of_the_project_export_and_download(researcher: Browser, project: Project) -> None:
    export = finished(researcher)
    annotator, stranger = Browser(make_member(project)), Browser(make_member(make_project(), "admin"))
    assert annotator.call("POST", "/api/projects/algebra/exports", {"format": "neutral"}, status=403)
    assert annotator.call("GET", "/api/projects/algebra/exports", status=403)
    assert stranger.call("POST", "/api/projects/algebra/exports", {"format": "neutral"}, status=404)
    for other in (annotator, stranger):
        for part in ("", "/download", "/manifest", "/row_hashes"):
            assert other.call("GET", f"/api/exports/{export['id']}{part}", status=404)["code"] == "not_found"
    assert Browser().call("GET", f"/api/exports/{export['id']}/download", status=401)


def test_listing_exports_takes_a_fixed_number_of_queries(
    researcher: Browser, django_assert_max_num_queries: Any
) -> None:
    for _ in range(3):
        finished(researcher)
    with django_assert_max_num_queries(4):
        assert len(researcher.call("GET", "/api/projects/algebra/exports")["results"]) == 3


def run(*words: str) -> str:
    out = io.StringIO()
    call_command("export_labels", *words, stdout=out)
    return out.getvalue()


def test_the_command_writes_the_file_and_its_manifest(project: Project, tmp_path: Path) -> None:
    said = run("algebra", "--gzip", "--output", str(tmp_path / "out"))
    export = Export.objects.get()
    assert f"1 row of 1 label, {export.bytes} bytes" in said
    assert export.snapshot_id in said
    copied = tmp_path / "out" / f"algebra-prm800k-{export.pk}.jsonl.gz"
    assert json.loads(gzip.decompress(copied.read_bytes())) == prm800k_row()
    assert json.loads((tmp_path / "out" / "manifest.json").read_text()) == export.manifest
    again = run("algebra", "--again", str(export.pk))
    assert f"sha256 {export.sha256}" in again


def test_the_command_takes_filters_and_switches(project: Project) -> None:
    assert "0 rows" in run("algebra", "--format", "neutral", "--finish", "solution")
    said = run("algebra", "--format", "neutral", "--round", "1", "--switch", "after_error=truncate")
    assert "1 row of" in said
    assert Export.objects.latest("id").config["switches"]["after_error"] == "truncate"


def test_the_command_takes_labels_of_some_people_in_some_days(project: Project) -> None:
    label = Label.objects.select_related("labeler").get()
    assert label.submitted_at is not None
    mine = ["algebra", "--labeler", label.labeler.username]
    day, later = label.submitted_at.date(), label.submitted_at + timedelta(seconds=1)
    assert "1 row of" in run(*mine, "--since", str(day), "--until", later.isoformat())
    kept = Export.objects.latest("id").config["filters"]
    since = f"{day}T00:00:00+00:00"
    assert kept == {"labelers": [label.labeler_id], "since": since, "until": later.isoformat()}
    assert "0 rows" in run(*mine, "--since", later.isoformat())
    assert "0 rows" in run(*mine, "--until", str(day))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["geometry"], "There is no project geometry. Make it in the browser first."),
        (["algebra", "--round", "9"], "algebra has no round 9."),
        (["algebra", "--labeler", "nobody-here"], "There is no user named nobody-here."),
        (["algebra", "--since", "yesterday"], "yesterday is not a time. Write 2026-11-25 or"),
        (["algebra", "--since", "2026-02-02", "--until", "2026-02-01"], "nothing lies between them"),
        (["algebra", "--switch", "neutral"], "Write --switch NAME=VALUE"),
        (["algebra", "--switch", "after_error=truncate"], "prm800k rows contain everything"),
        (["algebra", "--again", "12345"], "algebra has no export 12345."),
    ],
)
def test_the_command_tells_what_is_wrong(project: Project, words: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        run(*words)


def test_a_format_that_there_is_not_is_refused_with_those_that_there_are(project: Project) -> None:
    with pytest.raises(InvalidFields) as refused:
        create_export(project, by=None, format="parquet")
    assert refused.value.extra["fields"] == {"format": [f"Choose one of {', '.join(EXPORT_FORMATS)}."]}
    assert not Export.objects.exists()
