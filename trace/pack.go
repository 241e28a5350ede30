package trace

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// writers are the formats that Write knows.
var writers = map[string]func(*Trace, io.Writer) error{"native": (*Trace).WriteNative, "sls": (*Trace).WriteSLS,
	"sls-nodes": (*Trace).WriteSLSNodes, "csv": (*Trace).WriteJobsCSV}

// WriteFormats returns the names that Write knows.
func WriteFormats() []string { return []string{"native", "sls", "sls-nodes", "csv"} }

// endings are those of names, with the format that each stands for.
var endings = [][2]string{{".jsonl", "native"}, {".csv", "csv"}, {".sls.json", "sls"}, {".sls", "sls"},
	{".nodes.json", "sls-nodes"}, {".json", "native"}}

// WriteFormat finds the format of an output from its name: .csv is a table of
// jobs, .sls.json and .sls the load simulator's, .nodes.json its list of
// machines; .jsonl, .json and a name without an ending are native. It returns ""
// for any other ending, of which WriteEndings are the known ones.
func WriteFormat(name string) string {
	base := baseName(name)
	for _, e := range endings {
		if strings.HasSuffix(base, e[0]) || !strings.Contains(base, ".") {
			return e[1]
		}
	}
	return ""
}

// WriteEndings returns the endings of names that WriteFormat knows; .gz or .zst may follow.
func WriteEndings() (list []string) {
	for _, e := range endings {
		list = append(list, e[0])
	}
	return list
}

// Write writes the trace in a format of WriteFormats, packed with gzip or zstd
// if the name ends in .gz or .zst.
func (t *Trace) Write(w io.Writer, name, format string) (err error) {
	packed, err := pack(w, name)
	if err != nil {
		return err
	}
	if writers[format] == nil {
		return fmt.Errorf("unknown output format %q: must be one of %s", format, strings.Join(WriteFormats(), ", "))
	}
	return cmp.Or(writers[format](t, packed), packed.Close())
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
