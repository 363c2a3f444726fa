"""A clock that Python and Postgres share: what depends on "now" is the same whenever it is asked for."""

from datetime import datetime, timedelta

from django.db import connection

# The product's SQL says now(); the schema stands before pg_catalog in the search path, so that it finds this one.
INSTALL = """
    CREATE SCHEMA clock;
    CREATE TABLE clock.time (at timestamptz NOT NULL);
    CREATE FUNCTION clock.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT at FROM clock.time';
"""
SEARCH = "ALTER DATABASE {name} SET search_path = public, clock, pg_catalog"


class Clock:
    """Stands still until it is told otherwise. `now` takes the place of `django.utils.timezone.now`."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        """What everybody is told."""
        return self.at

    def install(self) -> None:
        """Make the database that Django is connected to go by this clock; from the next connection on."""
        with connection.cursor() as cursor:
            cursor.execute(INSTALL)
            cursor.execute("INSERT INTO clock.time VALUES (%s)", [self.at])
            cursor.execute(SEARCH.format(name=connection.ops.quote_name(connection.settings_dict["NAME"])))
        connection.close()

    def set(self, at: datetime) -> None:
        """It is `at` now."""
        self.at = at
        with connection.cursor() as cursor:
            cursor.execute("UPDATE clock.time SET at = %s", [at])

    def pass_by(self, **time: float) -> None:
        """So much later, as `timedelta` takes it."""
        self.set(self.at + timedelta(**time))
