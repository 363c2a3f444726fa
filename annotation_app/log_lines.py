"""How a line of the log looks, and what it must not hold: secrets, and the traceback of a stranger's doing."""

import logging
import re
from datetime import UTC, datetime

import orjson

from annotation_app.request_ids import current_request_id

SECRETS = re.compile(r"(invitations/|smk_)[\w-]{8,}")
REFUSED = "django.security."  # host names that are not ours, cookies that somebody forged


class HideSecrets(logging.Filter):
    """Cuts invitation links and API tokens out of a line; Django logs the address of every refused request."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Always true: the line is kept, without its secrets."""
        message = record.getMessage()
        if SECRETS.search(message):
            record.msg, record.args = SECRETS.sub(r"\1[hidden]", message), ()
        return True


class OneLineForRefused(logging.Filter):
    """Cuts the traceback off what was refused: whoever asks for the wrong host fills the log a line at a time."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Always true."""
        if record.name.startswith(REFUSED):
            record.exc_info = record.exc_text = None
        return True


class PlainLine(logging.Formatter):
    """For people: time, level, name and message, and behind them the request it is about."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name}: {message}", style="{")

    def formatMessage(self, record: logging.LogRecord) -> str:
        """The line without its traceback."""
        line, request_id = super().formatMessage(record), current_request_id()
        return f"{line} [request {request_id}]" if request_id else line


class JsonLine(logging.Formatter):
    """For programs: one JSON object a line, the traceback in it. A message cannot forge a line of its own."""

    def format(self, record: logging.LogRecord) -> str:
        """The object; keys that have nothing to say are left out."""
        said = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "request_id": current_request_id() or None,
            "status": getattr(record, "status_code", None),
            "process": record.process,
            "traceback": self.formatException(record.exc_info) if record.exc_info else None,
        }
        return orjson.dumps({name: value for name, value in said.items() if value is not None}, default=str).decode()
