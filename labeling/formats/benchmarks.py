"""Known benchmarks, recognised by the names and ids in their copies, so that nobody trains on one by accident."""

import re
from functools import lru_cache
from typing import Any

from labeling.formats.export_config import SPLITS
from labeling.formats.imports.import_format import ImportFormat
from labeling.formats.records import ParsedRow

# Patterns to search for in a source, a file's name or an id, and the benchmark that each one indicates.
KNOWN = (
    (r"agent[-_ ]?process[-_ ]?bench", "AgentProcessBench"),
    (r"process[-_ ]?bench", "ProcessBench"),
    (r"prm[-_ ]?bench", "PRMBench"),
    (r"math[-_ ]?500(?!\d)", "MATH-500"),
    (r"(?<![a-z])mr[-_ ]?ben(?![a-z])", "Mr-Ben"),
    (r"mr[-_ ]?gsm8k", "MR-GSM8K"),
    (r"(big[-_ ]?bench[-_ ]?|bb)mistake", "BIG-Bench Mistake"),
    (r"olympiad[-_ ]?bench", "OlympiadBench"),
    (r"omni[-_ ]?math", "Omni-MATH"),
    (r"(?<![a-z])aime(?![a-z])", "AIME"),
    (r"(?<![a-z])gpqa(?![a-z])", "GPQA"),
    (r"gsm8k[-_ ]test(?![a-z])", "GSM8K's test"),
)
SEARCHED = [(re.compile(pattern, re.IGNORECASE), name) for pattern, name in KNOWN]
IDS = (
    (re.compile(r"test/[a-z_]+/\d+\.json"), "the test split of MATH"),
    (re.compile(r"gsm8k[-_/]test"), "GSM8K's test"),
)


@lru_cache(maxsize=1024)
def benchmark_named(text: str) -> str | None:
    """Return the benchmark that a source or a file's name indicates."""
    return next((name for pattern, name in SEARCHED if pattern.search(text)), None)


def benchmark_of(parsed: ParsedRow) -> str | None:
    """Return the benchmark that a row belongs to, by its source or its problem's id."""
    problem_id = parsed.problem.external_id
    by_source = benchmark_named(parsed.problem.source)
    return by_source or next((name for pattern, name in IDS if pattern.match(problem_id)), None)


class Met:
    """The rows of one benchmark, and the splits of their problems."""

    def __init__(self) -> None:
        self.rows = self.held_out = self.says_train = self.by_split = 0


class SplitChoice:
    """The split of problems whose rows do not name one, and a count of rows by benchmark."""

    def __init__(self, asked: str, file_name: str) -> None:
        """`asked`: train or held_out; if empty, the problems of known benchmarks are held out."""
        self.asked, self.by_name = asked, benchmark_named(file_name)
        self.met: dict[str, Met] = {}

    def place(self, parsed: ParsedRow, row: dict[str, Any], format: ImportFormat) -> ParsedRow:
        """Return the row with its problem's split."""
        name = format.title if format.always_held_out else self.by_name or benchmark_of(parsed)
        says_itself = format.always_held_out or row.get("split") in SPLITS
        split = parsed.problem.split if says_itself else self.asked or ("held_out" if name else "train")
        if name:
            met = self.met.setdefault(name, Met())
            met.rows += 1
            met.held_out += split == "held_out"
            met.says_train += says_itself and split == "train"
            met.by_split += not says_itself
        if split == parsed.problem.split:
            return parsed
        return parsed._replace(problem=parsed.problem._replace(split=split))

    def as_json(self) -> list[dict[str, Any]]:
        """Return `[{name, rows, held_out, says_train, by_split}]`, the benchmark with the most rows first."""
        return [{"name": name, **vars(met)} for name, met in sorted(self.met.items(), key=lambda one: -one[1].rows)]
