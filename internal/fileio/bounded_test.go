package fileio

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"
)

func TestReaderStopsAtTheLimit(t *testing.T) {
	for n, ok := range map[int]bool{0: true, 9: true, 10: true, 11: false, 1000: false} {
		data, err := ReadAll(iotest.OneByteReader(strings.NewReader(strings.Repeat("x", n))), 10)
		var size *SizeError
		if ok != (err == nil) || !ok && !errors.As(err, &size) || len(data) > 10 {
			t.Errorf("%d bytes: %d read, %v", n, len(data), err)
		}
	}
}

// Without end, a device costs what is allowed and no more.
func TestDevice(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip(err)
	}
	_, err := ReadFile("/dev/zero", Small)
	if err == nil || !strings.Contains(err.Error(), "/dev/zero") || !strings.Contains(err.Error(), "larger than 16 MiB") {
		t.Error(err)
	}
	if _, err := OpenBounded(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Error(err)
	}
}

func TestPipes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	openWait, idleWait = 100*time.Millisecond, 100*time.Millisecond
	defer func() { openWait, idleWait = 5*time.Second, 5*time.Minute }()
	if _, err := OpenBounded(path); err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("without writer: %v", err)
	}
	go func() {
		w, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return
		}
		_, _ = io.WriteString(w, "text")
		time.Sleep(time.Second)
		w.Close()
	}()
	openWait = 5 * time.Second
	f, err := OpenBounded(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if string(data) != "text" || err == nil || !strings.Contains(err.Error(), "nothing came") {
		t.Errorf("%q, %v", data, err)
	}
}

func TestJSON(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"plain":            {`{"a": [1, 2, {"b": "c\"]"}]}` + "\n" + `{"d": null}`, ""},
		"deep enough":      {deep(100), ""},
		"too deep":         {"\n" + deep(101), "line 2: nested deeper"},
		"brackets in text": {`"` + strings.Repeat("[", 1000) + `\\"`, ""},
		"long text":        {`["` + strings.Repeat("x", maxValue+1) + `"]`, "a value longer"},
		"long number":      {"[" + strings.Repeat("1", maxValue+1) + "]", "a value longer"},
		"long, in parts":   {`["` + strings.Repeat(strings.Repeat("x", 1000)+`","`, 20_000) + `"]`, ""},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.text), iotest.HalfReader(strings.NewReader(c.text))} {
			got, err := io.ReadAll(JSON(r))
			if c.want == "" && (err != nil || string(got) != c.text) || c.want != "" &&
				(err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestYAMLDepth(t *testing.T) {
	for text, want := range map[string]int{
		"nodes: [{count: 20, rack: /r1}]\n":               0,
		"a: 1\nb: " + strings.Repeat("[", 101):            2,
		strings.Repeat("- ", 300):                         1,
		strings.Repeat(" ", 500) + "a":                    1,
		strings.Repeat("x: [{}]\n", 1000):                 0,
		"a:\n" + strings.Repeat("? ", 400) + "\n- b: [c]": 2,
	} {
		if got := YAMLDepth([]byte(text)); got != want {
			t.Errorf("%.20q: line %d, want %d", text, got, want)
		}
	}
}

// FuzzJSON: what passes is what came, and valid JSON of little depth passes.
func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"a":[1,"\\\"",{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := io.ReadAll(JSON(bytes.NewReader(data)))
		if err == nil && !bytes.Equal(got, data) {
			t.Fatal("changed")
		}
		if err != nil && json.Valid(data) && bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) <= maxDepth {
			t.Fatal(err)
		}
	})
}

func BenchmarkJSON(b *testing.B) {
	text := []byte(
		strings.Repeat(`{"jobID":"job_1","tasks":[{"start":123456789,"host":"node-17.example.org"},{"start":2}]},`, 10_000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := io.Copy(io.Discard, JSON(bytes.NewReader(text))); err != nil {
			b.Fatal(err)
		}
	}
}
