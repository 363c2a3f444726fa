"""Errors of a process reward model as a whole. A fault of one trace is its `reason`, never an error."""


class PrmError(Exception):
    """Base class. The message says what does not fit and what to do about it."""


class SpecError(PrmError):
    """The registry record is incomplete or contradicts itself."""


class CheckpointError(PrmError):
    """A file, field or tensor of the checkpoint does not fit the family."""


class ServerError(PrmError):
    """The server refuses us or speaks another protocol: a person has to fix the address, the key or the model name."""


class ServerUnavailableError(ServerError):
    """The server did not answer in time, after all retries. The same traces can be scored again later."""


class TrainingError(PrmError):
    """Training cannot continue. The message says what to change."""


class StoppedError(PrmError):
    """The work was asked to stop. What was done is kept, and the same call continues from there."""
