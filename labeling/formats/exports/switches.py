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
# Where a mark is right or wrong and nothing between.
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
# Of formats that have a mark for each step of a row. Where a round's protocol has every step rated, there are marks
# after the first error.
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
    "alternatives", "Alternative steps", (Choice("none", "left out"), Choice("rows", "as rows of their own"))
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
    (Choice("each", "every one"), Choice("adjudicated", "one: the ruling, or what nobody disputes")),
)

PAIRS = Switch(
    "pairs",
    "Pairs",
    (Choice("once", "each rejected one once"), Choice("all", "each chosen one with each rejected one")),
)
OVER = Switch(
    "over", "Rejected steps", (Choice("negative", "those rated −1"), Choice("neutral", "those rated 0 or −1"))
)
MARKS = Switch(
    "marks", "Marks", (Choice("hard", "right or wrong"), Choice("soft", "the share of labels that call it right"))
)
ONLY_HARD = MARKS.only(
    "hard", because="A mark is right or wrong here: a share of 0.9 would be read as 0. Soft marks are in qwen_soft."
)
MACHINE_WORDS = Switch(
    "machine_words",
    "A machine's explanations",
    (Choice("include", "those that people found good"), Choice("exclude", "left out")),
)
# Which labels a file holds; each format has its own defaults.
WHOSE = (GOLD, AGGREGATE, SURPLUS, HASTY, AIDED, IMPORTED, MEASURED)


def apply_neutral_switch(ratings: Sequence[int | None], neutral: str) -> list[int | None]:
    """What becomes of the rating 0: keep3 leaves it, positive makes it 1, negative -1, drop no rating."""
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
    """What becomes of the steps after the row's first error: kept as they are, rated -1 where nobody could rate or
    did, or cut off. What a protocol lets people rate there stays as they rated it. Without a first error nothing does.
    """
    end = len(steps) if first_error is None or first_error < 0 else first_error + 1
    if after_error == "truncate":
        return list(steps[:end]), list(ratings[:end])
    if after_error == "fill_negative":
        counted = protocol.counted(ratings)[end:]
        return list(steps), [*ratings[:end], *(-1 if rating is None else rating for rating in counted)]
    return list(steps), list(ratings)
