"""A project in which a PRM scores, selects and is trained: staged rounds, triages, trainings, evaluations."""

import json
from pathlib import Path
from subprocess import run
from sys import executable

from django.core.management import call_command

from labeling.tests.upgrade.v0_1_0.rows import neutral_rows, prm800k_rows, processbench_rows
from labeling.tests.upgrade.v0_1_0.site import Json, Site

SLUG, RECORDS = "loop", "records"
PRM = "Random weights"
UNDONE = {"name": "Cancelled", "method": "lora", "made_wrong_steps": 2, "layers": 1, "switches": {"neutral": "drop"}}


def make_prms(folder: Path) -> None:
    """Make a tiny PRM whose scores mean nothing (all else about it is real), and one that cannot be loaded."""
    run([executable, "-m", "worker.random_prm", str(folder)], check=True)
    record = folder / "demo-random.json"
    call_command("register_prm", PRM, str(record), check=True)
    broken = folder / "broken.json"
    broken.write_text(json.dumps({"family": "step_classifier", "path": "nowhere"}))
    call_command("register_prm", "Broken", str(broken))


def make_loop(site: Site) -> None:
    """Make rounds that a worker prepared: closed with its report, ready, cancelled; triages of every status."""
    site.project(SLUG, "Loop", gold_per_round=0, reveal_scores=True, hourly_rate="20", currency="USD")
    site.invite(SLUG, "researcher", role="researcher")
    site.invite(SLUG, "ada", "ben", "cem")
    site.import_rows(SLUG, neutral_rows("pool", 14, siblings=3))
    site.import_rows(SLUG, neutral_rows("later", 4, siblings=2))
    prm = _prm(site, SLUG, PRM)
    first = staged(site, prm, {"source": "pool"}, name="Convincing", overlap=2, k=1, control_share=0.3)
    site.post("researcher", f"rounds/{first}/publish")
    label_all(site)
    triages(site, prm, first)
    site.post("researcher", f"rounds/{first}/close")
    second = staged(site, prm, {"source": "pool"}, name="Second", k=1, control_share=0.3)
    site.post("researcher", f"rounds/{second}/publish")
    while site.post("cem", f"projects/{SLUG}/labels/claim", {})["label"]:
        site.say("cem", SLUG, *(("solution",) if site.sent % 3 == 0 else ("found_error", site.sent % 2)))
    site.post("researcher", f"rounds/{second}/close")
    cancelled = staged(site, None, {"source": "later"}, name="Given up", k=1)
    site.post("researcher", f"rounds/{cancelled}/cancel")
    staged(site, prm, {"source": "later"}, name="To publish", k=1, mode="global")
    site.post("researcher", f"projects/{SLUG}/promotions", {"prm": prm, "note": "There is no other."})


def staged(site: Site, prm: int | None, narrowed: Json, **about: object) -> int:
    """Make a round that workers have prepared."""
    body = {"prm": prm, "filter": narrowed, "grade": True, **about}
    made = site.post("researcher", f"projects/{SLUG}/rounds/start", body)
    site.work()
    ready = site.get("researcher", f"rounds/{made['id']}")
    assert ready["status"] == "ready", ready
    return int(made["id"])


def label_all(site: Site) -> None:
    """Two labelers do the round and sometimes differ. One looks at the PRM's scores and changes the answer."""
    said = {
        "ada": [("found_error", 1), ("solution", None), ("solution", 1), ("found_error", 0), ("bad_problem", 1)],
        "ben": [("found_error", 1), ("found_error", 2), ("solution", None), ("give_up", 1), ("solution", None)],
    }
    labels = {who: [site.say(who, SLUG, *one) for one in endings] for who, endings in said.items()}
    for who in said:
        while site.post(who, f"projects/{SLUG}/labels/claim", {})["label"]:
            site.say(who, SLUG, "found_error", 1)
    seen = labels["ada"][1]["id"]
    site.post("ada", f"labels/{seen}/reveal")
    site.submit("ada", site.get("ada", f"labels/{seen}"), "found_error", 1, path=f"labels/{seen}/revise")


def triages(site: Site, prm: int, round_id: int) -> None:
    """Make triages: finished, undone, cancelled, and open with a review and an item on somebody's screen."""
    for seed, ending in enumerate(("finish", "undo", "cancel", "")):
        body = {"prm": prm, "round": round_id, "labels": 4, "control_share": 0.5, "seed": seed}
        if ending in ("cancel", ""):
            body |= {"labels": 2}
        triage = site.post("researcher", f"projects/{SLUG}/triages", body)["id"]
        review(site, triage, 1 if ending in ("cancel", "") else 3)
        if ending == "cancel":
            site.post("researcher", f"triages/{triage}/cancel")
        elif ending:
            site.post("researcher", f"triages/{triage}/finish")
        if ending == "undo":
            site.post("researcher", f"triages/{triage}/undo")


