"""Everything is killed while twenty people label and every kind of job runs: is a label lost, or counted twice?

`python -m bench.chaos --minutes 3` starts the real launcher with a tiny PRM. Twenty people label without a pause while
an import, an export, a round that a PRM scores, and a training run continuously. Each kind of process gets `kill -9`
in turn: web processes and their parent, cpu and gpu workers and their child processes, the clock with its worker,
Postgres and single connections to it, and Valkey. Then the killing stops, each kind of job must finish, and the tables
are checked against what people were told. Exits with 0, or with 1 and sentences that say what is wrong. Writes
bench/results/chaos.json. Not part of `make bench`.
"""

import argparse
import json
import random
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any

from annotation_app.local.installation import BASES
from annotation_app.tests.running_installation import (
    Person,
    RunningInstallation,
    installation_folder,
    processes_of,
    wait_for,
)
from annotation_app.tests.test_kill import finished, hire, upload
from bench.machine import machine
from bench.progress import say
from bench.report import RESULTS
from worker.random_prm import write_checkpoint

LABELERS = 20
SLUG = "chaos"
OVERLAP = 2
STEPS = 6
TRACES, IMPORTED = 4_000, 250  # to label, and per concurrent import
BASE, PRM = next(iter(BASES)), "tiny"
CALM = 900.0  # seconds for everything to finish once nothing is killed; leases must expire first
# A word of the command line, and whether to kill the youngest process with it, which is a child of the oldest.
VICTIMS = [
    *[("annotation_app.server", True), ("annotation_app.server", False)],
    *[("worker --queues cpu", True), ("worker --queues gpu", True), ("worker --queues gpu", False)],
    *[("postgres: stepmark_app", True), ("valkey-server", False), ("--with-clock", False), ("postgres -D", False)],
]
# The facts of a valid label: who gave which task which ratings.
KEPT = """
    SELECT label.id, label.task_id, label.labeler_id, array_agg(step.rating ORDER BY step.step_index)
    FROM labeling_label label JOIN labeling_steplabel step ON step.label_id = label.id
    JOIN labeling_project project ON project.id = label.project_id
    WHERE project.slug = %s AND label.status = 'submitted' GROUP BY label.id
"""
SLOTS = """
    SELECT count(*) FROM labeling_task task JOIN labeling_round round ON round.id = task.round_id
    JOIN labeling_project project ON project.id = round.project_id
    WHERE project.slug = %s AND round.overlap <> task.labels_wanted + (SELECT count(*) FROM labeling_label label
        WHERE label.task_id = task.id AND label.status IN ('open', 'prefetched', 'submitted'))
"""
# Every other trace ends with a wrong answer; labelers who find no error in it are asked whether they are sure.
SURE = [{"code": "solution_but_answer_wrong", "reason": "Nothing is wrong with these steps."}]
Json = dict[str, Any]


@dataclass
class World:
    """The state of the run, and what people were told."""

    installation: RunningInstallation
    admin: Person
    over: threading.Event = field(default_factory=threading.Event)  # stop killing, labeling and starting jobs
    told: dict[int, list[int]] = field(default_factory=dict)  # label -> the ratings that the server confirmed
    killed: Counter[str] = field(default_factory=Counter)
    jobs: Counter[str] = field(default_factory=Counter)  # "kind status" -> count
    faults: list[str] = field(default_factory=list)

    def call(self, method: str, path: str, body: Any = None, status: int = 200) -> Any:
        """Call the API as the admin."""
        return self.admin.call(method, path, body, status=status)


