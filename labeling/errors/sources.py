"""Errors of machine label sources and their runs."""

from collections.abc import Mapping, Sequence
from typing import Any

from labeling.count_words import count_of
from labeling.errors.base import Conflict


class SourceNameTaken(Conflict):
    """Another step scorer of the project has this name. Marks are stored by source, so a source is never changed."""

    code = "source_name_taken"
    sentence = "Another step scorer already has this name. Other settings make another source: choose another name."


class NothingToMark(Conflict):
    """This source has already looked at every trace that matches the filter, or no trace matches."""

    code = "nothing_to_mark"
    sentence = (
        "No matching trace is new to this source: it has looked at them, or an unfinished run will. "
        "Widen the filter, or import traces first."
    )


class SourcesToRunFirst(Conflict):
    """A consensus has no marks to work with: `waits_for` lists its sources, and how many traces each has not marked."""

    code = "sources_to_run_first"

    def __init__(self, *, waits_for: Sequence[Mapping[str, Any]]) -> None:
        lacking = ", ".join(f"{one['source']} ({count_of(one['traces'], 'trace')})" for one in waits_for)
        said = f"Not marked yet by {lacking}. Have them mark the traces first; then start this source again."
        super().__init__(said, waits_for=waits_for)


class SourceRunOver(Conflict):
    """The run is finished or stopped; `status` says which."""

    code = "source_run_over"
    sentence = "This run is over. Start another one: it covers the traces that this source has not looked at."


class SourceRunGoesOn(Conflict):
    """Only a stopped run can be resumed."""

    code = "source_run_goes_on"
    sentence = "This run is still going, or has finished all its work."


class BudgetTooLow(Conflict):
    """The run has already used this much."""

    code = "budget_too_low"
    sentence = "The run has already used this much. Set a budget above what it has used."


class AcceptanceRefused(Conflict):
    """The source's marks cannot be accepted: no audit of a random sample has shown the agreement with people that was
    required, or no trace is left to accept."""

    code = "acceptance_refused"
    sentence = "These marks cannot be accepted in bulk."


class AcceptanceWithdrawn(Conflict):
    """The acceptance was already withdrawn."""

    code = "acceptance_withdrawn"
    sentence = "This acceptance was already withdrawn. Its marks are gone."
