"""The whole world, in the order in which it happened."""

from pathlib import Path

from labeling.tests.upgrade.clock import Clock
from labeling.tests.upgrade.v0_1_0 import gold
from labeling.tests.upgrade.v0_1_0.loop import make_loop, make_prms
from labeling.tests.upgrade.v0_1_0.people import make_integrations
from labeling.tests.upgrade.v0_1_0.plain import make_algebra, make_leases
from labeling.tests.upgrade.v0_1_0.rows import neutral_rows
from labeling.tests.upgrade.v0_1_0.world import LOGINS, load_demo
from labeling.tests.upgrade.v0_2_0.site import RenamedSite


def make_world(clock: Clock, folder: Path) -> RenamedSite:
    """Make the demo project and three more: plain rounds, gold with screening, and rounds that a PRM prepared."""
    load_demo(folder)
    site = RenamedSite(clock, folder)
    for username, _, _ in LOGINS:
        site.desk.browser(username)
    make_algebra(site)
    site.clock.pass_by(hours=14)
    make_geometry(site)
    site.clock.pass_by(hours=10)
    make_prms(folder)
    make_loop(site)
    make_leases(site)
    return site


def make_geometry(site: RenamedSite) -> None:
    """Make gold and screening as in 0.1.0; nobody is paused."""
    site.project(gold.SLUG, "Geometry", **gold.SETTINGS)
    site.invite(gold.SLUG, "researcher", role="researcher")
    site.import_rows(gold.SLUG, neutral_rows("known", 14), as_gold="true")
    site.import_rows(gold.SLUG, neutral_rows("work", 7, siblings=2))
    gold.by_hand(site)
    site.invite(gold.SLUG, "ada", "ben", "cem", "dee", "eva")
    make_integrations(site, gold.SLUG)
    gold.screening(site)
    gold.open_work(site)
    gold.settle_gold(site)
