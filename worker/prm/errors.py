"""Errors of a process reward model as a whole. A fault of one trace is its `reason`, never an error."""


class PrmError(Exception):
    """Base: the sentence says what does not fit and what to do about it."""


class SpecError(PrmError):
    """The registry record is incomplete or contradicts itself."""


class CheckpointError(PrmError):
    """A file, field or tensor of the checkpoint does not fit the family."""


class ServerError(PrmError):
    """The server refuses us or speaks another language: a person has to fix the address, the key or the model name."""


class ServerUnavailableError(ServerError):
    """The server did not answer in time, after all retries. The same traces can be scored again later."""


class TrainingError(PrmError):
    """Training cannot go on: the sentence says what to change."""


class StoppedError(PrmError):
    """Somebody asked it to stop. What was done is kept, and the same call goes on from there."""
