# Each target does its own set-up: .venv is made from requirements.lock the first time (and again
# when the lock changes). `make PYTHON=/path/to/python3.11 …` chooses the interpreter.

PYTHON ?= python3.11 python3 python3.12 python3.13 python3.14
BIN := .venv/bin
READY := .venv/.ready
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
# Three at once on two cores: many tests wait. Neighbours stay together, for what they share.
PYTEST := $(BIN)/python -m pytest -n 3 --dist worksteal
READS ?= 1000000
EVENTS ?= 10000000
USERS ?= 100000
UV := uv==0.13.9
LOCK := uv pip compile pyproject.toml --extra embedded --group dev --universal \
	--python-version 3.11 --generate-hashes --no-config \
	--custom-compile-command "make lock" --quiet --output-file requirements.lock

# $(call part,NAME,COMMAND) runs one part of the check and prints how long it took.
define part
@echo "== $(1)"; start=$$(date +%s); $(2) || exit $$?; \
	echo "== $(1): $$(($$(date +%s) - start)) s"
endef

.DEFAULT_GOAL := test
.PHONY: demo test check coverage lint bench catalog lock clean
unexport PYTHONPATH

demo: $(READY)  ## a day of an agent, the questions, the proofs
	@$(BIN)/workindex demo

test: $(READY)  ## all but the tests that take long: what they are is in pyproject.toml
	$(call part,pytest,$(PYTEST) -m "not (faults or pages or older or long)")

check: lint  ## exactly what CI runs
	@echo "== pytest"
	@$(PYTEST)

coverage: $(READY)  ## every test with coverage; twice as slow, so not part of the check
	@$(PYTEST) --cov --cov-report=term

lint: $(READY)  ## every checker, no test
	$(call part,ruff check,$(BIN)/ruff check .)
	$(call part,ruff format,$(BIN)/ruff format --check .)
	$(call part,mypy,$(BIN)/mypy)
	$(call part,import-linter,$(BIN)/lint-imports)

# Each of these is a bench file of its own, which `make bench` leaves out.
APART := proof scale retrieval tools envelopes

bench: $(READY)  ## the performance table, same-run ratios
	@$(BIN)/python -m pytest -s -o python_files='bench_*.py' \
		$(APART:%=--ignore=tests/bench/bench_%.py) tests/bench

# proof: READS reads against an independent model · scale: EVENTS events over USERS users, takes
# long · retrieval: is what was said found? · tools: is the right group of tools found? · envelopes: 200 turns
bench-%: $(READY)  ## bench-proof, bench-scale, bench-retrieval, bench-tools, bench-envelopes
	@WORKINDEX_PROOF_READS=$(READS) WORKINDEX_SCALE_EVENTS=$(EVENTS) \
		WORKINDEX_SCALE_USERS=$(USERS) $(BIN)/python -m pytest -s tests/bench/bench_$*.py

catalog: $(READY)  ## docs/catalog.md from the registers
	@$(BIN)/workindex catalog > docs/catalog.md.new && mv docs/catalog.md.new docs/catalog.md

lock: $(READY)  ## requirements.lock from pyproject.toml; `make lock UPGRADE=--upgrade` moves pins
	@$(PIP) install --quiet $(UV)
	@$(BIN)/$(LOCK) $(UPGRADE)

clean:  ## everything that a target made
	@rm -rf .venv build dist .bench src/workindex.egg-info .coverage .coverage.* \
		.pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +

$(READY): requirements.lock pyproject.toml setup.py
	@start=$$(date +%s); echo "== set-up of .venv (once)"; found=; \
	for python in $(PYTHON); do \
		if "$$python" -c 'import ensurepip, sys, venv; assert sys.version_info >= (3, 11)' \
			2>/dev/null; then found="$$python"; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
		echo "Python 3.11 or newer with its venv and ensurepip modules is needed, and none of" >&2; \
		echo "these has them: $(PYTHON). On Debian: apt-get install python3 python3-venv." >&2; \
		echo "To name another one: make PYTHON=/path/to/python3.11" >&2; exit 1; \
	fi; \
	rm -rf .venv && "$$found" -m venv .venv \
	&& $(PIP) install --quiet --require-hashes -r requirements.lock \
	&& $(PIP) install --quiet --no-deps --no-build-isolation --editable . \
	&& touch $@ && echo "== set-up: $$(($$(date +%s) - start)) s"
