# Everything is installed into this checkout: `.venv` for work, `.venv-oldest` for the oldest versions we declare.
# A stamp inside each says that it is complete; it is renewed when pyproject.toml changes.

PYTHON ?= python3
PYTEST_ARGS ?=

VENV := .venv
OLDEST := .venv-oldest
BIN := $(VENV)/bin

RUN_STAMP := $(VENV)/byhistory-run.stamp
DEV_STAMP := $(VENV)/byhistory-dev.stamp
OLDEST_STAMP := $(OLDEST)/byhistory-oldest.stamp

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test check lint types imports test-fast test-oldest bench-profile bench-learn fresh clean

help: ## list every task
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(RUN_STAMP) ## run the main job on generated sample data
	$(BIN)/byhistory demo

test: check ## everything: lint, types, import rules, all tests
	$(BIN)/python -m pytest $(PYTEST_ARGS)

check: lint types imports ## lint, types and import rules, no tests

lint: $(DEV_STAMP) ## ruff: rules and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV_STAMP) ## mypy --strict
	$(BIN)/mypy

imports: $(DEV_STAMP) ## the order of the layers
	$(BIN)/lint-imports

test-fast: $(DEV_STAMP) ## the tests that start no JVM
	$(BIN)/python -m pytest -m "not spark" $(PYTEST_ARGS)

test-oldest: $(OLDEST_STAMP) ## the Spark tests on the oldest versions we declare
	$(OLDEST)/bin/python -m pytest -m spark tests $(PYTEST_ARGS)

bench-profile: $(DEV_STAMP) ## time the profiler against the bare scan and its rivals
	$(BIN)/python -m bench.profile

bench-learn: $(DEV_STAMP) ## time learning a program from a history
	$(BIN)/python -m bench.learn

fresh: ## prove that demo and test run in a fresh clone, with an empty HOME and no Java
	PYTHON=$(PYTHON) scripts/fresh-machine.sh

clean: ## remove the environments and what the tools left behind
	rm -rf $(VENV) $(OLDEST) .venv-worker-* .venv-whylogs dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis spark-warehouse
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# --- what the tasks need -----------------------------------------------------------------------------------------------

# The wheel with a Java runtime is large: it is fetched only where no Java that this Spark accepts is found.
define need_java
@$(1)/bin/python -m byhistory.spark.java || $(1)/bin/python -m pip install --quiet -e ".[java]" $(2)
@$(1)/bin/python -m byhistory.spark.java
endef

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(OLDEST)/bin/python:
	$(PYTHON) -m venv $(OLDEST)

$(RUN_STAMP): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet -e ".[spark]"
	$(call need_java,$(VENV))
	@touch $@

$(DEV_STAMP): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet -e ".[spark,connect,dev]"
	$(call need_java,$(VENV))
	@touch $@

$(OLDEST_STAMP): pyproject.toml scripts/oldest.txt | $(OLDEST)/bin/python
	$(OLDEST)/bin/python -m pip install --quiet -e ".[spark,connect,dev]" -c scripts/oldest.txt
	$(call need_java,$(OLDEST),-c scripts/oldest.txt)
	@touch $@
