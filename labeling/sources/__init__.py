"""How machines label steps: by rollouts, by search, by judges, by checks, by agreement of these. Pure.

Each source returns a `Marked`: what it says of each step, where it sees the first error, and the evidence for it. A
mark is never a label: it is shown next to people's labels, with its source, and audited against them.
"""

from labeling.sources.marks import Hits, Mark, Marked, mark_of

__all__ = ["Hits", "Mark", "Marked", "mark_of"]
