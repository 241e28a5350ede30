# Shortcuts; every one is a plain command that works without make.
.PHONY: all test long lint fuzz bench trial mutation deep licences sbom release demo

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

bench:           ## all speed benchmarks; results/bench.csv is `make bench | .ci/medians`
	go test -run '^$$' -bench 'FIFO|Shuffle|Thesis|Models|YARN|Capacity|Fair' -benchmem ./simcore/...

# Kills of studies, workers and drivers, full disks, damaged logs and inputs: within 30
# minutes; SCALE=0.1 is a tenth.
SCALE ?= 1
trial:           ## what is lost or broken under kills and damaged input
	d=$$(mktemp -d) && trap 'rm -rf "$$d"' EXIT && go build -o $$d/ ./cmd/tune ./cmd/fit && go run ./validation trial --tune $$d/tune --scale $(SCALE)

PACKAGE ?= ./predict
mutation:        ## which changes of a package its own tests do not notice
	go run github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0 unleash --workers 1 --timeout-coefficient 10 $(PACKAGE)

deep:            ## all checks of continuous integration, of which a commit runs a quarter of the deep ones
	.ci/run deep

licences:        ## the table of modules and licences in docs
	.ci/licences > docs/licences.md.new && mv docs/licences.md.new docs/licences.md

sbom:            ## what the command tune is built from, as CycloneDX
	go run github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.9.0 app -json -licenses -main cmd/tune .

release: deep    ## archives for linux and darwin in dist/, with checksums
	rm -rf dist && .ci/release dist

demo:            ## the main job on embedded data
	go run ./cmd/tune --objective p95-completion
