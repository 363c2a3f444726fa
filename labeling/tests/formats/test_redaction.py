"""What is removed from runs, and that no text makes this take forever."""

import subprocess
import sys

from labeling.formats.redaction import Redaction

SLOW = 60  # seconds; with patterns that restart at each mark it took hours
ALONE = """
from labeling.formats.redaction import Redaction
text = "-eyJ" * 500_000 + " " + "a" * 64 + "@" + "1." * 500_000
assert Redaction().text(text) == text
"""


def test_tokens_and_addresses_are_taken_out_and_counted() -> None:
    redaction = Redaction()
    token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLW9m-it_x"
    said = redaction.text(f"key={token}, to ada@mail.example.org and again --{token}")
    assert said == "key=[redacted: token], to [redacted: e-mail] and again [redacted: token]"
    assert redaction.counts == {"token": 2, "e-mail": 1}


def test_a_text_full_of_beginnings_is_read_in_no_time() -> None:
    subprocess.run([sys.executable, "-c", ALONE], check=True, timeout=SLOW)
