"""Errors of machine label sources and their runs."""

from collections.abc import Mapping, Sequence
from typing import Any

from labeling.errors.base import Conflict


class SourceNameTaken(Conflict):
    """Another step scorer of the project has the name; marks are kept by source, so a source is never changed."""

    code = "source_name_taken"
    sentence = "Something that scores steps has this name already. Other settings are another source: name it so."


class NothingToMark(Conflict):
    """No trace fits the filter that this source has not looked at."""

    code = "nothing_to_mark"
    sentence = (
        "No trace fits that this source has not looked at, or is not looking at in a run that goes on. "
        "Widen the filter, or import traces first."
    )


class SourcesToRunFirst(Conflict):
    """A consensus has nothing to go by: `waits_for` says which of its sources have not looked at how many traces."""

    code = "sources_to_run_first"

    def __init__(self, *, waits_for: Sequence[Mapping[str, Any]]) -> None:
        lacking = ", ".join(f"{one['source']} ({_traces(one['traces'])})" for one in waits_for)
        said = f"Not marked yet by {lacking}. Have them mark the traces first; then start this source again."
        super().__init__(said, waits_for=waits_for)


class SourceRunOver(Conflict):
    """The run is finished, or stopped; `status` says."""

    code = "source_run_over"
    sentence = "This run is over. Start another one: it takes what this source has not looked at."


class SourceRunGoesOn(Conflict):
    """Only a run that stopped can go on."""

    code = "source_run_goes_on"
    sentence = "This run goes on, or has done all there was to do."


class BudgetTooLow(Conflict):
    """The budget is used already."""

    code = "budget_too_low"
    sentence = "The run has used this much already. Give a budget above what it has used."


class AcceptanceRefused(Conflict):
    """The source has not shown on a random sample that it agrees with people as often as was asked of it."""

    code = "acceptance_refused"
    sentence = "These marks cannot be accepted in bulk."


class AcceptanceWithdrawn(Conflict):
    """It was withdrawn before."""

    code = "acceptance_withdrawn"
    sentence = "This acceptance was withdrawn already. Its marks are gone."


def _traces(count: int) -> str:
    return "1 trace" if count == 1 else f"{count:,} traces"
