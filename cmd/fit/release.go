package main

import (
	"errors"

	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/models"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// releaseFlags are the flags of fit release.
type releaseFlags struct {
	traces traceFlags
	logs   []string
	window float64
	seed   uint64
	model  string
}

func (f *releaseFlags) add(fs *pflag.FlagSet) {
	f.traces.add(fs, "omo-set-a")
	cli.Group(fs, "Input", func(fs *pflag.FlagSet) {
		fs.StringArrayVar(&f.logs, "log", nil, "log of windows, a `FILE`, - is standard input, instead of traces")
		cli.Seed(fs, &f.seed, "the simulation of an embedded data set")
	})
	cli.Group(fs, "Model", func(fs *pflag.FlagSet) {
		cli.Number(fs, &f.window, "window", 10, cli.Above(0.0), "window length in `SECONDS`")
		fs.StringVar(&f.model, "model", "", "add to the fit in `FILE`")
	})
}

func (f *releaseFlags) run(e *env) (*found, error) {
	if err := errors.Join(f.traces.check("--log", len(f.logs) > 0), logsOnce("--log", f.logs)); err != nil {
		return nil, err
	}
	model, err := openModel[models.ReleaseModel](f.model)
	if err != nil {
		return nil, err
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
	return &found{r, []file{
		{"model.json", r.Model, "the weight, the averages and the windows; fit release --model goes on with it"},
		{"release.svg", r.Chart, "released containers per second and their prediction"}}}, nil
}

// windows reads the log, or counts the traces', or those of the embedded set, simulated as for
// figure 7 of the OMO paper.
func (f *releaseFlags) windows(e *env) (w *models.Windows, source string, bad int64, err error) {
	if len(f.logs) > 0 {
		return f.logged(e)
	}
	list, source, err := f.traces.histories(e, fairJobs, mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Resources,
		Seed: f.seed}, Replication: 3, TrackOutput: true, Launch: simcore.Second})
	if err != nil {
		return nil, "", 0, err
	}
	w = &models.Windows{Seconds: f.window}
	for i, t := range list { // one after the other, as their clocks differ
		one, err := models.WindowsOf(models.TaskRuns(t), f.window)
		if err != nil {
			return nil, "", 0, fileio.In(append(f.traces.traces, t.Name)[i], err)
		}
		w.Released, w.Available = append(w.Released, one.Released...), append(w.Available, one.Available...)
	}
	return w, source, 0, nil
}

func (f *releaseFlags) logged(e *env) (w *models.Windows, source string, bad int64, err error) {
	err = readLogs(e, f.logs, func(list []models.Source, reading models.Reading) (in *models.Intake, err error) {
		if w, in, err = models.ReadWindows(list, f.window, reading); err == nil {
			bad = in.BadRows
		}
		return in, err
	})
	return w, sourceOf(f.logs), bad, err
}
