"""The shared world of the replay's parts: the traces, the people in their browsers, and a turn of work."""

import hashlib
import json
import os
import random
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import uuid4

from annotation_app.local.installation import BASE_DIR
from bench.installation import Installation
from bench.progress import say
from bench.replay_site import Admin, Line, Visitor, truth_of
from bench.simulated_labelers import Kind, Person, ratings_of, seconds_spent, verdict
from labeling.protocol.verdicts import NO_ERROR

Json = dict[str, Any]
SHARED = Path(os.environ.get("STEPMARK_SHARED_DATA", BASE_DIR.parent / "shared" / "data"))
SOURCES = ("processbench_gsm8k", "processbench_math", "mrben_physics", "prm800k_val")
FOR_LABEL_AUDIT = ("bbmistake_tracking_shuffled_objects",)
ADMIN = "replay-admin"
MEMBERS = """
    INSERT INTO labeling_membership (project_id, user_id, role, is_active, joined_at)
    SELECT project.id, person.id, 'annotator', true, now()
    FROM labeling_project project, labeling_user person
    WHERE project.slug = %s AND person.username = ANY(%s) ORDER BY person.id
"""
SALT = "UPDATE labeling_project SET export_salt = %s WHERE slug = %s"
# Nobody waits a minute per trace here. Instead, a claim is moved into the past by the time that the label is supposed
# to have taken, because no label may count more active time than has passed since its claim.
TIME_PASSES = "UPDATE labeling_label SET claimed_at = claimed_at - %s * interval '1 millisecond' WHERE id = %s"


def read_rows(folder: Path) -> dict[str, list[Json]]:
    """Return the traces with a recorded verdict, each text once. Those of a benchmark are never for training."""
    seen = set()
    found: dict[str, list[Json]] = {}
    for name in (*SOURCES, *FOR_LABEL_AUDIT):
        found[name] = []
        for line in (folder / f"{name}.jsonl").read_text().splitlines():
            row = json.loads(line)
            text = tuple(row["steps"])
            if row["first_error"] is not None and text not in seen:
                seen.add(text)
                found[name].append({**row, "split": "held_out"} if name.startswith("processbench") else row)
    return found


class Labeler:
    """A simulated person with a session."""

    def __init__(self, world: "World", person: Person) -> None:
        self.world, self.person = world, person
        self.gold: Counter[str] = Counter()  # gold tasks submitted, by project
        self.said: dict[tuple[str, str], int] = {}  # verdicts, by project and trace

    @cached_property
    def browser(self) -> Visitor:
        """The labeler's session; they log in at the first use."""
        return Visitor(self.world.line, self.person.name, self.world.password)

    def log_in(self) -> None:
        """Log in now instead of at the first task."""
        assert self.browser

    def work(self, slug: str) -> str:
        """Claim a task and submit it; return "" if there was one, otherwise the code of the reason."""
        claim = self.browser.call("POST", f"/api/projects/{slug}/labels/claim", {"prefetch": False})
        if claim["label"] is None:
            return str(claim["empty"]["code"])
        label = claim["label"]
        truth = self.world.truths["\n".join(label["steps"])]
        spent = [int(seconds * 1000) for seconds in seconds_spent(self.person, truth, self.world.seed)]
        self.world.database.execute(TIME_PASSES, [sum(spent), label["id"]])
        found = verdict(self.person, truth, self.world.seed)
        self.browser.call("POST", f"/api/labels/{label['id']}/submit", submission(found, label, spent))
        self.said[slug, truth.trace] = found
        self.gold[slug] += truth.trace in self.world.gold.get(slug, ())
        return ""


def submission(found: int, label: Json, spent: Sequence[int]) -> Json:
    """Return a finished label as the page sends it. `spent`: milliseconds on each step that was read."""
    now = int(time.time() * 1000)
    spans, start = [], now - sum(spent)
    for step, length in enumerate(spent):
        spans.append({"step": step, "start": start, "end": start + length})
        start += length
    return {
        "idempotency_key": str(uuid4()),
        "finish_reason": "solution" if found == NO_ERROR else "found_error",
        "ratings": ratings_of(found, len(label["steps"])),
        "noticed_at_step": None if found == NO_ERROR else found,
        "confirmations": doubts(found, label),
        "spans": spans,
        "total_ms": sum(spent),
        "client_build": "replay",
    }


def doubts(found: int, label: Json) -> list[Json]:
    """Return the page's confirmation for labelers who find no error in a trace whose answer is wrong."""
    if found != NO_ERROR or label["outcome"] != "wrong":
        return []
    return [{"code": "solution_but_answer_wrong", "reason": "I found no error."}]


class World:
    """One installation, all traces, the admin, and everyone who labels."""

    def __init__(self, installation: Installation, rows: dict[str, list[Json]], password: str, seed: int) -> None:
        self.installation, self.rows, self.password, self.seed = installation, rows, password, seed
        self.truths = {truth.trace: truth for part in rows.values() for truth in map(truth_of, part)}
        self.database = installation.connect()
        self.line = Line(installation.local.web_port)
        self.gold: dict[str, set[str]] = {}
        self._people: dict[str, Labeler] = {}
        self.make_accounts([ADMIN])
        self.admin = Admin(self.line, ADMIN, password)

    @property
    def labels(self) -> int:
        """Number of labels submitted so far, by everyone."""
        return sum(len(one.said) for one in self._people.values())

    def make_accounts(self, names: Sequence[str]) -> None:
        """Create people who can log in; ADMIN is a superuser."""
        arguments = ("--superuser", ADMIN, *names)
        self.installation.run("bench.replay_accounts", *arguments, BENCH_PASSWORD=self.password)

    def people(self, kinds: Sequence[tuple[Kind, int]]) -> list[Labeler]:
        """Return this many people of each kind; people returned before are reused."""
        wanted = [Person(f"{kind.name.replace(' ', '-')}-{n}", kind) for kind, count in kinds for n in range(count)]
        new = [person for person in wanted if person.name not in self._people]
        if new:
            self.make_accounts([person.name for person in new])
        self._people |= {person.name: Labeler(self, person) for person in new}
        return [self._people[person.name] for person in wanted]

    def make_project(self, slug: str, people: Sequence[Labeler], **settings: Any) -> None:
        """Create a project with these members. Its secret, which decides where gold is placed, is derived from the
        seed.
        """
        self.admin.make_project(slug, **settings)
        self.database.execute(SALT, [hashlib.sha256(f"{self.seed}:{slug}".encode()).hexdigest(), slug])
        self.database.execute(MEMBERS, [slug, [one.person.name for one in people]])

    def bring_gold(self, slug: str, rows: Sequence[Json]) -> None:
        """Import traces as gold."""
        self.admin.bring(slug, rows, as_gold=True)
        self.gold[slug] = {truth_of(row).trace for row in rows}

    def shuffled(self, sources: Iterable[str], about: str) -> list[Json]:
        """Return all traces of these sources in an order derived from the seed."""
        rows = [row for name in sources for row in self.rows[name]]
        random.Random(f"{self.seed}:{about}").shuffle(rows)
        return rows

    def label_until_done(self, slug: str, people: Sequence[Labeler]) -> None:
        """Have everyone label one task at a time in turn, until nobody gets another."""
        began, before = time.monotonic(), sum(len(one.said) for one in people)
        working = True
        while working:
            working = False
            for one in people:
                working = not one.work(slug) or working
        seconds, labels = time.monotonic() - began, sum(len(one.said) for one in people) - before
        say(f"{slug}: {labels:,} labels, {labels / max(seconds, 0.001):.0f}/s")
