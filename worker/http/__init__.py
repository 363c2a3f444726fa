"""HTTP connections of workers: to model servers (`server_client`), webhooks (`pinned`) and services that store scores
(`json_requests`).

Plain Python: nothing here knows of Django, Celery, torch or the product.
"""
