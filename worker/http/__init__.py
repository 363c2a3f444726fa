"""The only place that opens HTTP connections: to model servers (`server_client`) and to webhooks (`pinned`).

Plain Python: nothing here knows of Django, Celery, torch or the product.
"""
