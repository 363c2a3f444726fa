"""An import's result does not depend on the batches in which rows are written while others are read."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labeling.actions import import_staging
from labeling.models import Label, Problem, Project, RecordedVerdict, Trace
from labeling.queries.planner import MANY
from labeling.tests.factories import make_project
from labeling.tests.imports.files import import_bytes, lines, neutral_row, prm800k_row
from labeling.tests.imports.test_held_out import hold_out

pytestmark = pytest.mark.django_db(transaction=True)

HELD_OUT = "What is held out?"
PROBLEMS = ["What is $1+1$?", "What  is $1+1$?", "What is $2+2$?", HELD_OUT]
ROWS = st.builds(
    neutral_row,
    st.sampled_from(PROBLEMS),
    st.sampled_from([["One."], ["One.", "Two."], ["Three."]]),
    ground_truth_answer=st.sampled_from(["2", "4"]),
    subject=st.sampled_from(["", "Algebra"]),
    split=st.sampled_from(["train", "held_out"]),
    first_error=st.sampled_from([-1, 0]),
    suggestions=st.just([]),
)


def made_of(project: Project, rows: list[dict[str, Any]], folder: Path) -> dict[str, Any]:
    """Return everything that an import of these rows writes, in order, without ids."""
    job = import_bytes(project, lines(*rows), folder, skip_faulty=True)
    about = ("text", "external_id", "answer", "subject", "split", "level")
    said = ("problem__text", "steps", "metadata", "recorded_first_error", "outcome")
    verdicts = RecordedVerdict.objects.filter(trace__project=project).order_by("pk")
    return {
        "status": job.status,
        "report": job.report,
        "problems": list(Problem.objects.filter(project=project).order_by("pk").values_list(*about)),
        "traces": list(Trace.objects.filter(project=project).order_by("pk").values_list(*said)),
        "verdicts": list(verdicts.values_list("trace__steps", "line", "first_error")),
    }


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(known=st.lists(ROWS, max_size=3), rows=st.lists(ROWS, min_size=1, max_size=9), size=st.integers(1, 4))
def test_batches_of_any_size_make_what_one_makes(
    tmp_path: Path, known: list[dict[str, Any]], rows: list[dict[str, Any]], size: int
) -> None:
    hold_out(HELD_OUT)
    made = []
    for batch in (import_staging.BATCH_ROWS, size):
        project = make_project()
        made_of(project, known, tmp_path)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(import_staging, "BATCH_ROWS", batch)
            made.append(made_of(project, rows, tmp_path))
    assert made[1] == made[0]


def test_labels_come_once_whatever_batches_they_are_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_staging, "BATCH_ROWS", 2)
    project = make_project()
    rows = [prm800k_row(f"Problem {number % 4}?", labeler=f"labeler-{number % 3}") for number in range(12)]
    job = import_bytes(project, lines(*rows, *rows), tmp_path)
    assert job.report["labels"] == {"new": 12, "duplicate_in_file": 12, "known": 0}
    assert job.report["traces"] == {"new": 4, "duplicate_in_file": 20, "known": 0}
    assert job.report["problems"] == {"new": 4, "known": 0}
    assert Label.objects.filter(project=project).count() == 12


@contextmanager
def before_statement(fits: Callable[[str], bool], do: Callable[[], None]) -> Iterator[None]:
    """Before the first matching statement, do something once over another connection."""
    done: list[bool] = []

    def do_and_close() -> None:
        do()
        connection.close()

    def watch(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if not done and fits(sql):
            done.append(True)
            other = threading.Thread(target=do_and_close)
            other.start()
            other.join()
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        yield
    assert done


def test_a_list_that_is_added_while_rows_are_merged_holds_for_all_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_staging, "BATCH_ROWS", 2)
    project = make_project()
    rows = [neutral_row(text, [f"Step {number}."]) for number in range(3) for text in (HELD_OUT, f"Problem {number}?")]
    with before_statement(lambda sql: "INSERT INTO labeling_trace " in sql, lambda: hold_out(HELD_OUT)):
        job = import_bytes(project, lines(*rows), tmp_path, skip_faulty=True)
    (kind,) = job.report["faults"]["kinds"]
    assert (kind["kind"], kind["count"], kind["examples"][0]["line"]) == ("held_out_problem", 1, 1)
    assert job.report["traces"] == {"new": 3, "duplicate_in_file": 0, "known": 0}
    assert not Problem.objects.filter(project=project, text=HELD_OUT).exists()


def test_an_import_that_begins_again_reads_as_it_did_the_first_time(tmp_path: Path) -> None:
    """The format was detected: it may not skip what an explicitly requested format may skip."""
    rows: list[dict[str, Any]] = [{"question": "Q1?", "answer": "1"}, {"question": HELD_OUT, "answer": "2"}]
    rows.append({"question": "Q3?", "answer": "1", "responses": ["a", "b"]})
    with before_statement(lambda sql: "INSERT INTO labeling_problem" in sql, lambda: hold_out(HELD_OUT)):
        job = import_bytes(make_project(), lines(*rows), tmp_path, skip_faulty=True)
    found = {one["kind"]: one["examples"][0]["line"] for one in job.report["faults"]["kinds"]}
    assert found == {"traces_lost": 3, "held_out_problem": 2}


def test_a_list_that_is_added_at_the_very_end_holds_out_what_the_import_brings(tmp_path: Path) -> None:
    """It waits for the import's end, and marks the imported traces."""
    project = make_project()
    lists: list[threading.Thread] = []

    def begin_a_list() -> None:
        lists.append(threading.Thread(target=hold_out_elsewhere))
        lists[0].start()
        lists[0].join(1)  # it waits, and nothing waits for it

    said: list[str] = []

    def is_its_end(sql: str) -> bool:
        said.append(sql)
        return "labeling_importjob" in sql and any("INSERT INTO labeling_label" in one for one in said)

    with before_statement(is_its_end, begin_a_list):
        import_bytes(project, lines(prm800k_row(HELD_OUT)), tmp_path)
    lists[0].join()
    assert Problem.objects.get(project=project).split == "held_out"


def hold_out_elsewhere() -> None:
    hold_out(HELD_OUT)
    connection.close()


def test_an_import_that_is_still_reading_holds_up_none_of_another_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_staging, "BATCH_ROWS", MANY + 500)
    rows = lines(*(neutral_row(f"Problem {number}?") for number in range(2 * MANY + 1_000)))
    slow, quick = make_project(), make_project()
    folder = tmp_path / "slow"  # its file is read while the other is written
    folder.mkdir()
    reached, let_go = threading.Event(), threading.Event()
    seen: list[str] = []

    def wait() -> None:
        reached.set()
        assert let_go.wait(60)

    def its_second_batch(sql: str) -> bool:
        seen.append(sql)
        return sum("INSERT INTO labeling_trace" in one for one in seen) > 1

    def read_slowly() -> None:
        with before_statement(its_second_batch, wait):
            import_bytes(slow, rows, folder)
        connection.close()

    reader = threading.Thread(target=read_slowly)
    reader.start()
    try:
        assert reached.wait(60)
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '20s'")
        assert import_bytes(quick, rows, tmp_path).status == "succeeded"
    finally:
        let_go.set()
        reader.join()
        with connection.cursor() as cursor:
            cursor.execute("RESET lock_timeout")
    assert Problem.objects.filter(project=slow).count() == 2 * MANY + 1_000
