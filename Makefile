# Everything stays inside the checkout: .venv, target, .cache. Only cargo's own registry cache lies in ~/.cargo.
PYTHON ?= python3
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# cargo and pytest use the cores themselves; in sequence, `make -j` keeps the output readable and two pips apart.
.NOTPARALLEL:

BIN := .venv/bin
UV := .cache/lock/bin/uv
UV_VERSION := 0.13.8
# One interpreter for every build of the engine, and no job server that the children cannot reach.
CARGO := env -u MAKEFLAGS -u MFLAGS PYO3_PYTHON="$(CURDIR)/$(BIN)/python" cargo
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input --require-hashes
# Directories too: a deleted file changes only its directory.
ENGINE_SOURCES := $(shell find crates -path '*/src*' \( -type d -o -name '*.rs' \)) $(wildcard crates/*/Cargo.toml) \
	Cargo.toml Cargo.lock pyproject.toml

.PHONY: help setup reproduce pictures bench test check-rust test-rust check-python test-python format docs lock clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/engine.stamp ## virtual environment in .venv with the locked dependencies and the engine

reproduce: setup ## reproduce the papers into reproduction/ (ARGS="n23/figure-9 --jobs 2" chooses)
	$(BIN)/cellway reproduce --out reproduction $(ARGS)

pictures: reproduce ## rewrite the pictures of docs/papers from reproduction/
	$(BIN)/python -m cellway.papers.pictures reproduction docs/papers

bench: ## cell-hops per second and instructions per cell-hop of whole networks
	cargo run --release --locked -p cellway-bench

test: check-rust test-rust check-python test-python ## formatting, lints, types, and all tests of both halves

check-rust: .venv/run.stamp ## rustfmt, clippy and rustdoc, warnings denied
	find crates -name '*.rs' -exec rustfmt --check --edition 2024 {} +
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked

test-rust: .venv/run.stamp ## cargo test
	$(CARGO) test --workspace --locked

check-python: .venv/dev.stamp ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test-python: .venv/dev.stamp .venv/engine.stamp ## pytest
	$(BIN)/python -m pytest -n 2

format: .venv/dev.stamp ## rewrite Rust and Python sources in the project's format
	find crates -name '*.rs' -exec rustfmt --edition 2024 {} +
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: setup ## rewrite what is generated in README.md and docs/: output of commands, tables of parameters, figures
	$(BIN)/python docs/refresh.py

lock: $(UV) ## regenerate requirements/*.lock from pyproject.toml (LOCKFLAGS=--upgrade takes newer versions)
	$(call compile,run.lock,)
	$(call compile,dev.lock,--extra dev --extra cluster --constraint requirements/run.lock)

clean: ## remove everything that make made, except reproduction/
	rm -rf .venv .cache target .pytest_cache .ruff_cache .mypy_cache .hypothesis python/cellway/_engine*.so
	find python tests -name __pycache__ -type d -prune -exec rm -rf {} +

# One version of each package for every Python and platform, so that all users run what the tests ran.
define compile
	$(UV) pip compile pyproject.toml --quiet --group build $(2) --output-file requirements/$(1) \
		--universal --python-version 3.11 --fork-strategy fewest --generate-hashes --no-annotate \
		--no-emit-index-url --custom-compile-command "make lock" $(LOCKFLAGS)
endef

$(UV): Makefile
	$(PYTHON) -m venv .cache/lock
	.cache/lock/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	touch $@

.venv/run.stamp: requirements/run.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "make: Cellway needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) --version 2>&1)." \
			"Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || { \
		echo "make: $(PYTHON) has no venv module (Debian and Ubuntu: apt install python3-venv)." >&2; exit 1; }
	@command -v cargo >/dev/null || { \
		echo "make: cargo is missing; install Rust 1.88 or later (https://rustup.rs)." >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(PIP_INSTALL) -r $<
	touch $@

.venv/dev.stamp: requirements/dev.lock .venv/run.stamp
	$(PIP_INSTALL) -r $<
	touch $@

.venv/engine.stamp: $(ENGINE_SOURCES) .venv/run.stamp
	env -u MAKEFLAGS -u MFLAGS -u CONDA_PREFIX VIRTUAL_ENV="$(CURDIR)/.venv" PIP_QUIET=1 PIP_NO_INDEX=1 \
		$(BIN)/maturin develop --release --locked
	touch $@
