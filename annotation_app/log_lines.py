"""The format of log lines, and what they must not contain: secrets, and tracebacks caused by a stranger."""

import logging
import re
from datetime import UTC, datetime

import orjson

from annotation_app.request_ids import current_request_id

SECRETS = re.compile(r"(invitations/|smk_)[\w-]{8,}")
STEERING = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")
REFUSED = "django.security."  # host names that are not ours, cookies that somebody forged


def without_secrets(text: str) -> str:
    """Without invitation links and API tokens; Django logs the address of every refused request.

    The record keeps what it was given: who else reads it, as a reporter of faults, takes the message before its values.
    """
    return SECRETS.sub(r"\1[hidden]", text)


def on_one_line(text: str) -> str:
    """Line ends and other signs that steer a terminal, written out: what a stranger sent ends no line of the log."""
    return STEERING.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


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
        line, request_id = on_one_line(super().formatMessage(record)), current_request_id()
        return f"{line} [request {request_id}]" if request_id else line

    def format(self, record: logging.LogRecord) -> str:
        """The line and its traceback."""
        return without_secrets(super().format(record))


class JsonLine(logging.Formatter):
    """For programs: one JSON object a line, the traceback in it. A message cannot forge a line of its own."""

    def format(self, record: logging.LogRecord) -> str:
        """The object; keys that have nothing to say are left out."""
        said = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
            "request_id": current_request_id() or None,
            "status": getattr(record, "status_code", None),
            "process": record.process,
            "traceback": without_secrets(self.formatException(record.exc_info)) if record.exc_info else None,
        }
        return orjson.dumps({name: value for name, value in said.items() if value is not None}, default=str).decode()
