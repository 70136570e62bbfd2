PYTHON ?= python3

BIN := .venv/bin
PACKAGES := envs training evaluation configs
OPENSPIEL := build/openspiel
RULES_TESTS := $(wildcard tests/envs/*/test_rules*.py tests/envs/*/test_twin.py)

.DEFAULT_GOAL := help
.PHONY: help dev demo play test test-slow soak load check format openspiel clean

help:  ## list these targets
	@sed -n 's/^\([a-z-]*\):.*  ## /\1\t/p' Makefile | expand -t 12

dev: .venv/.installed typings/masked_monsters  ## make .venv and install the package and its tools

demo: dev  ## train an agent for a few minutes and measure it: make demo GAME=monster_my_neighbor
	$(BIN)/masked-monsters demo $(GAME)

play: dev  ## play against the reference agent in the browser: make play GAME=under_my_bed
	$(BIN)/masked-monsters play --game $(or $(GAME),monster_my_neighbor)

test: dev  ## run the quick tests, those of the rules also as plain Python
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -n 2 -q $(RULES_TESTS)
	$(BIN)/pytest -n 2

test-slow: dev  ## run the slow tests, those of the rules also as plain Python
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -n 2 -q -m slow $(RULES_TESTS)
	$(BIN)/pytest -n 2 -m slow

soak: dev  ## play a billion decisions of each game, then fifty million with every index checked
	$(BIN)/python -m tests.soak
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m tests.soak --decisions 50000000

load: dev  ## play at twenty tables of the page's server for a minute, and measure how long people wait
	$(BIN)/python -m tests.load_table

check: dev  ## lint, format and type checks, links in the docs
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright
	$(BIN)/python docs/check_links.py

format: dev  ## format the code and fix what ruff can fix
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

openspiel: $(OPENSPIEL)/playout  ## build OpenSpiel's games in C++, for masked-monsters speed

clean:  ## remove caches and build outputs (.venv stays)
	rm -rf build dist *.egg-info typings .pytest_cache .ruff_cache .hypothesis
	find $(PACKAGES) tests docs -name __pycache__ -prune -exec rm -rf {} +

.venv/.installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed, and $(PYTHON) is not: make $(MAKECMDGOALS) PYTHON=python3.x" >&2; exit 1; }
	test -x $(BIN)/pip || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -c constraints.txt -e '.[dev]'
	touch $@

# Type checkers do not see through the editable install; they do see these links.
typings/masked_monsters:
	mkdir -p $@
	for package in $(PACKAGES); do ln -sfn ../../$$package $@/$$package; done

# From the source distribution, which holds all but a compiler of C++20 and cmake; some ten minutes.
$(OPENSPIEL)/playout: evaluation/speed/openspiel/playout.cc evaluation/speed/openspiel/CMakeLists.txt | .venv/.installed
	mkdir -p $(OPENSPIEL)/source
	$(BIN)/pip download -c constraints.txt --no-binary :all: --no-deps --no-build-isolation -d $(OPENSPIEL) open_spiel
	tar xzf $(OPENSPIEL)/open_spiel-*.tar.gz --strip-components 1 -C $(OPENSPIEL)/source
	cmake -S evaluation/speed/openspiel -B $(OPENSPIEL) -DOPENSPIEL=$(abspath $(OPENSPIEL)/source)
	cmake --build $(OPENSPIEL) --target playout --parallel 2
