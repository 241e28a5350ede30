// Command tune tunes scheduler settings by simulation. See tune -h.
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

// env holds the streams and common flags of a command.
type env = cli.Env
