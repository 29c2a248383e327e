# Two commands do all the set-up: `make demo` and `make test`. `make help` lists the rest.

PYTHON ?= python3
CORES ?= 2
STUDY ?= demo
RUNS ?= 20
SLURM_TESTS ?= tests/slurm
BIN := .venv/bin
SNAKEMAKE := $(BIN)/snakemake --cores $(CORES) --quiet rules progress
VLLM_MODEL := .cache/models/smollm2-135m-instruct
# Python compiles what it imports; compiling all that is installed would take half of the set-up.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile

.PHONY: help demo demo-deliberation test test-data test-steady test-kill test-slurm test-vllm lint format report verify bench bench-llm validity lock config clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 20

demo: .venv/run ## run a whole routing evaluation on an embedded model and write its report
	@$(SNAKEMAKE) --config studies=demo
	@$(BIN)/routeaudit verify results/demo
	@echo "The report: results/demo/report.html"

demo-deliberation: .venv/run ## let three agents of an embedded model deliberate, and audit their trace
	@$(SNAKEMAKE) --config 'studies=[]' deliberations=demo_deliberation
	@$(BIN)/python scripts/trace_summary.py results/demo_deliberation/smollm2/world
	@echo "The audit: results/demo_deliberation/smollm2/world/audit.html"

test: .venv/dev ## run the tests
	@$(BIN)/python -m pytest

test-data: .venv/dev ## the tests on real data files; ROUTEAUDIT_DATA names their folder (default ../shared/data)
	@$(BIN)/python -m pytest -m "realdata and not slow" -rs

test-steady: .venv/dev ## 20 runs under load of what uses threads, processes, sockets or clocks; no whole studies
	@$(BIN)/python tests/under_load.py $(RUNS) -m "concurrent and not slow"

test-kill: .venv/dev ## kill workers, controllers and journal writers at seeded points
	@$(BIN)/python -m pytest -m "kill and not slow"

test-slurm: .venv/dev ## whole studies on a one-host Slurm cluster; needs root and Debian's Slurm packages
	@$(BIN)/python -m pytest $(SLURM_TESTS) -m "slurm and not slow" -rs

test-vllm: .venv-vllm/ready ## the contract of the backends, vLLM included, in an environment of its own (4 GB)
	@.venv-vllm/bin/python scripts/convert_gguf.py $(VLLM_MODEL)
	@ROUTEAUDIT_VLLM_MODEL=$(VLLM_MODEL) .venv-vllm/bin/python -m pytest tests/contract/test_backends.py -rs -W default::DeprecationWarning

lint: .venv/dev ## ruff, mypy --strict on the library, snakefmt
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/snakefmt --check Snakefile workflow

format: .venv/dev ## rewrite the code in the one format
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	@$(BIN)/snakefmt Snakefile workflow

report: .venv/run ## bring a study up to date and write its report: make report STUDY=hotpotqa4
	@$(SNAKEMAKE) --config studies=$(STUDY)
	@$(BIN)/routeaudit verify results/$(STUDY)
	@echo "The report: results/$(STUDY)/report.html"

verify: .venv/run ## check every artifact against its record
	@$(BIN)/routeaudit verify

bench: .venv-bench/ready ## measure the statistics against their peers; writes benchmarks/RESULTS.md
	@PYTHONPATH=workflow/lib $(BIN)/python benchmarks/inference.py
	@PYTHONPATH=workflow/lib $(BIN)/python benchmarks/audit.py

bench-llm: .venv/run ## the execution stage against the bare engine, in one run
	@PYTHONPATH=workflow/lib $(BIN)/python benchmarks/llm.py

validity: .venv/run ## coverage and error rates of the default rules on planted truth; writes docs/validity.md
	@PYTHONPATH=workflow/lib $(BIN)/python benchmarks/validity.py --output docs/validity.md

config: .venv/dev ## write the default configuration and its schema from the typed models
	@$(BIN)/python -m pytest tests/unit/config/test_generated.py --fix

lock: ## resolve the dependencies anew (needs uv)
	cd envs && uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --no-emit-index-url --override overrides.in requirements.in -o lock.txt
	cd envs && uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --no-emit-index-url --override overrides.in --constraint lock.txt requirements.in dev.in -o dev-lock.txt
	cd envs && uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --no-emit-index-url --override overrides.in --constraint lock.txt requirements.in bench.in -o bench-lock.txt
	cp envs/lock.txt envs/vllm-lock.txt
	cd envs && uv pip compile --quiet --python-platform x86_64-manylinux_2_28 --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate --no-emit-index-url --override overrides.in --override vllm-overrides.in requirements.in vllm.in -o vllm-lock.txt

clean: ## remove the environment and all results; seals stay
	rm -rf .venv .cache results .snakemake

.venv/run: envs/lock.txt
	@$(PYTHON) -c 'import sys; sys.exit("routeaudit needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	@echo "Setting up .venv (once, about a minute)"
	@$(PYTHON) -m venv .venv
	@$(PIP) --require-hashes -r envs/lock.txt
	@$(PIP) --no-build-isolation --editable .
	@touch $@

.venv/dev: .venv/run envs/dev-lock.txt
	@echo "Adding the tools for tests"
	@$(PIP) --require-hashes -r envs/dev-lock.txt
	@touch $@

.venv-bench/ready: envs/bench-lock.txt
	@$(PYTHON) -m venv .venv-bench
	@.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $<
	@touch $@

.venv-vllm/ready: envs/vllm-lock.txt
	@echo "Setting up .venv-vllm (once, several minutes)"
	@$(PYTHON) -m venv .venv-vllm
	@.venv-vllm/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $<
	@.venv-vllm/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@
