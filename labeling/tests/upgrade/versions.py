"""The versions whose databases are kept, and the intended differences since each."""

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
    """One version."""

    name: str
    since: Differences
    first_migration_since: str
    first_stop: str  # the change of the first migration that its processes cannot live with
    scorers: str  # the table of step scorers, by its old name
    quality: str  # the address for labelers' quality

    @property
    def stem(self) -> str:
        """The stem of its files' names."""
        return f"v{self.name.replace('.', '_')}"

    @property
    def dump(self) -> Path:
        """Its database."""
        return FOLDER / f"{self.stem}.sql.gz"

    @cached_property
    def record(self) -> dict[str, Any]:
        """Its answers."""
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
