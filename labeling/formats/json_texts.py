"""A change to every text inside a decoded JSON value. Pure."""

from collections.abc import Callable
from typing import Any


def texts_changed(value: Any, change: Callable[[str], Any]) -> Any:
    """Return a copy of the value with `change` applied to each text; keys stay. Uses its own stack: rows may nest 1,000
    levels.
    """
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
