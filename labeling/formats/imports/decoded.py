"""What comes out of JSON within a text, as arguments of a tool call are: the row alone was looked through before."""

from typing import Any

import orjson

from labeling.formats.faults import Fault
from labeling.formats.reading import DEPTH_LIMIT, path_to_nul
from labeling.formats.records import ParsedRow

NUL = b"\\u0000"


def decoded_faults(parsed: ParsedRow, line: int) -> list[Fault]:
    """What keeps the database from holding a record: a NUL character, or a value nested deeper than it is written."""
    records: list[Any] = [list(record) if record else None for record in (parsed.problem, parsed.trace, parsed.label)]
    try:
        written = orjson.dumps(records, default=str)
    except orjson.JSONEncodeError:
        do = f"Flatten the value to at most {DEPTH_LIMIT} levels."
        return [Fault("nested_too_deep", line, "", "JSON in a text, nested deeper than it can be written", do)]
    if NUL not in written:
        return []
    path = path_to_nul({**parsed.problem._asdict(), **(parsed.trace._asdict() if parsed.trace else {})})
    do = "Remove the NUL character (\\u0000): the database cannot keep it."
    return [Fault("nul_character", line, path or "", "\\u0000, in JSON within a text", do)] if path is not None else []
