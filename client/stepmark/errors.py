"""What can go wrong, in the server's own words."""

from collections.abc import Mapping
from typing import Any


class StepmarkError(Exception):
    """The base of every error of this package."""


class NotLoggedIn(StepmarkError):
    """No server or no token is set."""


class NotReachable(StepmarkError):
    """The server did not answer."""


class BrokeOff(NotReachable):
    """The connection ended before the answer did."""


class NotUnderstood(NotReachable):
    """The answer is not one that Stepmark gives."""

    def __init__(self, address: object, how: str) -> None:
        super().__init__(f"{address} answered {how}. Is it the address of Stepmark?")


class NotAPath(StepmarkError):
    """The request was not for a path on the server: the token is sent nowhere else."""


class Refused(StepmarkError):
    """The server refused: its `status`, `code` and `detail`, and everything else in `said`."""

    def __init__(self, status: int, said: Mapping[str, Any]) -> None:
        self.status, self.code = status, str(said.get("code", "unknown"))
        self.detail = str(said.get("detail") or f"The server answered {status}.")
        self.said = dict(said)
        super().__init__("\n".join([self.detail, *self._fields()]))

    def _fields(self) -> list[str]:
        fields = self.said.get("fields")
        if not isinstance(fields, Mapping):
            return []
        return [
            f"  {name}: {' '.join(map(str, why)) if isinstance(why, list) else why}" for name, why in fields.items()
        ]


class JobFailed(StepmarkError):
    """A job failed or was cancelled; `job` is the whole answer."""

    def __init__(self, what: str, job: Mapping[str, Any]) -> None:
        self.job = dict(job)
        super().__init__(f"The {what} {job.get('status')}. {job.get('error') or ''}".strip())


class Faulty(JobFailed):
    """A file has faults, and nothing was imported; `job["report"]["faults"]` lists them."""


class WaitedInVain(StepmarkError):
    """The job did not finish within the time limit. It continues on the server."""


class Damaged(StepmarkError):
    """A download is not the file that the server made: its hash, size or contents are wrong."""


class NoRoom(StepmarkError, OSError):
    """A file does not fit on the disk it is written to."""
