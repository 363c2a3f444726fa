"""What can go wrong, in the server's own words."""

from collections.abc import Mapping
from typing import Any


class StepmarkError(Exception):
    """The base of every error of this package."""


class NotLoggedIn(StepmarkError):
    """Nobody said which server, or with which token."""


class NotReachable(StepmarkError):
    """The server did not answer."""


class BrokeOff(NotReachable):
    """The connection ended before the answer did."""


class NotUnderstood(NotReachable):
    """What answered does not speak as Stepmark does."""

    def __init__(self, address: object, how: str) -> None:
        super().__init__(f"{address} answered {how}. Is it the address of Stepmark?")


class NotAPath(StepmarkError):
    """Something else than a path of the server was to be asked: the token goes nowhere else."""


class Refused(StepmarkError):
    """The server refused: `status`, its `code`, its sentence, and what else it said."""

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
    """Work that was waited for failed, or was cancelled; `job` is the whole answer."""

    def __init__(self, what: str, job: Mapping[str, Any]) -> None:
        self.job = dict(job)
        super().__init__(f"The {what} {job.get('status')}. {job.get('error') or ''}".strip())


class Faulty(JobFailed):
    """A file has faults, and nothing was imported; `job["report"]["faults"]` lists them."""


class WaitedInVain(StepmarkError):
    """It takes longer than was to be waited. It goes on on the server."""


class Damaged(StepmarkError):
    """A download is not what the server made: its hash is another one."""


class NoRoom(StepmarkError, OSError):
    """What was to be written does not fit where it was to be."""
