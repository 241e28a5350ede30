//go:build deps

package deps

import (
	_ "github.com/MaxHalford/eaopt"
	_ "github.com/beevik/etree"
	_ "github.com/goccy/go-yaml"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/hamba/avro/v2"
	_ "github.com/klauspost/compress/gzip"
	_ "github.com/klauspost/compress/zstd"
	_ "github.com/lanl/clp"
	_ "github.com/nats-io/nats-server/v2/server"
	_ "github.com/nats-io/nats.go"
	_ "github.com/nats-io/nats.go/jetstream"
	_ "github.com/schollz/progressbar/v3"
	_ "github.com/sjwhitworth/golearn/base"
	_ "github.com/sjwhitworth/golearn/evaluation"
	_ "github.com/sjwhitworth/golearn/trees"
	_ "github.com/spf13/cobra"
	_ "golang.org/x/term"
	_ "gonum.org/v1/gonum/optimize"
	_ "gonum.org/v1/gonum/stat"
	_ "gonum.org/v1/plot"
	_ "pgregory.net/rapid"
)
