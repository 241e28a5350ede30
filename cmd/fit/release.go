package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/models"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/sched"
)

// releaseFlags are the flags of fit release.
type releaseFlags struct {
	traces traceFlags
	logs   []string
	window float64
	seed   uint64
	model  string
	out    outFlags
}

func newReleaseCmd(e *env) *cobra.Command {
	var f releaseFlags
	c := &cobra.Command{
		Use:  "release",
		Args: cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			other := ""
			if len(f.logs) > 0 {
				other = "--log"
			}
			if err := f.traces.check(c, other); err != nil {
				return err
			}
			return f.out.run(c.Context(), e, func() (*found, error) { return f.run(e) })
		},
	}
	f.traces.add(c, "omo-set-a")
	cli.Group(c.Flags(), "Input", func(fs *pflag.FlagSet) {
		fs.StringArrayVar(&f.logs, "log", nil, "log of windows, a `FILE`, - is standard input, instead of traces")
		cli.Seed(fs, &f.seed, "the simulation of an embedded data set")
	})
	cli.Group(c.Flags(), "Model", func(fs *pflag.FlagSet) {
		cli.Number(fs, &f.window, "window", 10, cli.Above(0.0), "window length in `SECONDS`")
		fs.StringVar(&f.model, "model", "", "add to the fit in `FILE`")
	})
	f.out.add(c, "model.json, release.svg, error.svg and the summary")
	return c
}

func (f *releaseFlags) run(e *env) (*found, error) {
	if err := logsOnce(f.logs); err != nil {
		return nil, err
	}
	if len(f.logs) > 0 && len(f.traces.traces) > 0 {
		return nil, cli.Usagef("--log, --trace: exclude each other")
	}
	var model *models.ReleaseModel
	if f.model != "" {
		model = &models.ReleaseModel{}
		if err := fileio.OpenJSON(f.model, model); err != nil {
			return nil, err
		}
	}
	w, source, bad, err := f.windows(e)
	if err != nil {
		return nil, err
	}
	if model.Ends(w) {
		e.Warnf("%s: the windows are in the model already and count twice; use later windows", source)
	}
	r, err := models.FitRelease(source, w, model)
	if err != nil {
		return nil, err
	}
	r.BadRows = bad
	saved, err := cli.EncodeJSON(r.Model)
	if err != nil {
		return nil, err
	}
	return &found{r, []fileio.OutputFile{{Name: "model.json", Data: saved}, {Name: "release.svg", Data: r.Chart()},
		{Name: "error.svg", Data: r.ErrorChart()}},
		readme("release", "model.json    the weight, the averages and the windows; fit release --model goes on with it",
			"release.svg   released containers per second and their prediction", "error.svg     error over the weight")}, nil
}

// windows reads the log, or counts the traces', or the simulated set's.
func (f *releaseFlags) windows(e *env) (w *models.Windows, source string, bad int64, err error) {
	if len(f.logs) > 0 {
		return f.logged(e)
	}
	var spans []models.Span
	if len(f.traces.traces) == 0 {
		if spans, source, err = f.simulated(e); err != nil {
			return nil, "", 0, err
		}
		w, err = models.WindowsOf(spans, f.window)
		return w, source, 0, err
	}
	list, err := f.traces.open(e)
	if err != nil {
		return nil, "", 0, err
	}
	w = &models.Windows{Seconds: f.window}
	for i, t := range list { // one after the other, as their clocks differ
		one, err := models.WindowsOf(models.SpansOf(t), f.window)
		if err != nil {
			return nil, "", 0, fmt.Errorf("%s: %w", f.traces.traces[i], err)
		}
		w.Released, w.Available = append(w.Released, one.Released...), append(w.Available, one.Available...)
	}
	return w, f.traces.source(), 0, nil
}

func (f *releaseFlags) logged(e *env) (*models.Windows, string, int64, error) {
	list, total, done, err := sources(e, f.logs)
	if err != nil {
		return nil, "", 0, err
	}
	defer done()
	p, reading := progress(e, total)
	w, in, err := models.ReadWindows(list, f.window, reading)
	p.Finish()
	if err != nil {
		return nil, "", 0, err
	}
	warnFaults(e, in)
	return w, (&traceFlags{traces: f.logs}).source(), in.BadRows, nil
}

// simulated runs the embedded set as figure 7 of the OMO paper does: Fair, half
// of the slots for maps.
func (f *releaseFlags) simulated(e *env) ([]models.Span, string, error) {
	s, err := f.traces.embedded(e)
	if err != nil {
		return nil, "", err
	}
	e.Notef("simulating it under fair, seed %d", f.seed)
	sc, err := sched.New("fair:pool=job", sched.Options{Seed: f.seed})
	if err != nil {
		return nil, "", err
	}
	cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Resources, Seed: f.seed}, Replication: 3,
		TrackOutput: true, Launch: simcore.Second}
	spans, err := models.SimulatedSpans(cfg, s.Cluster, s.Workload, sc)
	return spans, "data set " + s.Name + ", simulated under fair", err
}
