# A short face over the CMake presets. `make demo` and `make test` do all the set-up they need.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
JOBS ?= $(shell nproc)
MINUTES ?= 60
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
VENV := $(CURDIR)/.venv
BIN := $(VENV)/bin
# So that test programs find NVIDIA's wheels there, as the installed ones do.
export VIRTUAL_ENV := $(VENV)

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

setup: ## system packages, .venv, CUDA
	@scripts/setup

build: setup ## the programs, installed in .venv
	@scripts/build release programs
	@cmake --install build/release --prefix $(VENV) >build/install.log || { cat build/install.log; exit 1; }

# Only the programs that the notebook runs.
demo: setup ## run notebooks/saxpy.ipynb and say where the page is
	@scripts/build release xcuda xcuda-compile xcuda-cpu $(if $(wildcard /dev/nvidiactl),xcuda-gpu)
	@$(BIN)/python scripts/demo notebooks/saxpy.ipynb

lab: build ## open JupyterLab in notebooks/
	@$(BIN)/jupyter lab --notebook-dir notebooks

console: build ## a terminal session
	@$(BIN)/jupyter console --kernel xcuda

test: setup ## every suite
	@scripts/suite "build" 7 $(MAKE) --no-print-directory build
	@scripts/suite "build of the tests" 5 scripts/build release tests/all bench/all
	@scripts/suite "C++ tests" 6 ctest --preset release -j $(JOBS)
	@scripts/suite "Python tests" 5 $(BIN)/python -m pytest -q -m "not alone" -n $(JOBS) --dist loadfile tests
	@scripts/suite "Python tests, alone" 1 $(BIN)/python -m pytest -q -m alone tests

check: ## formatting, clang-tidy on what changed, sanitizers, fuzzers
	@scripts/setup check
	@scripts/check

nightly: build ## what `make check` has no time for; PROGRAMS=DIR is a folder of CUDA programs to run, too
	@scripts/setup check
	@scripts/nightly

soak: build ## two sessions under mixed load for MINUTES=60; fails when something grows
	@$(BIN)/python scripts/soak --minutes $(MINUTES)

bench: build ## measure against peers, print ratios
	@scripts/build release bench/all
	@scripts/bench

pictures: build ## those of README and docs/, taken by the browser tests
	@scripts/pictures

docs: build ## the documentation as a site, with the notebooks' outputs, in build/docs/site
	@scripts/setup docs
	@$(BIN)/python scripts/docs

bundle: build ## a relocatable tarball in dist/
	@scripts/bundle dist

wheel: build ## a wheel for pip in dist/
	@$(BIN)/python scripts/wheel dist

gpu-bundle: build ## what a bare GPU machine needs, in gpu-bundle/
	@scripts/build release
	@scripts/gpu-bundle

test-gpu: ## the suites that need a GPU, from gpu-bundle/
	@scripts/test-gpu

clean: ## remove what was built; .venv stays
	rm -rf build dist gpu-bundle

.PHONY: help setup build demo lab console test check nightly soak bench pictures docs bundle wheel gpu-bundle test-gpu clean
