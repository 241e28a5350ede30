package main

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"schedtune/internal/bounded"
	"schedtune/internal/cli"
	"schedtune/internal/live"
)

// liveFlags are the options of every command that talks to a cluster.
type liveFlags struct {
	rm, auth, ca, cert, key string
	plain                   bool
	rate                    float64
	timeout                 time.Duration
}

func (f *liveFlags) flags(fs *pflag.FlagSet) {
	fs.StringVar(&f.rm, "rm", "", "`URL` of the active ResourceManager's web address, such as http://rm:8088")
	fs.StringVar(&f.auth, "auth", "", "authentication, `KIND:ARG`: simple:USER, basic:FILE, bearer:FILE, delegation:FILE, negotiate:COMMAND")
	fs.StringVar(&f.ca, "ca", "", "`FILE` with certificates (PEM) to trust besides the system's")
	fs.StringVar(&f.cert, "cert", "", "client certificate `FILE` (PEM)")
	fs.StringVar(&f.key, "key", "", "key `FILE` (PEM) of the client certificate")
	fs.BoolVar(&f.plain, "plain-http", false, "send credentials over plain HTTP")
	fs.Float64Var(&f.rate, "rate", 20, "at most `N` requests a second")
	fs.DurationVar(&f.timeout, "timeout", time.Minute, "`TIME` for one request with its answer")
}

// client sets up a client for one address with these options.
func (f *liveFlags) client(base string) (*live.Client, error) {
	if f.rate <= 0 || f.timeout <= 0 {
		return nil, cli.Usagef("--rate %g, --timeout %s; allowed: above 0", f.rate, f.timeout)
	}
	o := live.Options{Base: base, PlainHTTP: f.plain, Rate: f.rate, Timeout: f.timeout}
	var err error
	if o.Auth, err = live.ParseAuth(f.auth); err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	for _, x := range []struct {
		path string
		dst  *[]byte
	}{{f.ca, &o.CA}, {f.cert, &o.Cert}, {f.key, &o.Key}} {
		if x.path == "" {
			continue
		}
		if *x.dst, err = bounded.ReadFile(x.path, bounded.Small); err != nil {
			return nil, fmt.Errorf("reading %w", err)
		}
	}
	return live.New(o)
}

// optional is client, nil for no address.
func (f *liveFlags) optional(base string) (*live.Client, error) {
	if base == "" {
		return nil, nil
	}
	return f.client(base)
}

func (f *liveFlags) resourceManager() (*live.Client, error) {
	if f.rm == "" {
		return nil, cli.Usagef("--rm is required; allowed: --rm http://HOST:8088")
	}
	return f.client(f.rm)
}
