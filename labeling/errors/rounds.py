"""Errors of rounds and of the candidates they generate."""

from labeling.errors.base import Conflict, LabelingError


class RoundNotInStatus(Conflict):
    """The round's current status does not allow this change; `status` is that status."""

    code = "round_not_in_status"


class RoundRunning(Conflict):
    """Workers prepare one round of a project at a time; `round` is the number of that round."""

    code = "round_running"
    sentence = "Workers are preparing another round of this project. Wait until it is ready, or pause or cancel it."


class NotScheduled(Conflict):
    """The next round cannot be scheduled: it would have no preview to publish, or it is already prepared."""

    code = "not_scheduled"
    sentence = "Only a round that workers prepare has a preview to publish. Open the next one with New like this."


class NothingSelected(LabelingError):
    """The round's rules leave no trace to label; `dropped` counts the traces left out, by reason."""

    code = "nothing_selected"
    status = 422


class NothingToQueue(LabelingError):
    """No trace fits the filter, so the round would be empty."""

    code = "nothing_to_queue"
    status = 422
    sentence = "No trace fits. Widen the filter, or import traces first."


class GeneratorFailed(LabelingError):
    """The generator cannot be used. The round fails with this message; resume it once the generator is fixed."""

    code = "generator_failed"
    status = 502
