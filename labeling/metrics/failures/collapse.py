"""Process collapse: a step model that has become a judge of final answers.

Its sign is the share of traces whose lowest score is at the last step (*The Lessons of Developing PRMs*, arXiv
2501.07301, §3). This share means nothing without its chance level and people's first errors.
"""

from collections.abc import Sequence

from labeling.metrics.failures.figure import Figure, Scored, Seen, apart, figure, mean_where, said, share_where, shown
from labeling.metrics.traces import lowest_at_the_end
from labeling.statistics.intervals import Estimate

NO_POOL = "it has scored no trace with two or more steps"
SCORE = "Scores of traces with two or more steps."
NO_ERROR_EARLIER = "people have found no first error before the last step in a trace that it scored"
LABEL = "Labels of scored traces in which people find an error."


def collapse(rows: Sequence[Seen], pool: Sequence[Scored]) -> list[Figure]:
    """Return where its lowest scores are, compared with chance and with people."""
    long = [row for row in pool if len(row.steps) > 1]
    last = [row for row in long if lowest_at_the_end(row.steps)]
    wrong = [row for row in rows if row.has_error and row.steps is not None and row.length > 1 and not row.learned]
    return [
        figure("lowest_last", "share", share_where(long, _at_end), nothing=NO_POOL, needs=SCORE, traces=shown(last)),
        figure("lowest_last_over_chance", "difference", _over_chance(long), nothing=NO_POOL, needs=SCORE),
        _where_earlier(wrong),
        figure("lowest_last_over_people", "difference", _over_people(wrong), nothing=NO_ERROR_EARLIER, needs=LABEL),
    ]


def _over_chance(long: Sequence[Scored]) -> Estimate:
    return mean_where([row.problem for row in long], [_at_end(row) - 1 / len(row.steps) for row in long])


def _where_earlier(wrong: Sequence[Seen]) -> Figure:
    earlier = [row for row in wrong if row.first_error < row.length - 1]
    bad = [row for row in earlier if _ends_low(row)]
    found = share_where(earlier, _ends_low)
    name = "lowest_last_error_earlier"
    return figure(name, "share", found, nothing=NO_ERROR_EARLIER, needs=LABEL, traces=shown(bad))


def _over_people(wrong: Sequence[Seen]) -> Estimate:
    """Return how much more often its lowest score is at the last step than people's first error is."""
    return apart(said(wrong, _ends_low), said(wrong, lambda row: row.first_error == row.length - 1))


def _at_end(row: Scored) -> bool:
    return lowest_at_the_end(row.steps)


def _ends_low(row: Seen) -> bool:
    return lowest_at_the_end(row.steps or [0.0])
