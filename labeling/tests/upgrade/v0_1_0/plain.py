"""A project labeled by hand, with every way for a label to end, be revised, lost, settled or reviewed."""

from typing import Any

from labeling.tests.upgrade.v0_1_0.rows import neutral_rows
from labeling.tests.upgrade.v0_1_0.site import Json, Site

SLUG = "algebra"
FAULTY = [b'{"problem": "cut off\n', {"problem": "No steps?", "steps": []}, {"problem": "A number?", "steps": [1, "b"]}]
SETTINGS = {
    "default_overlap": 2,
    "reference_solution": True,
    "hourly_rate": "31.50",
    "currency": "EUR",
    "gold_per_round": 0,
    "answer_kind": "numeric",
}


def make_algebra(site: Site) -> None:
    """Make the project, its people and its rounds: open, paused, closed, and one with adaptive overlap."""
    site.project(SLUG, "Algebra", **SETTINGS)
    site.invite(SLUG, "researcher", role="researcher")
    site.invite(SLUG, "ada", "ben", "cem", "dee")
    imports(site)
    every_ending(site)
    closed_and_late(site)
    carried_over(site)
    adaptive_overlap(site)
    problems(site)
    reviews(site)
    gradings(site)
    paused_round(site)


def imports(site: Site) -> None:
    """Import valid files, a refused one, one whose faulty rows were left out, and a rehearsal."""
    for source, problems, siblings in (("first", 9, 1), ("alike", 3, 3), ("adapts", 5, 1), ("closed", 5, 1)):
        assert site.import_rows(SLUG, neutral_rows(source, problems, siblings=siblings))["status"] == "succeeded"
    site.import_rows(SLUG, neutral_rows("paused", 3))
    site.import_rows(SLUG, neutral_rows("held", 8))
    assert site.import_rows(SLUG, [*FAULTY, *neutral_rows("faulty", 1)])["status"] == "failed"
    site.import_rows(SLUG, [*FAULTY, *neutral_rows("faulty", 1)], skip_faulty="true")
    site.import_rows(SLUG, neutral_rows("tried", 2), dry_run="true")


def open_round(site: Site, source: str, **about: Any) -> int:
    """Open a plain round over the traces of one source."""
    body = {"source": "filter", "filter": {"source": source}, "name": source.title(), **about}
    made = site.post("researcher", f"projects/{SLUG}/rounds", body)
    site.work()
    return int(made["id"])


def every_ending(site: Site) -> None:
    """All finish reasons with and without a -1, comments, reports; a revised label and a reopened one."""
    open_round(site, "first", seed=3)
    endings = [("solution", 1), ("bad_problem", 1), ("give_up", 1), ("bad_problem", None), ("give_up", None)]
    said = [site.say("ada", SLUG, "solution"), *(site.say("ada", SLUG, *ending) for ending in endings)]
    last = site.say("ada", SLUG, "found_error", 1, comments=[{"step": 0, "text": "Fine so far."}])
    again = site.post("ada", f"labels/{last['id']}/reopen")
    site.submit("ada", again, "found_error", 0, comments=[{"step": 0, "text": "Here already."}])
    site.clock.pass_by(hours=2)
    reports = [
        {"kind": "split_badly", "step": 1, "text": "Two thoughts."},
        {"kind": "answer_wrong", "text": "It is right."},
    ]
    site.say("ben", SLUG, "found_error", 2, reports=reports)
    site.say("ben", SLUG, "found_error", 1, noticed_at_step=2)
    for finish, error in (("solution", None), ("solution", 0), ("bad_problem", 0), ("give_up", None)):
        site.say("ben", SLUG, finish, error)
    first = site.get("ada", f"labels/{said[0]['id']}")
    site.submit("ada", first, "found_error", 1, path=f"labels/{first['id']}/revise")
    site.clock.pass_by(hours=20)


def closed_and_late(site: Site) -> None:
    """Make a closed round. One label in it is surplus, because its lease had ended and its slot was taken."""
    closed = open_round(site, "closed", overlap=1, priority=9)
    late = site.claim("cem", SLUG)
    site.clock.pass_by(minutes=40)
    site.sweep()
    for _ in range(4):
        site.say("dee", SLUG, "found_error", 1)
    site.say("dee", SLUG, "solution")
    assert site.submit("cem", late, "solution", 1)["surplus"]
    site.post("researcher", f"rounds/{closed}/close")


def carried_over(site: Site) -> None:
    """Solutions that begin alike: a labeler keeps their ratings of the same text, and once changes them."""
    open_round(site, "alike", overlap=1, priority=8)
    for number in range(9):
        label = site.claim("dee", SLUG)
        ratings: list[int | None] = [1] * len(label["steps"])
        kept = [one for one in label["carried"] if one["completion"] is None and one["rating"] is not None]
        for one in kept:
            ratings[one["step"]] = one["rating"]
        marks = [{"step": one["step"], "completion": None} for one in kept]
        finish = "solution"
        if -1 in ratings or number == 4:
            error = ratings.index(-1) if -1 in ratings else len(ratings) - 1
            ratings[error:] = [-1, *[None] * (len(ratings) - error - 1)]
            finish, marks = "found_error", [mark for mark in marks if mark["step"] <= error]
        site.submit("dee", label, finish, ratings=ratings, carried=marks)


