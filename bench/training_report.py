"""The figures of training for docs/benchmarks.md."""

from typing import Any

from bench.markdown import table

Json = dict[str, Any]


def aims(_found: Json) -> list[tuple[str, ...]]:
    """Return no aims: none are set."""
    return []


def body(found: Json) -> list[str]:
    """Return one epoch by each trainer, and the heads."""
    plain = found["runs"]["Trainer"]
    rows = [row(name, run, plain) for name, run in found["runs"].items()]
    head = (
        "one epoch",
        "tokens",
        "computed with padding",
        "padding",
        "CPU s",
        "tokens per CPU second",
        "over the Trainer",
    )
    first, again = found["heads"]["first"], found["heads"]["again"]
    return [
        f"`python -m bench.training`: SmolLM2-135M cut off after layer {found['layers']} of 30 with a step head, all "
        f"of it trained in float32 on {found['traces']} traces of {found['data']} (the longest has "
        f"{found['longest']} tokens), {found['batch']} per step, one thread, CPU seconds. "
        "*Trainer*: the one of transformers with its padding collator, "
        f"{found['padded_batch']} traces per forward pass, everything else at its default. *Ours*: packs of "
        f"{found['pack_tokens']:,} tokens in which nothing is padded and nothing after a trace's last target is "
        "computed (the Trainer gets the same traces, also cut there). Loss of the same four traces under the same "
        f"weights: {found['loss']['ours']:.6f} ours, {found['loss']['plain']:.6f} plain.",
        "",
        *table(head, rows),
        "",
        f"A head on frozen states, {first['traces']} traces: {first['cpu']:.0f} CPU seconds ({first['states']:.0f} s "
        f"wall clock for the states, {first['fit']:.0f} s to try and fit heads). Fitting again with the states on "
        f"disk: {again['cpu']:.0f} CPU seconds ({again['states']:.0f} s and {again['fit']:.0f} s), including reading "
        "the model.",
    ]


def row(name: str, run: Json, plain: Json) -> tuple[str, ...]:
    """Return the row of one trainer."""
    rate = run["tokens"] / run["seconds"]["cpu"]
    return (
        name,
        f"{run['tokens']:,}",
        f"{run['computed']:,}",
        f"{1 - run['tokens'] / run['computed']:.0%}",
        f"{run['seconds']['cpu']:.0f}",
        f"{rate:.0f}",
        f"{rate / (plain['tokens'] / plain['seconds']['cpu']):.2f}",
    )
