"""The weekly digest of a project, sent once to everyone who asked for it: by mail, in the app, or to webhooks."""

from datetime import date, datetime

from django.utils import timezone

from labeling.actions.notices import notify
from labeling.formats.names import one_line
from labeling.models import NoticeKind
from labeling.queries.digests import Digest, OpenRound, digest_event, digest_of, last_week, projects_without_digest
from labeling.statistics.intervals import Estimate


def tell_digests(now: datetime | None = None) -> int:
    """Send last week's digest to everyone who wants it and has not received it. Returns the number of projects.

    The sweep calls this every time it runs. The event is the project and its week, so nobody gets a digest twice, even
    if a worker dies or two workers run at once.
    """
    monday = last_week(now or timezone.now())
    if monday is None:
        return 0
    told = 0
    for project, people in projects_without_digest(monday).items():
        digest = digest_of(project, monday)
        if digest is None:
            continue
        notify(
            project,
            NoticeKind.DIGEST,
            event=digest_event(project, monday),
            title=f"The week from {_day(digest.since)} to {_day(digest.until)}",
            text="\n".join(words_of(digest)),
            path=f"/projects/{project.slug}/home",
            people=people,
            facts=_facts(digest),
        )
        told += 1
    return told


def words_of(digest: Digest) -> list[str]:
    """Return one line each for labels, gold, every open round as it is now, and when they will be done. An unknown
    figure is n/a, with the reason.
    """
    people = _count(digest.labelers, "person", "people")
    lines = [f"{_count(digest.labels, 'label', 'labels')} by {people} ({digest.labels_before:,} the week before)."]
    lines.append(f"Hidden gold answered as expected so far: {_share(digest.gold)}.")
    lines += [_round(one) for one in digest.rounds] or ["No round is open now."]
    if digest.rounds:
        lines.append(_done(digest))
    return lines


def _round(one: OpenRound) -> str:
    name = f"Round {one.number}" + (f" ({one_line(one.name)})" if one.name else "")
    left = f"{one.wanted:,} more wanted" if one.wanted else "no more wanted"
    return f"{name}: {_count(one.submitted, 'label', 'labels')} so far, {left}."


def _share(gold: Estimate) -> str:
    if gold.value is None:
        return "n/a (none answered yet)"
    value = f"{100 * gold.value:.0f} % of {gold.n:,}"
    if gold.low is None or gold.high is None:
        return f"{value} (95 %: n/a, {_count(gold.clusters or 0, 'item', 'items')})"
    return f"{value} (95 %: {100 * gold.low:.0f} to {100 * gold.high:.0f} %)"


def _done(digest: Digest) -> str:
    if not any(one.wanted for one in digest.rounds):
        return "Look at the reports, then close the rounds that are fully labeled."
    done: dict[str, date | None] = digest.forecast["done"]
    at, low, high = (done[end] for end in ("value", "low", "high"))
    if at is None:
        return "Expected completion: n/a (nobody has labeled on a whole day of the last two weeks)."
    between = f" (95 %: {_day(low)} to {_day(high)})" if low and high else ""
    return f"At the rate of the last two weeks, all labels will be done on {_day(at)}{between}."


def _facts(digest: Digest) -> dict[str, object]:
    """Return the figures as JSON."""
    done = digest.forecast["done"]
    return {
        "since": digest.since.isoformat(),
        "until": digest.until.isoformat(),
        "labels": digest.labels,
        "labelers": digest.labelers,
        "gold": digest.gold.value,
        "rounds": [one._asdict() for one in digest.rounds],
        "done": {end: day and day.isoformat() for end, day in done.items()},
    }


def _count(number: int, one: str, more: str) -> str:
    return f"{number:,} {one if number == 1 else more}"


def _day(day: date) -> str:
    return f"{day:%a} {day.day} {day:%b %Y}"
