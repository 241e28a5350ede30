//go:build unix

package main

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A signal ends a command that still waits for its input, and leaves nothing behind.
func TestSignalEndsFit(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	in, hold := io.Pipe()
	defer hold.Close()
	read := make(chan struct{})
	done := make(chan int)
	go func() {
		done <- run([]string{"classes", "--trace", "-", "--out", out}, io.TeeReader(in, signalled{read}), io.Discard,
			io.Discard)
	}()
	if _, err := hold.Write([]byte("{")); err != nil {
		t.Fatal(err)
	}
	<-read
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case code := <-done:
		if code != 130 {
			t.Errorf("exit code %d", code)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the signal ends nothing")
	}
	if left, _ := filepath.Glob(out + "*"); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// signalled closes a channel at the first write.
type signalled struct{ begun chan struct{} }

func (s signalled) Write(p []byte) (int, error) {
	select {
	case <-s.begun:
	default:
		close(s.begun)
	}
	return len(p), nil
}
