"""The matrix's rows about releases, and the bodies sent to their addresses."""

from typing import Any

RESEARCHERS = "401 404 404 403 403 200 200 200"
RESEARCHERS_BY_ID = "401 404 404 404 404 200 200 200"
ADMINS = "401 404 404 403 403 403 200 200"
ADMINS_BY_ID = "401 404 404 404 404 403 200 200"  # a researcher may read it

ROWS = {
    "GET projects/<slug:slug>/releases": RESEARCHERS,
    "POST projects/<slug:slug>/releases": ADMINS.replace("200", "400"),  # the row names no export of the project
    "GET releases/<int:release_id>": RESEARCHERS_BY_ID,
    "PATCH releases/<int:release_id>": ADMINS_BY_ID.replace("200", "409"),  # it is no longer a draft
    "POST releases/<int:release_id>/check": ADMINS_BY_ID,
    "POST releases/<int:release_id>/remove": ADMINS_BY_ID,
    "POST releases/<int:release_id>/publish": ADMINS_BY_ID.replace("200", "400"),  # nobody has answered
    "POST releases/<int:release_id>/repack": ADMINS_BY_ID.replace("200", "409"),  # it is packed
    "POST releases/<int:release_id>/withdraw": ADMINS_BY_ID,
    "GET releases/<int:release_id>/card": RESEARCHERS_BY_ID,
    "GET releases/<int:release_id>/download": RESEARCHERS_BY_ID,
    "GET releases/<int:release_id>/diff": RESEARCHERS_BY_ID,
    "GET releases/<int:release_id>/diff.csv": RESEARCHERS_BY_ID,
    "GET releases/<int:release_id>/labels": RESEARCHERS_BY_ID,
    "GET releases/<int:release_id>/labels/<int:released_id>": RESEARCHERS_BY_ID,
    "POST releases/<int:release_id>/find_row": RESEARCHERS_BY_ID,
    "GET releases/<int:release_id>/labelers": RESEARCHERS_BY_ID,
    "GET releases/<int:release_id>/trace_labeler": RESEARCHERS_BY_ID.replace("200", "400"),  # of whom is not said
    "POST releases/<int:release_id>/without": ADMINS_BY_ID.replace("200", "404"),  # the row names nobody's id
    "POST releases/<int:release_id>/push": ADMINS_BY_ID.replace("200", "400"),  # the settings name no place
}
BODIES: dict[str, Any] = {
    "POST projects/<slug:slug>/releases": {"name": "Made", "exports": [10**15]},
    "PATCH releases/<int:release_id>": {"answers": {"orm": "unknown"}},
    "POST releases/<int:release_id>/withdraw": {"because": "A labeler guessed."},
    "POST releases/<int:release_id>/find_row": {"row": "1"},
    "POST releases/<int:release_id>/without": {"labeler": "nobody"},
    "POST releases/<int:release_id>/push": {"target": "hub"},
}
