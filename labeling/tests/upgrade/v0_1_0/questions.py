"""The questions to the old version: every reading request that shows a figure or a row, and exports of both formats.

Lists are requested first, so that each of their rows can be requested, too.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

from labeling.tests.upgrade.replay import Question
from labeling.tests.upgrade.v0_1_0.site import Site

SLUGS = ("demo", "algebra", "geometry", "loop", "records")
LABELERS = ("ada", "ben", "cem", "dee", "eva")
OF_A_PROJECT = (
    *("", "/audit", "/members", "/invitations", "/guidelines", "/guidelines/current", "/leases", "/overview"),
    *("/agreement", "/agreement.csv", "/agreement?base=true", "/time", "/time.csv", "/labelers", "/labelers.csv"),
    *("/reviews", "/reviews/counts", "/rounds", "/round_reports", "/prms", "/gradings", "/traces", "/tasks"),
    *("/imports", "/exports", "/training_runs", "/training_runs/options", "/promotions", "/evaluation_sets"),
    *("/evaluations", "/gold", "/gold?status=retired", "/gold/counts", "/standings", "/triages", "/webhooks"),
    *("/deliveries", "/traces?outcome=wrong", "/tasks?kind=work&state=done", "/tasks?kind=gold"),
)
OF_A_LABELER = ("/my_labels", "/my_stats", "/my_replies", "/my_coaching", "/my_standing")
PAGED = frozenset(
    f"/{name}"
    for name in (
        *("audit", "members", "invitations", "leases", "reviews", "rounds", "gradings", "traces", "tasks", "imports"),
        *("exports", "training_runs", "promotions", "evaluation_sets", "evaluations", "gold", "triages", "my_labels"),
        *("deliveries", "guidelines", "round_reports"),
    )
)
NEUTRAL = [
    {"neutral": neutral, "after_error": after, "aggregate": aggregate}
    for neutral, after, aggregate in (
        ("keep3", "keep_unlabelled", "each"),
        ("keep3", "keep_unlabelled", "adjudicated"),
        ("positive", "truncate", "each"),
        ("negative", "fill_negative", "each"),
        ("drop", "fill_negative", "adjudicated"),
    )
]
SWITCHES: list[tuple[str, dict[str, str]]] = [
    *(("neutral", switches) for switches in NEUTRAL),
    ("neutral", {"alternatives": "rows", "gold": "include", "surplus": "exclude"}),
    ("prm800k", {}),
    ("prm800k", {"gold": "exclude", "surplus": "exclude"}),
]
LEARNED = [
    {"aggregate": aggregate, "neutral": neutral}
    for aggregate, neutral in product(("each", "majority", "adjudicated"), ("positive", "negative", "drop"))
]


def questions_about(site: Site) -> list[Question]:
    """Return all questions in the order to ask them; those that create rows come last."""
    questions = [question for slug in SLUGS for question in [*_of_project(site, slug), *_of_people(site, slug)]]
    questions += [get("admin", "projects"), *(get(who, "notices") for who in ("admin", *LABELERS))]
    questions += [get("admin", "notices/choices"), get("ada", "notices/choices"), get("researcher", "tokens")]
    return [*questions, *(question for slug in SLUGS for question in _exports(site, slug))]


def get(by: str, path: str) -> Question:
    """Return a reading request."""
    return {"by": by, "method": "GET", "path": f"/api/{path}"}


def post(by: str, path: str, body: Any) -> Question:
    """Return a request with a body that changes nothing."""
    return {"by": by, "method": "POST", "path": f"/api/{path}", "body": body}


def _of_project(site: Site, slug: str) -> Iterator[Question]:
    start = f"projects/{slug}"
    for path in OF_A_PROJECT:
        whole = "?limit=200" if path in PAGED else "&limit=200" if "?" in path and path.split("?")[0] in PAGED else ""
        yield get("admin", start + path + whole)
    for kind in ("no_consensus", "disagreement", "contradiction", "flagged", "comment", "split_badly", "answer_wrong"):
        yield get("researcher", f"{start}/reviews?limit=200&kind={kind}")
    for name, item in (
        *(("imports", "imports"), ("gradings", "gradings"), ("exports", "exports"), ("gold", "gold")),
        *(("training_runs", "training_runs"), ("evaluations", "evaluations"), ("triages", "triages")),
    ):
        yield from (get("admin", f"{item}/{row['id']}") for row in site.rows("admin", f"{start}/{name}"))
    for row in site.rows("admin", f"{start}/traces")[:6]:
        yield get("admin", f"traces/{row['id']}")
    begun = site.rows("admin", f"{start}/tasks?state=in_progress") + site.rows("admin", f"{start}/tasks?state=done")
    for row in begun[:24]:
        yield get("admin", f"tasks/{row['id']}")
    for row in site.rows("admin", f"{start}/reviews")[:12]:
        yield get("researcher", f"tasks/{row['id']}/review")
    yield from _of_rounds(site, slug)
    yield from _of_jobs(site, slug)


def _of_rounds(site: Site, slug: str) -> Iterator[Question]:
    start = f"projects/{slug}"
    rounds = site.rows("admin", f"{start}/rounds")
    ids = [round_["id"] for round_ in rounds]
    for round_ in rounds:
        address = f"rounds/{round_['id']}"
        yield get("admin", address)
        yield from (get("admin", f"{address}/{part}") for part in ("progress", "report", "report.csv"))
        if round_["has_selection"]:
            yield get("admin", f"{address}/selection")
        yield get("admin", f"{start}/agreement?round={round_['id']}")
        yield get("admin", f"{start}/tasks?limit=200&round={round_['id']}")
        yield post("admin", f"{start}/training_runs/preview", {"round_ids": [round_["id"]]})
    for switches in LEARNED:
        yield post("admin", f"{start}/training_runs/preview", {"round_ids": ids, "switches": switches})
    for narrowed in ({}, {"unlabeled_only": True}, {"outcome": "wrong"}):
        yield post("admin", f"{start}/rounds/preview", {"source": "filter", "filter": narrowed})
    prms = [prm["id"] for prm in site.get("admin", f"{start}/prms")["results"] if prm["status"] == "ready"]
    for prm in [None, *prms]:
        yield post("admin", f"{start}/rounds/pool", {"prm": prm, "k": 2, "control_share": 0.2})
    for prm, round_id in product(prms, [None, *ids[:1]]):
        yield post("admin", f"{start}/triages/preview", {"prm": prm, "round": round_id})


def _of_jobs(site: Site, slug: str) -> Iterator[Question]:
    start = f"projects/{slug}"
    for grading in site.rows("admin", f"{start}/gradings"):
        yield get("admin", f"gradings/{grading['id']}/differences")
    evaluations = site.rows("admin", f"{start}/evaluations")
    for left, right in product(evaluations, evaluations):
        if left["id"] < right["id"]:
            yield get("admin", f"{start}/evaluations/compare?left={left['id']}&right={right['id']}")
    for triage in site.rows("admin", f"{start}/triages"):
        if triage["status"] != "open":
            yield get("admin", f"triages/{triage['id']}/report.csv")


def _of_people(site: Site, slug: str) -> Iterator[Question]:
    start = f"projects/{slug}"
    members = site.get("admin", f"{start}/members")["results"]
    here = {member["user"]["username"] for member in members if member["is_active"]}
    for who in LABELERS:
        if who not in here:
            continue
        for path in OF_A_LABELER:
            yield get(who, start + path + ("?limit=200" if path in PAGED else ""))
        for label in site.rows(who, f"{start}/my_labels"):
            if label["status"] != "submitted" or label["id"] % 3 == 0:
                yield get(who, f"labels/{label['id']}")
                yield get(who, f"labels/{label['id']}/earlier")
            if label["can_compare"]:
                yield get(who, f"labels/{label['id']}/comparison")
            if slug == "geometry":
                yield get(who, f"labels/{label['id']}/feedback")
    ids = {member["user"]["username"]: member["user"]["id"] for member in members}
    if {"ada", "ben"} <= ids.keys():
        yield get("admin", f"{start}/agreement?one={ids['ada']}&other={ids['ben']}")


def _exports(site: Site, slug: str) -> Iterator[Question]:
    path = f"/api/projects/{slug}/exports"
    for format, switches in SWITCHES:
        yield {"by": "admin", "path": path, "export": {"format": format, "switches": switches}}
    for export in site.rows("admin", f"projects/{slug}/exports"):
        yield {"by": "admin", "path": path, "again": export["id"], "format": export["format"]}
    rounds = [round_["id"] for round_ in site.rows("admin", f"projects/{slug}/rounds")]
    narrowed = {"rounds": rounds[:1], "finish": ["found_error", "solution"]}
    yield {"by": "admin", "path": path, "export": {"format": "neutral", "filters": narrowed, "gzip": True}}
