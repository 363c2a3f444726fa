"""The matrix's rows and bodies about machine labels."""

from typing import Any


def source_rows(researchers: str, by_id: str, admins: str, admins_by_id: str) -> dict[str, str]:
    """What each kind of person gets."""
    return {
        "GET projects/<slug:slug>/sources": researchers,
        "POST projects/<slug:slug>/sources": researchers.replace("200", "201"),
        "POST projects/<slug:slug>/sources/preview": researchers,
        "POST projects/<slug:slug>/sources/<int:source_id>/prune": admins,
        "GET projects/<slug:slug>/sources/<int:source_id>/calibration": researchers,
        "GET projects/<slug:slug>/failures": researchers,
        "GET projects/<slug:slug>/failures.csv": researchers,
        "GET projects/<slug:slug>/source_runs": researchers,
        "POST projects/<slug:slug>/source_runs": researchers.replace("200", "400"),  # the row names no source
        "POST projects/<slug:slug>/source_runs/estimate": researchers.replace("200", "400"),
        "GET source_runs/<int:source_run_id>": by_id,
        "POST source_runs/<int:source_run_id>/cancel": by_id,
        "POST source_runs/<int:source_run_id>/resume": by_id.replace("200", "409"),  # it continues
        "GET projects/<slug:slug>/acceptances": researchers,
        "POST projects/<slug:slug>/acceptances": admins.replace("200", "400"),  # the row names no source
        "POST acceptances/<int:acceptance_id>/withdraw": admins_by_id,
        "GET acceptances/<int:acceptance_id>/marks": by_id,
        "GET rounds/<int:round_id>/machine": by_id.replace("200", "404"),  # it shows no marks
        "GET traces/<int:trace_id>/machine_marks": by_id,
        "GET traces/<int:trace_id>/machine_marks/<int:source_id>": by_id,
    }


SOURCE_BODIES: dict[str, Any] = {
    "POST projects/<slug:slug>/sources": {"name": "Again", "kind": "verifier"},
    "POST projects/<slug:slug>/sources/preview": {"prompt": "processbench/1"},
    "POST projects/<slug:slug>/source_runs": {"source": 10**15},
    "POST projects/<slug:slug>/source_runs/estimate": {"source": 10**15},
    "POST projects/<slug:slug>/acceptances": {"source": 10**15},
}