def adaptive_overlap(site: Site) -> None:
    """Two agree; two differ and a third decides; three differ and nobody else can be asked."""
    open_round(site, "adapts", overlap=2, overlap_most=3, overlap_needed=2, priority=7)
    by_task: dict[int, list[Any]] = {}
    for who in ("ada", "ben", "cem"):
        for _ in range(5):
            claim = site.post(who, f"projects/{SLUG}/labels/claim", {})["label"]
            if claim is None or claim["round"]["name"] != "Adapts":
                break
            said = by_task.setdefault(claim["task_id"], [])
            turn = list(by_task).index(claim["task_id"])
            wanted = [(1, 1, 1), (0, 1, 1), (0, 1, 2), (None, 1, None), (None, 0, 1)][turn][len(said)]
            said.append(wanted)
            site.submit(who, claim, "solution" if wanted is None else "found_error", wanted)
    site.clock.pass_by(hours=5)


def problems(site: Site) -> None:
    """A bad problem, one that was restored, and a split that was repaired."""
    tasks = [task["id"] for task in site.rows("researcher", f"projects/{SLUG}/tasks")]
    site.post("researcher", f"tasks/{tasks[-1]}/bad_problem", {"reason": "No question."})
    site.post("researcher", f"tasks/{tasks[-2]}/bad_problem", {"reason": "No question?"})
    site.post("researcher", f"tasks/{tasks[-2]}/restore_problem", {"reason": "There is one."})
    task = _waiting(site, "split_badly")[0]["id"]
    steps = site.get("researcher", f"tasks/{task}")["trace"]["steps"]
    cut = steps[-1].index(" ") + 1
    repaired = [*steps[:-1], steps[-1][:cut], steps[-1][cut:]]
    site.post("researcher", f"tasks/{task}/repair_split", {"steps": repaired, "reason": "Cut in two."})


def reviews(site: Site) -> None:
    """Rulings, one of them changed, a dismissal, a thread, a corrected answer."""
    waiting = {kind: [task["id"] for task in _waiting(site, kind)] for kind in ("disagreement", "contradiction")}
    no_consensus, comment = _waiting(site, "no_consensus"), _waiting(site, "comment")
    ruling = {"finish_reason": "found_error", "mistake": {"progress": "some", "explanation": ""}, "note": "See step 2."}
    for finish, task in zip(("found_error", "solution", "bad_problem"), waiting["disagreement"], strict=False):
        steps = len(site.get("researcher", f"tasks/{task}")["trace"]["steps"])
        good = [1] * steps
        said = {
            "found_error": {**ruling, "ratings": [1, -1, *[None] * (steps - 2)]},
            "solution": {"finish_reason": "solution", "ratings": good},
            "bad_problem": {
                "finish_reason": "bad_problem",
                "ratings": [1, -1, *[None] * (steps - 2)],
                "finish_detail": {"kind": "false_premise", "text": "It asks two things."},
            },
        }[finish]
        site.post("researcher", f"tasks/{task}/settle", said)
        if finish == "solution":
            site.post("admin", f"tasks/{task}/settle", {**ruling, "ratings": [-1, *[None] * (steps - 1)]})
    task = no_consensus[0]["id"]
    detail = site.get("researcher", f"tasks/{task}")
    thread = {"labeler_id": detail["labels"][0]["labeler"]["id"], "step": 1, "text": "Why not step 1?"}
    site.post("researcher", f"tasks/{task}/replies", thread)
    own = next(label for label in detail["labels"])
    site.post(_name(own), f"labels/{own['id']}/replies", {"step": 1, "text": "I read it again."})
    dismissed = {"kinds": ["contradiction"], "reason": "It is said why."}
    site.post("researcher", f"tasks/{waiting['contradiction'][-1]}/dismiss", dismissed)
    corrected = comment[0]["id"]
    site.post("researcher", f"tasks/{corrected}/correct_answer", {"answer": "99", "reason": "The key was wrong."})
    site.work()


def gradings(site: Site) -> None:
    """Make one that is applied, and one that is found but not applied."""
    for apply in (True, False):
        made = site.post("researcher", f"projects/{SLUG}/gradings", {"scope": "all"})
        site.work()
        if apply:
            site.post("researcher", f"gradings/{made['id']}/apply")
            site.work()


def paused_round(site: Site) -> None:
    """Make a paused round with one label in it."""
    paused = open_round(site, "paused", priority=9, overlap=1)
    site.say("cem", SLUG, "solution")
    site.post("researcher", f"rounds/{paused}/pause")


def make_leases(site: Site) -> None:
    """Make leases held at the end: an open label with a draft, one ahead; some expired, one given back."""
    open_round(site, "held", overlap=2, priority=9)
    site.say("ada", SLUG, "found_error", 2)
    lost = site.claim("ben", SLUG)
    site.call("ben", "PUT", f"labels/{lost['id']}/draft", {"draft": {"ratings": [1]}, "base_revision": 0})
    site.claim("cem", SLUG, prefetch=True)
    site.clock.pass_by(minutes=30)
    site.sweep()
    given_back = site.claim("dee", SLUG)
    site.post("dee", f"labels/{given_back['id']}/release", {"reason": "It is late."})
    label = site.claim("ada", SLUG, prefetch=True)
    site.post("ada", f"labels/{label['id']}/reference")
    draft: Json = {"ratings": [1, -1], "comments": [{"step": 1, "text": "Half a thou"}]}
    site.call("ada", "PUT", f"labels/{label['id']}/draft", {"draft": draft, "base_revision": 0})


def _waiting(site: Site, kind: str) -> list[Json]:
    return site.rows("researcher", f"projects/{SLUG}/reviews?kind={kind}")


def _name(label: Json) -> str:
    return str(label["labeler"]["display_name"]).removesuffix(" (demo)").lower()
