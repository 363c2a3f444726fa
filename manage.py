#!/usr/bin/env python
"""Django's command line: `manage.py help` lists the commands, `manage.py doctor` says what is wrong."""

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_app.settings")
    execute_from_command_line(sys.argv)
