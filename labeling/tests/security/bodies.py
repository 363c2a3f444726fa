"""A body that each address takes, for the matrix of roles and for fuzzing."""

from typing import Any
from uuid import uuid4

from labeling.tests.security import release_rows

SUBMISSION = {
    "idempotency_key": str(uuid4()),
    "finish_reason": "solution",
    "ratings": [1, 1, 1],
    "total_ms": 1000,
    "client_build": "test",
}
BODIES: dict[str, Any] = {
    "POST session/login": {"username": "nobody", "password": "wrong"},
    "POST session/password": {"old_password": "wrong", "new_password": "a long enough sentence 8"},
    "POST session/providers/<slug:provider>/begin": {"next": "/projects"},
    "PUT session/preferences": {"preferences": {"theme": "dark"}},
    "POST tokens": {"name": "export"},
    "POST projects": {"slug": "made", "name": "Made"},
    "PATCH projects/<slug:slug>": {"lease_minutes": 20},
    "POST projects/<slug:slug>/members/<int:member_id>/role": {"role": "researcher"},
    "POST projects/<slug:slug>/invitations": {"role": "annotator"},
    "POST projects/<slug:slug>/guidelines": {"body": "# Rate"},
    "PUT notices/choices": {"kind": "paused", "channel": "mail", "on": False},
    "POST projects/<slug:slug>/webhooks": {"url": "https://hooks.example.org/x", "kinds": ["paused"]},
    "PATCH webhooks/<int:webhook_id>": {"is_active": False},
    "PUT labels/<int:label_id>/draft": {"draft": {"ratings": []}, "base_revision": 0},
    "POST labels/<int:label_id>/submit": SUBMISSION,
    "POST labels/<int:label_id>/suggestions": {"step": 0},
    "POST labels/<int:label_id>/feedback": {"text": "Step 1 is right."},
    "POST labels/<int:label_id>/path/rest": {"prefix_hash": "0" * 64, "rating": -1},
    "POST labels/<int:label_id>/path/steps": {"prefix_hash": "0" * 64, "key": str(uuid4()), "ratings": []},
    "POST labels/<int:label_id>/path/undo": {"prefix_hash": "0" * 64},
    "POST labels/<int:label_id>/revise": {**SUBMISSION, "idempotency_key": str(uuid4())},
    "POST projects/<slug:slug>/rounds": {"name": "Next", "source": "all"},
    "POST projects/<slug:slug>/rounds/preview": {"source": "all"},
    "POST projects/<slug:slug>/rounds/start": {"k": 2},
    "POST projects/<slug:slug>/rounds/pool": {"k": 2},
    "POST rounds/<int:round_id>/reselect": {"k": 2},
    "POST projects/<slug:slug>/exports": {"format": "prm800k"},
    "POST exports/<int:export_id>/push": {"target": "langfuse"},
    "POST projects/<slug:slug>/splitter/preview": {"kind": "custom", "pattern": "- ", "text": "- a"},
    "POST projects/<slug:slug>/gradings": {"scope": "all"},
    "POST projects/<slug:slug>/training_runs": {"round_ids": [1], "base": "none"},
    "POST projects/<slug:slug>/training_runs/preview": {"round_ids": []},
    "POST projects/<slug:slug>/promotions": {"prm": 10**15},
    "POST projects/<slug:slug>/prms": {"name": "P", "family": "qwen_prm", "aggregation": "min", "folder": "../etc"},
    "POST projects/<slug:slug>/prms/<int:prm_id>/try": {"problem": "1 + 1?", "steps": ["2"]},
    "POST projects/<slug:slug>/evaluation_sets": {"name": "Other set", "source": "recorded"},
    "POST projects/<slug:slug>/evaluations": {"prm": 10**15, "evaluation_set": 1},
    "POST traces/<int:trace_id>/gold": {"acceptable": [1], "explanation": "Lost a sign."},
    "PATCH gold/<int:gold_id>": {"acceptable": [1]},
}
BODIES |= release_rows.BODIES | {
    "POST gradings/<int:grading_id>/leave_out": {"trace": 10**15, "left_out": True},
    "POST tasks/<int:task_id>/settle": {"ratings": [1, 1, 1], "finish_reason": "solution"},
    "POST tasks/<int:task_id>/dismiss": {"kinds": ["comment"], "reason": "It says nothing of the rating."},
    "POST tasks/<int:task_id>/replies": {"labeler_id": 1, "step": 0, "text": "Why?"},
    "POST tasks/<int:task_id>/bad_problem": {"reason": "It has no figure."},
    "POST tasks/<int:task_id>/accept_answer": {"answer": "7,000,001", "reason": "It says the same."},
    "POST tasks/<int:task_id>/correct_answer": {"answer": "7", "reason": "A misprint."},
    "POST tasks/<int:task_id>/repair_split": {"steps": ["a"], "reason": "Cut in a formula."},
    "POST labels/<int:label_id>/replies": {"step": 0, "text": "Because."},
    "POST projects/<slug:slug>/label_audits": {"prm": 10**15, "labels": 10},
    "POST projects/<slug:slug>/label_audits/preview": {"prm": 10**15},
    "POST label_audit_items/<int:item_id>/review": {"ratings": [1, 1, 1], "finish_reason": "solution"},
}
