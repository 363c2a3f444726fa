"""Accounts for the replay, in the environment of the installation: `-m bench.replay_accounts --superuser NAME NAME …`.

All accounts have the password BENCH_PASSWORD. Everything else in the replay uses HTTP.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence

import django
from django.contrib.auth.hashers import make_password

django.setup()

from labeling.models import User  # noqa: E402  # models can be read only after the set-up


def main(arguments: Sequence[str] | None = None) -> int:
    """Create the accounts and print how many exist as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.replay_accounts", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="+")
    parser.add_argument("--superuser", required=True, help="this one, if named, may do everything")
    options = parser.parse_args(arguments)
    password = make_password(os.environ["BENCH_PASSWORD"])
    boss = options.superuser
    User.objects.bulk_create(
        User(username=name, password=password, is_superuser=name == boss, is_staff=name == boss)
        for name in options.names
    )
    print(json.dumps(User.objects.count()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
