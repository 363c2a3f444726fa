"""What the web server calls: `granian --interface wsgi annotation_app.wsgi:application`."""

import gc
import multiprocessing
import os

from django.core.wsgi import get_wsgi_application

from labeling.grading.parent_death import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_app.settings")

server = multiprocessing.parent_process()
if server is not None:  # a worker process of the web server: it must not outlive the server
    die_with_parent(server.pid)

application = get_wsgi_application()

# What was loaded so far stays for good, and a request makes few cycles: look for them seldom, and not in that.
gc.collect()
gc.freeze()
gc.set_threshold(50_000, 20, 20)
