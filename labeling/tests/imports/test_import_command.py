"""`manage.py import_traces` as an operator runs it."""

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from labeling.models import ImportJob, Trace
from labeling.tests.factories import make_project
from labeling.tests.imports.files import lines, neutral_row, prm800k_row

pytestmark = pytest.mark.django_db(transaction=True)


def run(*words: str) -> str:
    out = io.StringIO()
    call_command("import_traces", *words, stdout=out)
    return out.getvalue()


def refused(*words: str) -> tuple[str, int]:
    with pytest.raises(CommandError) as error:
        run(*words)
    return str(error.value), error.value.returncode


@pytest.fixture
def file(tmp_path: Path) -> Path:
    make_project("algebra")
    return tmp_path / "rows.jsonl"


def test_it_says_what_format_it_found_and_what_is_new(file: Path) -> None:
    file.write_bytes(lines(prm800k_row(), prm800k_row(labeler="labeler-b")))
    said = run("algebra", str(file))
    assert "2 rows, format prm800k (detected from the first row" in said
    assert "traces: 1 new, 0 already known, 1 repeated in the file" in said
    assert "labels: 2 new" in said
    assert said.endswith("Imported.\n")
    assert file.exists(), "an operator's own file is left alone"


def test_faults_are_shown_with_line_and_way_out_and_the_exit_code_is_2(
    file: Path, capsys: pytest.CaptureFixture
) -> None:
    file.write_bytes(lines(neutral_row(), neutral_row(steps=["a", ""])))
    message, code = refused("algebra", str(file))
    assert code == 2
    assert "Nothing was imported" in message
    assert not Trace.objects.exists()
    said = run("algebra", str(file), "--skip-faulty")
    assert "line 2, steps[1]: '' -> Remove the empty step" in said
    assert Trace.objects.count() == 1


def test_a_dry_run_imports_nothing_and_exits_with_2_on_faults(file: Path) -> None:
    file.write_bytes(lines(neutral_row()))
    assert "Dry run: nothing was imported." in run("algebra", str(file), "--dry-run")
    file.write_bytes(lines(neutral_row(), b"{\n"))
    assert refused("algebra", str(file), "--dry-run") == ("The file has faults.", 2)
    assert not Trace.objects.exists()


def test_a_wrong_project_or_file_is_told(file: Path) -> None:
    assert refused("geometry", str(file)) == ("There is no project geometry. Make it in the browser first.", 1)
    message, code = refused("algebra", str(file))
    assert (message.startswith("There is no file"), code) == (True, 1)
    assert not ImportJob.objects.exists()


def test_a_format_that_does_not_fit_tells_the_faults_of_every_row(file: Path) -> None:
    file.write_bytes(lines(prm800k_row()))
    message, code = refused("algebra", str(file), "--format", "neutral")
    assert code == 2
