package main

import (
	"context"
	"errors"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/remote"
	"schedtune/internal/text"
)

// workerFlags are the options of tune worker.
type workerFlags struct {
	connect string
	slots   int
	study   string
	sec     remote.Security
}

// securityFlags declares the flags that driver and worker share.
func securityFlags(fs *pflag.FlagSet, s *remote.Security) {
	fs.StringVar(&s.TokenFile, "token-file", "", "`FILE` with the token that driver and workers share (default on one "+
		"machine: generated for the study)")
	fs.StringVar(&s.NkeyFile, "nkey-file", "", "`FILE` with an nkey seed, for a server that requires one")
	fs.StringVar(&s.TLSCert, "tls-cert", "", "`FILE` with the certificate of this machine")
	fs.StringVar(&s.TLSKey, "tls-key", "", "`FILE` with the private key of this machine")
	fs.StringVar(&s.TLSCA, "tls-ca", "", "`FILE` with the certificate authority to trust")
	fs.BoolVar(&s.Insecure, "insecure", false, "allow connections to other machines without TLS, and message servers "+
		"without a token")
}

func newWorkerCmd(e *env) *cobra.Command {
	f := &workerFlags{}
	c := subcommand("worker", cli.Args(cobra.NoArgs), func(ctx context.Context, _ []string) error {
		if err := linesOnly(e); err != nil {
			return err
		}
		if f.connect == "" {
			return f.lines(ctx, e)
		}
		return f.serve(ctx, e)
	})
	fs := c.Flags()
	fs.StringVar(&f.study, "study", "", "`FILE` of tune plan; required where the runs to do come as JSON lines on standard input")
	fs.StringVar(&f.connect, "connect", "", "`URL` of the driver or message server, such as nats://driver:4222")
	cli.Number(fs, &f.slots, "slots", runtime.GOMAXPROCS(0), cli.AtLeast(1), "`N` simulations at a time (default "+
		"all cores)")
	securityFlags(fs, &f.sec)
	return c
}

func (f *workerFlags) serve(ctx context.Context, e *env) error {
	nc, err := remote.Connect(ctx, f.connect, f.sec, "schedtune worker")
	if errors.Is(err, context.Canceled) {
		return nil // stopped before there was a driver
	}
	if err != nil {
		return err
	}
	defer nc.Close()
	e.Notef("worker with %s for %s", text.Count(f.slots, "slot"), f.connect)
	w := &remote.Worker{Slots: f.slots, Log: e.Notef}
	if err := w.Work(ctx, nc); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	e.Notef("worker stopped")
	return nil
}

func (f *workerFlags) lines(ctx context.Context, e *env) error {
	if f.study == "" {
		return cli.Usagef("--study: missing: must be the package file of tune plan; or use --connect URL")
	}
	data, err := fileio.ReadFile(f.study, maxStudy)
	if err != nil {
		return err
	}
	s, err := remote.Unpack(ctx, data, 1)
	if err != nil {
		return &fileio.FileError{File: f.study, Reason: "not the package file of tune plan", Err: err}
	}
	return ending(ctx, func() error { // also while it waits for a line
		return remote.RunLines(ctx, e.Stdin, e.Stdout, remote.Hash(data), s.Runner.Outcome)
	})
}
