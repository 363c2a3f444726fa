"""Times in files: which of them a column keeps, and gives back. Pure."""

from datetime import UTC, datetime

EARLIEST, LATEST = 1900, 9998  # years; at the very edges a time in another zone is one that nobody can write
FURTHEST_HOURS = 16  # from UTC: PostgreSQL takes no zone beyond


def moment(text: str) -> datetime:
    """A time in UTC; one without a zone is in it. Raises ValueError where it is none, or none that can be kept."""
    found = datetime.fromisoformat(text)
    offset = found.utcoffset()
    if offset is not None and (offset.microseconds or abs(offset.total_seconds()) >= FURTHEST_HOURS * 3600):
        raise ValueError(text)
    if not EARLIEST <= found.year <= LATEST:
        raise ValueError(text)
    return found.replace(tzinfo=UTC) if offset is None else found.astimezone(UTC)
