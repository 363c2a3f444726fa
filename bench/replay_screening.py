"""Part of the replay: who passes screening."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from bench.progress import say
from bench.replay_site import truth_of
from bench.replay_world import Labeler, World
from bench.simulated_labelers import Kind
from labeling.protocol.verdicts import NO_ERROR

SLUG = "replay-screening"
GOLD_SOURCES = ("processbench_gsm8k", "processbench_math", "mrben_physics")
TASKS = 30
THREADS = 4
PEOPLE = 6  # of each kind
GOOD = [Kind(f"careful {percent}", "careful", percent / 100) for percent in (95, 90, 85)]
BORDER = [Kind("careful 75", "careful", 0.75)]
HASTY = [Kind("hasty 85", "careful", 0.85, seconds=0.8)]
BAD = [
    Kind("careful 60", "careful", 0.60),
    Kind("late", "late", 0.90),
    Kind("all positive", "all_positive"),
    Kind("random", "random"),
]
GROUPS = {"good": GOOD, "at the bar": BORDER, "hasty": HASTY, "bad": BAD}
KINDS = [kind for kinds in GROUPS.values() for kind in kinds]


def measure(world: World, *, quick: bool = False) -> dict[str, Any]:
    """Have everyone do the screening, and repeat it if allowed."""
    people = world.people([(kind, 2 if quick else PEOPLE) for kind in KINDS])
    settings = {"screening": True, "screening_tasks": TASKS, "screening_share": 0.75, "screening_retries": 1}
    world.make_project(SLUG, people, **settings, screening_feedback=False)
    gold = world.shuffled(GOLD_SOURCES, "screening")[: 2 * TASKS]
    world.bring_gold(SLUG, gold)
    with ThreadPoolExecutor(THREADS) as threads:  # here, nobody's tasks depend on anybody else
        list(threads.map(be_screened, people))
    rows = {row["labeler"]["display_name"]: row for row in qualities(world, SLUG)}
    say(f"{SLUG}: {world.labels:,} labels so far")
    return {
        "people_a_kind": len(people) // len(KINDS),
        "tasks": TASKS,
        "gold": len(gold),
        "without_error": sum(truth_of(row).first_error == NO_ERROR for row in gold[:TASKS]),
        "needed": next(iter(rows.values()))["attempts"][0]["needed"],
        "kinds": [
            result_of(kind, [rows[one.person.name] for one in people if one.person.kind == kind]) for kind in KINDS
        ],
    }


def be_screened(one: Labeler) -> None:
    """Work until no more screening is left for this person."""
    while True:
        why = one.work(SLUG)
        if why == "screening_failed":
            one.browser.call("POST", f"/api/projects/{SLUG}/screening/retry")
        elif why:
            return


def qualities(world: World, slug: str) -> list[dict[str, Any]]:
    """Return a row for every labeler, as admins see it."""
    rows: list[dict[str, Any]] = world.admin.call("GET", f"/api/projects/{slug}/labeler_quality")["labelers"]
    return rows


def result_of(kind: Kind, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the results of all labelers of one kind."""
    first = [row["attempts"][0]["passed"] for row in rows]
    return {
        "kind": kind.name,
        "n": len(rows),
        "at_once": sum(row["attempts"][0]["passed"] >= row["attempts"][0]["needed"] for row in rows),
        "admitted": sum(row["admitted_at"] is not None for row in rows),
        "passed_mean": sum(first) / len(first),
        "passed_least": min(first),
        "passed_most": max(first),
    }
