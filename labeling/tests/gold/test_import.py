"""Gold from a file: by the command, and as an option of an upload."""

import json
from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from labeling.actions.imports import run_import
from labeling.models import Gold, Trace
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project

pytestmark = pytest.mark.django_db(transaction=True)

ROWS = [
    {"problem": "One?", "steps": ["a", "b"], "first_error": 1},
    {"problem": "Two?", "steps": ["a", "b"], "first_error": -1},
    {"problem": "Three?", "steps": ["a", "b"], "step_labels": [1, -1]},
    {"problem": "Four?", "steps": ["a", "b"], "step_labels": [1, 0]},
]


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_rows_that_tell_their_first_error_become_gold_and_a_second_time_stay_as_they_are(tmp_path):
    project = make_project()
    file = write(tmp_path / "gold.jsonl", ROWS)
    said = StringIO()
    call_command("import_gold", project.slug, file, stdout=said)
    assert "gold: 4 new, 0 already known" in said.getvalue()
    found = dict(Gold.objects.values_list("trace__problem__text", "acceptable"))
    assert found == {"One?": [1], "Two?": [-1], "Three?": [1], "Four?": [-1]}
    Gold.objects.update(acceptable=[0])
    call_command("import_gold", project.slug, file, stdout=said)
    assert set(Gold.objects.values_list("acceptable__0", flat=True)) == {0}


def test_a_row_that_tells_no_first_error_is_named_by_its_line_and_nothing_is_imported(tmp_path):
    project = make_project()
    rows = [*ROWS, {"problem": "Five?", "steps": ["a", "b"], "step_labels": [1, None]}, {"problem": "Six?"}]
    said = StringIO()
    with pytest.raises(CommandError):
        call_command("import_gold", project.slug, write(tmp_path / "gold.jsonl", rows), stdout=said)
    assert "line 5, first_error" in said.getvalue()
    assert "line 6" in said.getvalue()
    assert (Gold.objects.count(), Trace.objects.count()) == (0, 0)


def test_an_upload_makes_gold_only_for_an_admin():
    project = make_project()
    content = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
    for role, status in (("researcher", 403), ("admin", 201)):
        browser = Browser(make_member(project, role))
        fields = {"file": SimpleUploadedFile("gold.jsonl", content), "format": "neutral", "as_gold": "true"}
        answer = browser.upload(f"/api/projects/{project.slug}/imports", fields)
        assert answer.status_code == status
    report = run_import(answer.json()["id"]).report
    assert report["gold"] == {"new": 4, "known": 0}
