// Command tune searches for better scheduler settings by simulation and
// answers the questions around it. See tune -h.
package main

import (
	"io"
	"os"

	"schedtune/internal/cli"
)

func main() { os.Exit(execute(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

func execute(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	e := &env{Name: "tune", Stdin: stdin, Stdout: stdout, Stderr: stderr}
	return cli.Execute(e, newRootCmd(e), args)
}

// env is the world a subcommand sees: streams, --json, --quiet.
type env = cli.Env
