# Shortcuts; every one is a plain command that works without make.
.PHONY: all test long lint fuzz bench demo

all: lint test

test:            ## the default suite
	go test ./...

long:            ## the long random tests too
	SCHEDTUNE_LONG=1 go test -timeout 60m ./...

lint:
	test -z "$$(gofmt -s -l $$(git ls-files '*.go'))"
	go vet ./...
	go run honnef.co/go/tools/cmd/staticcheck@v0.7.0 ./...

fuzz:            ## ten seconds of every fuzz target
	.ci/fuzz 10s

bench:           ## the figures of the speed tables in results/README.md
	go test -run '^$$' -bench 'FIFO|Shuffle|Thesis|Models|YARN|Capacity|Fair' -benchmem ./simcore/...

demo:            ## the main job on embedded data
	go run ./cmd/tune --objective makespan
