"""Part of the replay: whom the standing rule pauses, and after how much gold, without screening."""

import time
from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Any

from bench.replay_screening import GOLD_SOURCES, GROUPS, KINDS, qualities
from bench.replay_world import SOURCES, Labeler, World
from bench.simulated_labelers import Kind

SLUG = "replay-standing"
PEOPLE = 5  # of each kind
ROUNDS = 3
GOLD_A_ROUND = 20
WORK_A_ROUND = 16  # labels per person, if all worked equally
OVERLAP = 4
EVALUATED = 7.0  # seconds, long enough for the clock to have the last results evaluated


def measure(world: World, *, quick: bool = False) -> dict[str, Any]:
    """Run rounds with hidden gold until the budget is used; record who is paused after each."""
    people = world.people([(kind, 2 if quick else PEOPLE) for kind in KINDS])
    rounds, gold_a_round = (2, 10) if quick else (ROUNDS, GOLD_A_ROUND)
    world.make_project(SLUG, people, gold_per_round=gold_a_round, screening=False)
    gold = world.shuffled(GOLD_SOURCES, "standing")[: rounds * gold_a_round]
    world.bring_gold(SLUG, gold)
    taken = {id(row) for row in gold}
    world.admin.bring(SLUG, [row for row in world.shuffled(SOURCES, "work") if id(row) not in taken])
    paused: dict[str, int] = {}  # gold tasks that each person had done when paused
    by_round = []
    for number in range(rounds):
        size = max(gold_a_round, WORK_A_ROUND * len(people) // OVERLAP)
        asked = {"source": "sample", "sample_size": size, "seed": world.seed + number, "overlap": OVERLAP}
        round_id = world.admin.open_round(SLUG, **asked, filter={"unlabeled_only": True})
        world.label_until_done(SLUG, people)
        time.sleep(EVALUATED)
        world.admin.close_round(round_id)
        rows = {row["labeler"]["display_name"]: row for row in qualities(world, SLUG)}
        paused |= {
            one.person.name: one.gold[SLUG]
            for one in people
            if rows[one.person.name]["state"] == "paused" and one.person.name not in paused
        }
        by_round.append(Counter(kind_of(name, people).name for name in paused))
    figures = {row["display_name"]: row for row in world.admin.call("GET", f"/api/projects/{SLUG}/labelers")["results"]}
    return {
        "people_a_kind": len(people) // len(KINDS),
        "rounds": rounds,
        "gold_a_round": gold_a_round,
        "work_traces_a_round": size,
        "overlap": OVERLAP,
        "kinds": [
            result_of(kind, [one for one in people if one.person.kind == kind], paused, by_round, figures)
            for kind in KINDS
        ],
        "groups": {
            name: {
                "n": sum(one.person.kind in kinds for one in people),
                "paused": [sum(done[kind.name] for kind in kinds) for done in by_round],
            }
            for name, kinds in GROUPS.items()
        },
    }


def kind_of(name: str, people: Sequence[Labeler]) -> Kind:
    """Return the kind of this labeler."""
    return next(one.person.kind for one in people if one.person.name == name)


def result_of(
    kind: Kind,
    people: Sequence[Labeler],
    paused: dict[str, int],
    by_round: Sequence[Counter[str]],
    figures: dict[str, dict[str, Any]],
) -> dict[str, Any]:
    """Return the results of all labelers of one kind."""
    names = [one.person.name for one in people]
    rows = [figures[name] for name in names]
    needed = sorted(paused[name] for name in names if name in paused)
    fast = [row["too_fast"] for row in rows]
    return {
        "kind": kind.name,
        "n": len(people),
        "paused": [done[kind.name] for done in by_round],
        "gold_to_pause": median(needed) if needed else None,
        "gold_passed": sum(round(row["gold"]["value"] * row["gold"]["n"]) for row in rows if row["gold"]["n"]),
        "gold_seen": sum(row["gold"]["n"] for row in rows),
        "work": sum(row["labels"] for row in rows),
        "too_fast": sum(round(part["value"] * part["n"]) for part in fast if part["n"]),
        "timed": sum(part["n"] for part in fast),
        "peers": sum(row["peers"]["value"] * row["peers"]["n"] for row in rows if row["peers"]["n"])
        / max(1, sum(row["peers"]["n"] for row in rows)),
    }
