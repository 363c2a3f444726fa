"""Process reward models: the checkpoints, how each reads a trace, and fast scoring of a problem's traces.

Plain torch. Nothing here knows of Django, Celery or the database; `worker.tasks` calls it. Start at
`registry.load_scorer`.
"""
