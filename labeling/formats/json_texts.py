"""Every text inside a decoded JSON value, changed. Pure."""

from collections.abc import Callable
from typing import Any


def texts_changed(value: Any, change: Callable[[str], Any]) -> Any:
    """A copy of the value with `change` of each text in it; keys stay. Its own stack: a row may nest 1,000 levels."""
    top = [value]
    left: list[Any] = [top]
    while left:
        holder = left.pop()
        for key, item in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
            if isinstance(item, str):
                holder[key] = change(item)
            elif isinstance(item, dict | list):
                holder[key] = item.copy()
                left.append(holder[key])
    return top[0]
