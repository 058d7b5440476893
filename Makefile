# make demo   check a real example on Spark and leave an HTML report in demo/
# make test   everything that needs no Flink jars: style, types, layers, tests
SHELL := /bin/bash
PYTHON ?= $(shell for p in python3 python3.11 python3.12 python3.13; do \
  $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
BIN := .venv/bin
# By uv, in half the time of pip, where it reaches the package index.
INSTALLED := --editable '.[spark,remote,flink,editor]' --group dev
# Tests that start no Flink and no browser run side by side.
WORKERS ?= $(shell n=$$(nproc 2>/dev/null || echo 2); echo $$((n > 4 ? 4 : n)))

# Hundreds of processes of the tests import the same modules, which are compiled once.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-core lint test-cluster test-flink test-browser test-packaging all site release clean

all: test test-cluster test-flink test-browser test-packaging

.venv/ready: pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1' uv
	UV_SYSTEM_CERTS=1 $(BIN)/uv pip install --quiet --no-cache --python $(BIN)/python $(INSTALLED) || \
	  $(BIN)/python -m pip install --quiet --no-compile $(INSTALLED)
	touch $@

demo: .venv/ready
	scripts/ensure-java
	rm -rf demo
	$(BIN)/python examples/make_repository.py demo/orders
	$(BIN)/savepoint-checker check --engine spark --repo demo/orders --base v1.0.0 --head main~1 \
	  --output demo/report.html --output demo/report.md || test $$? -eq 1
	@echo
	@echo "The report of this run: demo/report.html"

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/vulture

# The style is looked at while the tests run.
test: .venv/ready
	$(MAKE) --no-print-directory -j2 lint test-core

test-core: .venv/ready
	scripts/ensure-java
	$(BIN)/pytest -q -n $(WORKERS) -m 'not flink and not browser and not packaging and not cluster'

# Checks and audits on Spark: in this process, from the command line, on real clusters. That both engines agree is in 'test'.
test-cluster: .venv/ready
	scripts/ensure-java
	$(BIN)/pytest -q -m cluster

# Asks real Flinks; their jars are downloaded once and cached. Tests wait for checkpoints and time limits: one more runs
# than there are processors.
test-flink: .venv/ready
	scripts/ensure-java
	$(BIN)/pytest -q -n $$(($(WORKERS) + 1)) --dist loadfile -m flink

# Opens the reports in a real browser.
test-browser: .venv/ready
	scripts/ensure-chromium
	$(BIN)/pytest -q -n $(WORKERS) -m browser

# Installs, builds images and runs the snippets for builds and CI systems. What this machine lacks is listed at the end, with
# the reason; what was downloaded is kept for the next run.
test-packaging: .venv/ready
	scripts/ensure-build-tools
	$(BIN)/pytest -q -n $(WORKERS) -m packaging

# The documentation as a site, in build/site.
site: .venv/ready
	$(BIN)/mkdocs build --quiet

# What a release publishes, in dist/.
release: .venv/ready
	scripts/release

clean:
	rm -rf .venv demo dist build
