"""PgBouncer in transaction mode, where each transaction may use another backend: the main guarantees still hold."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from annotation_app.local.process import server_account
from annotation_app.tests.running_installation import installation_folder, wait_for
from labeling.tests.factories import make_member, make_project
from labeling.tests.labels import test_labeling_api, test_races

PGBOUNCER = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not PGBOUNCER, reason="PgBouncer is not installed: apt-get install pgbouncer"),
]
CONFIG = """
[databases]
* = host={server} user={user} password={password}
[pgbouncer]
listen_port = 6432
unix_socket_dir = {folder}
auth_type = any
pool_mode = transaction
default_pool_size = 4
server_reset_query_always = 0
"""


@pytest.fixture
def behind_pgbouncer() -> Iterator[None]:
    """Route all connections of this process through four of PgBouncer's, each transaction through any of them."""
    before = dict(connection.settings_dict)
    where = connection.get_connection_params()
    with installation_folder() as folder:
        folder.chmod(0o777)  # it never runs as root
        who = {name: where[name] for name in ("user", "password")}
        (folder / "ini").write_text(CONFIG.format(folder=folder, server=where["host"], **who))
        account = server_account()
        runs_as: dict[str, Any] = {"user": account.uid, "group": account.gid, "extra_groups": []} if account else {}
        process = subprocess.Popen([PGBOUNCER or "", "-q", folder / "ini"], **runs_as)
        try:
            wait_for("PgBouncer", lambda: (folder / ".s.PGSQL.6432").exists(), 20)
            options = {**before["OPTIONS"], "host": str(folder)}
            point_to({"OPTIONS": options, "PORT": "6432", "DISABLE_SERVER_SIDE_CURSORS": True})
            yield
        finally:
            point_to(before)
            process.terminate()
            process.wait(20)


def point_to(settings: dict[str, Any]) -> None:
    """Switch from the next statement on; other threads connect with the same settings."""
    connection.close()
    connection.settings_dict.update(settings)


def test_labelers_who_race_and_who_work_over_http_lose_nothing_through_it(behind_pgbouncer: None) -> None:
    test_races.test_leases_that_end_and_are_released_at_random_lose_no_label_and_give_out_no_place_twice()
    project = make_project()
    test_labeling_api.test_a_labeler_claims_drafts_and_submits_over_http(project, make_member(project))
