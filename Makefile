# Everything happens in this folder's own .venv; nothing else needs to be installed but Python 3.11 or later and make.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
UV     := $(shell command -v uv 2>/dev/null)
export UV_LINK_MODE = copy
export PYTHONUTF8 = 1

# Workers of the tests share few cores; threads of one worker's matrix arithmetic would only wait for each other.
test slow e2e mutants demo bench: export OPENBLAS_NUM_THREADS = 1
# Each worker would compile all tests anew, half of the time that it takes to collect them.
test slow e2e mutants demo bench: export PYTHONDONTWRITEBYTECODE =

.DEFAULT_GOAL := help
.PHONY: help install up demo test slow e2e coverage mutants bench bench-documents lint format schema lock clean

help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(VENV)/.installed ## Make .venv with the `brain` command in it

$(VENV)/.installed: pyproject.toml requirements.lock
	@echo "Setting up $(VENV) (once; some 200 packages)…" >&2
ifdef UV
	@test -x $(BIN)/python || $(UV) venv --quiet --python $(PYTHON) $(VENV)
	$(UV) pip install --quiet --python $(BIN)/python --require-hashes --no-deps -r requirements.lock
	$(UV) pip install --quiet --python $(BIN)/python --no-deps -e .
else
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
endif
	@touch $@

up: install ## Start database, Dagster UI (3000) and API with its page (8000); Ctrl-C stops
	@$(BIN)/brain up

demo: install ## Do the main job once: notes in, assets materialised, report and three answers
	@$(BIN)/brain demo

test: install ## Run the tests, all but the slow ones
	$(BIN)/python -m pytest -n 3 --dist loadgroup -m "not slow and not e2e" $(if $(REPORTS),--cov $(REPORTS:%=--cov-report=%))

# Files with such tests; collecting all the others would take each worker ten seconds.
slow: SLOW = $(shell grep -rlE 'mark\.(slow|alone)' tests --include='test_*.py')
slow: install ## Run the slow ones: whole nights of evaluation, leaks, generated notes in a database, benchmarks
	$(BIN)/python -m pytest -n 3 --dist loadgroup -m "slow and not alone and not e2e" $(SLOW)
	$(BIN)/python -m pytest -m "alone and not e2e" tests/faults tests/benchmarks

e2e: install ## Hurt whole installations on purpose: kill workers, database and models while notes are migrated
	$(BIN)/python -m pytest -n 4 --dist loadgroup -m e2e tests/e2e

coverage: REPORTS = term:skip-covered json html
coverage: test ## The same, and report what they leave out (coverage.json, htmlcov/)

mutants: install ## Plant one defect for each of the 40 properties; their tests must catch it
	@$(BIN)/python -m tests.mutants

bench: install ## Measure import, index, search and backfill; one JSON object on the last line
	@$(BIN)/python -m tests.benchmarks

bench-documents: install ## Measure parsing and search of the documents in BRAIN_TEST_DATA; one JSON object on the last line
	@PYTHONPATH="tests:$$PYTHONPATH" $(BIN)/python -m tests.benchmarks.documents $(OPTIONS)

lint: install ## Lint, type-check and look for dead code
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	@found=$$($(BIN)/vulture); [ $$? = 0 -o $$? = 3 ] || { echo "vulture failed" >&2; exit 1; }; \
	! printf '%s' "$$found" | grep -vE ': unused (variable|attribute) '  # those are read by schemas, templates, JSON and vendors

format: install ## Format and fix what can be fixed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix-only .

schema: install ## Write rag_core/storage/schema.sql anew from the migrations
	$(BIN)/python -m rag_core.storage.schema

lock: ## Compile requirements.lock anew (needs uv)
	@test -n "$(UV)" || { echo "make lock needs uv" >&2; exit 1; }
	$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--extra dev pyproject.toml -o requirements.lock
	@! grep -nE '^(--|.*://)' requirements.lock

clean: ## Remove .venv and caches (notes under .brain stay)
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache
