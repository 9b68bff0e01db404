# Every target sets up what it needs in .venv; python3 (>= 3.11, with venv) and make are enough.
# Set-up reads nothing from standard input and writes to standard error, so that answers stay alone on standard output.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install -qq --no-input

.DEFAULT_GOAL := help
.PHONY: help run test test-peer node soak bench fuzz lint types format lock messages clean

help: ## show what can be made
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

$(BIN)/python:
	@{ $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "gpubot needs Python 3.11 or newer; set PYTHON=/path/to/python3" ; exit 1; }; \
	  $(PYTHON) -m venv $(VENV); } </dev/null >&2

$(VENV)/.run: $(BIN)/python .ci/lock/run.txt pyproject.toml
	@{ $(PIP) --require-hashes -r .ci/lock/run.txt && $(PIP) --no-deps --no-build-isolation -e . ; } </dev/null >&2
	@touch $@

$(VENV)/.test: $(VENV)/.run .ci/lock/test.txt
	@$(PIP) --require-hashes -r .ci/lock/test.txt </dev/null >&2
	@touch $@

# Translations and lexicons are compiled once; whatever is edited later is compiled in memory until the next make.
LOCALES := $(wildcard locales/*/lexicon.yaml locales/*/LC_MESSAGES/*.po)
$(VENV)/.compiled: $(VENV)/.run $(LOCALES)
	@{ $(BIN)/python -m bot.reader.compile && $(BIN)/python -m bot.render.compile ; } </dev/null >&2
	@touch $@

run: $(VENV)/.compiled ## start the bot; without GPUBOT_TOKEN, talk to it in this terminal
	@$(BIN)/gpubot run

test: $(VENV)/.test $(VENV)/.compiled lint types ## lint, type-check, check translations, run the tests
	@$(BIN)/python -m pytest -n auto -q

# The public emulator of test-peer; npm says nothing unless it fails.
SECOND := tests/second/node_modules/.made
$(SECOND): tests/second/package.json tests/second/package-lock.json | node
	@cd tests/second && npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error </dev/null >/dev/null
	@touch $@

node:
	@{ command -v node && command -v npm ; } >/dev/null || { echo "make test-peer needs node and npm on the PATH" >&2 ; exit 1 ; }

test-peer: node $(VENV)/.test $(VENV)/.compiled $(SECOND) ## try the bot against a public Bot API emulator (needs node)
	@$(BIN)/python -m pytest -q -m second tests/second

soak: $(VENV)/.test $(VENV)/.compiled ## kill the bot 50 times under load per way of receiving and database (minutes)
	@$(BIN)/python -m pytest -q -s -m soak

# aiogram pins what the bot does not: it gets an environment of its own.
$(VENV)/bench/.made: $(VENV)/.test
	@{ $(PYTHON) -m venv $(VENV)/bench && $(VENV)/bench/bin/python -m pip --disable-pip-version-check install -qq --no-input 'aiogram==3.*' ; } </dev/null >&2
	@touch $@

bench: $(VENV)/bench/.made $(VENV)/.compiled ## messages a second beside bare echo bots (minutes)
	@BENCH_PYTHON=$(VENV)/bench/bin/python $(BIN)/python tests/bench/throughput.py

fuzz: $(VENV)/.test $(VENV)/.compiled ## read a million random and mutated messages (minutes)
	@$(BIN)/python tests/fuzz/fuzz_reader.py

lint: $(VENV)/.test
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/lint-imports

types: $(VENV)/.test
	@$(BIN)/mypy

format: $(VENV)/.test ## format the code
	@$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

lock: $(VENV)/.test ## pin the newest versions that pyproject.toml allows (needs uv)
	@uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --upgrade \
	  --custom-compile-command "make lock" --extra build pyproject.toml -o .ci/lock/run.txt
	@uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --upgrade \
	  --custom-compile-command "make lock" --extra build --extra test -c .ci/lock/run.txt \
	  pyproject.toml -o .ci/lock/test.txt

clean: ## remove everything that was made
	@rm -rf $(VENV) tests/second/node_modules dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
