package remote

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"schedtune/internal/fileio"
)

// A listener without --token-file makes a token of its own and leaves it where
// only the user who started it can read it: workers of that user on the same
// machine find it by the port.

// tokenPath is where the token of a listener on a port of this machine lies.
func tokenPath(port string) (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for a token (%w); use --token-file FILE", err)
	}
	return filepath.Join(dir, "schedtune", "listen-"+port+".token"), nil
}

// newToken draws 256 bits.
func newToken() string {
	b := make([]byte, 32)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// leaveToken writes a token for workers of the same user.
func leaveToken(port, token string) (path string, err error) {
	if path, err = tokenPath(port); err != nil {
		return "", err
	}
	if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
		begun := path + ".new"
		_ = os.Remove(begun) // of a listener that was killed
		if err = os.WriteFile(begun, []byte(token+"\n"), 0o600); err == nil {
			err = os.Rename(begun, path)
		}
	}
	if err != nil {
		return "", fmt.Errorf("token: %w", err)
	}
	return path, nil
}

// takeToken removes what leaveToken wrote, if it is still this listener's.
func takeToken(path, token string) {
	if got, err := readToken(path); err == nil && got == token {
		_ = os.Remove(path)
	}
}

// readToken reads a token file; of no path there is no token. Errors: unreadable, empty,
// longer than a token can be.
func readToken(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	b, err := fileio.ReadFile(path, maxToken)
	if err != nil {
		return "", fmt.Errorf("token file: %w", err)
	}
	t := strings.TrimSpace(string(b))
	if t == "" {
		return "", fmt.Errorf("token file %s is empty; use one line with the token", path)
	}
	return t, nil
}

// maxToken bounds a token file in bytes.
const maxToken = 4096

// foundToken reads the token that a listener on this machine left for the user;
// empty if there is none, or if others could have written or read it.
func foundToken(port string) string {
	path, err := tokenPath(port)
	if err != nil {
		return ""
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&(fs.ModeType|0o077) != 0 {
		return ""
	}
	t, _ := readToken(path) // empty with an error
	return t
}

// address is one server of a URL list.
type address struct {
	host, port string
	tls, user  bool // encrypted by its scheme; carries credentials
}

// addresses reads a list of server URLs. Errors: not a URL of a message server.
func addresses(list string) ([]address, error) {
	var out []address
	for _, text := range strings.Split(list, ",") {
		text = strings.TrimSpace(text)
		if !strings.Contains(text, "://") {
			text = "nats://" + text
		}
		u, err := url.Parse(text)
		if err != nil || u.Hostname() == "" {
			return nil, fmt.Errorf("%q: is no address of a message server: must be nats://HOST:PORT, tls://HOST:PORT", text)
		}
		a := address{host: u.Hostname(), port: u.Port(), tls: u.Scheme == "tls" || u.Scheme == "wss", user: u.User != nil}
		switch u.Scheme {
		case "nats", "tls", "ws", "wss":
		default:
			return nil, fmt.Errorf("%q: scheme %q: must be nats, tls, ws, wss", text, u.Scheme)
		}
		if a.port == "" {
			a.port = "4222"
		}
		out = append(out, a)
	}
	return out, nil
}