def main() -> int:
    """Return 0 if nothing was lost or counted twice, and every kind of job finished; otherwise 1."""
    parser = argparse.ArgumentParser(prog="python -m bench.chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, default=3, help="for which processes are killed (default: 3)")
    minutes = parser.parse_args().minutes
    with installation_folder() as folder:
        write_checkpoint(folder / "models" / BASES[BASE])  # random weights: models trained from them are meaningless
        installation = RunningInstallation(folder)
        installation.start(CALM)
        try:
            world = prepared(installation)
            work_and_kill(world, 60 * minutes)
            end_calmly(world)
            judge(world)
        finally:
            installation.stop()
        if left := processes_of(folder):
            world.faults.append(f"left behind: {sorted(left.values())}")
    found = {"minutes": minutes, "labelers": LABELERS, "labels": len(world.told), "killed": dict(world.killed)}
    found |= {"jobs": dict(sorted(world.jobs.items())), "faults": world.faults}
    about = {"measured_at": datetime.now(UTC).isoformat(timespec="seconds"), "machine": machine()}
    (RESULTS / "chaos.json").write_text(json.dumps({**about, **found}, indent=1) + "\n")
    print(json.dumps(found, indent=1))
    return 1 if world.faults else 0


def prepared(installation: RunningInstallation) -> World:
    """Create a project with work for twenty people for the whole run, and a PRM that is ready."""
    installation.create_superuser("ada")
    world = World(installation, Person(installation.url).log_in("ada"))
    world.call("POST", "/api/projects", {"slug": SLUG, "name": SLUG}, status=201)
    job = upload(world.admin, SLUG, trace_lines("work", TRACES))
    done = wait_for("the first import", lambda: finished(world.admin, job), seconds=600)
    if done["status"] != "succeeded":
        raise RuntimeError(f"The first import did not succeed: {done['error']}")
    asked = {"name": "Work", "source": "all", "overlap": OVERLAP}
    world.call("POST", f"/api/projects/{SLUG}/rounds", asked, status=201)
    # Traces left unlabeled, for the first round that a PRM scores.
    beside = begin_import(world.admin)
    wait_for("the second import", lambda: finished(world.admin, beside), seconds=600)
    connection = {"name": PRM, "family": "step_classifier", "folder": BASES[BASE], "aggregation": "min"}
    world.call("POST", f"/api/projects/{SLUG}/prms", connection, status=201)
    wait_for("the PRM to be checked", lambda: ready_prms(world.admin), seconds=600)
    say(f"the PRM is ready; {LABELERS} people are hired")
    return world


def trace_lines(name: str, count: int) -> str:
    """Return this many traces of STEPS steps, each of its own problem; every other one ends with a wrong answer."""
    rows = (
        {
            "problem": f"{name}: what is {number} + {number}?",
            "ground_truth_answer": str(2 * number),
            "steps": [f"Step {step} of {number}." for step in range(STEPS)],
            "final_answer": str(2 * number + number % 2),
            "final_answer_correct": number % 2 == 0,
        }
        for number in range(count)
    )
    return "".join(json.dumps(row) + "\n" for row in rows)


def ready_prms(admin: Person) -> list[int]:
    """Return the PRMs that can score, newest first."""
    listed = admin.call("GET", f"/api/projects/{SLUG}/prms")["results"]
    return [one["id"] for one in listed if one["status"] == "ready"]


def work_and_kill(world: World, seconds: float) -> None:
    """Run the people, the jobs and the killer concurrently until the time is over."""
    people = [hire(world.admin, world.installation, SLUG, f"labeler{number}") for number in range(LABELERS)]
    threads = [threading.Thread(target=watched, args=(world, partial(label, world, one))) for one in people]
    for kind in KINDS:
        person = Person(world.installation.url).log_in("ada")  # each has their own session
        threads.append(threading.Thread(target=watched, args=(world, partial(go_on, world, kind, person))))
    for thread in threads:
        thread.start()
    kill_by_turns(world, seconds)
    world.over.set()
    for thread in threads:
        thread.join(CALM)
        if thread.is_alive():
            world.faults.append("somebody at work never came to an end")


def watched(world: World, work: Callable[[], None]) -> None:
    """Record any exception in a thread as a fault of the run."""
    try:
        work()
    except Exception as fault:  # noqa: BLE001  whatever it is, it stands in the result
        world.faults.append(f"{type(fault).__name__}: {str(fault)[:500]}")
        say(world.faults[-1])


def label(world: World, person: Person) -> None:
    """Claim and submit without a pause."""
    while not world.over.is_set():
        claim = person.call("POST", f"/api/projects/{SLUG}/labels/claim", {"prefetch": True})
        if claim["label"] is None:
            time.sleep(0.2)
            continue
        ratings = ratings_of(len(claim["label"]["steps"]))
        reason = "found_error" if -1 in ratings else "solution"
        body = {
            "idempotency_key": str(uuid.uuid4()),
            "ratings": ratings,
            "finish_reason": reason,
            "confirmations": SURE,
        }
        answer = person.call("POST", f"/api/labels/{claim['label']['id']}/submit", body)
        if answer["surplus"]:
            world.faults.append(f"label {claim['label']['id']} was one too many")
        world.told[claim["label"]["id"]] = [rating for rating in ratings if rating is not None]


def ratings_of(steps: int) -> list[int | None]:
    """Return ratings of a labeler who finds an error in every second trace on average, at a random step."""
    if random.random() < 0.5:
        return [1] * steps
    at = random.randrange(steps)
    return [*([1] * at), -1, *([None] * (steps - at - 1))]


def kill_by_turns(world: World, seconds: float) -> None:
    """Kill each victim in turn, repeatedly, at irregular intervals until the time is over."""
    ends = time.monotonic() + seconds
    pause = min(8.0, seconds / len(VICTIMS))
    for word, child in endless(VICTIMS):
        if world.over.wait(random.uniform(0.5, 1.5) * pause) or time.monotonic() > ends:
            return
        with suppress(ProcessLookupError):  # it has just ended without being killed
            world.installation.kill(word, child=child)
            world.killed[f"{word}{', a child' if child else ''}"] += 1
        say(f"{sum(world.killed.values())} killed, {len(world.told)} labels, jobs {dict(world.jobs)}")


def endless(kinds: list[tuple[str, bool]]) -> Iterator[tuple[str, bool]]:
    """Repeat forever, each pass in a different order."""
    while True:
        yield from random.sample(kinds, len(kinds))


def go_on(world: World, kind: str, admin: Person) -> None:
    """Run one job of a kind after another, and wait for each to end."""
    while not world.over.wait(2):
        world.jobs[f"{kind} {followed(kind, admin)}"] += 1


def followed(kind: str, admin: Person, seconds: float = CALM) -> str:
    """Begin a job, wait until it is over, and return how it ended: with the reason if it failed."""
    begin, page, over = KINDS[kind]
    try:
        address = page.format(begin(admin))
    except AssertionError as refused:  # for example because the request was retried after it had succeeded
        return f"not begun: {str(refused)[:200]}"
    job = wait_for(f"the {kind} {address}", partial(is_over, admin, address, over), seconds)
    if job["status"] == "ready":
        admin.call("POST", f"{address}/cancel")  # the next one may begin
    return job["status"] if job["status"] in ENDED_WELL else f"{job['status']}: {job['error'][:200]}"


def is_over(admin: Person, address: str, over: set[str]) -> Json | None:
    """Return the job once it has ended."""
    time.sleep(0.5)
    job: Json = admin.call("GET", address)
    return job if job["status"] in over else None


def begin_import(admin: Person) -> int:
    """Import new traces of new problems."""
    return upload(admin, SLUG, trace_lines(uuid.uuid4().hex, IMPORTED))


def begin_export(admin: Person) -> int:
    """Export all labels so far."""
    made = admin.call("POST", f"/api/projects/{SLUG}/exports", {"format": "neutral"}, status=201)
    return int(made["id"])


def begin_scoring(admin: Person) -> int:
    """Begin a round over the unlabeled traces, scored by the newest PRM that is ready."""
    asked = {"prm": ready_prms(admin)[0], "k": 1, "client_key": str(uuid.uuid4())}
    return int(admin.call("POST", f"/api/projects/{SLUG}/rounds/start", asked, status=201)["id"])


def begin_training(admin: Person) -> int:
    """Train on people's labels so far, from the tiny base."""
    [work, *_] = admin.call("GET", f"/api/projects/{SLUG}/rounds?limit=200")["results"][::-1]
    asked = {"round_ids": [work["id"]], "base": BASE, "name": uuid.uuid4().hex[:8]}
    return int(admin.call("POST", f"/api/projects/{SLUG}/training_runs", asked, status=201)["id"])


JOB_OVER = {"succeeded", "failed", "cancelled"}
ENDED_WELL = {"succeeded", "ready"}
# How to begin a job, the address of its status, and the statuses that end it.
KINDS: dict[str, tuple[Callable[[Person], int], str, set[str]]] = {
    "import": (begin_import, "/api/imports/{}", JOB_OVER),
    "export": (begin_export, "/api/exports/{}", JOB_OVER),
    "scoring": (begin_scoring, "/api/rounds/{}", {"ready", "failed", "cancelled"}),
    "training": (begin_training, "/api/training_runs/{}", JOB_OVER),
}


def end_calmly(world: World) -> None:
    """Run one job of each kind after the killing has stopped; each must succeed."""
    for kind in KINDS:
        ended = followed(kind, world.admin)
        world.jobs[f"{kind}, calmly, {ended}"] += 1
        if ended not in ENDED_WELL:
            world.faults.append(f"{kind} ended with {ended}, although nothing was killed")


def judge(world: World) -> None:
    """Check the tables against what people were told."""
    kept = {row[0]: row[1:] for row in world.installation.rows(KEPT, SLUG)}
    lost = sorted(world.told.keys() - kept.keys())
    if lost:
        world.faults.append(f"lost: {len(lost)} labels that were acknowledged, as {lost[:5]}")
    if unasked := sorted(kept.keys() - world.told.keys()):
        world.faults.append(f"{len(unasked)} labels that nobody was told of, as {unasked[:5]}")
    changed = [pk for pk, (_, _, ratings) in kept.items() if pk in world.told and ratings != world.told[pk]]
    if changed:
        world.faults.append(f"{len(changed)} labels with other ratings than were sent, as {changed[:5]}")
    twice = [pair for pair, count in Counter((task, who) for task, who, _ in kept.values()).items() if count > 1]
    if twice:
        world.faults.append(f"counted twice: {len(twice)} (task, labeler), as {twice[:5]}")
    [[wrong]] = world.installation.rows(SLOTS, SLUG)
    if wrong:
        world.faults.append(f"{wrong} tasks whose slots are not those of their labels")
    if not world.told:
        world.faults.append("nobody labeled anything")


if __name__ == "__main__":
    sys.exit(main())
