"""Why work failed: a sentence about the fault, and whether the machine or the work is to blame."""

import errno
import os

import psycopg
from django.db import DatabaseError, InterfaceError, OperationalError

LENGTH = 2000  # characters of a reason that are kept

DISK_FULL = "The disk is full. Free some space, and the work continues automatically."
DATABASE_AWAY = "PostgreSQL did not answer, or the connection broke. The work continues once it is back."
OUT_OF_MEMORY = "The worker ran out of memory. Give it more, or run fewer workers on that machine."
UNFORESEEN = "An unexpected error occurred."

FULL = {errno.ENOSPC, errno.EDQUOT}
SAYS_SO_IN_WORDS = ("SafetensorError", "RuntimeError")  # writers of weights give no errno; no torch is imported here
# SQLSTATE: disk_full, out_of_memory; classes 08 (connection) and 57P (the server is stopping or starting).
SQL_DISK_FULL, SQL_OUT_OF_MEMORY, SQL_AWAY = "53100", "53200", ("08", "57P")


def reason_of(fault: BaseException) -> str:
    """Return the sentence that people read: what happened, what to do, and the exception's type and text."""
    text = f"{type(fault).__name__}: {fault}".strip().rstrip(":").replace("\x00", "")
    return f"{_sentence(fault)} ({text})"[:LENGTH]


def is_the_machines(fault: BaseException) -> bool:
    """Return whether the machine must be fixed (a full disk, no database). The work is retried until it is."""
    return _sentence(fault) in (DISK_FULL, DATABASE_AWAY)


def is_full_disk(fault: BaseException) -> bool:
    """Return whether our own disk or that of Postgres is full."""
    if isinstance(fault, OSError):
        return fault.errno in FULL
    return _sqlstate(fault) == SQL_DISK_FULL


def _sentence(fault: BaseException) -> str:
    state = _sqlstate(fault)
    if is_full_disk(fault) or _says_full_disk(fault):
        return DISK_FULL
    if state == SQL_OUT_OF_MEMORY or _is_out_of_memory(fault):
        return OUT_OF_MEMORY
    if isinstance(fault, InterfaceError | psycopg.InterfaceError) or state.startswith(SQL_AWAY):
        return DATABASE_AWAY
    # A broken connection has no SQLSTATE, because the server could no longer send one.
    if isinstance(fault, OperationalError | psycopg.OperationalError) and not state:
        return DATABASE_AWAY
    return UNFORESEEN


def _sqlstate(fault: BaseException) -> str:
    """Return the SQLSTATE of Postgres' own error, which Django wraps, or "" if there is none."""
    if isinstance(fault, DatabaseError) and fault.__cause__ is not None:
        fault = fault.__cause__
    return getattr(fault, "sqlstate", None) or ""


def _says_full_disk(fault: BaseException) -> bool:
    return type(fault).__name__ in SAYS_SO_IN_WORDS and os.strerror(errno.ENOSPC) in str(fault)


def _is_out_of_memory(fault: BaseException) -> bool:
    """Return whether memory ran out. Recognises torch's error by name and text, because no torch is imported here."""
    if isinstance(fault, MemoryError) or type(fault).__name__ == "OutOfMemoryError":
        return True
    return isinstance(fault, RuntimeError) and "can't allocate memory" in str(fault)
