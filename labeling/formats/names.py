"""Names that people give things. They appear in mails, titles, tables and files, where a second line would be read as
something else. Typed names are checked to be one line (`labeling.api.one_line`); all others are made one line here.
"""

import re

BREAKS = "\x00-\x1f\x7f-\x9f\u2028\u2029"  # control characters, and other line ends
BREAK = re.compile(f"[{BREAKS}]+")


def one_line(name: str) -> str:
    """Return the name with a blank in place of whatever would end its line."""
    return BREAK.sub(" ", name).strip()
