// Command fit turns logs and recorded histories into models: overload
// classifiers from heartbeat logs, job classes, container-release rates and
// launch latencies from traces, and allocations of classes to machines. See
// fit -h.
package main

import (
	"io"
	"os"

	"schedtune/internal/cli"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	e := &env{Name: "fit", Stdin: stdin, Stdout: stdout, Stderr: stderr}
	return cli.Execute(e, newRootCmd(e), args)
}

// env holds the streams and common flags of a command.
type env = cli.Env
