"""SQL composed from pieces, each in a named slot.

A slot is written `{name}` in a statement. All slots of a statement must be filled, and every piece needs a slot:
otherwise the statement would be sent without the piece, as a different query that is still valid SQL. Values never go
into slots; they are written `%(name)s` and sent next to the statement. Other braces (`'{}'`, `'{a,b}'`) are left alone;
write an array of one word as `ARRAY['word']`.
"""

import re
from collections.abc import Mapping

SLOT = re.compile(r"\{([a-z][a-z_]*)\}")
VALUE = re.compile(r"%\((\w+)\)s")


class SlotMismatch(LookupError):
    """A statement and the pieces for its slots do not fit together. A bug in Stepmark: no input can cause it."""


def fill(statement: str, **pieces: object) -> str:
    """Return the statement with a piece in each of its slots. Pieces are not searched for slots.

    Raises SlotMismatch if a slot has no piece, or a piece no slot.
    """
    unknown = pieces.keys() - slots_of(statement)
    if unknown:
        raise SlotMismatch(f"No slot {_named(unknown)} in the statement: {_beginning(statement)}")
    return fill_from(pieces, statement)


def fill_from(vocabulary: Mapping[str, object], statement: str) -> str:
    """Fill the slots like `fill`, from a vocabulary that several statements share and need not use completely.

    Raises SlotMismatch if a slot has no piece.
    """
    missing = slots_of(statement) - vocabulary.keys()
    if missing:
        raise SlotMismatch(f"Nothing for the slot {_named(missing)} of the statement: {_beginning(statement)}")
    return SLOT.sub(lambda slot: str(vocabulary[slot[1]]), statement)


def positional(statement: str, values: Mapping[str, object]) -> tuple[str, list[object]]:
    """Return the statement with `%s` for its named values, and the values in order, as Django's RawSQL takes them.

    Raises SlotMismatch if it names a value that is not given.
    """
    names = VALUE.findall(statement)
    if missing := set(names) - values.keys():
        raise SlotMismatch(f"No value for {', '.join(sorted(missing))} of the statement: {_beginning(statement)}")
    return VALUE.sub("%s", statement), [values[name] for name in names]


def slots_of(statement: str) -> set[str]:
    """Return the names of a statement's slots."""
    return set(SLOT.findall(statement))


def _named(names: set[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names))


def _beginning(statement: str) -> str:
    return " ".join(statement.split())[:80]
