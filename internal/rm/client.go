package rm

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"time"

	"schedtune/internal/text"
)

// Options say how to talk to one server. Zero values mean the defaults.
type Options struct {
	Base      string        // such as http://rm:8088
	Auth      *Auth         // nil = none
	CA        []byte        // PEM certificates to trust besides the system's
	Cert      []byte        // PEM client certificate and key, for mutual TLS
	Key       []byte        //
	PlainHTTP bool          // send credentials over plain HTTP to other hosts too
	Rate      float64       // requests a second, default 20
	Timeout   time.Duration // of one request with its answer, default 60 s
	MaxBytes  int64         // of one answer, default 256 MiB
	Retries   int           // further tries of a GET, default 3; negative = none
	Backoff   time.Duration // before the first retry, doubled each time, default 1 s
}

// Client is one server. It is not for use by several goroutines.
type Client struct {
	opt  Options
	base *url.URL
	http *http.Client
	next <-chan time.Time // when the next request may go
}

// elsewhere adds to an answer that a service is not there whose address is wanted.
func elsewhere(err error, wanted string) error {
	if statusOf(err) == http.StatusNotFound {
		return fmt.Errorf("%w; use the address of %s", err, wanted)
	}
	return err
}

// StatusError is an answer that is no success.
type StatusError struct {
	URL    string
	Status int
	Text   string // the server's words, one line, cut short
}

// Error gives URL, status and the server's words on one line.
func (e *StatusError) Error() string {
	s := fmt.Sprintf("%s: HTTP %d", e.URL, e.Status)
	if e.Text != "" {
		s += ": " + e.Text
	}
	return s
}

// statusOf is the HTTP status of an answer that is no success, 0 of another error.
func statusOf(err error) int {
	var s *StatusError
	if errors.As(err, &s) {
		return s.Status
	}
	return 0
}

// New checks the address and sets a client up. It sends nothing.
func New(o Options) (*Client, error) {
	o = withDefaults(o)
	u, err := url.Parse(o.Base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, &AddressError{hideUser(o.Base), "must be http://HOST:PORT or https://HOST:PORT"}
	}
	if u.User != nil {
		return nil, &AddressError{u.Redacted(), "credentials do not belong into an address; use --auth"}
	}
	if o.Auth.secret() && u.Scheme == "http" && !o.PlainHTTP && !text.Loopback(u.Hostname()) {
		return nil, &AddressError{o.Base, "credentials would cross the network in the clear: must be https, or --plain-http"}
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawQuery, u.Fragment = "", ""
	h, err := newHTTP(o)
	if err != nil {
		return nil, err
	}
	ready := make(chan time.Time)
	close(ready)
	return &Client{opt: o, base: u, http: h, next: ready}, nil
}

// AddressError is an address that requests cannot be sent to.
type AddressError struct{ Address, Reason string }

// Error names the address.
func (e *AddressError) Error() string { return fmt.Sprintf("address %q: %s", e.Address, e.Reason) }

func withDefaults(o Options) Options {
	o.Rate = cmp.Or(max(0, o.Rate), 20)
	o.Timeout = cmp.Or(max(0, o.Timeout), time.Minute)
	o.MaxBytes = cmp.Or(max(0, o.MaxBytes), 256<<20)
	o.Retries = cmp.Or(o.Retries, 3)
	o.Backoff = cmp.Or(max(0, o.Backoff), time.Second)
	return o
}

// hideUser cuts credentials out of an address that does not parse.
func hideUser(s string) string {
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		return "…" + s[i:]
	}
	return s
}

