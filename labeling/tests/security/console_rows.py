"""The matrix's rows about the console: a labeler's page, rounds in figures, models, the list of traces."""

RESEARCHERS = "401 404 404 403 403 200 200 200"
RESEARCHERS_BY_ID = "401 404 404 404 404 200 200 200"
ADMINS = "401 404 404 403 403 403 200 200"

ROWS = {
    "GET projects/<slug:slug>/home": RESEARCHERS,
    "GET projects/<slug:slug>/badges": RESEARCHERS,
    "GET projects/<slug:slug>/forecast": RESEARCHERS,
    "GET projects/<slug:slug>/selector": RESEARCHERS,
    "GET projects/<slug:slug>/waiting": RESEARCHERS.replace("200", "400"),  # the row asks about no job
    "GET projects/<slug:slug>/labels": RESEARCHERS,
    "GET projects/<slug:slug>/labels.csv": RESEARCHERS,
    "GET projects/<slug:slug>/labels/facets": RESEARCHERS,
    "GET projects/<slug:slug>/label_changes": RESEARCHERS,
    "POST projects/<slug:slug>/label_changes": RESEARCHERS.replace("200", "201"),
    "POST label_changes/<int:change_id>/undo": RESEARCHERS_BY_ID,
    "GET projects/<slug:slug>/label_views": RESEARCHERS,
    "POST projects/<slug:slug>/label_views": RESEARCHERS.replace("200", "201"),
    "POST label_views/<int:view_id>/remove": "401 404 404 404 404 200 404 404",
    "GET projects/<slug:slug>/labelers": RESEARCHERS,
    "GET projects/<slug:slug>/labelers.csv": RESEARCHERS,
    "GET projects/<slug:slug>/labelers/<int:labeler_id>": RESEARCHERS,
    "GET projects/<slug:slug>/traces.csv": RESEARCHERS,
    "GET projects/<slug:slug>/traces/facets": RESEARCHERS,
    "POST projects/<slug:slug>/traces/hold_out": RESEARCHERS.replace("200", "422"),  # the row picks a trace of nobody
    "POST projects/<slug:slug>/traces/gold": ADMINS.replace("200", "422"),
    "GET problems/<int:problem_id>/tree": RESEARCHERS_BY_ID,
    "GET projects/<slug:slug>/model_history": RESEARCHERS,
    "GET rounds/<int:round_id>/figures": RESEARCHERS_BY_ID,
    "GET projects/<slug:slug>/round_comparison": RESEARCHERS.replace("200", "400"),  # the row names no two
}
