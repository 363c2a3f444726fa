"""Errors of rounds and of the candidates that they generate."""

from labeling.errors.base import Conflict, LabelingError


class RoundNotInStatus(Conflict):
    """The round is not in the state this change starts from; `status` says which it is in."""

    code = "round_not_in_status"


class RoundRunning(Conflict):
    """Workers carry one round of a project at a time; `round` is the number of the one that runs."""

    code = "round_running"
    sentence = "Another round of this project is being worked on. Wait until it is ready, or pause or cancel it."


class NotScheduled(Conflict):
    """The round cannot be followed by itself: there would be nothing to publish, or it is followed already."""

    code = "not_scheduled"
    sentence = "Only a round that workers prepare has a preview to publish. Open the next one yourself: New like this."


class NothingSelected(LabelingError):
    """The round's rules leave no trace; `dropped` counts what was left out, by reason."""

    code = "nothing_selected"
    status = 422


class NothingToQueue(LabelingError):
    """No trace fits the filter, so the round would be empty."""

    code = "nothing_to_queue"
    status = 422
    sentence = "No trace fits. Widen the filter, or import traces first."


class GeneratorFailed(LabelingError):
    """The round's generator cannot be used; the round fails with this sentence and can be resumed when it is mended."""

    code = "generator_failed"
    status = 502
