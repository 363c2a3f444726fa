"""The difference between two JSON values as a minimal tree, and how to apply it.

A patch is `{}` (equal) or an object with some of: `set` {key: value}, `drop` [keys], `in` {key: patch} for objects;
`put` {index: value}, `at` {index: patch}, `length` n for lists. Indices are written as text, as JSON keys must be.
"""

from typing import Any

Patch = dict[str, Any]


class Unsaid:
    """A placeholder for a value that one side cannot express: it differs from everything, so the patch always
    decides."""


UNSAID = Unsaid()


def same(left: Any, right: Any) -> bool:
    """Return whether two values are equal in JSON, where 1, 1.0 and true are three different values."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(value, right[key]) for key, value in left.items())
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def difference(old: Any, new: Any) -> Patch:
    """Return the patch that turns `old` into `new`. Both must be objects, or both lists."""
    if isinstance(old, dict):
        return _object_difference(old, new)
    patch: Patch = {}
    for index, value in enumerate(new):
        if index >= len(old) or not _nested(old[index], value):
            if index >= len(old) or not same(old[index], value):
                patch.setdefault("put", {})[str(index)] = value
        elif inner := difference(old[index], value):
            patch.setdefault("at", {})[str(index)] = inner
    if len(old) > len(new):
        patch["length"] = len(new)
    return patch


def _object_difference(old: dict[str, Any], new: dict[str, Any]) -> Patch:
    patch: Patch = {}
    for key, value in new.items():
        if key not in old or not _nested(old[key], value):
            if key not in old or not same(old[key], value):
                patch.setdefault("set", {})[key] = value
        elif inner := difference(old[key], value):
            patch.setdefault("in", {})[key] = inner
    dropped = [key for key in old if key not in new]
    if dropped:
        patch["drop"] = dropped
    return patch


def _nested(old: Any, new: Any) -> bool:
    return (isinstance(old, dict) and isinstance(new, dict)) or (isinstance(old, list) and isinstance(new, list))


def patched(old: Any, patch: Patch) -> Any:
    """Apply a patch to `old`, in place where possible, and return the result.

    Values that the patch sets are set even if `old` has changed in the meantime. Changes inside a value that no longer
    exists are skipped.
    """
    if isinstance(old, dict):
        old.update(patch.get("set", {}))
        for key in patch.get("drop", []):
            old.pop(key, None)
        for key, inner in patch.get("in", {}).items():
            if isinstance(old.get(key), dict | list):
                old[key] = patched(old[key], inner)
        return old
    for index, inner in patch.get("at", {}).items():
        if int(index) < len(old) and isinstance(old[int(index)], dict | list):
            old[int(index)] = patched(old[int(index)], inner)
    for index, value in sorted(patch.get("put", {}).items(), key=lambda item: int(item[0])):
        old[int(index) : int(index) + 1] = [value]
    if "length" in patch:
        del old[patch["length"] :]
    return old