def review(site: Site, triage: int, times: int) -> None:
    """Blind reviews: the first finds another first error, the second none, the third a bad problem."""
    for number in range(times):
        item = site.post("researcher", f"triages/{triage}/next", {})["item"]
        if item is None:
            break
        steps = len(item["steps"])
        said: list[Json] = [
            {"ratings": [-1, *[None] * (steps - 1)], "finish_reason": "found_error", "note": "The first step."},
            {"ratings": [1] * steps, "finish_reason": "solution"},
            {
                "ratings": [1, -1, *[None] * (steps - 2)],
                "finish_reason": "bad_problem",
                "finish_detail": {"kind": "false_premise", "text": "No sum."},
            },
        ]
        site.post("researcher", f"triage_items/{item['id']}/review", said[number])
    site.post("researcher", f"triages/{triage}/next", {})


def make_records(site: Site) -> None:
    """Imported PRM800K labels: alternatives rated here too, a PRM trained, evaluated and promoted, exports."""
    site.project(RECORDS, "Records", gold_per_round=0)
    site.invite(RECORDS, "researcher", role="researcher")
    site.invite(RECORDS, "ada", "ben")
    site.import_rows(RECORDS, prm800k_rows(36, ("labeler-a", "labeler-b")))
    site.import_rows(RECORDS, processbench_rows())
    label_alternatives(site)
    rounds = [one["id"] for one in site.rows("researcher", f"projects/{RECORDS}/rounds") if one["imported"]]
    sets = [{"name": "Bench", "source": "recorded"}, {"name": "Kept back", "source": "labels", "round_ids": rounds}]
    found = [site.post("researcher", f"projects/{RECORDS}/evaluation_sets", body)["id"] for body in sets]
    asked = {"name": "Head", "round_ids": rounds, "base": "Tiny", "switches": {"aggregate": "majority"}}
    trained = site.post("researcher", f"projects/{RECORDS}/training_runs", asked)
    site.work()
    run_out = site.get("researcher", f"training_runs/{trained['id']}")
    assert run_out["status"] == "succeeded", run_out
    cancelled = site.post("researcher", f"projects/{RECORDS}/training_runs", {**asked, **UNDONE})
    site.post("researcher", f"training_runs/{cancelled['id']}/cancel")
    site.work()
    both = (_prm(site, RECORDS, PRM), run_out["prm"]["id"])
    for prm in both:
        for one in found:
            about = {"prm": prm, "evaluation_set": one, "best_of": 2}
            site.post("researcher", f"projects/{RECORDS}/evaluations", about)
            site.work()
    for prm in both:
        site.post("researcher", f"projects/{RECORDS}/promotions", {"prm": prm, "note": "Better."})
    site.post("researcher", f"projects/{RECORDS}/promotions/roll_back")
    exports(site, rounds)


def label_alternatives(site: Site) -> None:
    """Traces that came with alternatives are labeled here: some rated, some flagged."""
    body = {"source": "sample", "sample_size": 6, "seed": 5, "overlap": 2, "filter": {"split": "train"}}
    site.post("researcher", f"projects/{RECORDS}/rounds", body)
    site.work()
    for who in ("ada", "ben"):
        for number in range(4):
            label = site.claim(who, RECORDS)
            alternatives = [
                {"completion": one["id"], "rating": (1, 0, None)[place % 3], "flagged": place % 3 == 2}
                for place, one in enumerate(label["alternatives"])
            ]
            error = 1 if number % 2 else None
            finish = "solution" if error is None else "found_error"
            site.submit(who, label, finish, error, alternatives=alternatives)


def exports(site: Site, rounds: list[int]) -> None:
    """Make finished exports of both formats."""
    said = {"roles": {"policy_model": "GPT-4"}, "statements": {"labels_produced": "By hand."}}
    bodies: list[Json] = [
        {"format": "prm800k"},
        {"format": "neutral", "switches": {"aggregate": "adjudicated"}, "gzip": True, **said},
        {"format": "neutral", "filters": {"rounds": rounds[:1], "finish": ["found_error"]}},
    ]
    for body in bodies:
        site.post("researcher", f"projects/{RECORDS}/exports", body)
        site.work()


def _prm(site: Site, slug: str, name: str) -> int:
    found = site.get("researcher", f"projects/{slug}/prms")["results"]
    return next(int(one["id"]) for one in found if one["name"] == name)
