package main

import (
	"context"
	"errors"
	"io"
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

// securityFlags declares what driver and worker share.
func securityFlags(fs *pflag.FlagSet, s *remote.Security) {
	fs.StringVar(&s.TokenFile, "token-file", "", "`FILE` with the token that driver and workers share (default on one machine: one made for the study)")
	fs.StringVar(&s.NkeyFile, "nkey-file", "", "`FILE` with an nkey seed, for a server that asks for one")
	fs.StringVar(&s.TLSCert, "tls-cert", "", "certificate `FILE` of this side")
	fs.StringVar(&s.TLSKey, "tls-key", "", "private key `FILE` of this side")
	fs.StringVar(&s.TLSCA, "tls-ca", "", "certificate authority `FILE` to trust")
	fs.BoolVar(&s.Insecure, "insecure", false, "allow other machines without TLS, and message servers that ask for no token")
}

func newWorkerCmd(e *env) *cobra.Command {
	f := &workerFlags{}
	c := &cobra.Command{
		Use:   "worker",
		Short: "Run simulations for a search on another machine, or for lines of items",
		Long: `worker --connect URL takes work from a driver (tune --listen, or a message
server given to it with --nats) until it is stopped; SIGTERM lets it finish what
it has begun, for two seconds at most. Workers may come and go at any time. On the
driver's machine its user's workers find the token by themselves.

Without --connect it reads items of tune plan from standard input and writes
results to standard output, a line each, for Hadoop Streaming, Slurm arrays,
Kubernetes jobs or GNU parallel; --study names the study's package.`,
		Example: `  tune worker --connect nats://driver:4222 --token-file token
  tune worker --study tuned.partial/study.bin < items.jsonl > results.jsonl`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := linesOnly(e); err != nil {
				return err
			}
			if f.connect == "" {
				return f.lines(c.Context(), e)
			}
			return f.serve(c.Context(), e)
		},
	}
	fs := c.Flags()
	fs.StringVar(&f.study, "study", "", "package `FILE` that tune plan wrote, for items on standard input")
	fs.StringVar(&f.connect, "connect", "", "`URL` of the driver or message server, such as nats://driver:4222")
	cli.Number(fs, &f.slots, "slots", runtime.GOMAXPROCS(0), cli.AtLeast(1), "`N` simulations at a time (default all cores)")
	securityFlags(fs, &f.sec)
	return c
}

func (f *workerFlags) serve(ctx context.Context, e *env) error {
	nc, err := remote.Connect(ctx, f.connect, f.sec, "schedtune worker")
	if errors.Is(err, context.Canceled) {
		return nil // told to stop before there was a driver
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
	e.Notef("worker drained")
	return nil
}

const studyPackage = "the package file of tune plan"

// readPackage reads a study's package; what does not begin as one is not read
// further.
func readPackage(path string) ([]byte, error) {
	f, err := fileio.OpenBounded(path)
	if err != nil {
		return nil, fileio.OpenError(path, err)
	}
	defer f.Close()
	head := make([]byte, len(remote.PackageMagic))
	if _, err := io.ReadFull(f, head); err != nil || string(head) != remote.PackageMagic {
		return nil, &fileio.FileError{File: path, Reason: "not a package of a study: must be " + studyPackage}
	}
	data, err := fileio.ReadAll(f, maxStudy)
	return append(head, data...), fileio.OpenError(path, err)
}

func (f *workerFlags) lines(ctx context.Context, e *env) error {
	if f.study == "" {
		return cli.Usagef("--study: missing; allowed: the package file of tune plan, or --connect URL")
	}
	data, err := readPackage(f.study)
	if err != nil {
		return err
	}
	s, err := remote.Unpack(ctx, data, 1)
	if err != nil {
		return &fileio.FileError{File: f.study, Err: err}
	}
	err = remote.RunLines(ctx, e.Stdin, e.Stdout, remote.Hash(data), s.Runner.Outcome)
	if errors.Is(err, context.Canceled) {
		return cli.ErrInterrupted
	}
	if errors.Is(err, io.ErrClosedPipe) {
		return nil
	}
	return err
}
