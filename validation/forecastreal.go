package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"schedtune/internal/cli"
	"schedtune/validation/forecast"
)

// newForecastRealCmd compares forecasts with a real YARN.
func newForecastRealCmd(e *env) *cobra.Command {
	c := &cobra.Command{
		Use:   "forecast-real",
		Short: "Compare predicted gains with recorded runs of a real YARN",
		Long: `forecast-real draws scenarios for a harness that records runs of a real YARN, tunes on the
record with the current configuration, writes the same jobs with the tuned file, and
compares the recorded gain with the predicted one. A scenario is a folder with
scenario.json and conf/capacity-scheduler.xml. validation/conformance/promise/run goes
through all of it.`,
		Args: cli.NoArgs,
	}
	c.AddCommand(newRealScenariosCmd(e), newRealTuneCmd(e), newRealCompareCmd(e))
	return c
}

// realScenariosJSON is the schema schedtune/real-scenarios/v1.
type realScenariosJSON struct {
	Schema    string   `json:"schema"`
	Scenarios []string `json:"scenarios"` // names of the folders, without "-present"
}

func newRealScenariosCmd(e *env) *cobra.Command {
	var settings string
	var seed uint64
	var n int
	c := &cobra.Command{
		Use:     "scenarios DIR --settings DIR",
		Short:   "Draw scenarios with something to gain and print their names",
		Example: "  go run ./validation forecast-real scenarios runs --settings base --scenarios 5",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if settings == "" {
				return cli.Usagef("--settings is missing: a folder with scenario.json is needed")
			}
			names, err := forecast.Scenarios(c.Context(), args[0], settings, seed, n)
			if err != nil {
				return err
			}
			if e.JSON {
				return e.WriteJSON(realScenariosJSON{"schedtune/real-scenarios/v1", names})
			}
			for _, name := range names {
				fmt.Fprintln(e.Stdout, name)
			}
			return nil
		},
	}
	c.Flags().StringVar(&settings, "settings", "", "`DIR` of a scenario with the properties that the harness sets "+
		"(required)")
	cli.Number(c.Flags(), &n, "scenarios", 5, cli.Within(1, 1000), "draw `N` scenarios")
	cli.Seed(c.Flags(), &seed, "the draws")
	return c
}

func newRealTuneCmd(e *env) *cobra.Command {
	var t forecast.Tuning
	c := &cobra.Command{
		Use:     "tune DIR --name NAME --present DIR --settings DIR",
		Short:   "Tune on a record, write the scenario with the tuned file and the promise",
		Example: "  go run ./validation forecast-real tune runs --name s1-4 --present out/s1-4-present-a --settings base",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if t.Name == "" || t.Present == "" || t.Settings == "" {
				return cli.Usagef("--name, --present and --settings are all needed")
			}
			t.Dir = args[0]
			return runRealTune(c.Context(), e, &t)
		},
	}
	c.Flags().StringVar(&t.Name, "name", "", "`NAME` of the scenario (required)")
	c.Flags().StringVar(&t.Present, "present", "", "`DIR` of the record with the current configuration (required)")
	c.Flags().StringVar(&t.Settings, "settings", "", "`DIR` of a scenario with the properties that the harness sets "+
		"(required)")
	cli.Choice(c.Flags(), &t.Objective, "objective", "makespan", []string{"makespan", "mean-completion"},
		"`METRIC` to improve")
	cli.Number(c.Flags(), &t.Budget, "budget", 1000, cli.AtLeast(20), "`RUNS` of the study")
	return c
}

// runRealTune tunes with latencies fitted on the record, where it has enough tasks.
func runRealTune(ctx context.Context, e *env, t *forecast.Tuning) error {
	if cal, err := fitMapReduce([]string{t.Present}); err != nil {
		e.Notef("latencies as far as the history tells them: %v", err)
	} else {
		dir, err := os.MkdirTemp("", "calibration")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		t.Calibration = filepath.Join(dir, "calibration.json")
		if err := writeCalibration(t.Calibration, cal); err != nil {
			return err
		}
	}
	p, err := t.Run(ctx)
	if err != nil {
		return err
	}
	if e.JSON {
		return e.WriteJSON(p)
	}
	fmt.Fprintf(e.Stdout, "%s: %s\n", t.Name, p.Verdict)
	return nil
}

// realPairsJSON is the schema schedtune/real-pairs/v1.
type realPairsJSON struct {
	Schema string              `json:"schema"`
	Pairs  []forecast.Realised `json:"pairs"`
}

func newRealCompareCmd(e *env) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:     "compare DIR",
		Short:   "Promised and realised gains of all recorded pairs",
		Example: "  go run ./validation forecast-real compare runs --records out",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			pairs, err := forecast.Compare(args[0], out)
			if err != nil {
				return err
			}
			if e.JSON {
				return e.WriteJSON(realPairsJSON{"schedtune/real-pairs/v1", append([]forecast.Realised{}, pairs...)})
			}
			return forecast.WritePairs(e.Stdout, pairs)
		},
	}
	c.Flags().StringVar(&out, "records", "out", "`DIR` of the records")
	return c
}
