# Everything that a change must pass. `make help` lists the targets.

TOOLS := $(CURDIR)/.bin
OPA := $(TOOLS)/opa
LINT := $(TOOLS)/golangci-lint
BENCHSTAT := $(TOOLS)/benchstat
OPA_VERSION := $(shell go list -m -f '{{.Version}}' github.com/open-policy-agent/opa)
LINT_VERSION := v2.12.2
BENCHSTAT_VERSION := v0.0.0-20260908200009-22c9c6c9d4da

.PHONY: help build test check race agree differential corpus mutants table-mutants review-mutants tabulator-mutants fuzz stock format lint bench performance performance-test update clean

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## Build bin/admitctl.
	go build -o bin/admitctl ./cmd/admitctl

test: ## Run the tests, as the README says.
	go test ./...

check: test race agree differential mutants stock format lint ## Everything that CI runs (which generates fewer documents).

# What does one thing at a time cannot race, and takes many minutes under the detector: of the engine only what follows
# files or decides from several goroutines runs, and neither the sessions nor the tables of bad input nor the mutants.
race: ## Run the tests under the race detector, with 100 generated documents a gate.
	go test -race ./inputs ./thresholds ./table ./journal
	go test -race ./engine -timeout 20m -good-sets 20 -run 'Fire|ConcurrentUse|WorkWithout|NothingRunsOn|HalfAFile|BadFiles|EndedContext|EveryWay|DeepenStops'
	go test -race ./review -run 'Replay|Log'
	go test -race ./cmd/... -skip 'TestBadInput|TestSessions'
	go test -race ./policy_test -documents 100 -differential 100 -skip 'TestMutants|TestTablesOfMutants|TestReviewOfMutants' -timeout 20m

agree: DOCUMENTS = 100000
agree: ## Hold both doors and the model against each other on 100,000 generated documents a gate.
	go test ./policy_test -run TestDoorsAndModelAgree -documents $(DOCUMENTS) -timeout 60m

differential: DOCUMENTS = 100000
differential: SEED = 20261130
differential: ROUND = 0
differential: GATES =
differential: ## Hold the tables against OPA on 100,000 documents, also under random thresholds (DOCUMENTS, SEED, ROUND, GATES).
	go test ./policy_test -run TestTablesAndOPAAgree -v -timeout 0 -differential $(DOCUMENTS) -seed $(SEED) -first-round $(ROUND) -gates "$(GATES)"

corpus: ## Compare every edit of the corpus in all four ways, each with its small domain gone through by OPA. Wants z3; takes many minutes.
	go test ./review -run TestCorpus -v -corpus-every 1 -corpus-first 0 -timeout 60m

mutants: ## Break the policies in every way that the program knows, and list the survivors.
	go test ./policy_test -run TestMutants -mutants -v -timeout 30m

table-mutants: ## Hold the tables of all these mutants against OPA on the documents of the suite.
	go test ./policy_test -run TestTablesOfMutants -mutants -v -timeout 30m

review-mutants: ## Review every mutant of the policies, by the solver and cell by cell, and hold both against OPA. Takes an hour.
	go test ./policy_test -run TestReviewOfMutants -review-every 1 -v -timeout 0

tabulator-mutants: ## Break the tabulator in every way that the program knows, and list the survivors.
	go test ./policy_test -run TestTabulatorMutants -tabulator-mutants -v -timeout 60m

fuzz: ## Fuzz the decoding of documents, thresholds, bundles, table files and decision logs, a minute each.
	go test ./inputs -run '^$$' -fuzz FuzzDecode -fuzztime 60s
	go test ./thresholds -run '^$$' -fuzz FuzzParse -fuzztime 60s
	go test ./revision -run '^$$' -fuzz FuzzGitSpec -fuzztime 60s
	go test ./revision -run '^$$' -fuzz FuzzBundle -fuzztime 60s -fuzzminimizetime 1x
	go test ./table -run '^$$' -fuzz FuzzRead -fuzztime 60s -fuzzminimizetime 1x
	go test ./journal -run '^$$' -fuzz FuzzRead -fuzztime 60s -fuzzminimizetime 1x
	go test ./journal -run '^$$' -fuzz FuzzParse -fuzztime 60s -fuzzminimizetime 1x

stock: $(OPA) ## Check, test and decide with the stock OPA binary.
	$(OPA) check --strict policies examples/subagent/policies
	$(OPA) test --timeout 60s policies policy_test
	$(OPA) test --timeout 60s policies examples/subagent/policies examples/subagent/policy_test
	$(OPA) test --timeout 60s policies examples/check/compaction examples/check/policy_test
	OPA=$(OPA) go test -tags stock ./policy_test -run TestStock

format: $(OPA) ## Fail on Go or Rego that is not formatted.
	@out=$$(gofmt -l .); test -z "$$out" || { echo "gofmt: $$out"; exit 1; }
	$(OPA) fmt --list --fail policies policy_test examples

lint: $(LINT) ## Run go vet and golangci-lint, which also holds the import rules.
	go vet ./...
	go vet -tags stock ./policy_test
	$(LINT) run ./...

bench: $(BENCHSTAT) ## Time a decision through the library beside plain OPA, in one run.
	go test ./policy_test -run '^$$' -bench Decide -count 6 > .bin/bench.txt
	$(BENCHSTAT) -col /door .bin/bench.txt

performance: $(OPA) ## Compare with the contract by hand and with other engines, and write docs/performance.md. Takes many minutes of a quiet machine.
	cd bench && go run . -write ../docs/performance.md

performance-test: ## Test that comparison, on few documents.
	cd bench && go vet ./... && go test ./...

update: ## Write the golden files and the generated parts of the docs anew.
	go test ./cmd/admitctl -run TestTheShippedTables -update
	go test ./docs -update
	go test ./cmd/admitctl -run TestSessions -update

clean: ## Remove what was built.
	rm -rf bin .bin

$(OPA):
	GOBIN=$(TOOLS) go install github.com/open-policy-agent/opa@$(OPA_VERSION)

$(LINT):
	GOBIN=$(TOOLS) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)

$(BENCHSTAT):
	GOBIN=$(TOOLS) go install golang.org/x/perf/cmd/benchstat@$(BENCHSTAT_VERSION)
