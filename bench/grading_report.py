"""The figures of answer grading for docs/benchmarks.md, and the agreement table in docs/grading.md."""

from pathlib import Path
from typing import Any

from bench.markdown import met, table

PAGE = Path(__file__).parent.parent / "docs" / "grading.md"
BEGIN = "<!-- figures: written by `python -m bench grading` -->"
END = "<!-- end of figures -->"
AIM = 200  # answers per second on two cores


def aims(found: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the aims for grading."""
    mixed = next(run for run in found["runs"] if run["answers"].startswith("mixed"))
    worst = max(bomb["seconds"] for bomb in found["bombs"])
    rate = mixed["answers_per_second"]
    return [
        ("answers graded, mixed, two processes", f">= {AIM}/s", f"{rate:,.0f}/s", met(rate >= AIM)),
        ("an answer that would never end", "about 1 s", f"{worst:.2f} s", met(worst <= 1.5)),
    ]


def body(found: dict[str, Any]) -> list[str]:
    """Return the speeds and the cost of bombs."""
    runs = [
        (
            run["answers"],
            f"{run['count']:,}",
            f"{run['answers_per_second']:,.0f}",
            f"{run['cpu_ms_per_answer']:.2f}",
            ", ".join(f"{outcome} {number:,}" for outcome, number in sorted(run["outcomes"].items())),
        )
        for run in found["runs"]
    ]
    bombs = [
        (f"`{one['answer']}`", one["reason"], f"{one['seconds']:.2f}", f"{one['next_ms']:.0f}")
        for one in found["bombs"]
    ]
    return [
        f"{found['processes']} processes. Each answer has at most {found['limit_seconds']:.0f} s and "
        f"{found['limit_mib']:,} MiB of address space. The first process is ready after "
        f"{found['start_seconds']:.1f} s, and a process uses {found['grader_rss_mb']} MB. Processor time includes the "
        "asking process and the killed ones.",
        "",
        *table(("answers", "number", "answers/s", "CPU ms per answer", "outcomes"), runs),
        "",
        *table(("answer", "reason", "seconds", "next answer after, ms"), bombs),
        "",
        "Agreement with recorded outcomes: docs/grading.md.",
    ]


def write_agreement(found: dict[str, Any]) -> None:
    """Put the agreement table between the markers in docs/grading.md."""
    text = PAGE.read_text()
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    lines = [BEGIN, f"Grader {found['grader_version']}, {found['measured_at'][:10]}.", "", *_agreement(found), END]
    PAGE.write_text(before + "\n".join(lines) + after)


def _agreement(found: dict[str, Any]) -> list[str]:
    rows = []
    for one in found["agreement"]:
        pairs = one["pairs"]
        same = sum(pairs.get(f"{outcome} {outcome}", 0) for outcome in ("correct", "wrong"))
        decided = sum(count for pair, count in pairs.items() if "ungraded" not in pair)
        ungraded = sum(count for pair, count in pairs.items() if pair.endswith(" ungraded"))
        rows.append(
            (
                f"{one['file']} ({one['kind']}, {one['answer']})",
                f"{one['traces']:,}",
                f"{same / decided:.2%}" if decided else "n/a",
                str(pairs.get("wrong correct", 0)),
                str(pairs.get("correct wrong", 0)),
                f"{ungraded:,}",
                ", ".join(f"{reason} {count:,}" for reason, count in one["ungraded"].items()),
            )
        )
    head = (
        "file (kind, answer)",
        "traces",
        "agree where both decide",
        "wrong, graded correct",
        "correct, graded wrong",
    )
    return table((*head, "ungraded", "why"), rows)
