# Every target that needs programs beside Go sees to them first (scripts/setup.sh).
.DEFAULT_GOAL := help
.PHONY: help setup dev run rehearse test check bench bench-live lighthouse fuzz compare generate pin

# No C compiler is needed, and go-ethereum builds in a third of the time.
export CGO_ENABLED := 0

templ := go tool -modfile=tools/go.mod templ
sqlc  := go -C tools tool sqlc

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what is missing: PostgreSQL, Chromium, fonts, bubblewrap
	@scripts/setup.sh

rehearse: setup ## play a whole 30-day takeover on the local world, headless
	go run ./cmd/rehearse $(ARGS)

run: setup ## the web app on the local world, with a takeover at a visible speed
	go run ./cmd/rehearse serve $(ARGS)

dev: setup ## the same, built and started again whenever a template changes
	$(templ) generate --watch --cmd="go run ./cmd/rehearse serve $(ARGS)"

test: setup ## all tests
	@scripts/axe.sh
	go test -timeout 15m $(ARGS) ./...

check: ## formatting, vet, layers, pinned prompts, fresh generated code
	scripts/check.sh

bench: setup ## measure
	go test -run='^$$' -bench=. -benchmem $(ARGS) ./...

bench-live: ## measure the live page under a crowd: make bench-live ARGS='--viewers 10000 --stalled 1000'
	go run ./cmd/benchlive $(ARGS)

lighthouse: ## measure the public pages on a phone (takes node and npm): make lighthouse ARGS=https://your.site
	@scripts/lighthouse.sh $(ARGS)

fuzz: ## run every fuzz target for a minute: make fuzz ARGS=10s for less
	@scripts/fuzz.sh $(or $(ARGS),60s)

compare: ## hold what a post counts against X's own library (takes node and npm)
	@scripts/twitter-text.sh compare $(ARGS)

generate: ## make the Go code of the templates and queries anew
	$(templ) generate -log-level warn
	$(sqlc) generate -f "$(CURDIR)/sqlc.yaml"

pin: ## accept the prompts as they are: their hashes go to specs/prompts.lock
	cd prompts && LC_ALL=C sha256sum *.md >../specs/prompts.lock
