package remote

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// serveForTest is the message server as a process of its own, until its standard
// input ends.
func serveForTest(addr string) {
	srv, err := Listen(addr, os.Getenv("REMOTE_STORE"), Security{TokenFile: os.Getenv("REMOTE_TOKEN")})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(srv.URL())
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// external starts a server as a process; kill ends it with SIGKILL.
func external(t *testing.T, addr, store, token string) (url string, kill func(), err error) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "REMOTE_SERVE="+addr, "REMOTE_STORE="+store, "REMOTE_TOKEN="+token)
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	gone := false
	kill = func() {
		if !gone {
			gone = true
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			in.Close()
		}
	}
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "nats://") {
		kill()
		return "", nil, fmt.Errorf("%q: %v", line, err)
	}
	return strings.TrimSpace(line), kill, nil
}

// A message server of its own, killed with SIGKILL in the middle of a batch,
// comes back with its store, and another time with an empty one: every run is
// answered, once.
func TestExternalServerComesBack(t *testing.T) {
	for name, kept := range map[string]bool{"with its store": true, "without its store": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it waits
			token := filepath.Join(t.TempDir(), "token")
			if err := os.WriteFile(token, []byte("a-token-of-the-test-0123456789\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			store := t.TempDir()
			url, kill, err := external(t, "127.0.0.1:0", store, token)
			if err != nil {
				t.Fatal(err)
			}
			sec := Security{TokenFile: token}
			nc, err := Connect(context.Background(), url, sec, "driver")
			if err != nil {
				t.Fatal(err)
			}
			r := &rig{t: t}
			if r.d, err = NewDriver(context.Background(), nc, []byte("package"), fast()); err != nil {
				t.Fatal(err)
			}
			r.d.Warn = t.Logf
			t.Cleanup(r.d.Close)
			for range 2 {
				r.workerAt(url, sec, slow(toy, 2*time.Millisecond))
			}
			ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
			defer stop()
			some := make(chan struct{})
			back := make(chan error, 1)
			go func() {
				<-some
				kill()
				if !kept {
					store = t.TempDir()
				}
				var err error
				for range 600 { // the port may be busy for a moment
					if _, _, err = external(t, strings.TrimPrefix(url, "nats://"), store, token); err == nil {
						break
					}
					time.Sleep(100 * time.Millisecond)
				}
				back <- err
			}()
			r.evaluate(ctx, items(90), func(n int) {
				if n == 20 {
					close(some)
				}
			})
			if err := <-back; err != nil {
				t.Fatal(err)
			}
			r.check(items(120)[90:]) // and the next batch over the same driver
		})
	}
}
