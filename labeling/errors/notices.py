"""Errors of notices and webhooks."""

from labeling.errors.base import LabelingError


class HostNotAllowed(LabelingError):
    """A webhook may only point at hosts that the operator has listed; `host` is the one that is not listed."""

    code = "host_not_allowed"
    status = 422
    sentence = "This host is not on the site's list. Ask the operator to add it to WEBHOOK_HOSTS."
