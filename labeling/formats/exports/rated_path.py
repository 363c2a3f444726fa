"""What a trainer learns from a label: steps that are each marked right or wrong.

The rules are those of TRL, Math-Shepherd and similar formats: every step of a row has a mark, and none follows a wrong
step.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from labeling.formats.exporting import ExportedLabel, path_ratings, step_sources
from labeling.formats.exports.switches import apply_neutral_switch
from labeling.protocol.registry import protocol_named


class RatedPath(NamedTuple):
    """The first steps of a trace, with a rating for each (never null) and the source of each rating."""

    steps: list[str]
    ratings: list[int]
    sources: list[str | None]

    @property
    def is_right(self) -> list[bool]:
        """One mark per step: whether it was not rated -1."""
        return [rating >= 0 for rating in self.ratings]


def counted_path(label: ExportedLabel, switches: Mapping[str, str]) -> tuple[list[str], list[int | None]]:
    """The steps up to the last one that the label's protocol allows to be rated, with the ratings that count.

    The switches `neutral` and `human_steps` are applied.
    """
    counted = counted_ratings(path_ratings(label, switches["human_steps"]), label.protocol, switches["neutral"])
    return label.trace.steps[: len(counted)], counted


def counted_ratings(ratings: Sequence[int | None], protocol_name: str, neutral: str) -> list[int | None]:
    """The ratings that count after the switch `neutral`, up to the last step that the protocol then allows to rate."""
    switched = apply_neutral_switch(ratings, neutral)
    protocol = protocol_named(protocol_name)
    end = 1 + max(protocol.ratable_steps(switched), default=-1)
    return list(protocol.counted(switched)[:end])


def rated_paths(label: ExportedLabel, switches: Mapping[str, str]) -> Iterator[RatedPath]:
    """The trace's own path, cut before its first step without a rating. A label without a verdict has no paths.

    With `after_error` = truncate, the path is also cut after its first error. With `alternatives` = rows, there is one
    more path for each rated alternative: the steps before it, then the alternative.
    """
    if label.verdict is None:
        return
    steps, ratings = counted_path(label, switches)
    if switches.get("after_error") == "truncate" and -1 in ratings:
        ratings = ratings[: ratings.index(-1) + 1]
    path = _whole_path(label, steps, ratings)
    if path.steps:
        yield path
    if switches.get("alternatives") == "rows":
        yield from _alternatives(label, path, switches)


def _whole_path(label: ExportedLabel, steps: Sequence[str], ratings: Sequence[int | None]) -> RatedPath:
    """The beginning of the path that is rated without a gap."""
    rated: list[int] = []
    for rating in ratings:
        if rating is None:
            break
        rated.append(rating)
    return RatedPath(list(steps[: len(rated)]), rated, step_sources(label, rated))


def _alternatives(label: ExportedLabel, path: RatedPath, switches: Mapping[str, str]) -> Iterator[RatedPath]:
    for item in label.step_labels:
        if item.text is None or item.rating is None or item.step_index > len(path.steps):
            continue
        before = path.ratings[: item.step_index]
        (rating,) = apply_neutral_switch([item.rating], switches["neutral"])
        if -1 not in before and rating is not None:
            sources = [*path.sources[: item.step_index], label.labeler_kind]
            yield RatedPath([*path.steps[: item.step_index], item.text], [*before, rating], sources)
