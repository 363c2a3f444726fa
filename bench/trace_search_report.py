"""The section of docs/benchmarks.md about *Data* with very many traces."""

from typing import Any

from bench.markdown import met, table

MOST = 300  # ms
HOW = """\
`python -m bench.trace_search`, not part of `make bench`: {traces:,} traces of a project over HTTP. Each request is sent
forty times with different words, one after another. The steps use a vocabulary in which few words are common and most
are rare, as in real texts. A worker makes the words and their index after an import; this took {seconds:.0f} s here and
uses {megabytes:,.0f} MB."""


def aims(found: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the aim: every request is answered in time."""
    looks = found["milliseconds"]
    late = [name for name, took in looks.items() if took["p95"] > MOST]
    worst = max(looks, key=lambda name: looks[name]["p95"])
    said = f"{len(looks) - len(late)} of {len(looks)}; {worst}: {looks[worst]['p95']:.0f} ms"
    return [(f"requests over {found['traces']:,} traces within {MOST} ms, p95", "all", said, met(not late))]


def body(found: dict[str, Any]) -> list[str]:
    """Return one row per request, slowest first."""
    looks = sorted(found["milliseconds"].items(), key=lambda one: -one[1]["p95"])
    rows = [(name, f"{took['median']:.0f}", f"{took['p95']:.0f}") for name, took in looks]
    return [HOW.format(traces=found["traces"], **found["index"]), "", *table(("request", "p50 ms", "p95 ms"), rows)]
