# On a fresh machine, Python 3.11 or newer and make are enough.  `make help` lists the targets.

PYTHON ?=
PATHS := seqloom tests $(wildcard bench examples)
BIN := .venv/bin
INSTALL := $(BIN)/pip install -qq --disable-pip-version-check --constraint constraints.txt --editable

.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help demo test check soak bench screenshots format clean

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*##/  make \1\t/p' Makefile | expand -t 16

demo: .venv/.runtime  ## see what seqloom does
	@$(BIN)/seqloom demo

# One thread for torch, and three workers of pytest: some of them wait for processes that they have started.
test: check  ## make check, then every test
	@OMP_NUM_THREADS=1 $(BIN)/pytest -n 3

check: .venv/.dev  ## formatting, lint and types
	@$(BIN)/ruff format --quiet --check . || { echo "Not formatted as above: run 'make format'."; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy $(PATHS)

soak: .venv/.dev  ## mutated models and data, a hundred real kills of a run, ten minutes of overload; by hand
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.fuzzing.soak 2000
	@$(BIN)/python -m tests.training.kills 100
	@$(BIN)/python -m tests.serving.overload 600

bench: .venv/.dev  ## seqloom beside other tools, each in an environment of its own; an hour or more, by hand
	@$(BIN)/python -m bench.decoding --json bench-decoding.json
	@$(BIN)/python -m bench.training --json bench-training.json
	@$(BIN)/python -m bench.memory --json bench-memory.json
	@$(BIN)/python -m bench.serving --json bench-serving.json
	@$(BIN)/python -m bench.lengths --json bench-lengths.json
	@$(BIN)/python -m bench.scaling

screenshots: .venv/.dev  ## the pictures of the README, taken by the tests of the studio
	@$(BIN)/seqloom demo --out runs/demo >/dev/null
	@SEQLOOM_SCREENSHOTS=docs/images SEQLOOM_DEMO=runs/demo SEQLOOM_BROWSER=required OMP_NUM_THREADS=1 $(BIN)/pytest tests/studio/test_screenshots.py

format: .venv/.dev  ## format the code and mend what lint can
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format .

clean:  ## remove .venv, builds and caches (runs/ stays)
	@rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find seqloom tests $(wildcard bench) -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/.runtime: pyproject.toml constraints.txt | .venv/bin/pip
	@echo "Installing seqloom into .venv (once, about a minute) ..."
	@$(INSTALL) '.[serve,evaluate,plot]'
	@touch $@

.venv/.dev: pyproject.toml constraints.txt | .venv/bin/pip
	@echo "Installing seqloom and its test tools into .venv (once, about a minute) ..."
	@$(INSTALL) '.[dev]'
	@touch .venv/.runtime $@

# The first of these that is new enough and can make environments.
.venv/bin/pip:
	@newer=; for python in $(or $(PYTHON),python3.11 python3.12 python3.13 python3); do \
	    $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
	    newer=$$python; \
	    $$python -c 'import ensurepip, venv' 2>/dev/null || continue; \
	    echo "Setting up .venv with $$($$python --version) ..."; \
	    $$python -m venv --clear .venv && exit 0; \
	    rm -rf .venv; exit 1; \
	done; \
	if [ -n "$$newer" ]; then \
	    echo "$$newer cannot make virtual environments: install its venv module (Debian, Ubuntu: apt install python3-venv)."; \
	else \
	    echo "seqloom needs Python 3.11 or newer, and none was found: install it, or name it: make PYTHON=/path/to/python3.12"; \
	fi >&2; exit 1
