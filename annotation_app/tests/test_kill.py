"""kill -9 of web, worker and Postgres during submissions and imports: nothing is lost, nothing is half done."""

import json
import random
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any

import httpx
import psycopg
import pytest

from annotation_app.local.process import tail
from annotation_app.tests.running_installation import Person, RunningInstallation, installation_folder, wait_for

pytestmark = pytest.mark.slow
TASKS = 120
LABELERS = 4
STEPS = 6
WEB_PROCESS, WEB, DATABASE, WORKER = (
    ("annotation_app.server", True),
    ("annotation_app.server", False),
    ("postgres -D", False),
    ("worker --queues cpu", False),
)
VICTIMS = [WEB_PROCESS, DATABASE, WEB, WORKER, WEB_PROCESS, DATABASE, DATABASE, WEB]
IMPORTED_ROWS = 4_000
UPLOADED_ROWS = 4_000


@pytest.fixture(scope="module")
def installation() -> Iterator[RunningInstallation]:
    """One installation for the tests of this file; each has its own project."""
    with installation_folder() as folder:
        running = RunningInstallation(folder)
        running.migrate()
        running.start()
        running.create_superuser("ada")
        yield running
        running.stop()
        for log in [
            folder / "launcher.log",
            *sorted((folder / "logs").glob("*.log")),
        ]:  # shown by pytest when a test failed
            print(f"--- {log.name}\n{tail(log, 60)}")


@pytest.fixture(scope="module")
def admin(installation: RunningInstallation) -> Person:
    """The superuser's browser."""
    return Person(installation.url).log_in("ada")


def trace_lines(name: str, count: int) -> str:
    """Return `count` right solutions of STEPS steps in the neutral format."""
    rows = (
        {
            "problem_id": f"{name}-{number}",
            "problem": f"{name}: what is {number} + {number}?",
            "ground_truth_answer": str(2 * number),
            "steps": [f"Step {step} of {number}." for step in range(STEPS)],
            "final_answer": str(2 * number),
            "final_answer_correct": True,
        }
        for number in range(count)
    )
    return "".join(json.dumps(row) + "\n" for row in rows)


def upload(admin: Person, slug: str, text: str, status: int = 201) -> int:
    """Upload a file in the neutral format; return the import's id."""
    files = {"file": ("traces.jsonl", text.encode(), "application/json")}
    data = {"format": "neutral"}
    return admin.call("POST", f"/api/projects/{slug}/imports", status=status, files=files, data=data)["id"]


def finished(admin: Person, import_id: int) -> dict[str, Any] | None:
    """Return the import once it has ended, else None."""
    job = admin.call("GET", f"/api/imports/{import_id}")
    return None if job["status"] in ("queued", "running") else job


def open_project(admin: Person, slug: str, traces: int) -> None:
    """Create a project with a round over `traces` imported traces that wants one label each."""
    admin.call("POST", "/api/projects", {"slug": slug, "name": slug}, status=201)
    import_id = upload(admin, slug, trace_lines(slug, traces))
    job = wait_for("the import", lambda: finished(admin, import_id))
    assert job["status"] == "succeeded", job
    admin.call("POST", f"/api/projects/{slug}/rounds", {"name": "All", "source": "all", "overlap": 1}, status=201)


def hire(admin: Person, installation: RunningInstallation, slug: str, username: str) -> Person:
    """A new annotator in the project, by an invitation link."""
    invitation = admin.call("POST", f"/api/projects/{slug}/invitations", {"role": "annotator"}, status=201)
    return Person(installation.url).join(
        "/api" + invitation["url_path"].replace("/invitation/", "/invitations/"), username
    )


def label_all(person: Person, slug: str, acknowledged: dict[int, list[int]]) -> None:
    """Label until nothing is left; `acknowledged` gets what the server confirmed: label id -> ratings."""
    while True:
        claim = person.call("POST", f"/api/projects/{slug}/labels/claim", {"prefetch": True})
        if claim["label"] is None:
            if claim["empty"]["code"] != "all_being_labeled":
                return
            time.sleep(0.1)
            continue
        label_id, steps = claim["label"]["id"], len(claim["label"]["steps"])
        ratings = [random.choice((0, 1)) for _ in range(steps - 1)] + [1]
        body = {"idempotency_key": str(uuid.uuid4()), "finish_reason": "solution", "ratings": ratings}
        answer = person.call("POST", f"/api/labels/{label_id}/submit", body)
        assert not answer["surplus"]
        acknowledged[label_id] = ratings


def assert_kept_once(installation: RunningInstallation, acknowledged: dict[int, list[int]], tasks: int) -> None:
    """Expect the confirmed labels to be stored as rated, one per task, and no task to want another."""
    kept = installation.rows("""
        SELECT label.id, label.task_id, array_agg(step.rating ORDER BY step.step_index)
        FROM labeling_label label JOIN labeling_steplabel step ON step.label_id = label.id
        WHERE label.status = 'submitted' GROUP BY label.id
    """)
    assert {label_id: ratings for label_id, _, ratings in kept} == acknowledged
    assert len({task_id for _, task_id, _ in kept}) == len(kept) == tasks
    wanted = installation.rows("SELECT sum(labels_wanted), min(labels_wanted), max(labels_wanted) FROM labeling_task")
    assert wanted == [(0, 0, 0)]


