// Command validation judges the project: it compares the simulator with recorded
// runs and with the real schedulers, rebuilds the papers' tables, scores forecasts, and
// tests the tests. The commands tune and fit import none of it. In the source tree:
//
//	go run ./validation            # list the names
//	go run ./validation NAME -h    # explain one
package main

import (
	"io"
	"os"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/cli"
)

func main() { os.Exit(execute(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

type env = cli.Env

func execute(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	e := &env{Name: "validation", Stdin: stdin, Stdout: stdout, Stderr: stderr}
	return cli.Execute(e, newRootCmd(e), args)
}

func newRootCmd(e *env) *cobra.Command {
	root := &cobra.Command{
		Use: "validation", Short: "Judge the simulator, the search and the tests",
		Args: cli.NoArgs,
		RunE: e.Incomplete,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	e.Flags(root)
	root.AddCommand(newReplayCmd(e), newCalibrateCmd(e), newPapersCmd(e), newForecastCmd(e), newForecastRealCmd(e),
		newLearnersCmd(e), newVerdictsCmd(e),
		newConformanceCmd(e), newFaultsCmd(e), newTrialCmd(e))
	return root
}

// workersFlag declares how many simulations or cases run at a time.
func workersFlag(fs *pflag.FlagSet, n *int) {
	cli.Number(fs, n, "workers", runtime.GOMAXPROCS(0), cli.AtLeast(1), "run at most `N` at a time; the result is the "+
		"same (default all cores)")
}
