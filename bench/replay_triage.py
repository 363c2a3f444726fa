"""Part of the replay: noise triage against labels that are known to be wrong, next to its random control."""

import json
import shutil
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from bench import replay_prm
from bench.progress import say
from bench.replay_world import Labeler, World
from bench.simulated_labelers import Kind, ratings_of
from labeling.first_errors import NO_ERROR

SLUG = "replay-triage"
PRM = "Replay"
NOISE = 0.2
PEOPLE = [(Kind("noisy 80", "careful", 1 - NOISE), 6)]
LABELS = 60
CONTROL = 0.5
RECORD = {"family": "step_classifier", "path": replay_prm.FOLDER.name, "aggregation": "product"}


class Triage:
    """The labels, and a PRM that scores their traces while other parts of the replay go on."""

    def __init__(self, world: World, *, quick: bool = False) -> None:
        self.world = world
        self.meta = replay_prm.fitted()
        _, unseen = replay_prm.halves(world.rows[replay_prm.SOURCE])
        self.rows = unseen[: 30 if quick else None]
        self.people: list[Labeler] = world.people(PEOPLE)
        world.make_project(SLUG, self.people, gold_per_round=0)
        world.admin.bring(SLUG, self.rows)
        world.admin.open_round(SLUG, source="all", overlap=1, seed=world.seed)
        world.label_until_done(SLUG, self.people)
        self.scoring: Future[None] = ThreadPoolExecutor(1).submit(self.score)

    def score(self) -> None:
        """Register the PRM and score every trace, by the commands that operators have."""
        stack = self.world.installation.stack
        shutil.copytree(replay_prm.FOLDER, stack.models / replay_prm.FOLDER.name, dirs_exist_ok=True)
        record = stack.folder / "replay-prm.json"
        record.write_text(json.dumps(RECORD))
        stack.program("register_prm", "manage.py", "register_prm", PRM, str(record), "--check").run()
        stack.program("score_traces", "manage.py", "score_traces", SLUG, "--prm", PRM).run()

    def measure(self, *, quick: bool = False) -> dict[str, Any]:
        """A triage that an always right reviewer goes through; what was corrected in either arm."""
        self.scoring.result()
        say(f"{SLUG}: scored")
        admin, world = self.world.admin, self.world
        prms = admin.call("GET", f"/api/projects/{SLUG}/prms")["results"]
        [prm] = [one["id"] for one in prms if one["name"] == PRM]
        asked = {"prm": prm, "labels": 20 if quick else LABELS, "control_share": CONTROL, "seed": world.seed}
        triage = admin.call("POST", f"/api/projects/{SLUG}/triages", asked)
        while (item := admin.call("POST", f"/api/triages/{triage['id']}/next", {})["item"]) is not None:
            first_error = world.truths["\n".join(item["steps"])].first_error
            reason = "solution" if first_error == NO_ERROR else "found_error"
            review = {"ratings": ratings_of(first_error, len(item["steps"])), "finish_reason": reason}
            admin.call("POST", f"/api/triage_items/{item['id']}/review", review)
        done = admin.call("POST", f"/api/triages/{triage['id']}/finish")
        said = {trace: found for one in self.people for (slug, trace), found in one.said.items() if slug == SLUG}
        wrong = sum(found != world.truths[trace].first_error for trace, found in said.items())
        return {
            "labels": len(said),
            "wrong": wrong,
            "counts": done["counts"],
            "arms": done["report"]["arms"],
            "difference": done["report"]["difference"],
            "prm": {name: self.meta[name] for name in ("base", "layer", "data", "test", "test_place_and_length_only")},
        }
