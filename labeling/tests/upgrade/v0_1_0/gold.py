"""A project that screens its labelers and hides gold in their work: some are admitted, some fail, some are paused."""

from labeling.tests.upgrade.v0_1_0.people import make_integrations
from labeling.tests.upgrade.v0_1_0.rows import Row, neutral_rows
from labeling.tests.upgrade.v0_1_0.site import Json, Site

SLUG = "geometry"
SETTINGS = {
    "gold_per_round": 12,
    "screening": True,
    "screening_tasks": 3,
    "screening_share": 0.6,
    "screening_retries": 1,
    "session_traces": 2,
}


def make_geometry(site: Site) -> None:
    """Make gold from a file and by hand, four outcomes of the screening, and a round of work with gold in it."""
    site.project(SLUG, "Geometry", **SETTINGS)
    site.invite(SLUG, "researcher", role="researcher")
    site.import_rows(SLUG, [_gold(row) for row in neutral_rows("known", 14)], as_gold="true")
    site.import_rows(SLUG, neutral_rows("work", 7, siblings=2))
    by_hand(site)
    site.invite(SLUG, "ada", "ben", "cem", "dee", "eva")
    make_integrations(site, SLUG)
    screening(site)
    open_work(site)
    pauses(site)
    settle_gold(site)


def _gold(row: Row) -> Row:
    return {key: value for key, value in row.items() if key != "temperature"}


def by_hand(site: Site) -> None:
    """Make two more items, change one of them, and retire one."""
    traces = site.rows("researcher", f"projects/{SLUG}/traces?source=work")
    made = [_make(site, trace["id"], [step, -1]) for step, trace in enumerate(traces[:3])]
    changed = {"acceptable": [1], "explanation": "One too many.", "paragraph": "Sums"}
    site.call("admin", "PATCH", f"gold/{made[0]}", changed)
    site.post("admin", f"gold/{made[1]}/retire", {"reason": "Ambiguous."})
    site.post("admin", f"gold/{made[2]}/retire", {"reason": "A mistake."})
    site.post("admin", f"gold/{made[2]}/restore")


def _make(site: Site, trace: int, acceptable: list[int]) -> int:
    return int(site.post("admin", f"traces/{trace}/gold", {"acceptable": acceptable, "explanation": "Look."})["id"])


def screening(site: Site) -> None:
    """Ada and Eva pass, Cem is admitted by hand, Ben fails twice and may try again, Dee is halfway through."""
    for who in ("ada", "eva"):
        for _ in range(3):
            answer(site, who, right=True)
    for _ in range(3):
        answer(site, "ben", right=False)
    site.post("ben", f"projects/{SLUG}/screening/retry")
    for _ in range(3):
        answer(site, "ben", right=False)
    members = _members(site)
    site.post("admin", f"projects/{SLUG}/members/{members['ben']}/allow_attempt")
    site.post("admin", f"projects/{SLUG}/members/{members['cem']}/admit")
    answer(site, "dee", right=True)
    site.claim("dee", SLUG, prefetch=True)


def open_work(site: Site) -> None:
    """Everybody who is admitted labels, and meets gold."""
    body = {"source": "all", "name": "Work with gold", "overlap": 2}
    site.post("researcher", f"projects/{SLUG}/rounds", body)
    site.work()
    for _ in range(13):
        answer(site, "ada", right=True)
    for number in range(5):
        answer(site, "eva", right=number % 2 == 0)
    site.clock.pass_by(hours=3)
    site.say("eva", SLUG, "give_up", 0)
    site.say("eva", SLUG, "bad_problem", 0)


def pauses(site: Site) -> None:
    """The rule pauses Cem; a person pauses Ada, who may then continue, and Eva."""
    for _ in range(26):
        if site.post("cem", f"projects/{SLUG}/labels/claim", {})["label"] is None:
            break
        answer(site, "cem", right=False)
    paused = site.post("cem", f"projects/{SLUG}/labels/claim", {})["empty"]
    assert paused["code"] == "paused", paused
    members = _members(site)
    site.post("admin", f"projects/{SLUG}/members/{members['ada']}/pause", {"reason": "Talk first."})
    site.post("admin", f"projects/{SLUG}/members/{members['ada']}/unpause")
    site.post("admin", f"projects/{SLUG}/members/{members['eva']}/pause", {"reason": "On leave."})


def settle_gold(site: Site) -> None:
    """Make gold of a trace that a reviewer has settled."""
    tasks = site.rows("researcher", f"projects/{SLUG}/tasks?kind=work&state=done")
    task = tasks[0]
    steps = len(site.get("researcher", f"tasks/{task['id']}")["trace"]["steps"])
    site.post("researcher", f"tasks/{task['id']}/settle", {"ratings": [1] * steps, "finish_reason": "solution"})
    site.post("admin", f"traces/{task['trace']['id']}/gold", {"acceptable": [-1]})


def answer(site: Site, who: str, *, right: bool) -> Json:
    """Answer as the trace's author wants, or not: the second step of every solution with a wrong sum is wrong."""
    label = site.claim(who, SLUG)
    slip = label["outcome"] == "wrong"
    error = 1 if slip == right else None
    return site.submit(who, label, "solution" if error is None else "found_error", error)


def _members(site: Site) -> dict[str, int]:
    found = site.get("admin", f"projects/{SLUG}/members")["results"]
    return {member["user"]["username"]: member["id"] for member in found}
