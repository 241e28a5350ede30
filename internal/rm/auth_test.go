package rm

import (
	"context"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/validation/rmtest"
)

func secretFile(t *testing.T, text string) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

func mustAuth(t *testing.T, spec string) *Auth {
	t.Helper()
	a, err := ParseAuth(spec)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Each kind arrives as the server expects it, and a server that echoes it does
// not get it into an answer or an error.
func TestAuth(t *testing.T) {
	tool := filepath.Join(t.TempDir(), "token.sh")
	if err := os.WriteFile(tool, []byte("#!/bin/sh\necho Tk5vbmNl$SCHEDTUNE_HOST | tr -d .\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ spec, header, want, secret string }{
		{"basic:" + secretFile(t, "me:s3cret-word\n"), "Authorization", "Basic bWU6czNjcmV0LXdvcmQ=", "s3cret-word"},
		{"bearer:" + secretFile(t, "tok-123456"), "Authorization", "Bearer tok-123456", "tok-123456"},
		{"delegation:" + secretFile(t, "IAAEcm9vdA"), "Hadoop-YARN-RM-Delegation-Token", "IAAEcm9vdA", "IAAEcm9vdA"},
		{"negotiate:" + tool, "Authorization", "Negotiate Tk5vbmNl127001", "Tk5vbmNl127001"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get(c.header) != c.want {
				http.Error(w, "who are you, "+r.Header.Get(c.header)+"?", http.StatusUnauthorized)
				return
			}
			if r.URL.Path == "/fail" {
				http.Error(w, "denied to "+r.Header.Get(c.header), http.StatusForbidden)
				return
			}
			fmt.Fprintf(w, `{"you":%q}`, r.Header.Get(c.header))
		}))
		cl := quick(t, s.URL, func(o *Options) { o.Auth = mustAuth(t, c.spec) })
		data, err := cl.Get(context.Background(), "/x", nil)
		if err != nil || strings.Contains(string(data), c.secret) || strings.Contains(string(data), c.want) {
			t.Errorf("%s: %s %v", c.spec, data, err)
		}
		if _, err := cl.Get(context.Background(), "/fail", nil); err == nil || strings.Contains(err.Error(), c.secret) {
			t.Errorf("%s: %v", c.spec, err)
		}
		s.Close()
	}
}

// SPNEGO opens a session once; the cookie carries it, and an expired one is
// renewed.
func TestNegotiateSession(t *testing.T) {
	tool := filepath.Join(t.TempDir(), "token.sh")
	count := filepath.Join(t.TempDir(), "n")
	script := fmt.Sprintf("#!/bin/sh\necho x >> %s\necho VG9rZW4$(wc -l < %s | tr -d ' ')\n", count, count)
	if err := os.WriteFile(tool, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	session := "1"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if k, err := r.Cookie("hadoop.auth"); err == nil && k.Value == session {
			fmt.Fprint(w, "{}")
			return
		}
		if strings.HasPrefix(r.Header.Get("Authorization"), "Negotiate VG9rZW4") {
			http.SetCookie(w, &http.Cookie{Name: "hadoop.auth", Value: session})
			fmt.Fprint(w, "{}")
			return
		}
		w.Header().Set("WWW-Authenticate", "Negotiate")
		w.WriteHeader(401)
	}))
	defer s.Close()
	c := quick(t, s.URL, func(o *Options) { o.Auth = mustAuth(t, "negotiate:"+tool) })
	for i := 0; i < 4; i++ {
		if i == 2 {
			session = "2" // the server forgets the first one
		}
		if _, err := c.Get(context.Background(), "/", nil); err != nil {
			t.Fatal(err)
		}
	}
	runs, err := os.ReadFile(count)
	if err != nil || len(runs) != 4 { // two lines "x\n"
		t.Errorf("the command ran %d times, %v", len(runs)/2, err)
	}
}

func TestAuthErrors(t *testing.T) {
	for _, spec := range []string{"basic", "basic:", "magic:x", "basic:/none", "basic:" + secretFile(t, "no-colon"),
		"bearer:" + secretFile(t, "\n")} {
		if _, err := ParseAuth(spec); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", spec, err)
		}
	}
	for _, o := range []Options{
		{Base: "rm:8088"}, {Base: "ftp://rm"}, {Base: "http://me:pw-word@rm"}, {Base: "http://me:pw-word@rm:x:y"},
		{Base: "http://rm.example.com", Auth: mustAuth(t, "basic:"+secretFile(t, "a:pw-word"))},
		{Base: "https://rm", CA: []byte("no pem")}, {Base: "https://rm", Cert: []byte("x"), Key: []byte("y")},
	} {
		if _, err := New(o); err == nil || strings.Contains(err.Error(), "pw-word") {
			t.Errorf("%s: %v", o.Base, err)
		}
	}
}

func TestTLS(t *testing.T) {
	s := httptest.NewTLSServer(rmtest.New(1))
	defer s.Close()
	if _, err := quick(t, s.URL, nil).Get(context.Background(), "/ws/v1/cluster/info", nil); err == nil ||
		!strings.Contains(err.Error(), "certificate") {
		t.Errorf("an unknown certificate was trusted: %v", err)
	}
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	c := quick(t, s.URL, func(o *Options) { o.CA = ca })
	if _, err := c.Get(context.Background(), "/ws/v1/cluster/info", nil); err != nil {
		t.Error(err)
	}
}

// A 401 says which authentication the server asks for, whatever page it sends
// with it.
func TestUnauthorized(t *testing.T) {
	for _, c := range []struct{ challenge, want string }{
		{"Negotiate", "--auth negotiate:COMMAND"},
		{"Basic realm=\"yarn\"", "--auth basic:FILE"},
		{"Bearer", "--auth bearer:FILE"},
		{"", "a web page"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if c.challenge != "" {
				w.Header().Set("WWW-Authenticate", c.challenge)
			}
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, "<html><body>Authentication required</body></html>")
		}))
		_, err := quick(t, s.URL, nil).Get(context.Background(), "/ws/v1/cluster/info", nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "401") {
			t.Errorf("%q: %v", c.challenge, err)
		}
		s.Close()
	}
}
