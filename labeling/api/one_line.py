"""Names that people type: one line each."""

from typing import Any

from rest_framework import serializers

from labeling.formats.names import BREAK


class OneLine(serializers.CharField):
    """A name typed by a person. Names appear in mails, notices, titles, the audit log and files, where a line break
    would let its author add lines. Names from other origins (a file, a provider) do not use this field.
    """

    default_error_messages = {"lines": "This must be one line, without line breaks, tabs or other control characters."}

    def to_internal_value(self, data: Any) -> str:
        """The name without leading and trailing whitespace. Raises ValidationError."""
        name: str = super().to_internal_value(data)
        if BREAK.search(name):
            self.fail("lines")
        return name
