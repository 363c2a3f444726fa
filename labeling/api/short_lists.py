"""Request lists that are refused for their length before any entry is checked."""

from typing import Any

from rest_framework import serializers


class ShortList(serializers.ListField):
    """A list of at most `max_length` entries. The REST framework's own field checks every entry before the length.
    Checking an entry costs far more than sending it, and eight megabytes hold millions of entries."""

    def run_child_validation(self, data: Any) -> list[Any]:
        """The entries, each checked. Raises ValidationError."""
        if self.max_length is not None and len(data) > self.max_length:
            self.fail("max_length", max_length=self.max_length)
        checked: list[Any] = super().run_child_validation(data)
        return checked