def holds(acknowledged: dict[int, list[int]], due: int) -> bool:
    """Return whether that many submissions are in."""
    return len(acknowledged) >= due


def kill_one_after_the_other(installation: RunningInstallation, acknowledged: dict[int, list[int]]) -> None:
    """Kill processes spread over the work: the next one once enough was submitted since the last."""
    for number, (word, child) in enumerate(VICTIMS):
        due = TASKS * (number + 1) // (len(VICTIMS) + 1)
        wait_for(f"{due} submissions", partial(holds, acknowledged, due), seconds=300)
        installation.kill(word, child=child)


def test_no_submission_is_lost_doubled_or_half_done_while_everything_is_being_killed(
    installation: RunningInstallation, admin: Person
) -> None:
    open_project(admin, "submissions", TASKS)
    people = [hire(admin, installation, "submissions", f"labeler{number}") for number in range(LABELERS)]
    acknowledged: dict[int, list[int]] = {}
    with ThreadPoolExecutor(LABELERS + 1) as threads:
        kills = threads.submit(kill_one_after_the_other, installation, acknowledged)
        for labeler in [threads.submit(label_all, person, "submissions", acknowledged) for person in people]:
            labeler.result(600)
        kills.result(300)
    assert sum(person.sent_again for person in people) > 0, "nobody noticed"
    assert_kept_once(installation, acknowledged, TASKS)


@pytest.mark.parametrize("victim", ["worker --queues cpu", "postgres -D"])
def test_an_import_whose_worker_or_database_is_killed_happens_once_and_whole(
    installation: RunningInstallation, admin: Person, victim: str
) -> None:
    slug = f"import-{victim.split()[0]}-{uuid.uuid4().hex[:8]}"  # a new name, in case the test is rerun
    admin.call("POST", "/api/projects", {"slug": slug, "name": slug}, status=201)
    with writing_held_up(installation):
        import_id = upload(admin, slug, trace_lines(slug, IMPORTED_ROWS))
        wait_for("the import to be in the middle", lambda: rows_read(installation, import_id) > 0)
        installation.kill(victim)
    wait_for("the database", lambda: admin.call("GET", f"/api/imports/{import_id}"))
    assert count_of(installation, "trace", slug) == 0, "half of it was kept"
    assert finished(admin, import_id) is None

    wait_for("the worker", lambda: len(installation.pids("worker --queues cpu")) > 1)
    # The effect of a minute of silence: the lease expires. The sweep then finds the job on its own.
    installation.execute("UPDATE labeling_importjob SET leased_until = now() WHERE id = %s", import_id)
    job = wait_for("the sweep to find the import", lambda: finished(admin, import_id))
    assert job["status"] == "succeeded", job
    assert job["report"]["traces"]["new"] == IMPORTED_ROWS
    assert count_of(installation, "trace", slug) == count_of(installation, "problem", slug) == IMPORTED_ROWS


@contextmanager
def writing_held_up(installation: RunningInstallation) -> Iterator[None]:
    """Make an import wait halfway on any machine: rows are read, but no problem can be written."""
    lock = psycopg.connect(installation.env["DATABASE_URL"])
    lock.execute("LOCK TABLE labeling_problem IN SHARE MODE")
    yield
    lock.close()


def rows_read(installation: RunningInstallation, import_id: int) -> int:
    """Return the progress that a running import reports."""
    found = installation.rows(
        "SELECT rows_done FROM labeling_importjob WHERE id = %s AND status = 'running'", import_id
    )
    return found[0][0] if found else 0


def count_of(installation: RunningInstallation, table: str, slug: str) -> int:
    """Count a project's traces or problems."""
    query = "SELECT count(*) FROM labeling_problem problem JOIN labeling_project project ON project.id = project_id"
    if table == "trace":
        query += " JOIN labeling_trace trace ON trace.problem_id = problem.id"
    return installation.rows(query + " WHERE slug = %s", slug)[0][0]


def test_an_upload_cut_by_a_killed_web_server_leaves_no_job_and_may_be_sent_again(
    installation: RunningInstallation, admin: Person
) -> None:
    slug = f"upload-{uuid.uuid4().hex[:8]}"
    admin.call("POST", "/api/projects", {"slug": slug, "name": slug}, status=201)
    text = trace_lines(slug, UPLOADED_ROWS)
    head = '--cut\r\nContent-Disposition: form-data; name="file"; filename="traces.jsonl"\r\n\r\n'
    body = f"{head}{text}\r\n--cut--\r\n".encode()

    def half_then_a_kill_then_the_rest() -> Iterator[bytes]:
        yield body[: len(body) // 2]
        installation.kill("annotation_app.server")
        yield body[len(body) // 2 :]

    headers = {"X-CSRFToken": admin.client.cookies["csrftoken"], "Content-Length": str(len(body))}
    headers["Content-Type"] = "multipart/form-data; boundary=cut"
    with pytest.raises(httpx.TransportError):
        admin.client.post(f"/api/projects/{slug}/imports", content=half_then_a_kill_then_the_rest(), headers=headers)
    assert admin.call("GET", f"/api/projects/{slug}/imports")["results"] == []

    import_id = upload(admin, slug, text)
    assert wait_for("the import", lambda: finished(admin, import_id))["status"] == "succeeded"
    assert count_of(installation, "trace", slug) == UPLOADED_ROWS
