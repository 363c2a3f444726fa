"""Names that people type: one line each."""

from typing import Any

from rest_framework import serializers

from labeling.formats.names import BREAK


class OneLine(serializers.CharField):
    """A name. Names stand in mails, notices, titles, the audit log and files: a line break in one would let whoever
    gave it write lines of those. What others than people named (a file, a provider) is none of this field's.
    """

    default_error_messages = {"lines": "This is one line: it holds no line breaks, tabs or other control characters."}

    def to_internal_value(self, data: Any) -> str:
        """Without blanks and breaks at its ends. Raises ValidationError."""
        name: str = super().to_internal_value(data)
        if BREAK.search(name):
            self.fail("lines")
        return name
