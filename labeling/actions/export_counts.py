"""What an export's manifest counts over its labels."""

from collections import Counter
from typing import Any

from labeling.formats.exporting import ExportedLabel

WITHOUT_ROWS = "without_rows"  # in the manifest: labels that gave no row, by the known reason
NAMES = {None: "unrated", -1: "-1", 0: "0", 1: "1"}


class Counts:
    """What the manifest counts over the labels, stored so that an interrupted run can continue counting."""

    def __init__(self, before: dict[str, dict[str, int]]) -> None:
        """`before`: `as_json()` of the interrupted run."""
        names = ("ratings", "finish_reasons", "guideline_versions", "grader_versions", "rounds", "path", WITHOUT_ROWS)
        self.by_name = {name: Counter(before.get(name, {})) for name in names}

    def add(self, labels: list[ExportedLabel]) -> None:
        """Count a chunk of labels."""
        found: dict[str, list[Any]] = {
            "ratings": [item.rating for label in labels for item in label.step_labels],
            "path": [
                item.rating
                for label in labels
                for item in label.step_labels
                if item.text is None and item.rating is not None
            ],
            "finish_reasons": [label.finish_reason for label in labels],
            "guideline_versions": [label.guideline_version or "none" for label in labels],
            "grader_versions": [label.trace.grader_version or "none" for label in labels],
            "rounds": [label.round_number for label in labels],
        }
        for name, values in found.items():
            for value, count in Counter(values).items():
                self.by_name[name][NAMES.get(value, str(value))] += count

    def as_json(self) -> dict[str, dict[str, int]]:
        """Return the counts by name, each sorted."""
        return {name: dict(sorted(counter.items())) for name, counter in self.by_name.items()}
