"""What people leave behind besides labels: tokens, invitations, webhooks, notices, preferences, members who left."""

from django.test import Client

from labeling.tests.upgrade.v0_1_0.site import Site


def make_integrations(site: Site, slug: str) -> None:
    """Make a webhook without a server, tokens used and revoked, choices of notices; asked before there is news."""
    hook = {"url": "https://hooks.invalid/stepmark", "kinds": ["paused"]}
    made = site.post("admin", f"projects/{slug}/webhooks", hook)
    site.post("admin", f"webhooks/{made['id']}/try")
    site.work()
    site.call("ada", "PUT", "notices/choices", {"kind": "paused", "channel": "mail", "on": False})
    site.call("ada", "PUT", "session/preferences", {"preferences": {"theme": "dark"}})
    tokens = [site.post("researcher", "tokens", {"name": name}) for name in ("notebook", "old notebook")]
    site.post("researcher", f"tokens/{tokens[1]['id']}/revoke")
    used = Client(headers={"Authorization": f"Bearer {tokens[0]['token']}"}).get("/api/projects")
    assert used.status_code == 200


def make_departures(site: Site, slug: str) -> None:
    """Make open, revoked and expired invitations, a member who left, one who was promoted, a newer guideline."""
    site.post("admin", f"projects/{slug}/invitations", {"role": "annotator", "email": "old@example.org", "days": 1})
    site.clock.pass_by(days=2)
    revoked = site.post("admin", f"projects/{slug}/invitations", {"role": "researcher"})
    site.post("admin", f"invitations/{revoked['id']}/revoke")
    site.post("admin", f"projects/{slug}/invitations", {"role": "annotator", "email": "new@example.org"})
    found = site.get("admin", f"projects/{slug}/members")["results"]
    members = {member["user"]["username"]: member["id"] for member in found}
    site.post("admin", f"projects/{slug}/members/{members['dee']}/deactivate")
    site.post("admin", f"projects/{slug}/members/{members['eva']}/role", {"role": "researcher"})
    site.post("admin", f"projects/{slug}/guidelines", {"body": "# Geometry\n\nRate each step, please."})
    site.sweep()
    unread = site.get("cem", "notices")["results"]
    site.post("cem", f"notices/{unread[0]['id']}/read")
    site.post("admin", "notices/read_all")
