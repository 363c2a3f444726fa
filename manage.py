#!/usr/bin/env python
"""Django's command line: `manage.py help` lists the commands, `manage.py doctor` says what is wrong."""

import gc
import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_app.settings")
    if sys.argv[1:2] == ["migrate"]:
        # Each migration makes models anew, which refer to each other: looking for rubbish takes a third of the time,
        # and the process soon ends.
        gc.disable()
    execute_from_command_line(sys.argv)
