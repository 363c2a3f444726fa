"""Two roles: the owner creates and changes tables; the app, which serves users, reads and writes their rows.

The app's role cannot be made to do what it has no right to: alter, drop or empty a table, touch the guard of the
audit log, or change that log's past. If no owner is named, one role does everything, and `manage.py doctor` reports
that.
"""

from typing import Any

import psycopg
from django.conf import settings
from django.core.management import CommandError
from django.db import transaction
from psycopg import sql

APPEND_ONLY = "labeling_auditevent"
READ_ONLY = "django_migrations"
ROWS = "SELECT, INSERT, UPDATE, DELETE"
NUMBERS = "USAGE, SELECT"
MAINTAIN_SINCE = 170000  # first version with a right to ANALYZE; before, only the owner's autovacuum does it

SAME = "OWNER_DATABASE_URL and DATABASE_URL name the same role ({}). Give DATABASE_URL another: migrate makes it."
NOT_ALLOWED = (
    "The role {app} of DATABASE_URL does not exist, and {owner} may not make it. As a superuser:"
    " CREATE ROLE {app} LOGIN PASSWORD '…'; then migrate again."
)
GRANTS = f"""
    GRANT CONNECT, TEMPORARY ON DATABASE {{database}} TO {{app}};
    GRANT USAGE ON SCHEMA public TO {{app}};
    REVOKE CREATE ON SCHEMA public FROM PUBLIC;
    GRANT {ROWS} ON ALL TABLES IN SCHEMA public TO {{app}};
    GRANT {NUMBERS} ON ALL SEQUENCES IN SCHEMA public TO {{app}};
    REVOKE UPDATE, DELETE ON {APPEND_ONLY} FROM {{app}};
    REVOKE INSERT, UPDATE, DELETE ON {READ_ONLY} FROM {{app}};
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT {ROWS} ON TABLES TO {{app}};
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT {NUMBERS} ON SEQUENCES TO {{app}};
"""
MAY_ANALYZE = """
    GRANT MAINTAIN ON ALL TABLES IN SCHEMA public TO {app};
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT MAINTAIN ON TABLES TO {app};
"""
OWNS = """
    SELECT current_user, rolsuper OR pg_has_role(current_user, relowner, 'USAGE')
    FROM pg_roles, pg_class WHERE rolname = current_user AND pg_class.oid = 'labeling_auditevent'::regclass
"""


def become_owner(connection: Any) -> None:
    """Connect as the owner from now on, if one is named. Raises CommandError if that is the app's own role."""
    owner = settings.OWNER_DATABASE
    if owner is None:
        return
    if owner["USER"] == connection.settings_dict["USER"]:
        raise CommandError(SAME.format(owner["USER"]))
    connection.close()
    connection.settings_dict |= {part: owner[part] for part in ("USER", "PASSWORD", "HOST", "PORT")}


def let_app_in(connection: Any, user: str, password: str) -> None:
    """As the owner: make the app's role if there is none, and grant it every table's rows. Raises CommandError."""
    names = {"app": sql.Identifier(user), "database": sql.Identifier(connection.settings_dict["NAME"])}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT FROM pg_roles WHERE rolname = %s", [user])
        if cursor.fetchone() is None:
            make_role(connection, user, password)
        cursor.execute(sql.SQL(GRANTS).format(**names))
        if connection.pg_version >= MAINTAIN_SINCE:
            cursor.execute(sql.SQL(MAY_ANALYZE).format(**names))


def make_role(connection: Any, user: str, password: str) -> None:
    """Make a role that may only log in. Its password is sent as a hash, so no log contains it. Raises CommandError."""
    made = connection.connection.pgconn.encrypt_password(password.encode(), user.encode(), b"scram-sha-256").decode()
    statement = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(user), sql.Literal(made))
    try:
        with transaction.atomic():
            connection.connection.execute(statement)
    except psycopg.errors.InsufficientPrivilege as fault:
        owner = connection.settings_dict["USER"]
        raise CommandError(NOT_ALLOWED.format(app=user, owner=owner)) from fault


def owner_among_us(connection: Any) -> str | None:
    """Return the name of our own role if it may change tables, else None."""
    with connection.cursor() as cursor:
        cursor.execute(OWNS)
        name, owns = cursor.fetchone()
    return str(name) if owns else None
