# hardshell: one command for each thing that a person wants of the source.
#
#   make build        bin/agent for this machine
#   make build-arm64  bin/agent-arm64 for the board
#   make test         everything: fast suite, race detector, real model server
#   make rig          the ARM64 binaries on an emulated board's kernel (root, once)
#   make demo         a lab session on a simulated board and a real Ollama
#   make lab-day      what a day costs a real Ollama, written into docs/performance.md

SHELL       := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build

# Nothing of the time or place goes in: the same commit gives the same bytes.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.version=$(VERSION)
BUILD   := CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)'

# What a real model server, a whole build or another kernel is needed for runs
# after the rest.
SLOW := hardshell/test/integration|hardshell/test/size|hardshell/test/bench|hardshell/test/ways|hardshell/test/rig|hardshell/test/ordinary
TALLY = go run ./test/tally --
LINT  = go tool -modfile=.ci/lint.mod

.PHONY: build build-arm64 test test-fast test-race test-real rig lint goldens fuzz bench demo lab-day clean

build:
	$(BUILD) -o bin/agent ./cmd/agent

build-arm64:
	GOOS=linux GOARCH=arm64 $(BUILD) -o bin/agent-arm64 ./cmd/agent

test: test-fast test-race test-real

# Unit tests, goldens, architecture, user stories, the seeds of the fuzz targets.
test-fast:
	$(TALLY) $$(go list ./... | grep -vE '^($(SLOW))$$')

# The same under the race detector.
test-race:
	$(TALLY) -race $$(go list ./... | grep -vE '^($(SLOW))$$|^hardshell/test/(arch|tally)$$')

# The whole program against a real Ollama, the size of what is shipped, and ordinary
# work run for real.
test-real: build
	@test/ollama/setup files >/dev/null || echo "no model server can be had: what needs one is skipped"
	$(TALLY) -timeout 30m ./test/size ./test/bench ./test/ways ./test/integration ./test/ordinary

# The project's ARM64 binaries on a real ARM64 kernel, emulated: as root and as a
# user, with Landlock and without, as old as the board's, and as a service of
# systemd. bin/rig keeps the
# consoles and a report. The first run needs root and a network (test/rig/setup).
rig:
	@rm -rf bin/rig
	@test/rig/setup >/dev/null || [ $$? -ne 3 ] || echo "the ARM64 rig can't be had here: it is skipped"
	@status=0; $(TALLY) -count=1 -timeout 65m ./test/rig || status=$$?; \
	cat bin/rig/report.txt 2>/dev/null || true; exit $$status

lint:
	go vet ./...
	@unformatted=$$($(LINT) gofumpt -l .); \
	if [ -n "$$unformatted" ]; then echo "not formatted (run gofumpt -w):"; echo "$$unformatted"; exit 1; fi
	$(LINT) staticcheck ./...
	$(LINT) errcheck -ignoretests -exclude .ci/errcheck.txt ./...

# Writes the golden files anew; look at the difference before you commit it.
goldens:
	go test ./assembly ./tools ./cmd/agent ./cmd/agent/term ./runtime/config -update
	git diff --stat -- '*testdata*'

# Each fuzz target for FUZZTIME.
FUZZTIME ?= 10s
fuzz:
	@for pkg in $$(grep -rlE '^func Fuzz' --include='*_test.go' . | xargs -n1 dirname | sort -u); do \
		for target in $$(grep -hoE '^func Fuzz[A-Za-z0-9_]*' $$pkg/*_test.go | sed 's/func //' | sort -u); do \
			echo "$$pkg $$target"; \
			go test $$pkg -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME); \
		done; \
	done

bench: build
	go test -run '^$$' -bench . -benchmem ./...

demo: build
	./test/demo/run

# A scripted lab day on a real model server: evaluated tokens against new ones, with
# the server's own figures, beside the same day with the habits of today's agents.
lab-day:
	go run ./test/labday/run

clean:
	rm -rf bin
