"""Process reward models: which checkpoints there are, how each reads a trace, and how a problem's traces are scored
fast.

Plain torch. Nothing here knows of Django, Celery or the database; `worker.tasks` calls it. Start at
`registry.load_scorer`.
"""
