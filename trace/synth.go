package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"schedtune/internal/fileio"
	"schedtune/internal/rng"
)

// This file reads the SYNTH generator of Hadoop's Scheduler Load Simulator
// (SynthTraceJobProducer): workloads and job classes with weights, and
// quantities that are constants, distributions by mean and standard deviation
// (log-normal unless NORM is said), or weighted choices. The jobs follow the
// same laws as the simulator's but are other draws: the generator here is
// counter-based, keyed by rand_seed. The load simulator runs a task's time as
// milliseconds; those of time_distribution are seconds.

type synthDoc struct {
	Nodes     num             `json:"num_nodes"`
	PerRack   num             `json:"nodes_per_rack"`
	Jobs      num             `json:"num_jobs"`
	Seed      num             `json:"rand_seed"`
	Workloads []synthWorkload `json:"workloads"`
}

type synthWorkload struct {
	Name    text         `json:"workload_name"`
	Weight  float64      `json:"workload_weight"`
	Queue   text         `json:"queue_name"`
	Classes []synthClass `json:"job_classes"`
	Times   []struct {
		Time   float64 `json:"time"`
		Weight float64 `json:"weight"`
	} `json:"time_distribution"`
}

type synthClass struct {
	Name   text        `json:"class_name"`
	User   text        `json:"user_name"`
	Weight float64     `json:"class_weight"`
	Type   text        `json:"type"`
	Tasks  []synthTask `json:"tasks"`
	// Old holds the numbers of the form before Hadoop 3.1.
	Old map[string]float64 `json:"-"`
}

type synthTask struct {
	Type   text     `json:"type"`
	Count  quantity `json:"count"`
	Time   quantity `json:"time"`
	Memory quantity `json:"max_memory"`
	VCores quantity `json:"max_vcores"`
}

// quantity is a constant, a distribution, or a weighted choice.
type quantity struct {
	Val      float64   `json:"val"`
	Std      float64   `json:"std"`
	Dist     string    `json:"dist"`
	Discrete []float64 `json:"discrete"`
	Weights  []float64 `json:"weights"`
}

