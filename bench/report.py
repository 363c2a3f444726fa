"""docs/benchmarks.md from bench/results/*.json; no figure in it is typed by hand. `python -m bench.report`."""

import json
from pathlib import Path
from typing import Any

from bench import (
    against_version_report,
    grading_report,
    idle_memory_report,
    large_project,
    long_run,
    path_latency_report,
    prm_report,
    selection_report,
    soak_report,
    trace_search_report,
    training_report,
)
from bench.markdown import met, table

RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
MADE = "<!-- Written by bench/report.py from bench/results/. Do not edit: run `make bench`. -->"
HOW = """\
`make bench` starts the same servers as `make demo` (Postgres, Valkey, two web processes, worker, beat) in its own
folder. It fills projects with traces of seven steps, measures, and removes everything. This takes about half an hour
on two cores, most of it for the pool of ten million traces, and 20 GB of disk. Run nothing else at the same time.
`python -m bench http` measures one part; `--quick` is only a trial run."""
HOW_HTTP = """\
Annotators are API clients that claim and submit without a pause. The servers, Postgres and the load generator share
the machine's cores, so a latency includes the wait for a free core. One annotator who reads for a minute is about a
thousandth of such a client.

- *Paced*: with a pause, so that no client waits for the cores.
- *As the page*: logged in, with every request that the labeling page sent while ten traces of seven steps were labeled
  at 2.5 s per step (bench/page_traffic.json): a claim one task ahead, a draft per step, the header's figures, notices.
  One of the ten annotators has 10,000 labels from today.
- *One draft*: the same, with only the last of each label's drafts. The aims were first set for this traffic.
- *Old hand*: one labeler has labeled the first 10,000 tasks of a queue that wants two labels each; no other labeler has
  labeled any."""
HOW_PAGE = """\
An empty browser cache, a logged-in annotator, the page as it is deployed. Sizes are those sent over the wire with
gzip, headers included. Key to paint is the page's own work, from the key event to the end of the next drawn frame. It
is measured with Chromium's frame-rate limit off; with the limit, every key waits for the next sixtieth of a second,
whatever the page does. The machine had other work, but the servers and the browser had priority over it."""

HOW_AGREEMENT = """\
One request over HTTP for the figures of the page *Agreement*: all figures with their bootstrap intervals, ten
labelers, pairs, after a label changed (median of three). The next visitor gets the cached result."""


def write() -> None:
    """Write the page from the latest result of each part."""
    found = {path.stem: json.loads(path.read_text()) for path in sorted(RESULTS.glob("*.json"))}
    parts = {name: part for name, part in PARTS.items() if name in found}
    aims = [row for name, (_, aims_of, _) in parts.items() for row in aims_of(found[name])]
    lines = ["# Benchmarks", "", MADE, "", HOW, "", "## Aims", ""]
    lines += table(("what", "aim", "measured", ""), aims)
    for name, (heading, _, body) in parts.items():
        lines += ["", f"## {heading}", "", *body(found[name])]
    lines += ["", "## Where and when", "", *table(("part", "when (UTC)", "machine"), where(found)), ""]
    PAGE.write_text("\n".join(lines))
    if "grading" in found:
        grading_report.write_agreement(found["grading"])


