"""Names that people give things. They stand in mails, titles, tables and files, where a second line is read as
something else's: what is typed is one line (`labeling.api.one_line`), and what came otherwise is made one here.
"""

import re

BREAKS = "\x00-\x1f\x7f-\x9f\u2028\u2029"  # control characters, and what else ends a line
BREAK = re.compile(f"[{BREAKS}]+")


def one_line(name: str) -> str:
    """The name with a blank for what would end its line."""
    return BREAK.sub(" ", name).strip()
