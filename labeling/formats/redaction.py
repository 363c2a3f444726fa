"""Removal of keys, tokens and addresses from what an agent recorded, before any of it is stored. Pure."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from labeling.formats.json_texts import texts_changed

# Secrets that are recognised by their form. Each is replaced by `[redacted: name]`.
PATTERNS = {
    "private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    "key": r"\b(?:sk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{20,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35}|hf_[A-Za-z0-9]{30,}"
    r"|lsv2_[a-z]{2}_[0-9a-f_]{30,}|(?:pk|sk)-lf-[0-9a-f-]{30,})",
    # For a JSON web token, match the whole run of characters that contains its head. Otherwise each "eyJ" in a long run
    # would be a possible beginning, and the text would be read as many times.
    "token": r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}|glpat-[A-Za-z0-9_-]{20,}"
    r"|xox[abposr]-[A-Za-z0-9-]{10,})"
    r"|(?<![A-Za-z0-9_-])(?=[A-Za-z0-9_-]*eyJ)[A-Za-z0-9_-]{13,}+\.eyJ[A-Za-z0-9_-]{10,}+\.[A-Za-z0-9_-]{10,}"
    r"|(?<=[Bb]earer )[A-Za-z0-9._~+/-]{16,}=*",
    "e-mail": r"\b[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,16}[A-Za-z]{2,24}\b",
}
# A text without any of these contains none of the above. Most texts are skipped after this one search.
MARKS = re.compile(r"@|sk-|pk-|AKIA|AIza|hf_|lsv2_|gh[pousr]_|github_pat|glpat|xox|eyJ|earer |PRIVATE KEY")


class Redaction:
    """One pass over the rows of an import. `counts` has how often each kind was removed."""

    def __init__(self, own: Sequence[str] = ()) -> None:
        """`own`: regular expressions of the server's operator."""
        self.counts: Counter[str] = Counter()
        self.known = [(name, re.compile(pattern)) for name, pattern in PATTERNS.items()]
        self.own = [("pattern of this server", re.compile(pattern)) for pattern in own]

    def text(self, text: str) -> str:
        """Return the text without what must not be stored."""
        for name, pattern in (*(self.known if MARKS.search(text) else ()), *self.own):
            text, found = pattern.subn(f"[redacted: {name}]", text)
            if found:
                self.counts[name] += found
        return text

    def value(self, value: Any) -> Any:
        """Return a decoded JSON value with its texts redacted; keys stay."""
        return texts_changed(value, self.text)
