# Needs make and Python 3.11 to 3.13, nothing else. `make help` lists the targets.

VENV   ?= .venv
PYTHON ?= python3 python3.13 python3.12 python3.11
PORT   ?=
LESSON ?= 01
N      ?= 20
STATE  := $${ATLEASTONCE_COMPOSE:-.atleastonce/compose}
TESTS  ?= tests/docker
MARKS  ?= not slow
PY     := $(VENV)/bin/python
PIP    := $(PY) -m pip install --disable-pip-version-check
PYTEST := $(PY) -m pytest

# A user without a home folder (a container, a build account) gets one in here, for
# the caches of pip, Jupyter and Matplotlib; they would warn in the middle of a lesson.
ifneq ($(shell test -w "$$HOME" && echo yes),yes)
export HOME := $(abspath $(VENV))/home
endif

.PHONY: start up down test test-docker slow browser verify soak grade lint clean help
.DEFAULT_GOAL := help

start: $(VENV)/ready ## Install once, look the machine over, open JupyterLab (PORT=9000)
	@$(PY) -m atleastonce doctor
	@$(PY) -m atleastonce.jupyter $(if $(PORT),--port $(PORT))

up: ## Start the course in containers (LAB_PORT=9000); needs Docker, and no Python
	@sh docker/secrets.sh
	docker compose up --build --wait --wait-timeout 300
	@echo "http://127.0.0.1:$${LAB_PORT:-8888}/?token=$$(cat $(STATE)/secrets/jupyter)"

down: ## Stop those containers; answers and secrets are kept
	docker compose --profile oom down

test: lint ## Lint, all tests, then every lesson and solution under nbval
	$(PYTEST) -n 2 --dist loadgroup tests
	PYTHONPATH="$(CURDIR)/tests/learner" $(PY) -m atleastonce verify

test-docker: $(VENV)/ready-dev ## Test the containers on an engine of its own (root, Debian)
	bash tests/docker/run.sh $(abspath $(PY)) -m "$(MARKS)" $(TESTS)

slow: $(VENV)/ready-dev ## All answers, sweeps and notebooks that `make test` leaves out
	$(PYTEST) -n 2 --dist loadgroup -m slow tests

browser: $(VENV)/ready-dev ## Run every lesson and lab in JupyterLab, in Chromium
	$(PYTEST) -m browser tests/browser

verify: $(VENV)/ready ## Run every lesson and solution, and compare what they print
	@$(PY) -m atleastonce verify

soak: $(VENV)/ready ## Run one lesson and its solution N times (LESSON=01 N=20)
	@$(PY) -m atleastonce.soak $(LESSON) --runs $(N)

grade: $(VENV)/ready ## Grade your lab (LESSON=01)
	@$(PY) -m atleastonce grade $(LESSON) || test $$? -eq 1 # 1: graded, not all right

lint: $(VENV)/ready-dev ## Ruff and mypy; notebooks are linted by tests/content
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PYTEST) -q tests/content/test_notebook_lint.py

clean: ## Stop what runs, then remove the environment and all caches
	@if test -x $(PY); then $(PY) -m atleastonce down || true; fi
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache

help: ## Show this
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' $(firstword $(MAKEFILE_LIST)) \
	  | while IFS='|' read -r name text; do printf '  make %-11s %s\n' "$$name" "$$text"; done

# One line for each package that is fetched, where pip prints five; errors as they are.
SHORT   := /^(Collecting|Installing)/ { print substr($$0, 1, 76); fflush() }
install  = rm -f $@; { $(PIP) -r $(1) && touch $@; } | awk '$(SHORT)'; test -f $@

# Stamps: what was interrupted is done again; what is done is done once, until the
# list of what to install changes.
$(VENV)/ready: requirements.txt pyproject.toml | $(VENV)/made
	@echo "Installing the course into $(VENV); once, about a minute."
	@$(call install,requirements.txt)

$(VENV)/ready-dev: requirements-dev.txt $(VENV)/ready
	@$(call install,requirements-dev.txt)

# A name on PATH may be a shim that starts nothing, so each candidate is run. An
# environment that somebody made by hand, and that works, is taken as it is.
FITS := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
$(VENV)/made:
	@if $(PY) -c "$(FITS)" 2>/dev/null && $(PY) -m pip --version >/dev/null 2>&1; then \
	  mkdir -p $(VENV)/home && touch $@ && exit; fi; \
	for python in $(PYTHON); do \
	  "$$python" -c "$(FITS)" 2>/dev/null || continue; \
	  if ! "$$python" -c "import ensurepip, venv" 2>/dev/null; then \
	    echo "$$python can't make a virtual environment: it has no ensurepip." >&2; \
	    echo "Try: sudo apt install python3-venv" >&2; exit 1; \
	  fi; \
	  echo "Making $(VENV) with $$("$$python" -V)."; \
	  "$$python" -m venv --clear $(VENV) && mkdir -p $(VENV)/home && touch $@; exit; \
	done; \
	echo "No Python 3.11, 3.12 or 3.13 among: $(PYTHON)." >&2; \
	echo "Try: make start PYTHON=/path/to/python3.12" >&2; exit 1
