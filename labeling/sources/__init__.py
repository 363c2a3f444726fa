"""How machines come to labels of steps: by rollouts, by search, by judges, by checks, by agreement of those. Pure.

Each source gives a `Marked`: what it says of each step, where it sees the first error, and what that rests on. A mark
is never a label: it stands beside people's labels, with its source, and is audited against them.
"""

from labeling.sources.marks import Hits, Mark, Marked, mark_of

__all__ = ["Hits", "Mark", "Marked", "mark_of"]
