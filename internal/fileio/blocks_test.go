package fileio

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
)

// readers by the ending of their file.
var readers = map[string]func(io.Reader) io.Reader{"lz4": newLZ4, "snappy": newSnappy}

// text is what testdata/text.* unpack to: lines that repeat one another, with
// bytes between that do not pack. The files were written by lz4-java 1.8.0
// (LZ4BlockOutputStream) and snappy-java 1.1.10.4 (SnappyOutputStream), both with
// Spark's blocks of 32 KiB: each as
// two streams one after another, the first of them flushed in its middle, as
// the listener that writes event logs does.
func text() []byte {
	var lines []string
	for i := range 1800 {
		h := fmt.Sprintf("%x", sha256.Sum256([]byte(strconv.Itoa(i))))
		n := 4
		if i%50 == 0 {
			n = 64
		}
		lines = append(lines, fmt.Sprintf(`{"Event":"E%d","n":%d,"x":"%s"}`, i%7, i*i, h[:n]))
	}
	var out []byte
	out = append(out, strings.Join(lines[:900], "\n")...)
	for i := range 600 {
		h := sha512.Sum512([]byte(strconv.Itoa(i)))
		out = append(out, h[:]...)
	}
	return append(out, strings.Join(lines[900:], "\n")...)
}

func packed(t testing.TB, kind string) []byte {
	b, err := os.ReadFile("testdata/text." + kind)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestJavaStreams(t *testing.T) {
	want := text()
	for kind, open := range readers {
		got, err := io.ReadAll(iotest.HalfReader(open(iotest.OneByteReader(bytes.NewReader(packed(t, kind))))))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes of %d, %v", kind, len(got), len(want), err)
		}
	}
}

// A stream that is cut off gives what came before, and io.ErrUnexpectedEOF
// unless the cut falls between two blocks.
func TestCutOff(t *testing.T) {
	want := text()
	for kind, open := range readers {
		b := packed(t, kind)
		ends := 0
		for n := 0; n < len(b); n += 101 {
			got, err := io.ReadAll(open(bytes.NewReader(b[:n])))
			if err == nil {
				ends++
			} else if !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("%s cut at %d: %v", kind, n, err)
			}
			if !bytes.HasPrefix(want, got) {
				t.Fatalf("%s cut at %d: other text", kind, n)
			}
		}
		if ends > 3 {
			t.Errorf("%s: %d of the cuts went unnoticed", kind, ends)
		}
	}
}

// A changed byte is noticed where the format has a checksum, and never gives
// more than the format allows.
func TestChangedByte(t *testing.T) {
	b := packed(t, "lz4")
	for at := 21; at < len(b); at += 997 {
		c := bytes.Clone(b)
		c[at] ^= 0x20
		if got, err := io.ReadAll(newLZ4(bytes.NewReader(c))); err == nil && bytes.Equal(got, text()) {
			t.Errorf("byte %d changed, nothing noticed", at)
		} else if err == nil {
			t.Errorf("byte %d changed: other text, no error", at)
		}
	}
}

func TestXXH32(t *testing.T) {
	// Test vectors of the xxHash specification's reference implementation.
	for in, want := range map[string]uint32{"": 0x02cc5d05, "a": 0x550d7456, "abc": 0x32d153ff} {
		if got := xxh32([]byte(in), 0); got != want {
			t.Errorf("xxh32(%q) = %#x, want %#x", in, got, want)
		}
	}
}

func fuzz(f *testing.F, kind string) {
	f.Add(packed(f, kind)[:200])
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		io.Copy(io.Discard, io.LimitReader(readers[kind](bytes.NewReader(b)), 1<<26))
	})
}

func FuzzLZ4(f *testing.F)    { fuzz(f, "lz4") }
func FuzzSnappy(f *testing.F) { fuzz(f, "snappy") }

func BenchmarkUnpack(b *testing.B) {
	n := len(text())
	for kind, open := range readers {
		in := packed(b, kind)
		b.Run(kind, func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				io.Copy(io.Discard, open(bytes.NewReader(in)))
			}
		})
	}
}