def where(found: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return when and on which machine each part was measured. Omits parts described on other pages (gold_times)."""
    return [
        (name, result["measured_at"][:16].replace("T", " "), machine_line(result))
        for name, result in found.items()
        if "measured_at" in result
    ]


def machine_line(result: dict[str, Any]) -> str:
    """Describe the machine in one line."""
    of = result["machine"]
    made = f"{of['cores']} cores of {of['cpu']}, {of['ram_gib']} GiB, Linux {of['kernel']}, Python {of['python']}"
    made += f"; load of others before: {of['load_before']:.1f}"
    if "fixed_work_ms_before" not in of:
        return made
    before, after = of["fixed_work_ms_before"], of["fixed_work_ms_after"]
    return f"{made}; the same piece of work took {before:.0f} ms before and {after:.0f} ms after"


def http_aims(found: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the aims for the labeling calls."""
    tens = [run for run in found["runs"] if run["annotators"] == 10]
    runs = {run["tasks"]: run for run in tens if not special(run)}
    paced = [run for run in tens if run["pace"]]
    paged = [run for run in tens if run["as_page"]]
    small, large = runs[min(runs)], runs[max(runs)]
    claims = [run["latency_ms"]["claim"]["p95"] for run in (small, large)]
    worst = max(run["latency_ms"]["claim"]["p95"] for run in runs.values())
    slowest = min(run["labels_per_second"] for run in runs.values())
    growth = claims[1] / claims[0]
    calm = max(run["latency_ms"]["claim"]["p95"] for run in paced)
    pace = f"{len(paced) and 10 / paced[0]['pace']:.0f} labels per second in all"
    sizes = f"from {small['tasks']:,} to {large['tasks']:,} tasks"
    return [
        ("claim p95, 10 annotators without a pause, worst size", "<= 30 ms", f"{worst:.1f} ms", met(worst <= 30)),
        (f"claim p95, 10 annotators, {pace}, worst size", "<= 30 ms", f"{calm:.1f} ms", met(calm <= 30)),
        (f"growth of claim p95 {sizes}", "< 1.5 x", f"{growth:.2f} x", met(growth < 1.5)),
        ("labels per second, 10 annotators, worst size", ">= 150", f"{slowest:.0f}", met(slowest >= 150)),
        *traffic_aims([run for run in paged if run["one_draft"]], "one draft per label"),
        *traffic_aims([run for run in paged if not run["one_draft"]], "a draft per step"),
    ]


def traffic_aims(runs: list[dict[str, Any]], drafts: str) -> list[tuple[str, ...]]:
    """Return the aims for all requests of the page; `runs` is by size, smallest first."""
    rates = [run["labels_per_second"] for run in runs]
    costs = [sum(run["cpu_ms_per_label"].values()) for run in runs]
    waits = [run["latency_ms"]["claim"]["p95"] for run in runs]
    growth = costs[-1] / costs[0]
    who = f"10 annotators as the page, {drafts}, worst size"
    return [
        (f"labels per second, {who}", ">= 120", f"{min(rates):.0f}", met(min(rates) >= 120)),
        (f"CPU per label, {who}", "<= 16 ms", f"{max(costs):.1f} ms", met(max(costs) <= 16)),
        (f"claim p95, {who}", "<= 60 ms", f"{max(waits):.1f} ms", met(max(waits) <= 60)),
        (
            f"growth of the CPU per label as the page, {drafts}, smallest to largest queue",
            "< 1.5 x",
            f"{growth:.2f} x",
            met(growth < 1.5),
        ),
    ]


def http_body(found: dict[str, Any]) -> list[str]:
    """Return all runs, and the claim that counts labels."""
    head = ("tasks", "annotators", "labels/s", "claim p50", "p95", "p99", "submit p50", "p95", "p99", "CPU ms / label")
    rows = [http_row(run) for run in found["runs"]]
    lines = [HOW_HTTP, "", *table(head, rows), ""]
    lines += [
        "Latencies in ms. CPU: web + Postgres; the load generator's own share of one core is at most "
        f"{max(run['generator_cpu_share'] for run in found['runs']):.0%}. "
        f"Refused requests: {sum(sum(run['refused'].values()) for run in found['runs'])}."
    ]
    if found["peer"]:
        peer = found["peer"]
        ours = next(
            run
            for run in found["runs"]
            if run["tasks"] == peer["tasks"] and run["annotators"] == 1 and not special(run)
        )
        times = peer["statement_ms"]["p50"] / ours["latency_ms"]["claim"]["p50"]
        lines += [
            "",
            f"For comparison: a claim that counts the labels of each task while it looks for one, as general tools do, "
            f"takes {peer['statement_ms']['p50']:.0f} ms (median) at {peer['tasks']:,} tasks in the database alone, "
            f"without any other load. This is {times:.1f} times Stepmark's whole claim over HTTP.",
        ]
    return lines


def http_row(run: dict[str, Any]) -> tuple[str, ...]:
    """Return a run as a row."""
    drafts = "one draft" if run["one_draft"] else "a draft per step"
    way = f" (as the page, {drafts})" if run["as_page"] else f" (paced, {run['pace']} s)" if run["pace"] else ""
    name = "old hand" if run["old_hand"] else f"{run['annotators']}{way}"
    latencies = [f"{run['latency_ms'][kind][q]:.1f}" for kind in ("claim", "submit") for q in ("p50", "p95", "p99")]
    cpu = " + ".join(f"{run['cpu_ms_per_label'][name]:.1f}" for name in ("web", "postgres"))
    return (f"{run['tasks']:,}", name, f"{run['labels_per_second']:.0f}", *latencies, cpu)


def special(run: dict[str, Any]) -> bool:
    """Return whether the run is one of the variants."""
    return bool(run["as_page"] or run["old_hand"] or run["pace"])


EACH_ALONE = "Each runs in its own process. Times include Postgres; memory is the process's highest."
# For results with `searchable_after`, which was added later.
THEN_WORDS = """\
A worker makes the words of steps searchable. It starts at its next check, or immediately after an import by a worker.
*searchable* is the time from the end of the import until all of them are searchable."""


def import_aims(found: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the aims for imports."""
    rate = found["imports"][0]["rows_per_second"]
    return [
        (f"import of {found['imports'][0]['rows']:,} traces", ">= 10,000/s", f"{rate:,.0f}/s", met(rate >= 10_000)),
        *old_instance_aims(found.get("old_instance", [])),
    ]


def export_aims(found: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the aims for exports."""
    whole = [export for export in found["exports"] if export["format"] in ("prm800k", "neutral")]
    slowest = min(export["step_labels_per_second"] for export in whole if in_lines(export))
    slowest_of_all = min(export["step_labels_per_second"] for export in found["exports"])
    memory = max(export["rss_mb"] for export in found["exports"])
    return [
        (
            "export of step labels, slower of prm800k and neutral",
            ">= 100,000/s",
            f"{slowest:,.0f}/s",
            met(slowest >= 100_000),
        ),
        (
            "export of step labels, slowest of all",
            ">= 50,000/s",
            f"{slowest_of_all:,.0f}/s",
            met(slowest_of_all >= 50_000),
        ),
        ("export memory (highest resident)", "< 300 MB", f"{memory:.0f} MB", met(memory < 300)),
    ]


def old_instance_aims(imports: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """Return the aims for imports into an installation with many earlier projects."""
    kinds = dict.fromkeys(one["kind"] for one in imports)
    by_kind = {kind: [one for one in imports if one["kind"] == kind] for kind in kinds}
    lines: list[tuple[str, ...]] = []
    for one in by_kind.get("a problem each", []):
        what, rate = (
            f"import of {one['rows']:,} traces, a problem each, into an old installation",
            one["rows_per_second"],
        )
        lines.append((what, ">= 10,000/s", f"{rate:,.0f}/s", met(rate >= 10_000)))
    for one in by_kind.get("labels", []):
        if one["rows"] == 100_000:
            said = f"{one['seconds']:.0f} s"
            lines.append(("import of 100,000 rows with labels", "<= 30 s", said, met(one["seconds"] <= 30)))
    for kind, (*_, before, largest) in ((kind, some) for kind, some in by_kind.items() if len(some) > 1):
        growth = largest["seconds"] / before["seconds"] / (largest["rows"] / before["rows"])
        what = f"time per row, {kind}, {largest['rows']:,} over {before['rows']:,}"
        lines.append((what, "<= 1.2 x", f"{growth:.2f} x", met(growth <= 1.2)))
    return lines


def in_lines(export: dict[str, Any]) -> bool:
    """Return whether the export is a file of JSON lines, as all were in older results."""
    return bool(export.get("container", "json_lines") == "json_lines")


# For results without `old_instance`, which was added later.
BEFORE_WORDS = """\
Measured before the search had indexes (migration 0094). Since then, an import also keeps up the index over the letters
of problems. A worker makes the words of steps after the import (0106); they are not part of its time."""


def import_body(found: dict[str, Any]) -> list[str]:
    """Return the table of all imported files."""
    imports = [
        (
            one["file"],
            f"{one['rows']:,}",
            f"{one['bytes'] / 1e6:.1f}",
            f"{one['seconds']:.2f}",
            f"{one['rows_per_second']:,.0f}",
            f"{one['rss_mb']:.0f}",
            *([f"{one['searchable_after']:.0f}"] if "searchable_after" in one else []),
        )
        for one in [*found["imports"], *found.get("old_instance", [])]
    ]
    then = "searchable_after" in found["imports"][0]
    head = ("import", "traces", "MB", "seconds", "traces/s", "memory MB", *(["searchable s"] if then else []))
    told = [*([f"{EACH_ALONE} {THEN_WORDS}"] if then else [EACH_ALONE]), "", *table(head, imports)]
    if "old_instance" not in found:
        return [*told, "", BEFORE_WORDS]
    again = [one for one in found["old_instance"] if len(one.get("all_seconds", [])) > 1]
    runs = [f"{one['file']} {', '.join(f'{seconds:.1f}' for seconds in one['all_seconds'])}" for one in again]
    return (
        [*told, "", f"Medians of several imports, each into a different project. Seconds of each: {'; '.join(runs)}."]
        if again
        else told
    )


def export_body(found: dict[str, Any]) -> list[str]:
    """Return the table of all export formats."""
    exports = [
        (
            one["format"] if in_lines(one) else f"{one['format']}, {one['container']}",
            f"{one['step_labels']:,}",
            f"{one['rows']:,}",
            f"{one['bytes'] / 1e6:.0f}",
            f"{one['seconds']:.1f}",
            f"{one['step_labels_per_second']:,.0f}",
            f"{one['rss_mb']:.0f}",
        )
        for one in found["exports"]
    ]
    head = ("export", "step labels", "rows", "MB", "seconds", "step labels/s", "memory MB")
    least, most = (pick(one["rss_mb"] for one in found["exports"]) for pick in (min, max))
    grown = max(one["rss_mb"] - one["rss_mb_at_start"] for one in found["exports"])
    said = f"Memory is {least:.0f} to {most:.0f} MB, at most {grown:.0f} MB more than before the export began."
    return [f"{EACH_ALONE} {said}", "", *table(head, exports)]


def page_aims(found: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the aims for the labeling page."""
    size = found["bytes_before_fonts"] / 1000
    submit, key = found["submit_to_next_ms"]["p95"], found["key_to_paint_ms"]["p95"]
    return [
        ("labeling page before fonts", "<= 300 kB", f"{size:.0f} kB", met(size <= 300)),
        ("submit to next task, p95", "< 100 ms", f"{submit:.0f} ms", met(submit < 100)),
        ("key to paint, p95", "< 16 ms", f"{key:.1f} ms", met(key < 16)),
    ]


def page_body(found: dict[str, Any]) -> list[str]:
    """Return bytes by kind, and times."""
    before, ahead = found["bytes"], found["bytes_ahead"]
    kinds = sorted({*before, *ahead})
    sizes = [(kind, f"{before.get(kind, 0) / 1000:.1f}", f"{ahead.get(kind, 0) / 1000:.1f}") for kind in kinds]
    submit, key = found["submit_to_next_ms"], found["key_to_paint_ms"]
    times = [
        ("load to first step focused (median)", f"{found['interactive_ms']:.0f}", "", ""),
        ("submit to next", *(f"{submit[q]:.1f}" for q in ("p50", "p95", "max"))),
        ("key to paint", *(f"{key[q]:.1f}" for q in ("p50", "p95", "max"))),
    ]
    counts = f"Chromium {found['chromium']}; {submit['count']} submissions, {key['count']} rating keys."
    lines = [HOW_PAGE, "", *table(("ms", "p50", "p95", "max"), times), ""]
    return [*lines, *table(("loaded, kB", "until the first step", "ahead, once idle"), sizes), "", counts]


def agreement_aims(found: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the aim for the longest wait of the page's first visitor."""
    longest = max(found["runs"], key=lambda run: int(run["traces"]))
    waited = longest["first_seconds"]
    what = f"agreement page, {longest['traces']:,} traces labeled twice, first visitor"
    return [(what, "<= 1 s", f"{waited:.2f} s", met(waited <= 1))]


def agreement_body(found: dict[str, Any]) -> list[str]:
    """Return the times of first and later visitors, by size."""
    rows = [
        (f"{run['traces']:,}", f"{run['first_seconds']:.2f}", f"{run['later_seconds']:.3f}") for run in found["runs"]
    ]
    small, large = found["runs"][0]["first_seconds"], found["runs"][-1]["first_seconds"]
    alpha = found["alpha"]
    return [
        HOW_AGREEMENT,
        "",
        *table(("traces labeled twice", "first visitor, s", "next visitor, s"), rows),
        "",
        f"The largest takes {large / small:.1f} times as long as the smallest.",
        "",
        f"Alpha's interval alone, {alpha['resamples']:,} resamples of {alpha['traces']:,} traces, takes "
        f"{alpha['ours_seconds']:.3f} processor seconds from what each trace adds. Calling `krippendorff` for each "
        f"resample takes {alpha['usual_seconds']:.1f}, {alpha['usual_seconds'] / alpha['ours_seconds']:.0f} times as "
        "long.",
    ]


def scores_aims(found: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the aims: memory that does not grow with the file, and the time compared with a plain COPY."""
    small, large = found["scores"][0]["new"]["rss_mb"], found["scores"][-1]["new"]["rss_mb"]
    ratio = found["scores"][-1]["ratio"]
    return [
        ("imported scores, memory of the larger file", "<= 1.2 x", f"{large / small:.2f} x", met(large <= 1.2 * small)),
        ("imported scores, time of a plain COPY", "<= 10 x", f"{ratio:.1f} x", met(ratio <= 10)),
    ]


def scores_body(found: dict[str, Any]) -> list[str]:
    """Return the table of new and known rows, by size."""
    rows = [
        (f"{one['rows']:,}", f"{one['new']['seconds']:.1f}", f"{one['ratio']:.1f}", f"{one['known']['seconds']:.1f}")
        for one in found["scores"]
    ]
    return table(("rows", "new, s", "times a plain COPY", "known, s"), rows)


PARTS = {
    "http": ("Labeling over HTTP", http_aims, http_body),
    "import": ("Imports", import_aims, import_body),
    "export": ("Exports", export_aims, export_body),
    "imported_scores": ("Scores made elsewhere", scores_aims, scores_body),
    "page": ("The labeling page", page_aims, page_body),
    "long_run": ("A long run of an agent", long_run.aims, long_run.body),
    "grading": ("Answer grading", grading_report.aims, grading_report.body),
    "prm_scoring": ("PRM scoring", prm_report.aims, prm_report.body),
    "prm_fused": ("What fused parts of a layer bring", prm_report.fused_aims, prm_report.fused_body),
    "training": ("Training", training_report.aims, training_report.body),
    "selection": ("Selecting a round's traces", selection_report.aims, selection_report.body),
    "agreement": ("The agreement page", agreement_aims, agreement_body),
    "large_project": ("A large project's pages", large_project.aims, large_project.body),
    "trace_search": ("Search among very many traces", trace_search_report.aims, trace_search_report.body),
    "idle_memory": ("Memory at rest", idle_memory_report.aims, idle_memory_report.body),
    "soak": ("Hours of people at work", soak_report.aims, soak_report.body),
    "path_latency": ("The next step of a path", path_latency_report.aims, path_latency_report.body),
    "against_version": ("Against earlier versions", against_version_report.aims, against_version_report.body),
}


if __name__ == "__main__":
    write()
