"""The whole world, in the order in which it happened."""

import json
from io import StringIO
from pathlib import Path

from django.core.management import call_command

from labeling.tests.upgrade.clock import Clock
from labeling.tests.upgrade.v0_1_0.gold import SLUG as GEOMETRY
from labeling.tests.upgrade.v0_1_0.gold import make_geometry
from labeling.tests.upgrade.v0_1_0.loop import make_loop, make_prms, make_records
from labeling.tests.upgrade.v0_1_0.people import make_departures
from labeling.tests.upgrade.v0_1_0.plain import make_algebra, make_leases
from labeling.tests.upgrade.v0_1_0.site import PASSWORD, Site

LOGINS = (
    ("admin", "admin", "Demo Admin"),
    ("researcher", "researcher", "Demo Researcher"),
    ("ada", "annotator", "Ada (demo)"),
    ("ben", "annotator", "Ben (demo)"),
)


def make_world(clock: Clock, folder: Path) -> Site:
    """Make the demo project and four more."""
    load_demo(folder)
    site = Site(clock, folder)
    for username, _, _ in LOGINS:
        site.desk.browser(username)
    make_algebra(site)
    site.clock.pass_by(hours=14)
    make_geometry(site)
    site.clock.pass_by(hours=10)
    make_prms(folder)
    make_loop(site)
    site.clock.pass_by(hours=20)
    make_records(site)
    make_departures(site, GEOMETRY)
    make_leases(site)
    return site


def load_demo(folder: Path) -> None:
    """Load the demo as the first start of a fresh installation does."""
    names = ("username", "role", "display_name")
    logins = folder / "logins.json"
    logins.write_text(json.dumps([{**dict(zip(names, login, strict=True)), "password": PASSWORD} for login in LOGINS]))
    call_command("load_demo", logins=logins, stdout=StringIO())
