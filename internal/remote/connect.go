package remote

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"schedtune/internal/text"
)

// Connect opens a connection that comes back by itself. In-process
// connections to own servers go the same way, over loopback. Errors: a server
// on another machine that is not encrypted, or one that anybody may use, unless
// sec says so; no answer within 30 s, the context's end.
func Connect(ctx context.Context, url string, sec Security, name string) (*nats.Conn, error) {
	opts, found, err := connectOptions(url, sec, name)
	if err != nil {
		return nil, err
	}
	nc, err := nats.Connect(url, opts...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", url, err)
	}
	if err := waitConnected(ctx, nc, found); err != nil {
		nc.Close()
		return nil, fmt.Errorf("%s: %w", url, err)
	}
	if !nc.AuthRequired() && !(nc.TLSRequired() && sec.TLSCert != "") && !sec.Insecure {
		nc.Close()
		return nil, fmt.Errorf("%s: serves anybody without token or key, who could read the study and answer for workers; "+
			"use a server that asks for one, or --insecure", url)
	}
	return nc, nil
}

// connectOptions turns Security into options. found reports that the token is
// one a listener on this machine may have left.
func connectOptions(url string, sec Security, name string) (opts []nats.Option, found bool, err error) {
	opts = []nats.Option{nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond),
		nats.Timeout(5 * time.Second), nats.RetryOnFailedConnect(true)}
	list, err := addresses(url)
	if err != nil {
		return nil, false, err
	}
	encrypted := sec.TLSCA != "" || sec.TLSCert != ""
	found = sec.TokenFile == "" && sec.NkeyFile == ""
	for _, a := range list {
		found = found && text.Loopback(a.host) && !a.user
		if !text.Loopback(a.host) && !a.tls && !encrypted && !sec.Insecure {
			return nil, false, fmt.Errorf("%s: is another machine, and neither token nor study would be encrypted: must be "+
				"tls://%s:%s, --tls-ca FILE, or --insecure", a.host, a.host, a.port)
		}
	}
	if encrypted {
		opts = append(opts, nats.Secure())
	} else {
		opts = append(opts, nats.IgnoreDiscoveredServers()) // what a server recommends was not checked
	}
	token, err := readToken(sec.TokenFile)
	switch {
	case err != nil:
		return nil, false, err
	case token != "":
		opts = append(opts, nats.Token(token))
	case found: // a driver that begins again has a new one
		opts = append(opts, nats.TokenHandler(func() string { return foundToken(list[0].port) }), nats.IgnoreAuthErrorAbort())
	}
	if sec.NkeyFile != "" {
		o, err := nats.NkeyOptionFromSeed(sec.NkeyFile)
		if err != nil {
			return nil, false, fmt.Errorf("--nkey-file: %w", err)
		}
		opts = append(opts, o)
	}
	if sec.TLSCA != "" {
		opts = append(opts, nats.RootCAs(sec.TLSCA))
	}
	if sec.TLSCert != "" && sec.TLSKey != "" {
		opts = append(opts, nats.ClientCert(sec.TLSCert, sec.TLSKey))
	}
	return opts, found, nil
}

// waitConnected gives a server that is just starting half a minute. A refusal
// ends it at once, unless the token may be there in a moment.
func waitConnected(ctx context.Context, nc *nats.Conn, found bool) error {
	limit := 30 * time.Second
	for start := time.Now(); time.Since(start) < limit; {
		if nc.IsConnected() {
			return nil
		}
		if why := certificateFault(nc.LastError()); why != "" {
			return fmt.Errorf("%w; %s", nc.LastError(), why)
		}
		if errors.Is(nc.LastError(), nats.ErrAuthorization) {
			if !found {
				return nc.LastError()
			}
			limit = 3 * time.Second
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	err := cmp.Or(nc.LastError(), errors.New("no answer within 30 s"))
	if found && errors.Is(err, nats.ErrAuthorization) {
		return fmt.Errorf("%w; use --token-file FILE, or the user who started the driver, on its machine", err)
	}
	return err
}

// certificateFault says what to do about a certificate that is not accepted;
// empty if that is not the fault. Waiting does not mend it.
func certificateFault(err error) string {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &unknown):
		return "use --tls-ca FILE with the authority that signed the server's certificate"
	case errors.As(err, &name):
		return "use the address under a name that the server's certificate holds"
	case errors.As(err, &invalid):
		return "the server needs a server certificate that is valid today"
	}
	return ""
}
