"""Claiming and submitting over HTTP on the real servers, by number of annotators and size of the queue."""

import json
import secrets
import statistics
import sys
import time
from typing import Any

import httpx

from bench.installation import Installation
from bench.load import RECORDED
from bench.progress import say

SIZES = (10_000, 100_000, 1_000_000)
ANNOTATORS = (1, 10, 50)
SECONDS = 8.0
PACE = 0.5  # seconds per label: thirty times as fast as a person who rates a step in two seconds
WARM_UP = 1.5
OLD_HAND = 10_000  # tasks at the head of the queue that one labeler has already labeled
PEER_SIZE = 100_000
PASSWORD = secrets.token_urlsafe(12)

# A general-purpose tool's claim: count the labels of every task while looking for one.
PEER_CLAIM = """
    SELECT task.id FROM labeling_task task LEFT JOIN labeling_label label
        ON label.task_id = task.id AND label.status IN ('prefetched', 'open', 'submitted')
    WHERE task.round_id = %(round)s
    GROUP BY task.id
    HAVING count(label.id) < %(overlap)s AND count(*) FILTER (WHERE label.labeler_id = %(labeler)s) = 0
    ORDER BY task.order_key, task.id LIMIT 1
"""
LABEL_THE_HEAD = """
    WITH head AS (
        UPDATE labeling_task SET labels_wanted = labels_wanted - 1 WHERE id IN (
            SELECT id FROM labeling_task WHERE round_id = %(round)s AND labels_wanted > 0
            ORDER BY order_key, id LIMIT %(count)s)
        RETURNING id)
    INSERT INTO labeling_label (project_id, task_id, labeler_id, status, surplus, claimed_at, submitted_at,
        finish_reason, verdict, finish_detail, confirmations, active_ms, other_active_ms, client_build,
        draft_revision, extra)
    SELECT %(project)s, id, %(labeler)s, 'submitted', false, now(), now(), 'solution', -1, '{}', '[]', 0, 0, '',
        0, '{}'
    FROM head
"""


def measure(installation: Installation, *, quick: bool = False) -> dict[str, Any]:
    """Return all runs in the order in which they were made; queues of earlier runs stay in the database."""
    runs = []
    peer = {}
    for size in SIZES[:1] if quick else SIZES:
        began = time.monotonic()
        project = installation.run("bench.fill", "--tasks", str(size), BENCH_PASSWORD=PASSWORD)
        say(f"http: {size:,} tasks made in {time.monotonic() - began:.0f} s")
        for count in ANNOTATORS:
            runs.append(one_run(installation, project, count, quick=quick))
        if size < 10 * OLD_HAND:  # the runs before have labeled most of it
            project = installation.run("bench.fill", "--tasks", str(size), BENCH_PASSWORD=PASSWORD)
        label_the_head(installation, project)  # one of the ten is an old hand
        runs.append(one_run(installation, project, 10, as_page=True, quick=quick))
        runs.append(one_run(installation, project, 10, as_page=True, one_draft=True, quick=quick))
        runs.append(one_run(installation, project, 10, pace=PACE, quick=quick))
        if size == PEER_SIZE or quick:
            peer = claim_statements(installation, project)
    project = installation.run("bench.fill", "--tasks", str(SIZES[0] if quick else SIZES[1]), "--overlap", "2")
    label_the_head(installation, project)
    runs.append(one_run(installation, project, 1, old_hand=True, quick=quick))
    return {"runs": runs, "peer": peer}


def one_run(
    installation: Installation,
    project: dict[str, Any],
    annotators: int,
    *,
    as_page: bool = False,
    one_draft: bool = False,
    old_hand: bool = False,
    pace: float = 0,
    quick: bool = False,
) -> dict[str, Any]:
    """Run this many annotators at once for a few seconds: without a pause, or one label each per `pace` seconds."""
    port = installation.local.web_port
    tokens, names = project["tokens"][:annotators], project["usernames"][:annotators]
    spec = {
        "port": port,
        "slug": project["slug"],
        "headers": [session_of(port, name) for name in names]
        if as_page
        else [[f"Authorization: Bearer {one}"] for one in tokens],
        "seconds": SECONDS / 4 if quick else SECONDS,
        "warm_up": WARM_UP,
        "traffic": recorded(one_draft=one_draft) if as_page else [],
        "pace": pace,
    }
    path = installation.local.folder / "load.json"
    path.write_text(json.dumps(spec))
    before = installation.cpu_seconds()
    found = installation.run("bench.load", str(path))
    spent = {name: now - before[name] for name, now in installation.cpu_seconds().items()}
    labels = len(found["milliseconds"].get("submit", []))
    share = found["seconds"] / (found["seconds"] + WARM_UP)  # of the CPU time, which includes the warm-up
    run = {
        "tasks": project["tasks"],
        "annotators": annotators,
        "as_page": as_page,
        "one_draft": one_draft,
        "old_hand": old_hand,
        "pace": pace,
        "labels": labels,
        "labels_per_second": labels / found["seconds"],
        "latency_ms": {kind: spread(values) for kind, values in found["milliseconds"].items()},
        "refused": found["refused"],
        "generator_cpu_share": found["cpu_share"],
        "cpu_ms_per_label": {name: 1000 * share * seconds / max(labels, 1) for name, seconds in spent.items()},
    }
    say(f"http: {describe(run)}")
    return run


