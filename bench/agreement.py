"""The agreement page over many traces labeled twice: how long its first visitor waits, and the next one.

Also the time that alpha's interval alone would take if the package were called for every resample, as is usual.
"""

import statistics
import time
from typing import Any

import httpx
import krippendorff
import numpy as np

from bench.installation import Installation
from bench.progress import say
from labeling.statistics.agreement import alpha_of_coincidences
from labeling.statistics.intervals import RESAMPLES, of_totals, resampled_counts
from labeling.statistics.label_pairs import coincidences_of

SIZES = (1_000, 10_000)  # traces, each labeled by two labelers
REPEATS = 3
USUAL_RESAMPLES = 20  # measured; each takes the same time
# Two of ten labelers per trace. Each finds the first error in steps 2 to 6, or none; the second sometimes differs.
LABEL_TWICE = """
    INSERT INTO labeling_label (project_id, task_id, labeler_id, status, surplus, claimed_at, submitted_at,
        finish_reason, verdict, finish_detail, confirmations, active_ms, other_active_ms, client_build,
        draft_revision, extra)
    SELECT %(project)s, id, (%(labelers)s::bigint[])[1 + (id + second * (1 + id / 10 %% 9)) %% 10], 'submitted', false,
        now(), now(), CASE WHEN said.verdict < 7 THEN 'found_error' ELSE 'solution' END,
        CASE WHEN said.verdict < 7 THEN said.verdict ELSE -1 END, '{}', '[]', 60000, 0, said.verdict::text, 0, '{}'
    FROM labeling_task task CROSS JOIN generate_series(0, 1) second CROSS JOIN LATERAL (
        SELECT CASE WHEN second = 1 AND id %% 4 = 0 THEN 1 + id / 4 %% 7 ELSE 1 + id / 3 %% 7 END AS verdict) said
    WHERE task.round_id = %(round)s
"""
RATE_STEPS = """
    INSERT INTO labeling_steplabel (label_id, step_index, position, rating, chosen, active_ms, source)
    SELECT label.id, step, 0, CASE WHEN step = client_build::int THEN -1 WHEN step = 2 AND label.id %% 5 = 0 THEN 0
        ELSE 1 END, false, 8000, 'typed'
    FROM labeling_label label CROSS JOIN generate_series(0, 6) step
    WHERE label.project_id = %(project)s AND step <= client_build::int
"""
A_RESEARCHER = (
    "UPDATE labeling_membership SET role = 'researcher' WHERE project_id = %(project)s AND user_id = %(reader)s"
)
ONE_CHANGES = """
    UPDATE labeling_label SET submitted_at = now()
    WHERE id = (SELECT max(id) FROM labeling_label WHERE project_id = %s)
"""


def measure(installation: Installation, *, quick: bool = False) -> dict[str, Any]:
    """Return the seconds of the first and of a later request, by number of traces labeled twice."""
    runs = [one_size(installation, size) for size in SIZES[: 1 if quick else None]]
    return {"runs": runs, "alpha": alpha_alone(SIZES[0 if quick else -1])}


def one_size(installation: Installation, size: int) -> dict[str, Any]:
    """Measure in a new project. A label changes between the first requests, so that nothing is cached."""
    project = installation.run("bench.fill", "--tasks", str(size), "--annotators", "11", "--overlap", "2")
    named = {"project": project["id"], "round": project["round_id"], "labelers": project["labelers"][:10]}
    first: list[float] = []
    later: list[float] = []
    with installation.connect() as connection:
        connection.execute("UPDATE labeling_task SET labels_wanted = 0 WHERE round_id = %(round)s", named)
        connection.execute(LABEL_TWICE, named)
        connection.execute(RATE_STEPS, named)
        connection.execute(A_RESEARCHER, {**named, "reader": project["labelers"][10]})
        connection.execute("ANALYZE")
        for _ in range(REPEATS):
            connection.execute(ONE_CHANGES, [project["id"]])
            for times in (first, later):
                times.append(seconds_of(installation, project))
    found = {"traces": size, "first_seconds": statistics.median(first), "later_seconds": statistics.median(later)}
    say(
        f"agreement: {size:,} traces labeled twice: {found['first_seconds']:.2f} s, then {found['later_seconds']:.3f} s"
    )
    return found


def alpha_alone(size: int) -> dict[str, Any]:
    """Return the CPU seconds of alpha's interval, over generated ratings of five steps by two labelers per trace."""
    first = np.random.default_rng(1).choice(3, size=(size, 5), p=[0.15, 0.05, 0.8])
    second = np.where(np.random.default_rng(2).random((size, 5)) < 0.8, first, 2)
    steps = np.eye(3)[first] + np.eye(3)[second]  # how many labelers gave each rating: (traces, steps, ratings)

    began = time.process_time()
    of_traces = coincidences_of(steps.reshape(-1, 3)).reshape(size, 5, 9).sum(axis=1)
    ours = of_totals(of_traces, alpha_of_coincidences, n=size * 5)
    our_seconds = time.process_time() - began

    [drawn] = resampled_counts(size, USUAL_RESAMPLES, seed=0)
    began = time.process_time()
    usual = [
        krippendorff.alpha(
            value_counts=np.repeat(steps, times.astype(int), axis=0).reshape(-1, 3), level_of_measurement="ordinal"
        )
        for times in drawn
    ]
    seconds = (time.process_time() - began) / USUAL_RESAMPLES * RESAMPLES
    assert ours.value is not None and abs(np.mean(usual) - ours.value) < 0.02  # noqa: PT018  # it is the same figure
    say(f"agreement: alpha's interval over {size:,} traces: {our_seconds:.3f} s; by the package {seconds:.1f} s")
    return {"traces": size, "resamples": RESAMPLES, "ours_seconds": our_seconds, "usual_seconds": seconds}


def seconds_of(installation: Installation, project: dict[str, Any]) -> float:
    """Return the seconds of one request for the page's figures."""
    address = f"http://127.0.0.1:{installation.local.web_port}/api/projects/{project['slug']}/agreement"
    headers = {"Authorization": f"Bearer {project['tokens'][10]}", "Host": "localhost"}
    began = time.perf_counter()
    answer = httpx.get(address, headers=headers, timeout=300)
    answer.raise_for_status()
    return time.perf_counter() - began
