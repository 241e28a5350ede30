package trace

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An archive that holds nothing, or is cut off, is refused as such.
func TestArchivesWithoutFiles(t *testing.T) {
	pack := func(names ...string) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, name := range names {
			if _, err := z.Create(name); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	whole := pack("application_1772000000000_0001")
	for name, c := range map[string]struct {
		data []byte
		is   error
	}{
		"no entry":    {pack(), ErrEmpty},
		"folders":     {pack("a/", "a/b/"), ErrEmpty},
		"cut off":     {whole[:len(whole)/2], zip.ErrFormat},
		"cut at once": {whole[:5], zip.ErrFormat},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.zip")
			if err := os.WriteFile(path, c.data, 0o600); err != nil {
				t.Fatal(err)
			}
			var at *Error
			if _, err := Open(path, Options{}); !errors.Is(err, c.is) || !errors.As(err, &at) || at.File != path {
				t.Errorf("got error %v, want one of %s that is %q", err, path, c.is)
			}
		})
	}
}

// A protobuf history of Tez that is cut off inside its header is known as one.
func TestHistoryCutInItsHeader(t *testing.T) {
	const header = "SEQ\x06\"org.apache.hadoop.io.NullWritable:org.apache.tez.dag.history.logging.proto.ProtoMessageWritable"
	for _, n := range []int{4, 20, 60, len(header)} {
		_, err := Read(strings.NewReader(header[:n]), "f", Options{})
		if err == nil || errors.Is(err, errUnknownFormat) || !strings.Contains(err.Error(), "Tez") {
			t.Errorf("%d bytes: got error %v, want one of a history of Tez", n, err)
		}
	}
	if _, err := Read(strings.NewReader("SEQ\x06"+strings.Repeat("x", 300)), "f", Options{}); !errors.Is(err,
		errUnknownFormat) {
		t.Errorf("another SequenceFile: got error %v, want %v", err, errUnknownFormat)
	}
}
