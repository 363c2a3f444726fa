"""Keeps secrets in addresses and headers out of the log."""

import logging
import re

SECRETS = re.compile(r"(invitations/|smk_)[\w-]{8,}")


class HideSecrets(logging.Filter):
    """Cuts invitation links and API tokens out of a line; Django logs the address of every refused request."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Always true: the line is kept, without its secrets."""
        message = record.getMessage()
        if SECRETS.search(message):
            record.msg, record.args = SECRETS.sub(r"\1[hidden]", message), ()
        return True
