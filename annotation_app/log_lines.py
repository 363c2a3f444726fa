"""What a line of the log must not hold: secrets, and the traceback of a stranger's doing."""

import logging
import re

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
