"""A clock that Python and Postgres share: whatever depends on "now" is the same at any time."""

from datetime import datetime, timedelta

from django.db import connection

# The product's SQL says now(). The schema precedes pg_catalog in the search path, so that it finds this function.
INSTALL = """
    CREATE SCHEMA clock;
    CREATE TABLE clock.time (at timestamptz NOT NULL);
    CREATE FUNCTION clock.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT at FROM clock.time';
"""
SEARCH = "ALTER DATABASE {name} SET search_path = public, clock, pg_catalog"


class Clock:
    """A clock that stands still until it is set. `now` replaces `django.utils.timezone.now`."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        """Return the clock's time."""
        return self.at

    def install(self) -> None:
        """Make the database that Django is connected to use this clock, from the next connection on."""
        with connection.cursor() as cursor:
            cursor.execute(INSTALL)
            cursor.execute("INSERT INTO clock.time VALUES (%s)", [self.at])
            cursor.execute(SEARCH.format(name=connection.ops.quote_name(connection.settings_dict["NAME"])))
        connection.close()

    def set(self, at: datetime) -> None:
        """Set the time to `at`."""
        self.at = at
        with connection.cursor() as cursor:
            cursor.execute("UPDATE clock.time SET at = %s", [at])

    def pass_by(self, **time: float) -> None:
        """Move the time forward; arguments as for `timedelta`."""
        self.set(self.at + timedelta(**time))