def recorded(*, one_draft: bool) -> list[list[dict[str, Any]]]:
    """Return the page's requests, submission by submission; with `one_draft`, only the last draft of each.

    A draft is sent after a second and a half (draftSaver.ts): slow readers send one per step, faster ones fewer.
    """
    labels: list[list[dict[str, Any]]] = json.loads(RECORDED.read_text())["labels"]
    if not one_draft:
        return labels
    found = []
    for sent in labels:
        drafts = [place for place, one in enumerate(sent) if one["path"].endswith("/draft")]
        found.append([one for place, one in enumerate(sent) if place not in drafts[:-1]])
    return found


def session_of(port: int, username: str) -> list[str]:
    """Log in and return the header lines of the session. Raises HTTPStatusError."""
    with httpx.Client(base_url=f"http://localhost:{port}") as client:
        client.get("/api/session")
        about = {"username": username, "password": PASSWORD}
        client.post("/api/session/login", json=about, headers=token_of(client)).raise_for_status()
        cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        return [
            f"Cookie: {cookies}",
            "Accept: application/json",
            *(f"{name}: {value}" for name, value in token_of(client).items()),
        ]


def token_of(client: httpx.Client) -> dict[str, str]:
    """Return the header that identifies a request as the page's own."""
    return {"X-CSRFToken": client.cookies["csrftoken"]}


def label_the_head(installation: Installation, project: dict[str, Any]) -> None:
    """Insert labels by the project's first annotator on the first OLD_HAND tasks of the queue."""
    with installation.connect() as connection:
        sizes = {**project, "round": project["round_id"], "labeler": project["labelers"][0], "project": project["id"]}
        connection.execute(LABEL_THE_HEAD, {**sizes, "count": min(OLD_HAND, project["tasks"] // 2)})
        connection.execute("ANALYZE labeling_label, labeling_task")


def claim_statements(installation: Installation, project: dict[str, Any], repeats: int = 15) -> dict[str, Any]:
    """Time a claim statement that counts labels, in milliseconds, to compare with our claims on the same queue."""
    named = {"round": project["round_id"], "overlap": 1, "labeler": project["labelers"][0]}
    times = []
    with installation.connect() as connection:
        for _ in range(repeats):
            began = time.perf_counter()
            connection.execute(PEER_CLAIM, named).fetchone()
            times.append((time.perf_counter() - began) * 1000)
    say(f"http: a claim that counts labels needs {statistics.median(times):.0f} ms in the database alone")
    return {"tasks": project["tasks"], "statement_ms": spread(times)}


def spread(values: list[float]) -> dict[str, float]:
    """Return the number, median, 95th and 99th percentile, and maximum."""
    ordered = sorted(values)
    at = {f"p{q}": ordered[min(len(ordered) - 1, len(ordered) * q // 100)] for q in (50, 95, 99)}
    return {"count": len(ordered), **at, "max": ordered[-1]}


def describe(run: dict[str, Any]) -> str:
    """Summarise a run in one line of progress output."""
    kinds = ", ".join(f"{kind} p95 {times['p95']:.1f} ms" for kind, times in run["latency_ms"].items())
    way = (
        f" as the page does{', one draft' if run['one_draft'] else ''}"
        if run["as_page"]
        else " after 10,000 own labels"
        if run["old_hand"]
        else ""
    )
    way += f", one label in {run['pace']} s each" if run["pace"] else ""
    refused = f", REFUSED {run['refused']}" if run["refused"] else ""
    return (
        f"{run['tasks']:,} tasks, {run['annotators']} annotators{way}: {run['labels_per_second']:.0f} labels/s,"
        f" {kinds}, generator {run['generator_cpu_share']:.0%} of a core{refused}"
    )


if __name__ == "__main__":
    sys.exit("Run `make bench`, or `python -m bench http`.")
