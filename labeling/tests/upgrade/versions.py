"""The versions whose databases are kept: what they were, and what is meant to differ since then."""

import gzip
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from labeling.tests.upgrade.differences import Differences
from labeling.tests.upgrade.since_v0_1_0 import SINCE_0_1_0
from labeling.tests.upgrade.since_v0_2_0 import SINCE_0_2_0

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Version:
    """One of them."""

    name: str
    since: Differences
    first_migration_since: str
    first_stop: str  # what the first migration does that processes of that version cannot live with
    scorers: str  # the table of step scorers, as it was called
    quality: str  # what was asked about labelers' quality

    @property
    def stem(self) -> str:
        """What its files are called."""
        return f"v{self.name.replace('.', '_')}"

    @property
    def dump(self) -> Path:
        """Its database."""
        return FOLDER / f"{self.stem}.sql.gz"

    @cached_property
    def record(self) -> dict[str, Any]:
        """What it answered."""
        found: dict[str, Any] = json.loads(gzip.decompress((FOLDER / f"{self.stem}_answers.json.gz").read_bytes()))
        return found


VERSION_0_1_0 = Version(
    name="0.1.0",
    since=SINCE_0_1_0,
    first_migration_since="labeling.0025_label_verdict",
    first_stop="renames Prm",
    scorers="labeling_prm",
    quality="projects/standings",
)
VERSION_0_2_0 = Version(
    name="0.2.0",
    since=SINCE_0_2_0,
    first_migration_since="labeling.0043_round_tallies",
    first_stop="adds trainingrun.sources without a default in the database",
    scorers="labeling_stepscorer",
    quality="projects/labeler_quality",
)
