"""What a trainer learns of a label: steps with a mark each, right or wrong.

The rules are those of TRL, Math-Shepherd and their like: every step of a row has a mark, and none follows a wrong one.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from labeling.formats.exporting import ExportedLabel, path_ratings, step_sources
from labeling.formats.exports.switches import apply_neutral_switch
from labeling.protocol.registry import protocol_named


class RatedPath(NamedTuple):
    """Steps from the first one on, with as many ratings, none of them null, and where each is from."""

    steps: list[str]
    ratings: list[int]
    sources: list[str | None]

    @property
    def is_right(self) -> list[bool]:
        """A mark a step: whether nobody called it wrong."""
        return [rating >= 0 for rating in self.ratings]


def counted_path(label: ExportedLabel, switches: Mapping[str, str]) -> tuple[list[str], list[int | None]]:
    """The steps up to the last that the label's protocol lets be rated, with the ratings that count, after the switches
    `neutral` and `human_steps`."""
    counted = counted_ratings(path_ratings(label, switches["human_steps"]), label.protocol, switches["neutral"])
    return label.trace.steps[: len(counted)], counted


def counted_ratings(ratings: Sequence[int | None], protocol_name: str, neutral: str) -> list[int | None]:
    """The ratings that count after the switch `neutral`, up to the last step that the protocol lets be rated then."""
    switched = apply_neutral_switch(ratings, neutral)
    protocol = protocol_named(protocol_name)
    end = 1 + max(protocol.ratable_steps(switched), default=-1)
    return list(protocol.counted(switched)[:end])


def rated_paths(label: ExportedLabel, switches: Mapping[str, str]) -> Iterator[RatedPath]:
    """The trace's own path, cut before its first step without a rating, and with `after_error` = truncate after its
    first error; with `alternatives` = rows one more for each rated alternative: the path before it, and then it. None
    of a label without a verdict.
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
    """The beginning that is rated without a gap."""
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
