"""The matrix's rows about deletion and retention."""


def retention_rows(admins: str) -> dict[str, str]:
    """What each kind of person gets."""
    return {
        "GET site/retention": "401 403 403 403 403 403 403 200",
        "POST site/retention/prune": "401 403 403 403 403 403 403 200",
        "GET site/person_data": "401 403 403 403 403 403 403 400",  # the row names nobody
        "POST site/person_data/forget": "401 403 403 403 403 403 403 400",
        "GET projects/<slug:slug>/retention": admins,
        "POST projects/<slug:slug>/retention/prune": admins,
        "POST projects/<slug:slug>/retention/take_out": admins.replace("200", "409"),  # it is not archived
        "POST projects/<slug:slug>/retention/bring_back": admins.replace("200", "409"),
    }
