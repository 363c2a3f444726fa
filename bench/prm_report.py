"""The figures of PRM scoring for docs/benchmarks.md."""

from typing import Any

from bench.markdown import met, table

HOW = """\
`python -m bench.prm_scoring`: SmolLM2-135M with a step head, one thread, CPU seconds, every variant over the same
traces in one run.

- *loop*: plain transformers, one trace per forward pass, unmodified.
- *same products*: that loop with our matrix products. The rest of the ratio is due to the tree and its attention.
- *one by one*: our code with one trace at a time. The rest of the ratio is due to sharing alone.
- `sampled` and `trees` are real GSM8K problems with real steps, recombined (bench/prm_traces.py explains how). The last
  two sets are recorded samples, unchanged.
- Variants that score one trace after the other run over a few traces of each problem.
- Rank correlation compares our bfloat16 with our float32.
- Matmul rate: useful work of unique tokens, relative to what this thread reaches in a plain matrix product. "The full
  matmul rate would be" is the ratio at 100 % of it. No method of scoring could beat it on this processor."""

FUSED = """\
The table shows what each part gains over the modules of transformers. Both use the attention over trees and the
products that are faster here (`python -m bench.prm_fused`; {traces} traces of each set, {when}, {cpu}, one thread,
CPU seconds, the fastest of {turns} turns). *Fused rotary embedding and projections*: one product for queries, keys and
values, rotated in place. *Torch's own module* is `scaled_dot_product_attention` over the same blocks. *Share* is of the
matmul rate of this run ({peaks})."""


def aims(found: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the aims for scoring."""
    rows: list[tuple[str, ...]] = []
    for aim in found["aims"]:
        limit = f">= {aim['at_least']}" if "at_least" in aim else f"<= {aim['at_most']}"
        rows.append(
            (aim["what"], limit, f"{aim['found']:.2g}" if "at_most" in aim else str(aim["found"]), met(aim["met"]))
        )
    return rows


def body(found: dict[str, Any]) -> list[str]:
    """Return each set of traces with each way to score it."""
    lines = [HOW, ""]
    for name, run in found["sets"].items():
        shared = 1 - run["unique_tokens"] / run["tokens"]
        lines += [
            f"**{name}**: {run['problems']} problems, {run['traces']} traces of {run['steps_per_trace']} steps and "
            f"{run['tokens_per_trace']} tokens, {run['problem_share']:.0%} of them the problem; "
            f"{shared:.0%} of all tokens shared. "
            f"Rank correlation of bfloat16: {run['rank_correlation_bfloat16'] or 'n/a'}.",
            "",
            *table(
                ("variant", "traces per CPU second", "over the loop", "largest difference of P", "mean"),
                [variant(run, way) for way in run["ratios"]],
            ),
            "",
            "Share of the matmul rate: "
            + "; ".join(
                f"{dtype} {share['all']:.0%} ({share['linear']:.0%} without attention)"
                for dtype, share in run["of_matmul_rate"].items()
            )
            + ".",
            "",
        ]
    rates = ", ".join(f"{dtype} {rate:.0f} Gflop/s" for dtype, rate in found["matmul_gflops"].items())
    lines.append(f"Matmul rate of one thread: {rates}.")
    if found["two_processes"]:
        both = found["two_processes"]
        lines.append(
            f"Two processes with one thread each over the same problems, wall clock: {both['seconds_2']} s instead of "
            f"{both['seconds_1']} s with one process."
        )
    return lines


def variant(run: dict[str, Any], way: str) -> tuple[str, ...]:
    """Return one line."""
    difference = run["difference"][way]
    rate, ratio = run["traces_per_cpu_second"][way], run["ratios"][way]
    return way, f"{rate:.2f}", f"{ratio:.2f}", f"{difference['largest']:.1g}", f"{difference['mean']:.1g}"


def fused_aims(found: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the share of the matmul rate with all parts."""
    return [
        (f"{traces} traces, {name}: share of the matmul rate, {dtype}", ">= 0.80", f"{share:.2f}", met(share >= 0.8))
        for traces in [found["traces"]]
        for dtype, sets in found["types"].items()
        for name, ways in sets.items()
        for share in [ways["all three"]["share"]]
    ]


def fused_body(found: dict[str, Any]) -> list[str]:
    """Return a row for each part of a layer (bench/prm_fused.py)."""
    rows = []
    for dtype, sets in found["types"].items():
        for name in next(iter(sets.values())):
            cells = [
                cell for one in sets.values() for cell in (f"{one[name]['gain']:.2f}", f"{one[name]['share']:.2f}")
            ]
            apart = max(one[name]["difference"] for one in sets.values())
            rows.append((dtype, name, *cells, f"{apart:.0e}" if apart else "0"))
    head = [cell for name in next(iter(found["types"].values())) for cell in (f"{name}: times as fast", "share")]
    peaks = ", ".join(f"{dtype} {peak:.0f} Gflop/s" for dtype, peak in found["matmul_gflops"].items())
    about = {"traces": found["traces"], "turns": found["turns"], "peaks": peaks}
    about |= {"when": found["measured_at"][:10], "cpu": f"a core of {found['machine']['cpu']}"}
    return [FUSED.format(**about), "", *table(("type", "modules", *head, "largest difference of P"), rows)]
