package rm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"schedtune/internal/fileio"
)

// Auth proves who asks. The secret stays in memory and goes into request
// headers only.
type Auth struct {
	kind    string
	user    string   // simple, basic
	value   string   // password or token
	command []string // negotiate
	last    string   // the token negotiated last
	sent    bool     // a negotiated session is open
}

const allowedAuth = "simple:USER, basic:FILE (user:password), bearer:FILE, delegation:FILE (a Hadoop delegation " +
	"token), negotiate:COMMAND (prints a SPNEGO token)"

// ParseAuth reads an --auth value. Secrets come from files, never from the
// command line, where every user of the machine could read them. Empty means
// none.
func ParseAuth(spec string) (*Auth, error) {
	if spec == "" {
		return nil, nil
	}
	kind, arg, ok := strings.Cut(spec, ":")
	if !ok || arg == "" {
		return nil, fmt.Errorf("--auth %s: incomplete; use %s", kind, allowedAuth)
	}
	a := &Auth{kind: kind}
	switch kind {
	case "simple":
		a.user = arg
		return a, nil
	case "negotiate":
		a.command = strings.Fields(arg)
		return a, nil
	case "basic", "bearer", "delegation":
	default:
		return nil, fmt.Errorf("--auth %s: unknown kind; use %s", kind, allowedAuth)
	}
	data, err := fileio.ReadFile(arg, fileio.Small)
	if err != nil {
		return nil, fmt.Errorf("--auth %s: %w", kind, err)
	}
	line := strings.TrimSpace(strings.SplitN(string(data), "\n", 2)[0])
	if kind == "basic" {
		if a.user, a.value, ok = strings.Cut(line, ":"); !ok {
			return nil, fmt.Errorf("--auth basic: %s does not hold user:password", arg)
		}
		return a, nil
	}
	if a.value = line; line == "" {
		return nil, fmt.Errorf("--auth %s: %s is empty", kind, arg)
	}
	return a, nil
}

// secret reports whether something goes over the wire that must not be seen.
func (a *Auth) secret() bool { return a != nil && a.kind != "simple" }

// redact takes the secret out of an answer. Very short ones are left, for they
// may stand anywhere by chance.
func (a *Auth) redact(data []byte) []byte {
	if !a.secret() {
		return data
	}
	for _, s := range []string{a.value, a.last, base64.StdEncoding.EncodeToString([]byte(a.user + ":" + a.value))} {
		if len(s) >= 6 && bytes.Contains(data, []byte(s)) {
			data = bytes.ReplaceAll(data, []byte(s), []byte("(secret)"))
		}
	}
	return data
}

// renewable reports whether a 401 may be cured by a new token.
func (a *Auth) renewable() bool { return a != nil && a.kind == "negotiate" }

// apply puts the proof into a request. With renew an open session is not
// trusted.
func (a *Auth) apply(ctx context.Context, req *http.Request, renew bool) error {
	if a == nil {
		return nil
	}
	switch a.kind {
	case "simple":
		q := req.URL.Query()
		q.Set("user.name", a.user)
		req.URL.RawQuery = q.Encode()
	case "basic":
		req.SetBasicAuth(a.user, a.value)
	case "bearer":
		req.Header.Set("Authorization", "Bearer "+a.value)
	case "delegation":
		req.Header.Set("Hadoop-YARN-RM-Delegation-Token", a.value)
	case "negotiate":
		if a.sent && !renew {
			return nil // the cookie carries the session
		}
		token, err := a.negotiate(ctx, req.URL.Hostname())
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Negotiate "+token)
		a.sent, a.last = true, token
	}
	return nil
}

// maxToken bounds what an authentication command may print.
const maxToken = 1 << 16

// negotiate runs the command, which finds the server's name in its
// environment and prints a base64 SPNEGO token.
func (a *Auth) negotiate(ctx context.Context, host string) (string, error) {
	cmd := exec.CommandContext(ctx, a.command[0], a.command[1:]...)
	cmd.Env = append(os.Environ(), "SCHEDTUNE_HOST="+host)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", fmt.Errorf("--auth negotiate: %s: %w", a.command[0], err)
	}
	text, err := fileio.ReadAll(out, maxToken)
	out.Close() // a command that prints more ends by that
	if err = cmp.Or(err, cmd.Wait()); err != nil {
		return "", fmt.Errorf("--auth negotiate: %s: %w", a.command[0], err)
	}
	token := strings.TrimPrefix(strings.TrimSpace(string(text)), "Negotiate ")
	if token == "" || strings.ContainsAny(token, " \r\n\t") {
		return "", fmt.Errorf("--auth negotiate: %s printed no token; use one line of base64", a.command[0])
	}
	return token, nil
}
