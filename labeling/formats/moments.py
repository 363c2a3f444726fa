"""Times in files that a column can store and return. Pure."""

from datetime import UTC, datetime

EARLIEST, LATEST = 1900, 9998  # years; near the limits of datetime, a time may not exist in another zone
FURTHEST_HOURS = 16  # from UTC: PostgreSQL accepts no larger offset


def moment(text: str) -> datetime:
    """Return a time in UTC, the default zone. Raises ValueError if the text is not a time, or not one that can be
    stored.
    """
    found = datetime.fromisoformat(text)
    offset = found.utcoffset()
    if offset is not None and (offset.microseconds or abs(offset.total_seconds()) >= FURTHEST_HOURS * 3600):
        raise ValueError(text)
    if not EARLIEST <= found.year <= LATEST:
        raise ValueError(text)
    return found.replace(tzinfo=UTC) if offset is None else found.astimezone(UTC)
