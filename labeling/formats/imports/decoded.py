"""Checks of values decoded from JSON in a text, such as a tool call's arguments. Only the row was checked before."""

import orjson

from labeling.formats.faults import Fault
from labeling.formats.reading import DEPTH_LIMIT, path_to_nul
from labeling.formats.records import ParsedRow

NUL = b"\\u0000"
KEPT = ("steps", "typed", "final_answer", "generator", "source", "metadata", "recorded_marks", "recorded_by")


def decoded_faults(parsed: ParsedRow, line: int) -> list[Fault]:
    """Return what prevents the database from storing a record: a NUL character, or nesting too deep to be written."""
    told = parsed.problem._asdict() | ({name: getattr(parsed.trace, name) for name in KEPT} if parsed.trace else {})
    try:
        written = orjson.dumps(told)
    except orjson.JSONEncodeError:
        do = f"Flatten the value to at most {DEPTH_LIMIT} levels."
        return [Fault("nested_too_deep", line, "", "JSON in a text, nested too deeply to be written", do)]
    if NUL not in written:
        return []
    path = path_to_nul(told)  # not if a text contains these six characters literally
    do = "Remove the NUL character (\\u0000): the database cannot store it."
    return [] if path is None else [Fault("nul_character", line, path, "\\u0000 in JSON within a text", do)]
