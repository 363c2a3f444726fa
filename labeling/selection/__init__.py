"""Choice of the traces of a scored pool that go to labelers. Pure: no Django and no I/O."""

from labeling.selection.candidates import Candidate, Order, control_start, draw_of, order_of, shuffle_key
from labeling.selection.choosing import (
    UNGRADED,
    WRONG,
    Choice,
    GreedyChooser,
    Reason,
    Rules,
    Selection,
    control_size,
    left_empty,
    ranked,
    select,
    wrong_quota,
)
from labeling.selection.mixes import BY_TEXT, CONVINCING_ONLY, WAYS, Mix, Way, entropy
from labeling.selection.near_duplicates import NEAR_DUPLICATE, ChosenTexts, shingles, similarity
from labeling.selection.piecewise import Reads, Stop, select_from
from labeling.selection.sketches import may_be_near, read_sketch, sketches_of
from labeling.selection.ways import by_text

__all__ = [
    "BY_TEXT",
    "CONVINCING_ONLY",
    "NEAR_DUPLICATE",
    "WAYS",
    "UNGRADED",
    "WRONG",
    "Candidate",
    "Choice",
    "ChosenTexts",
    "Mix",
    "Order",
    "GreedyChooser",
    "Reads",
    "Reason",
    "Rules",
    "Selection",
    "Stop",
    "Way",
    "by_text",
    "control_size",
    "control_start",
    "draw_of",
    "entropy",
    "left_empty",
    "may_be_near",
    "order_of",
    "ranked",
    "read_sketch",
    "select",
    "select_from",
    "shingles",
    "shuffle_key",
    "similarity",
    "sketches_of",
    "wrong_quota",
]