func newHTTP(o Options) (*http.Client, error) {
	conf := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(o.CA) > 0 {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(o.CA) {
			return nil, errors.New("certificate authority: no certificate in it: must be PEM")
		}
		conf.RootCAs = pool
	}
	if len(o.Cert) > 0 {
		c, err := tls.X509KeyPair(o.Cert, o.Key)
		if err != nil {
			return nil, fmt.Errorf("client certificate: %w: must be PEM certificate and key that belong together", err)
		}
		conf.Certificates = []tls.Certificate{c}
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	return &http.Client{
		Jar:           jar, // keeps the session that SPNEGO opens
		CheckRedirect: sameHost,
		Transport: &http.Transport{TLSClientConfig: conf, Proxy: http.ProxyFromEnvironment, MaxResponseHeaderBytes: 1 << 20,
			MaxIdleConnsPerHost: 2, IdleConnTimeout: 30 * time.Second},
	}, nil
}

// signOn recognises the page of a gateway on which a person signs on.
var signOn = regexp.MustCompile(`(?i)sso|login|signin|originalUrl=|/oauth|/saml|/cas\b`)

// sameHost keeps requests, and with them credentials, on the host they were
// meant for. A standby ResourceManager redirects to the active one.
func sameHost(req *http.Request, via []*http.Request) error {
	if len(via) >= 5 {
		return errors.New("more than 5 redirects")
	}
	if first := via[0].URL; req.URL.Host != first.Host || req.URL.Scheme != first.Scheme {
		if signOn.MatchString(req.URL.Path + "?" + req.URL.RawQuery) {
			return fmt.Errorf("redirects to the sign-on page of %s://%s (a gateway such as Knox); use the ResourceManager's "+
				"own address, or credentials that the gateway takes", req.URL.Scheme, req.URL.Host)
		}
		return fmt.Errorf("redirects to %s://%s; use that address, given explicitly, if it is the active ResourceManager",
			req.URL.Scheme, req.URL.Host)
	}
	return nil
}

// Address returns the server's address.
func (c *Client) Address() string { return c.base.String() }

// Get fetches a JSON answer, again as retried does.
func (c *Client) Get(ctx context.Context, path string, query url.Values) ([]byte, error) {
	return retried(ctx, c, func() ([]byte, error) { return c.once(ctx, http.MethodGet, path, query, nil) })
}

// retried asks again after network errors and 5xx answers, with growing pauses.
func retried[T any](ctx context.Context, c *Client, ask func() (T, error)) (T, error) {
	wait := c.opt.Backoff
	for try := 0; ; try++ {
		v, err := ask()
		if err == nil || try >= c.opt.Retries || !transient(err) || ctx.Err() != nil {
			return v, err
		}
		if err := sleep(ctx, wait); err != nil {
			return v, err
		}
		wait *= 2
	}
}

func transient(err error) bool {
	if s := statusOf(err); s != 0 {
		return s >= http.StatusInternalServerError || s == http.StatusTooManyRequests
	}
	return !is[*permanent](err)
}

// permanent is an error that another try would not cure.
type permanent struct{ error }

func (p *permanent) Unwrap() error { return p.error }

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// once sends one request and reads its answer within the bounds. A change is never repeated by
// itself.
func (c *Client) once(ctx context.Context, method, path string, query url.Values, body []byte) ([]byte, error) {
	if err := c.pace(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.opt.Timeout)
	defer cancel()
	u := *c.base
	u.Path += path
	u.RawQuery = query.Encode()
	shown := u.String()
	resp, err := c.ask(ctx, method, &u, "application/json", body)
	if err != nil {
		return nil, c.explain(shown, err)
	}
	defer resp.Body.Close()
	return c.read(ctx, shown, resp)
}

// pace keeps requests apart.
func (c *Client) pace(ctx context.Context) error {
	select {
	case <-c.next:
	case <-ctx.Done():
		return ctx.Err()
	}
	c.next = time.After(time.Duration(float64(time.Second) / c.opt.Rate))
	return nil
}

// ask sends a request that accepts answers of a type, again with fresh credentials where
// they can be made anew and are refused.
func (c *Client) ask(ctx context.Context, method string, u *url.URL, accept string, body []byte) (*http.Response,
	error) {
	for renew := false; ; renew = true {
		req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
		if err != nil {
			return nil, &permanent{err}
		}
		req.Header.Set("Accept", accept)
		if body != nil {
			req.Header.Set("Content-Type", "application/json")
		}
		if err := c.opt.Auth.apply(ctx, req, renew); err != nil {
			return nil, &permanent{err}
		}
		resp, err := c.http.Do(req)
		if err != nil || renew || resp.StatusCode != http.StatusUnauthorized || !c.opt.Auth.renewable() {
			return resp, err
		}
		resp.Body.Close()
	}
}

// explain gives a network error on one line, without the layers around it.
func (c *Client) explain(shown string, err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: no complete answer within %s", shown, c.opt.Timeout)
	case is[x509.UnknownAuthorityError](err):
		return &permanent{fmt.Errorf("%s: %w; use --ca FILE with the certificate of the authority that signed it", shown,
			err)}
	case is[*permanent](err), strings.Contains(err.Error(), "redirect"), is[tls.RecordHeaderError](err),
		is[*tls.CertificateVerificationError](err):
		return &permanent{fmt.Errorf("%s: %w", shown, err)}
	}
	return fmt.Errorf("%s: %w", shown, err)
}

