package fileio

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func TestOpen(t *testing.T) {
	const text = "id,user\n1,ann\n"
	var gz, zs bytes.Buffer
	g := gzip.NewWriter(&gz)
	g.Write([]byte(string(Mark) + text))
	g.Close()
	z, err := zstd.NewWriter(&zs)
	if err != nil {
		t.Fatal(err)
	}
	z.Write([]byte(text))
	z.Close()
	for name, in := range map[string]string{"plain": text, "marked": string(Mark) + text, "gzip, marked": gz.String(),
		"zstd": zs.String()} {
		r, err := OpenText(strings.NewReader(in))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, err := io.ReadAll(r); string(got) != text || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, short := range []string{"", "\xef", "\xef\xbb", "a"} {
		r, err := OpenText(strings.NewReader(short))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); string(got) != short || err != nil {
			t.Errorf("%q came as %q, %v", short, got, err)
		}
	}
	if _, err := OpenText(strings.NewReader("\x1f\x8bnothing packed")); err == nil || !strings.HasPrefix(err.Error(),
		"gzip: ") {
		t.Errorf("broken gzip: %v", err)
	}
	broken := errors.New("broken")
	r, err := OpenText(iotest.ErrReader(broken))
	if err == nil {
		_, err = io.ReadAll(r)
	}
	if !errors.Is(err, broken) {
		t.Errorf("an error of reading is lost: %v", err)
	}
}

func TestCSVError(t *testing.T) {
	_, err := csv.NewReader(strings.NewReader("a,b\n1,\"2\n")).ReadAll()
	if got := CSVError("jobs.csv", err).Error(); !strings.HasPrefix(got, "jobs.csv:2: ") {
		t.Errorf("%q", got)
	}
	if got := CSVError("jobs.csv",
		io.ErrUnexpectedEOF); got.Error() != "jobs.csv: the file is truncated: unexpected EOF" ||
		!errors.Is(got, io.ErrUnexpectedEOF) {
		t.Errorf("%q", got)
	}
}
