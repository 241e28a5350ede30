package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/rm"
)

// liveFlags hold the connection to a cluster.
type liveFlags struct {
	rm, auth, ca, cert, key string
	opt                     rm.Options
}

func (f *liveFlags) flags(fs *pflag.FlagSet) {
	cli.Group(fs, "Cluster", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.rm, "rm", "", "`URL` of the active ResourceManager's web address, such as http://rm:8088")
		fs.StringVar(&f.auth, "auth", "", "authentication, `KIND:ARG`: simple:USER, basic:FILE, bearer:FILE, "+
			"delegation:FILE, negotiate:COMMAND")
		fs.StringVar(&f.ca, "ca", "", "`FILE` with certificates (PEM) to trust in addition to the system's")
		fs.StringVar(&f.cert, "cert", "", "client certificate `FILE` (PEM)")
		fs.StringVar(&f.key, "key", "", "key `FILE` (PEM) of the client certificate")
		fs.BoolVar(&f.opt.PlainHTTP, "plain-http", false, "send credentials over plain HTTP")
		cli.Number(fs, &f.opt.Rate, "rate", 20, cli.Above(0.0), "at most `N` requests per second")
		cli.Number(fs, &f.opt.Timeout, "timeout", time.Minute, cli.Above[time.Duration](0),
			"timeout of one request, a `DURATION`")
	})
}

// historyFlags hold the sources of the history of a cluster.
type historyFlags struct{ history, spark, config string }

func (f *historyFlags) flags(fs *pflag.FlagSet) {
	cli.Group(fs, "History", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.history, "history", "", "`URL` of the JobHistoryServer, such as http://jhs:19888")
		fs.StringVar(&f.spark, "spark-history", "", "`URL` of Spark's history server, such as http://shs:18080")
		fs.StringVar(&f.config, "config", "", "capacity-scheduler.xml `FILE`, if the cluster keeps its configuration "+
			"in a file")
	})
}

// sources returns the history servers, nil for none, and the configuration file.
func (f *historyFlags) sources(l *liveFlags) (jobs, spark *rm.Client, config []byte, err error) {
	if jobs, err = l.optional("--history", f.history); err != nil {
		return nil, nil, nil, err
	}
	if spark, err = l.optional("--spark-history", f.spark); err != nil {
		return nil, nil, nil, err
	}
	if f.config != "" {
		config, err = fileio.ReadFile(f.config, fileio.Small)
	}
	return jobs, spark, config, err
}

// client sets up a client for the address of a flag with these options.
func (f *liveFlags) client(flag, base string) (*rm.Client, error) {
	o := f.opt
	o.Base = base
	var err error
	if o.Auth, err = rm.ParseAuth(f.auth); err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	for _, x := range []struct {
		path string
		dst  *[]byte
	}{{f.ca, &o.CA}, {f.cert, &o.Cert}, {f.key, &o.Key}} {
		if x.path == "" {
			continue
		}
		if *x.dst, err = fileio.ReadFile(x.path, fileio.Small); err != nil {
			return nil, fmt.Errorf("reading %w", err)
		}
	}
	c, err := rm.New(o)
	if address := (*rm.AddressError)(nil); errors.As(err, &address) {
		err = &cli.UsageError{Err: fmt.Errorf("%s: %w", flag, err)}
	}
	return c, err
}

// optional is client, nil for no address.
func (f *liveFlags) optional(flag, base string) (*rm.Client, error) {
	if base == "" {
		return nil, nil
	}
	return f.client(flag, base)
}

func (f *liveFlags) resourceManager() (*rm.Client, error) {
	if f.rm == "" {
		return nil, cli.Usagef("--rm: missing: must be the address of the ResourceManager, such as http://HOST:8088")
	}
	return f.client("--rm", f.rm)
}