// is reports whether an error is or wraps one of a type.
func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// read takes an answer within the size bound; success is 200 with a body that
// is not a web page.
func (c *Client) read(ctx context.Context, shown string, resp *http.Response) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(resp.Body, c.opt.MaxBytes+1))
	data = c.opt.Auth.redact(data) // a server that echoes what it was sent
	switch {
	case err != nil:
		return nil, c.explain(shown, fmt.Errorf("the answer breaks off after %d bytes: %w", len(data), err))
	case int64(len(data)) > c.opt.MaxBytes:
		return nil, &permanent{fmt.Errorf("%s: the answer is larger than %d bytes", shown, c.opt.MaxBytes)}
	case resp.StatusCode != http.StatusOK:
		return nil, &StatusError{URL: shown, Status: resp.StatusCode, Text: refusal(resp, data)}
	case resp.Header.Get("Refresh") != "": // RMWebAppFilter of a standby that knows no active one; another try may find it
		return nil, fmt.Errorf("%s: no ResourceManager is active there at this moment: %s", shown, words(data))
	case strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html"):
		return nil, &permanent{fmt.Errorf("%s: %w; use the address of a ResourceManager's or JobHistoryServer's web "+
			"services", shown, errWebPage)}
	}
	return data, nil
}

// errWebPage is an answer for people.
var errWebPage = errors.New("a web page instead of JSON")

// refusal says why a request was refused: which authentication the server asks
// for, where it does, else the server's own words.
func refusal(resp *http.Response, data []byte) string {
	if resp.StatusCode != http.StatusUnauthorized {
		return words(data)
	}
	for _, ask := range resp.Header.Values("WWW-Authenticate") {
		scheme, _, _ := strings.Cut(strings.TrimSpace(ask), " ")
		switch strings.ToLower(scheme) {
		case "negotiate":
			return "the server asks for Kerberos (Negotiate); use --auth negotiate:COMMAND, where COMMAND prints a SPNEGO " +
				"token for the host"
		case "basic":
			return "the server asks for a name and a password (Basic); use --auth basic:FILE, a file with user:password"
		case "bearer":
			return "the server asks for a token (Bearer); use --auth bearer:FILE"
		}
	}
	return words(data)
}

// words takes the message out of an error answer.
func words(data []byte) string {
	var e struct {
		RemoteException struct{ Message string }
	}
	s := string(data)
	if json.Unmarshal(data, &e) == nil && e.RemoteException.Message != "" {
		s = e.RemoteException.Message
	}
	if strings.Contains(s, "<html") || strings.Contains(s, "<HTML") {
		return "a web page"
	}
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 300 {
		s = s[:300] + "…"
	}
	return s
}

// decode reads JSON into a value; the error names the address.
func (c *Client) decode(path string, data []byte, v any) error {
	if err := json.Unmarshal(data, v); err != nil {
		// a server's words, such as those of a ResourceManager that is not active
		if said := words(data); said != "" && !strings.ContainsAny(said[:1], "{[") {
			return fmt.Errorf("%s%s: the answer is not the expected JSON: it says: %s", c.base, path, said)
		}
		return fmt.Errorf("%s%s: the answer is not the expected JSON: %w", c.base, path, err)
	}
	return nil
}
