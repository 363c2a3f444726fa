#!/usr/bin/env python
"""Django's command line: `manage.py help` lists the commands, `manage.py doctor` reports what is wrong."""

import gc
import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import OperationalError, connection

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_app.settings")
    if sys.argv[1:2] == ["migrate"]:
        # Each migration builds its models again, and they refer to each other. Garbage collection would take a third of
        # the time, and the process ends soon.
        gc.disable()
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as fault:  # an invalid setting: the user needs the message, not our traceback
        sys.exit(f"{fault}")
    except OperationalError as fault:
        if connection.connection is not None:  # the database did answer, so this is another fault
            raise
        sys.exit(f"The database does not answer ({fault}). Is it running, and are DATABASE_URL and its password right?")
