"""The format of log lines, and what they must not contain: secrets, and tracebacks caused by a stranger."""

import logging
import re
from datetime import UTC, datetime

import orjson

from annotation_app.request_ids import current_request_id

SECRETS = re.compile(r"(invitations/|smk_)[\w-]{8,}")
STEERING = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")
REFUSED = "django.security."  # host names that are not ours, forged cookies


def without_secrets(text: str) -> str:
    """Return the text without invitation links and API tokens; Django logs the address of every refused request.

    The record itself is unchanged: other readers, like a fault reporter, take the message before its values are filled
    in.
    """
    return SECRETS.sub(r"\1[hidden]", text)


def on_one_line(text: str) -> str:
    """Escape line ends and other characters that control a terminal: text from a stranger ends no line of the log."""
    return STEERING.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


class OneLineForRefused(logging.Filter):
    """Removes the traceback of refused requests, so that one for the wrong host adds only a line to the log."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True."""
        if record.name.startswith(REFUSED):
            record.exc_info = record.exc_text = None
        return True


class PlainLine(logging.Formatter):
    """The format for people: time, level, name and message, followed by the request it is about."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name}: {message}", style="{")

    def formatMessage(self, record: logging.LogRecord) -> str:
        """Return the line without its traceback."""
        line, request_id = on_one_line(super().formatMessage(record)), current_request_id()
        return f"{line} [request {request_id}]" if request_id else line

    def format(self, record: logging.LogRecord) -> str:
        """Return the line and its traceback."""
        return without_secrets(super().format(record))


class JsonLine(logging.Formatter):
    """The format for programs: one JSON object per line, with any traceback in it. A message cannot forge a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the object; keys without a value are left out."""
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
