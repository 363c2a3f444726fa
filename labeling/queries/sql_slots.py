"""SQL composed from pieces, each in a named slot.

A slot stands in a statement as `{name}`. All of a statement's slots are filled, and nothing else: a piece that has no
slot would otherwise leave the statement as it was, which is another question and still valid SQL. Values never go into
slots; they stand as `%(name)s` and are sent beside the statement. Other braces (`'{}'`, `'{a,b}'`) are left alone; an
array of one word is written `ARRAY['word']`.
"""

import re
from collections.abc import Mapping

SLOT = re.compile(r"\{([a-z][a-z_]*)\}")
VALUE = re.compile(r"%\((\w+)\)s")


class SlotMismatch(LookupError):
    """A statement and the pieces for its slots do not fit together. A bug of ours: nobody's input can cause it."""


def fill(statement: str, **pieces: object) -> str:
    """The statement with a piece in each of its slots. Pieces are not searched for slots.

    Raises SlotMismatch where a slot has no piece, or a piece no slot.
    """
    unknown = pieces.keys() - slots_of(statement)
    if unknown:
        raise SlotMismatch(f"No slot {_named(unknown)} in the statement: {_beginning(statement)}")
    return fill_from(pieces, statement)


def fill_from(vocabulary: Mapping[str, object], statement: str) -> str:
    """As `fill`, from a vocabulary of pieces that several statements share: a statement need not use all of them.

    Raises SlotMismatch where a slot has no piece.
    """
    missing = slots_of(statement) - vocabulary.keys()
    if missing:
        raise SlotMismatch(f"Nothing for the slot {_named(missing)} of the statement: {_beginning(statement)}")
    return SLOT.sub(lambda slot: str(vocabulary[slot[1]]), statement)


def positional(statement: str, values: Mapping[str, object]) -> tuple[str, list[object]]:
    """The statement with `%s` for its named values, and these in their order: what Django's RawSQL takes.

    Raises SlotMismatch where it names a value that is not given.
    """
    names = VALUE.findall(statement)
    if missing := set(names) - values.keys():
        raise SlotMismatch(f"No value for {', '.join(sorted(missing))} of the statement: {_beginning(statement)}")
    return VALUE.sub("%s", statement), [values[name] for name in names]


def slots_of(statement: str) -> set[str]:
    """The names of a statement's slots."""
    return set(SLOT.findall(statement))


def _named(names: set[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names))


def _beginning(statement: str) -> str:
    return " ".join(statement.split())[:80]