// UnmarshalJSON keeps the old form's numbers.
func (c *synthClass) UnmarshalJSON(b []byte) error {
	type plain synthClass
	if err := json.Unmarshal(b, (*plain)(c)); err != nil {
		return err
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	c.Old = map[string]float64{}
	for k, v := range raw {
		var x float64
		if json.Unmarshal(v, &x) == nil {
			c.Old[k] = x
		}
	}
	if _, ok := raw["mtasks_avg"]; ok && len(c.Tasks) == 0 {
		c.Tasks = []synthTask{c.old("map", "m"), c.old("reduce", "r")}
	}
	return nil
}

// old builds a task from the keys of the old form.
func (c *synthClass) old(kind, letter string) synthTask {
	q := func(name string) quantity { return quantity{Val: c.Old[name+"_avg"], Std: c.Old[name+"_stddev"]} }
	return synthTask{text(kind), q(letter + "tasks"), q(letter + "time"), q(kind + "_max_memory"), q(kind + "_max_vcores")}
}

// draw returns draw i of key k.
func (q *quantity) draw(k rng.Key, i uint64) float64 {
	switch {
	case len(q.Discrete) > 0:
		return q.Discrete[choose(q.Weights, len(q.Discrete), k.Float64(i))]
	case q.Std <= 0:
		return q.Val
	case q.Dist == "NORM":
		return max(0, q.Val+q.Std*k.Norm(i))
	case q.Val <= 0:
		return 0
	}
	// Log-normal with this mean and standard deviation.
	s2 := math.Log1p(sq(q.Std / q.Val))
	return math.Exp(math.Log(q.Val) - s2/2 + math.Sqrt(s2)*k.Norm(i))
}

// choose returns an index with probability in proportion to its weight;
// without weights all are equal.
func choose(weights []float64, n int, u float64) int {
	if len(weights) != n {
		return min(n-1, int(u*float64(n)))
	}
	var sum float64
	for _, w := range weights {
		sum += max(0, w)
	}
	u *= sum
	for i, w := range weights {
		if u -= max(0, w); u < 0 {
			return i
		}
	}
	return n - 1
}

func readSynth(in *input, t *Trace, n *notes) error {
	text, err := io.ReadAll(io.LimitReader(in, maxLine))
	if err != nil {
		return in.fail(in.off, err)
	}
	var d synthDoc
	if err := json.Unmarshal(text, &d); err != nil {
		_, at := fileio.JSONCause(err)
		if at < 0 {
			at = int64(len(text))
		}
		return in.fail(at, describe(err))
	}
	if err := d.check(); err != nil {
		return in.at(1, err)
	}
	for i := int64(0); i < d.Nodes.Or(0); i++ {
		t.Nodes = append(t.Nodes, Node{Name: fmt.Sprintf("node%d", i),
			Rack: fmt.Sprintf("/rack%d", i/max(1, d.PerRack.Or(1)))})
	}
	n.addCount(int(d.Jobs.V), Assumed, "draws of the generator: same laws as the load simulator's, other numbers")
	n.add(Assumed, "times of tasks are milliseconds, as the load simulator runs them; times of submissions are seconds")
	key := rng.NewKey(uint64(d.Seed.V), purposeSynth)
	for i := range d.Jobs.V {
		j, err := d.job(key.At(uint64(i)), i)
		if err != nil {
			return err
		}
		t.Jobs = append(t.Jobs, j)
	}
	return nil
}

func (d *synthDoc) check() error {
	if d.Jobs.V < 1 || d.Jobs.V > maxRepeat {
		return fmt.Errorf("num_jobs %d: must be between 1 and %d", d.Jobs.V, maxRepeat)
	}
	if d.Nodes.Or(0) > 1<<20 {
		return fmt.Errorf("num_nodes %d: must be at most %d", d.Nodes.V, 1<<20)
	}
	if len(d.Workloads) == 0 {
		return errors.New("no workloads")
	}
	for _, w := range d.Workloads {
		if len(w.Classes) == 0 {
			return fmt.Errorf("workload %s has no job_classes", w.Name)
		}
		for _, c := range w.Classes {
			if len(c.Tasks) == 0 {
				return fmt.Errorf("class %s has no tasks", c.Name)
			}
		}
	}
	return nil
}

// job draws one job.
func (d *synthDoc) job(k rng.Key, i int64) (Job, error) {
	weights := make([]float64, len(d.Workloads))
	for x := range d.Workloads {
		weights[x] = d.Workloads[x].Weight
	}
	w := &d.Workloads[choose(weights, len(weights), k.Float64(0))]
	weights = weights[:0]
	for x := range w.Classes {
		weights = append(weights, w.Classes[x].Weight)
	}
	c := &w.Classes[choose(weights, len(weights), k.Float64(1))]
	j := NewJob(fmt.Sprintf("job_synth_%05d", i+1))
	j.Queue, j.User, j.Class, j.Type = string(w.Queue), string(c.User), string(c.Name), slsType(string(c.Type))
	j.Submit, j.Result, j.Maps, j.Reduces = seconds(w.submit(k)), Succeeded, 0, 0
	for ti := range c.Tasks {
		if err := c.Tasks[ti].add(&j, k.At(uint64(ti))); err != nil {
			return j, err
		}
	}
	return j, nil
}

// submit draws a submission time in seconds: a bin by weight, uniform up to
// the next bin's time.
func (w *synthWorkload) submit(k rng.Key) float64 {
	if len(w.Times) == 0 {
		return 0
	}
	weights := make([]float64, len(w.Times))
	for i, t := range w.Times {
		weights[i] = t.Weight
	}
	i := choose(weights, len(weights), k.Float64(2))
	from := max(0, w.Times[i].Time)
	if i+1 == len(w.Times) {
		return min(from, 1<<40)
	}
	return min(1<<40, from+max(0, w.Times[i+1].Time-from)*k.Float64(3))
}

// add draws the tasks of one entry.
func (s *synthTask) add(j *Job, k rng.Key) error {
	count := math.Round(s.Count.draw(k, 0))
	if !(count >= 0 && count+float64(len(j.Tasks)) <= maxRepeat) {
		return jobErr(j.ID, "%g tasks: must be at most %d", count, maxRepeat)
	}
	kind := parseKind(string(s.Type))
	size := Size{int64(min(1<<40, max(0, math.Round(s.Memory.draw(k, 1))))),
		int64(min(1<<20, max(0, math.Round(s.VCores.draw(k, 2)))))}
	index, of := &j.Maps, &j.MapSize
	if kind == Reduce {
		index, of = &j.Reduces, &j.ReduceSize
	}
	*of = size
	for i := range int(count) {
		a := NewAttempt(0)
		a.Size, a.Result, a.Start = size, Succeeded, j.Submit
		a.Finish = j.Submit + Millis(math.Round(min(1<<40, max(0, s.Time.draw(k.At(1), uint64(i))))))
		t := NewTask(kind, *index)
		t.Result, t.Attempts = Succeeded, []Attempt{a}
		*index++
		j.Tasks = append(j.Tasks, t)
	}
	return nil
}
