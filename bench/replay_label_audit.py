"""Part of the replay: label audit on labels known to be wrong, compared with its random control."""

import csv
import json
import shutil
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from bench import replay_prm
from bench.progress import say
from bench.replay_world import Labeler, World
from bench.simulated_labelers import Kind, ratings_of
from labeling.protocol.verdicts import NO_ERROR
from labeling.statistics.intervals import percentiles, resampled_totals

PRM = "Replay"
NOISE = 0.2
ROUNDS = 5  # each labels all traces again, by other people, because few traces are scored in minutes by a CPU
PEOPLE = 6  # in each round
LABELS = 60  # of each round, audited
CONTROL = 0.5
SOURCES = {
    "label_audit": "mrben_physics",
    "label_audit_tracking": "bbmistake_tracking_shuffled_objects",
}  # by part of the replay


class LabelAudit:
    """The labels, and a PRM that scores their traces while other parts of the replay run."""

    def __init__(self, world: World, part: str, *, quick: bool = False) -> None:
        self.world, self.source, self.slug = world, SOURCES[part], f"replay-{part.replace('_', '-')}"
        self.meta = replay_prm.fitted(self.source)
        _, unseen = replay_prm.halves(world.rows[self.source])
        self.rows = unseen[: 30 if quick else None]
        people = world.people([(Kind("noisy 80", "careful", 1 - NOISE), ROUNDS * PEOPLE)])
        self.groups = [people[number * PEOPLE :][:PEOPLE] for number in range(ROUNDS)]
        world.make_project(self.slug, people, gold_per_round=0)
        world.admin.bring(self.slug, self.rows)
        self.rounds = [self.label_all(group) for group in self.groups]
        self.scoring: Future[None] = ThreadPoolExecutor(1).submit(self.score)

    def score(self) -> None:
        """Register the PRM and score every trace, with the operators' commands."""
        local, folder, prm = self.world.installation.local, replay_prm.folder_of(self.source), f"{PRM} {self.source}"
        shutil.copytree(folder, local.models / folder.name, dirs_exist_ok=True)
        record = local.folder / f"{self.slug}.json"
        record.write_text(json.dumps({"family": "step_classifier", "path": folder.name, "aggregation": "product"}))
        local.program("register_prm", "manage.py", "register_prm", prm, str(record), "--check").run()
        local.program("score_traces", "manage.py", "score_traces", self.slug, "--prm", prm).run()

    def label_all(self, group: Sequence[Labeler]) -> int:
        """Have these people label a round of all traces; return its id."""
        round_id = self.world.admin.open_round(self.slug, source="all", overlap=1, seed=self.world.seed)
        self.world.label_until_done(self.slug, group)
        self.world.admin.close_round(round_id)
        return round_id

    def measure(self, *, quick: bool = False) -> dict[str, Any]:
        """Run a label audit of each round with a reviewer who is always right; return the corrections by arm."""
        self.scoring.result()
        say(f"{self.slug}: scored")
        prms = self.world.admin.call("GET", f"/api/projects/{self.slug}/prms")["results"]
        [prm] = [one["id"] for one in prms if one["name"] == f"{PRM} {self.source}"]
        lines = [line for round_id in self.rounds for line in self.label_audit(prm, round_id, 20 if quick else LABELS)]
        truths = self.world.truths
        said = [
            (trace, found)
            for group in self.groups
            for one in group
            for (slug, trace), found in one.said.items()
            if slug == self.slug
        ]
        return {
            "source": self.source,
            "traces": len(self.rows),
            "rounds": ROUNDS,
            "labels": len(said),
            "wrong": sum(found != truths[trace].first_error for trace, found in said),
            **arms_of(lines, self.world.seed),
            "prm": {
                name: self.meta[name] for name in ("base", "layer", "data", "test", "test_position_and_length_only")
            },
        }

    def label_audit(self, prm: int, round_id: int, labels: int) -> list[dict[str, str]]:
        """Run one label audit from start to finish; return its CSV rows."""
        admin, truths = self.world.admin, self.world.truths
        asked = {"prm": prm, "round": round_id, "labels": labels, "control_share": CONTROL, "seed": self.world.seed}
        made = admin.call("POST", f"/api/projects/{self.slug}/label_audits", asked)
        while (item := admin.call("POST", f"/api/label_audits/{made['id']}/next", {})["item"]) is not None:
            first_error = truths["\n".join(item["steps"])].first_error
            reason = "solution" if first_error == NO_ERROR else "found_error"
            review = {"ratings": ratings_of(first_error, len(item["steps"])), "finish_reason": reason}
            admin.call("POST", f"/api/label_audit_items/{item['id']}/review", review)
        admin.call("POST", f"/api/label_audits/{made['id']}/finish")
        return list(csv.DictReader(admin.read(f"/api/label_audits/{made['id']}/report.csv").splitlines()))


def arms_of(lines: Sequence[dict[str, str]], seed: int) -> dict[str, Any]:
    """Return reviewed and corrected labels by arm, and the difference of the shares with its 95 % bootstrap interval,
    over traces because some traces have several labels.
    """
    places = {trace: place for place, trace in enumerate(sorted({line["trace"] for line in lines}))}
    parts = np.zeros((len(places), 4))
    for line in lines:
        column = 0 if line["arm"] == "model" else 2
        parts[places[line["trace"]], column] += line["corrected"] == "True"
        parts[places[line["trace"]], column + 1] += 1
    sums, drawn = parts.sum(axis=0), resampled_totals(parts, seed=seed)
    low, high = percentiles(drawn[:, 0] / drawn[:, 1] - drawn[:, 2] / drawn[:, 3])
    return {
        "arms": [
            {"arm": arm, "corrected": int(sums[column]), "reviewed": int(sums[column + 1])}
            for arm, column in (("model", 0), ("control", 2))
        ],
        "difference": {"value": sums[0] / sums[1] - sums[2] / sums[3], "low": low, "high": high},
    }
