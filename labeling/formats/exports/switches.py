"""The switches that several formats have, and what they do to ratings and steps."""

from collections.abc import Sequence

from labeling.formats.exports.export_format import Choice, Switch
from labeling.protocol.interface import LabelingProtocol

NEUTRAL = Switch(
    "neutral",
    "Neutral ratings",
    (
        Choice("keep3", "kept as 0"),
        Choice("positive", "count as positive"),
        Choice("negative", "count as negative"),
        Choice("drop", "left out"),
    ),
)
# For formats whose marks are either right or wrong, with nothing in between.
NEUTRAL_AS_MARK = Switch(
    "neutral", "Neutral ratings", (Choice("positive", "count as right"), Choice("negative", "count as wrong"))
)
AFTER_ERROR = Switch(
    "after_error",
    "Steps after the first error",
    (
        Choice("keep_unlabelled", "kept, unlabelled"),
        Choice("truncate", "cut off"),
        Choice("fill_negative", "filled with −1"),
    ),
)
# For formats that have a mark for each step of a row. If a round's protocol rates every step, steps after the first
# error have marks too.
AFTER_ERROR_MARKED = Switch(
    "after_error",
    "Steps after the first error",
    (
        Choice("truncate", "cut off"),
        Choice("keep_rated", "kept where every step was rated"),
        Choice("fill_negative", "filled with −1"),
    ),
)
ALTERNATIVES = Switch(
    "alternatives", "Alternative steps", (Choice("none", "left out"), Choice("rows", "as separate rows"))
)
HUMAN_STEPS = Switch(
    "human_steps", "Steps that labelers wrote", (Choice("include", "included"), Choice("exclude", "left out"))
)
GOLD = Switch("gold", "Gold and screening", (Choice("exclude", "left out"), Choice("include", "included")))
IMPORTED = Switch("imported", "Imported labels", (Choice("include", "included"), Choice("exclude", "left out")))
SURPLUS = Switch("surplus", "Surplus labels", (Choice("include", "included"), Choice("exclude", "left out")))
HASTY = Switch("hasty", "Hasty labels", (Choice("include", "included"), Choice("exclude", "left out")))
AIDED = Switch(
    "aided",
    "Labels given with a machine's view",
    (Choice("include", "included"), Choice("exclude", "left out")),
)
MEASURED = Switch(
    "measured", "Problems of evaluation sets", (Choice("include", "included"), Choice("exclude", "left out"))
)
AGGREGATE = Switch(
    "aggregate",
    "Labels of one task",
    (Choice("each", "every one"), Choice("adjudicated", "one: the ruling, or the undisputed verdict")),
)

PAIRS = Switch(
    "pairs",
    "Pairs",
    (Choice("once", "each rejected text once"), Choice("all", "each chosen text with each rejected one")),
)
OVER = Switch(
    "over", "Rejected steps", (Choice("negative", "those rated −1"), Choice("neutral", "those rated 0 or −1"))
)
MARKS = Switch(
    "marks", "Marks", (Choice("hard", "right or wrong"), Choice("soft", "the share of labels that call it right"))
)
ONLY_HARD = MARKS.only(
    "hard", because="Marks are right or wrong here: a share of 0.9 would be read as 0. For soft marks, use qwen_soft."
)
MACHINE_WORDS = Switch(
    "machine_words",
    "A machine's explanations",
    (Choice("include", "those that labelers rated as good"), Choice("exclude", "left out")),
)
# Switches that choose which labels a file contains. Each format has its own defaults.
WHOSE = (GOLD, AGGREGATE, SURPLUS, HASTY, AIDED, IMPORTED, MEASURED)


def apply_neutral_switch(ratings: Sequence[int | None], neutral: str) -> list[int | None]:
    """Replace the rating 0: keep3 leaves it, positive makes it 1, negative makes it -1, drop removes the rating."""
    if neutral == "keep3":
        return list(ratings)
    replacement = {"positive": 1, "negative": -1, "drop": None}[neutral]
    return [replacement if rating == 0 else rating for rating in ratings]


def apply_after_error_switch(
    steps: Sequence[str],
    ratings: Sequence[int | None],
    after_error: str,
    first_error: int | None,
    protocol: LabelingProtocol,
) -> tuple[list[str], list[int | None]]:
    """Treat the steps after the row's first error: keep them as they are, cut them off, or fill them in with -1.

    Only steps without a counted rating are filled in. Ratings that the protocol allows after the first error stay as
    they are. Without a first error, nothing changes.
    """
    end = len(steps) if first_error is None or first_error < 0 else first_error + 1
    if after_error == "truncate":
        return list(steps[:end]), list(ratings[:end])
    if after_error == "fill_negative":
        counted = protocol.counted(ratings)[end:]
        return list(steps), [*ratings[:end], *(-1 if rating is None else rating for rating in counted)]
    return list(steps), list(ratings)
