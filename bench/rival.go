package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"time"

	"schedtune/tune"
)

// Optimisers of others that are written in Python and R: rivals/drive.py and
// rivals/irace.R run one of them in a process of its own and ask for runs over its
// standard output, in lines of JSON; drive.py describes the lines. -python names the
// interpreter of an environment made after rivals/requirements.txt, -torch of one after
// rivals/requirements-torch.txt (HEBO needs older libraries than the others), -rscript
// the interpreter of R. Without them these methods are left out.

// iraceLeast is the number of runs below which irace refuses to start with the
// simulator problems' 25 parameters, rounded up.
const iraceLeast = 505

// rivals lists them: the name says on how many fixed seeds a point is measured.
func rivals(python, torch, rscript string) []method {
	return []method{
		rival(python, "SMAC3, own racing on 5 seeds", "smac3", 5),
		rival(python, "Optuna TPE, 2 seeds", "optuna_tpe", 2),
		rival(python, "Optuna TPE multivariate, 2 seeds", "optuna_tpe_multivariate", 2),
		rival(python, "Optuna CMA-ES, 2 seeds", "optuna_cmaes", 2),
		rival(python, "CatCMAwM, 2 seeds", "catcmawm", 2),
		rival(python, "NGOpt, 2 seeds", "ngopt", 2),
		rival(torch, "HEBO, 2 seeds", "hebo", 2),
		rival(torch, "TuRBO-1, 2 seeds", "turbo", 2),
		atLeast(iraceLeast, rival(rscript, "irace, own racing on 5 seeds", "irace", 5)),
	}
}

// atLeast leaves a method out of shorter studies.
func atLeast(runs int, m method) method {
	m.least = runs
	return m
}

// rivalHead is the first line to the script.
type rivalHead struct {
	Optimiser string     `json:"optimiser"`
	Seed      uint64     `json:"seed"`
	Budget    int        `json:"budget"`
	Seeds     int        `json:"seeds"`
	Dims      []rivalDim `json:"dims"`
	Present   []float64  `json:"present"`
	// Objectives of a run; values are lists where there are several.
	Objectives int `json:"objectives,omitempty"`
}

// rivalDim is a coordinate as the script sees it.
type rivalDim struct {
	Kind   string `json:"kind"` // float, int or cat
	Levels int    `json:"levels,omitempty"`
}

// rivalLine is a line of the script's.
type rivalLine struct {
	Ask       []float64 `json:"ask"`
	On        []int     `json:"on"`
	Recommend []float64 `json:"recommend"`
	Done      bool      `json:"done"`
	CPU       float64   `json:"cpu"` // seconds
}

// rival drives one optimiser. Of several seeds at once, all of a point, the best
// mean so far is recommended unless the optimiser says what it would.
func rival(interpreter, name, optimiser string, seeds int) method {
	return method{name: name, rival: true, interpreter: interpreter, run: func(p *problem, seed uint64, see seeing) error {
		r := &rivalRun{keeper: newKeeper(p, seeds, seed, see)}
		head := rivalHead{Optimiser: optimiser, Seed: seed, Budget: p.budget, Seeds: seeds}
		if p.runs != nil {
			head.Objectives = len(p.study.Objectives)
		}
		return r.drive(interpreter, head)
	}}
}

type rivalRun struct {
	*keeper
	own bool // the optimiser says what it recommends
}

func (r *rivalRun) drive(interpreter string, head rivalHead) error {
	space := r.p.space
	at := space.Present()
	for i := range at {
		d := rivalDim{Kind: "float"}
		v := at[i]
		if cuts := space.Cuts(i); len(cuts) > 0 {
			d = rivalDim{"int", len(cuts) + 1}
			if space.Unordered(i) {
				d.Kind = "cat"
			}
			v = float64(cellOf(cuts, v))
		}
		head.Dims, head.Present = append(head.Dims, d), append(head.Present, v)
	}
	script := "drive.py"
	if head.Optimiser == "irace" {
		script = "irace.R"
	}
	cmd := exec.Command(interpreter, filepath.Join("rivals", script))
	var said bytes.Buffer
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = r.talk(json.NewEncoder(in), bufio.NewReader(out), head)
	in.Close()
	io.Copy(io.Discard, out)
	if end := cmd.Wait(); err == nil {
		err = end
	}
	if err != nil {
		text := said.Bytes()
		return fmt.Errorf("%w\n%s", err, text[max(0, len(text)-2000):])
	}
	return nil
}

// talk answers the script's lines until it is done.
func (r *rivalRun) talk(in *json.Encoder, out *bufio.Reader, head rivalHead) error {
	if err := in.Encode(head); err != nil {
		return err
	}
	for {
		text, err := out.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("%s ended early: %w", head.Optimiser, err)
		}
		var l rivalLine
		if err := json.Unmarshal(text, &l); err != nil {
			return fmt.Errorf("%s sent %q: %w", head.Optimiser, text, err)
		}
		if r.p.meter != nil && l.CPU > 0 {
			r.p.meter.rival = time.Duration(l.CPU * float64(time.Second))
		}
		switch {
		case l.Done:
			return nil
		case l.Recommend != nil:
			r.own = true
			r.see(r.runs, r.settings(l.Recommend))
		case len(l.Ask) != r.p.space.Dim() || len(l.On) == 0 || slices.Min(l.On) < 0 || slices.Max(l.On) >= len(r.seeds):
			return errors.New("a question without a point or without seeds")
		default:
			if err := in.Encode(r.answer(l)); err != nil {
				return err
			}
		}
	}
}

// answer runs a point on the seeds asked for.
func (r *rivalRun) answer(l rivalLine) any {
	if r.runs+len(l.On) > r.p.budget {
		return map[string]bool{"spent": true}
	}
	s := r.settings(l.Ask)
	var seeds []uint64
	for _, k := range l.On {
		seeds = append(seeds, r.seeds[k])
	}
	values := r.measure(s, seeds)
	if r.p.runs != nil || !r.own && len(seeds) == len(r.seeds) {
		r.recommend(s, values)
	}
	if r.p.runs != nil {
		return map[string][][]float64{"values": values}
	}
	return map[string][]float64{"values": slices.Concat(values...)}
}

// settings decodes a point of the script's: the number of a level stands for the
// middle of its cell.
func (r *rivalRun) settings(x []float64) tune.Settings {
	p := make(tune.Point, len(x))
	for i, v := range x {
		p[i] = v
		if cuts := r.p.space.Cuts(i); len(cuts) > 0 {
			p[i] = middle(cuts, int(v))
		}
	}
	return r.p.space.Decode(p)
}

// cellOf is the number of the cell that holds a coordinate.
func cellOf(cuts []float64, u float64) int {
	return sort.Search(len(cuts), func(k int) bool { return cuts[k] > u })
}

// middle is the coordinate in the middle of a cell.
func middle(cuts []float64, k int) float64 {
	lo, hi := 0.0, 1.0
	if k > 0 {
		lo = cuts[k-1]
	}
	if k < len(cuts) {
		hi = cuts[k]
	}
	return (lo + hi) / 2
}
