package trace

import (
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// WriteFormats returns the names that Write knows.
func WriteFormats() []string { return []string{"native", "sls", "sls-nodes", "csv"} }

// WriteFormat finds the format of an output from its name: .csv is a table of
// jobs, .sls.json and .sls the load simulator's, .nodes.json its list of
// machines; .jsonl, .json and a name without an ending are native. It returns ""
// for any other ending, of which WriteEndings are the known ones.
func WriteFormat(name string) string {
	base := baseName(name)
	switch {
	case strings.HasSuffix(base, ".csv"):
		return "csv"
	case strings.HasSuffix(base, ".nodes.json"):
		return "sls-nodes"
	case strings.HasSuffix(base, ".sls.json"), strings.HasSuffix(base, ".sls"):
		return "sls"
	case strings.HasSuffix(base, ".jsonl"), strings.HasSuffix(base, ".json"), !strings.Contains(base, "."):
		return "native"
	}
	return ""
}

// WriteEndings returns the endings of names that WriteFormat knows; .gz or .zst may follow.
func WriteEndings() []string {
	return []string{".jsonl", ".json", ".csv", ".sls.json", ".sls", ".nodes.json"}
}

// Write writes the trace in a format of WriteFormats, packed with gzip or zstd
// if the name ends in .gz or .zst.
func (t *Trace) Write(w io.Writer, name, format string) (err error) {
	packed, err := pack(w, name)
	if err != nil {
		return err
	}
	switch format {
	case "native":
		err = t.WriteNative(packed)
	case "sls":
		err = t.WriteSLS(packed)
	case "sls-nodes":
		err = t.WriteSLSNodes(packed)
	case "csv":
		err = t.WriteJobsCSV(packed)
	default:
		return fmt.Errorf("unknown output format %q: must be one of %s", format, strings.Join(WriteFormats(), ", "))
	}
	if cerr := packed.Close(); err == nil {
		err = cerr
	}
	return err
}

// nopCloser leaves the writer below open.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// pack returns the compressor that the name asks for. Neither writes a time
// stamp, so equal traces give equal files.
func pack(w io.Writer, name string) (io.WriteCloser, error) {
	switch {
	case strings.HasSuffix(name, ".gz"):
		return gzip.NewWriter(w), nil
	case strings.HasSuffix(name, ".zst"):
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression))
	}
	return nopCloser{w}, nil
}
