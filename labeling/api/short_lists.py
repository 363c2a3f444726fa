"""Lists of a request that are refused by their length before anything in them is looked at."""

from typing import Any

from rest_framework import serializers


class ShortList(serializers.ListField):
    """A list of at most `max_length`. The REST framework's own looks at each entry first, and at the length then: an
    entry costs many times what sending it does, and eight megabytes are millions of them."""

    def run_child_validation(self, data: Any) -> list[Any]:
        """The entries, each checked. Raises ValidationError."""
        if self.max_length is not None and len(data) > self.max_length:
            self.fail("max_length", max_length=self.max_length)
        checked: list[Any] = super().run_child_validation(data)
        return checked
