# Everything is installed into this checkout: `.venv` for work, `.venv-oldest` for the oldest versions we declare, and
# `.venv-bench` for the methods that the benchmark compares, `.venv-docs` for
# the site, `.venv-release` to build and check what is released.
# A stamp inside each says that it is complete; it is renewed when pyproject.toml changes.

PYTHON ?= python3
PYTEST_ARGS ?=
WORKERS ?= 2
export CORPUS ?=
METHODS ?=
LEARNER ?= paper
EVERY ?= 5

VENV := .venv
OLDEST := .venv-oldest
BENCH := .venv-bench
DOCS := .venv-docs
RELEASE := .venv-release
BIN := $(VENV)/bin

RUN_STAMP := $(VENV)/byhistory-run.stamp
DEV_STAMP := $(VENV)/byhistory-dev.stamp
OLDEST_STAMP := $(OLDEST)/byhistory-oldest.stamp
DOCS_STAMP := $(DOCS)/byhistory-docs.stamp
RELEASE_STAMP := $(RELEASE)/byhistory-release.stamp
BENCH_STAMP := $(BENCH)/byhistory-bench.stamp
HOSTS ?= $(patsubst scripts/hosts/%.txt,%,$(wildcard scripts/hosts/*.txt))
HOST_STAMPS := $(HOSTS:%=.venv-host-%/byhistory-host.stamp)
# Tests that share something costly stay in one of the processes (tests/conftest.py).
SPREAD := -n $(WORKERS) --dist loadgroup
EVALUATE := bench.run --methods "$(METHODS)"

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help coverage docs release-check changelog demo test check lint types imports test-fast test-thorough test-integrations test-oldest fresh clean
.PHONY: calibrate bench bench-slow bench-quick bench-ablations bench-ingredients bench-latency bench-page bench-profile bench-learn bench-why bench-store bench-fleet bench-console bench-life transcripts attack

help: ## list every task
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(RUN_STAMP) ## run the main job on generated sample data
	$(BIN)/byhistory demo

test: check ## everything: lint, types, import rules, all tests
	$(BIN)/python -m pytest $(SPREAD) $(PYTEST_ARGS)

check: lint types imports ## lint, types and import rules, no tests

lint: $(DEV_STAMP) ## ruff: rules and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV_STAMP) ## mypy --strict
	$(BIN)/mypy

imports: $(DEV_STAMP) ## the order of the layers
	$(BIN)/lint-imports

test-fast: $(DEV_STAMP) ## the tests that start no JVM
	$(BIN)/python -m pytest $(SPREAD) -m "not spark" $(PYTEST_ARGS)

test-thorough: $(DEV_STAMP) ## the laws on many random examples, for a night
	HYPOTHESIS_PROFILE=thorough $(BIN)/python -m pytest $(SPREAD) -m "not spark" tests/laws tests/unit $(PYTEST_ARGS)

coverage: $(DEV_STAMP) ## what the tests that start no JVM never reach; fails below 92 % of lines and branches (94 on 20 November 2026)
	$(BIN)/python -m pytest $(SPREAD) -m "not spark" --cov=byhistory --cov-branch --cov-fail-under=92 --cov-report=term-missing:skip-covered $(PYTEST_ARGS)

test-integrations: $(DEV_STAMP) $(HOST_STAMPS) ## the tests that need a third party's program, each in an environment of its own
	$(BIN)/python -m pytest -m integration $(PYTEST_ARGS)

test-oldest: $(OLDEST_STAMP) ## the Spark tests on the oldest versions we declare
	PYTEST_ADDOPTS="-W default" $(OLDEST)/bin/python -m pytest -m "spark and not slow" tests $(PYTEST_ARGS)  # old libraries warn a lot

bench: $(BENCH_STAMP) ## the evaluation, resumable (CORPUS=directory, METHODS=names or groups such as byhistory)
	$(BENCH)/bin/python -m $(EVALUATE)
	$(MAKE) bench-page

bench-slow: $(BENCH_STAMP) ## the methods that take hours, on every fifth good run (EVERY=1 for all)
	$(BENCH)/bin/python -m bench.run --methods "$(or $(METHODS),slow)" --every $(EVERY) --out bench/results/slow/evaluation
	$(MAKE) bench-page

bench-quick: $(DEV_STAMP) ## a slice of it in minutes; fails unless we beat the median rival
	$(BIN)/python -m $(EVALUATE) --quick

bench-ablations: $(BENCH_STAMP) ## what each part of the learner does (CORPUS=directory, LEARNER=name)
	$(BENCH)/bin/python -m bench.ablations --learner "$(LEARNER)"
	$(MAKE) bench-page

bench-ingredients: $(BENCH_STAMP) ## what each ingredient of the learner calibrated does (CORPUS=directory)
	$(BENCH)/bin/python -m bench.ingredients
	$(MAKE) bench-page

bench-latency: $(BENCH_STAMP) ## seconds against rows, from a thousand to ten million
	$(BENCH)/bin/python -m bench.latency --spark
	$(MAKE) bench-page

bench-page: $(BENCH_STAMP) ## write docs/evaluation anew from the results
	$(BENCH)/bin/python -m bench.page
	$(BENCH)/bin/python -m bench.figures

calibrate: $(DEV_STAMP) ## measure the prices of the learner `calibrated` anew (CORPUS=directories, with a colon between)
	$(BIN)/python -m bench.calibrate

bench-profile: $(DEV_STAMP) ## time the profiler against the bare scan and its rivals
	$(BIN)/python -m bench.profile

attack: $(DEV_STAMP) .venv-host-s3/byhistory-host.stamp ## the attacks on stores and decisions, at length: every byte, every pair, ATTACKS=2000 kills, another SEED=; three hours or four
	BYHISTORY_ATTACKS=$(or $(ATTACKS),2000) BYHISTORY_SEED=$(SEED) $(BIN)/python -m pytest --timeout 7200 -m "integration or not integration" tests/attack

bench-store: $(DEV_STAMP) ## time lists of many tables and of a table of many runs
	$(BIN)/python -m bench.store --many

bench-fleet: $(DEV_STAMP) .venv-host-s3/byhistory-host.stamp ## what 10,000 tables cost beside their data, in every store, and learning on one worker and on two (TABLES=10000)
	$(BIN)/python -m bench.fleet --tables $(or $(TABLES),10000)
	$(BIN)/python -m bench.fleet --kind postgres --tables $(or $(TABLES),10000)
	$(BIN)/python -m bench.fleet --kind s3 --tables $(or $(TABLES),10000)
	$(BIN)/python -m bench.fleet --spread

bench-console: $(DEV_STAMP) ## 20 readers and 5 deciders over 1,000 tables for a minute, on SQLite and PostgreSQL; the page of 10,000 tables
	$(BIN)/python -m bench.console
	$(BIN)/python -m bench.console --pause 0 0 --seconds 20
	$(BIN)/python -m bench.console --kind postgres
	$(BIN)/python -m bench.console --kind postgres --pause 0 0 --seconds 20
	$(BIN)/python -m bench.console --fleet 10000

bench-life: $(DEV_STAMP) ## replay a corpus day by day: attended, unattended, everything accepted (CORPUS=directory, ARGS=--part 1/4)
	$(BIN)/python -m bench.life --corpus "$(CORPUS)" $(ARGS)

bench-learn: $(DEV_STAMP) ## time learning a program from a history
	$(BIN)/python -m bench.learn

transcripts: $(DEV_STAMP) ## write what commands say in README.md, the tutorial and the front page
	$(BIN)/python -m scripts.transcripts

docs: $(DOCS_STAMP) ## build the site (site/) from docs/, offline; fails on a dead link
	$(DOCS)/bin/zensical build --strict
	$(DOCS)/bin/python scripts/check_site.py site docs

release-check: $(RELEASE_STAMP) ## build and check sdist and wheel; demo on every Python found; tests from the sdist
	scripts/release-check.sh $(RELEASE)

changelog: ## gather CHANGES/ into CHANGELOG.md (VERSION=0.1.0 DAY=2026-11-17)
	$(PYTHON) scripts/changelog.py "$(VERSION)" "$(DAY)"

bench-why: $(DEV_STAMP) ## are planted segments found, and none where there is none; at what cost? (CORPUS=directory)
	$(BIN)/python -m bench.why --rivals
	$(BIN)/python -m bench.why_cost

fresh: ## prove that demo and test run in a fresh clone, with an empty HOME and no Java
	PYTHON=$(PYTHON) scripts/fresh-machine.sh

clean: ## remove the environments and what the tools left behind
	rm -rf $(VENV) $(OLDEST) $(BENCH) $(DOCS) $(RELEASE) site .cache .venv-host-* .venv-worker-* .venv-whylogs dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis spark-warehouse
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

$(RELEASE)/bin/python:
	$(PYTHON) -m venv $(RELEASE)

$(DOCS)/bin/python:
	$(PYTHON) -m venv $(DOCS)

$(BENCH)/bin/python:
	$(PYTHON) -m venv $(BENCH)

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

$(RELEASE_STAMP): scripts/release.txt | $(RELEASE)/bin/python
	$(RELEASE)/bin/python -m pip install --quiet -r scripts/release.txt
	@touch $@

$(DOCS_STAMP): scripts/docs.txt | $(DOCS)/bin/python
	$(DOCS)/bin/python -m pip install --quiet -r scripts/docs.txt
	@touch $@

$(BENCH_STAMP): pyproject.toml bench/requirements.txt | $(BENCH)/bin/python
	$(BENCH)/bin/python -m pip install --quiet -e ".[spark]" -r bench/requirements.txt
	$(BENCH)/bin/python -m pip install --quiet --no-deps miautawn-auto-validate-by-history==0.3.0
	$(call need_java,$(BENCH))
	@touch $@

# One environment per host, because their requirements exclude one another; HOSTS="gx dbt" builds only these.
.venv-host-%/byhistory-host.stamp: scripts/hosts/%.txt
	$(PYTHON) -m venv .venv-host-$*
	.venv-host-$*/bin/python -m pip install --quiet -r $<
	@touch $@
