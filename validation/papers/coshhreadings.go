package papers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"schedtune/datasets"
	"schedtune/simcore"
)

// Every table and figure of COSHH under every reading of its set-up
// (datasets.CoshhReadings), each judged by the same rules, and the sentences of the
// paper that a reading contradicts.

// CoshhOutcome is how COSHH comes out under a reading.
type CoshhOutcome struct {
	datasets.CoshhReading
	Sections    []Section
	Contradicts []int // numbers of coshhSentences, from 1
}

// CoshhSentence is a statement of the paper that a reading can contradict, in other words.
type CoshhSentence struct {
	Text, Where string
	// Outcome tells that it is a statement about results, not about the set-up.
	Outcome bool
	holds   func(o *CoshhOutcome) bool
}

// CoshhReadings runs them all. Without a clock, figures of scheduling time are left out.
func CoshhReadings(ctx context.Context, opt Options) ([]CoshhOutcome, error) {
	var out []CoshhOutcome
	for _, reading := range datasets.CoshhReadings() {
		r := newRunner(ctx, opt)
		r.coshh, r.done = &reading, len(out)
		o := CoshhOutcome{CoshhReading: reading}
		for _, e := range experiments() {
			if e.paper != "coshh" || e.ids[0] == "section 3.2" {
				continue
			}
			s, err := e.run(r)
			if err != nil {
				return nil, fmt.Errorf("reading %q, %s: %w", reading.Key, strings.Join(e.ids, ", "), err)
			}
			for i := range s {
				s[i].constantNull()
			}
			o.Sections = append(o.Sections, s...)
		}
		for i, s := range coshhSentences() {
			if !s.holds(&o) {
				o.Contradicts = append(o.Contradicts, i+1)
			}
		}
		out = append(out, o)
	}
	return out, nil
}

// coshhSentences lists what readings are held against.
func coshhSentences() []CoshhSentence {
	return []CoshhSentence{
		{"a job is a number of maps and reduces, and free slots get several tasks of one job", "sections 2.1 and 4", false, func(o *CoshhOutcome) bool { return o.Tasks != datasets.CoshhOne }},
		{"a map reads one block of 128 MB of its job's files", "sections 2.1 and 5.2", false, func(o *CoshhOutcome) bool { return o.Tasks == datasets.CoshhShorter }},
		{"table 4's task-seconds are those of the jobs", "section 5.2", false, func(o *CoshhOutcome) bool { return o.Tasks != datasets.CoshhOne && o.Work == 1 }},
		{"three storages read 40 Kbit/s", "tables 3 and 10", false, func(o *CoshhOutcome) bool { return o.Printed() }},
		{"jobs outnumber the slots from about 30 on: with fewer, most resources are free", "section 6.2.1", false, firstRound},
		{"minimum shares follow from the sizes of jobs: those of 15 slots have jobs for them", "section 5.2, table 5", false, sharesAreUsed},
		{"COSHH improves the mean completion time by more than 10 000 s, on both workloads", "section 5.3", true, func(o *CoshhOutcome) bool {
			return o.all("COSHH's improvement over FIFO", func(v float64) bool { return v >= 1e4 })
		}},
		{"over the resources it improves it by about 20 000 to 100 000 s (half to twice)", "section 6.2.2", true, func(o *CoshhOutcome) bool {
			return o.all("smallest improvement", func(v float64) bool { return v >= 1e4 && v <= 4e4 }) && o.all("largest improvement", func(v float64) bool { return v >= 5e4 && v <= 2e5 })
		}},
		{"more resources help until about 57; beyond them completion times rise", "section 6.2.2", true, func(o *CoshhOutcome) bool {
			return o.all("resources at which", func(v float64) bool { return v >= 36 && v <= 78 })
		}},
		{"above 90 % of maps are local", "tables 6 to 9", true, func(o *CoshhOutcome) bool {
			return o.all("Locality, ", func(v float64) bool { return v > 90 })
		}},
	}
}

// all tells whether there are rows whose text begins so, and every one has a mean for
// which f holds.
func (o *CoshhOutcome) all(what string, f func(float64) bool) bool {
	found := false
	for i := range o.Sections {
		for k := range o.Sections[i].Rows {
			r := &o.Sections[i].Rows[k]
			if !strings.HasPrefix(r.What, what) {
				continue
			}
			if found = true; !f(r.Ours.Mean) {
				return false
			}
		}
	}
	return found
}

// firstRound tells whether, on both workloads, the jobs in the order of submission ask
// for all 31 map slots at 20 to 50 jobs.
func firstRound(o *CoshhOutcome) bool {
	for _, trace := range []string{"Yahoo!", "Facebook"} {
		s, err := o.Set(trace, false)
		if err != nil {
			return false
		}
		var slots int64
		for i := range s.Cluster.Nodes {
			slots += s.Cluster.Nodes[i].Slots[simcore.MapSlots]
		}
		jobs := 0
		for asked := int64(0); jobs < len(s.Workload.Jobs) && asked < slots; jobs++ {
			asked += int64(s.Workload.Jobs[jobs].Maps)
		}
		if jobs < 20 || jobs > 50 {
			return false
		}
	}
	return true
}

// sharesAreUsed tells whether every user with a minimum share of 15 slots has a job with
// as many tasks.
func sharesAreUsed(o *CoshhOutcome) bool {
	for _, trace := range []string{"Yahoo!", "Facebook"} {
		s, err := o.Set(trace, false)
		if err != nil {
			return false
		}
		most := make([]int32, len(s.Pools))
		for i := range s.Workload.Jobs {
			j := &s.Workload.Jobs[i]
			most[j.User] = max(most[j.User], j.Maps+j.Reduces)
		}
		for u, p := range s.Pools {
			if p.MinShare >= 15 && int(most[u]) < p.MinShare {
				return false
			}
		}
	}
	return true
}

// coshhHeadlines are the rows that the paper's abstract and section 5.3 stand for,
// those with equal users last.
func coshhHeadlines() []headline {
	var list []headline
	for _, h := range headlines() {
		if h.paper == "coshh" {
			list = append(list, h)
		}
	}
	equal := func(h headline) int { return strings.Count(h.name, ", equal users") }
	slices.SortStableFunc(list, func(a, b headline) int { return equal(a) - equal(b) })
	return list
}

// headlines names the met ones of a reading by their figures.
func (o *CoshhOutcome) headlines() string {
	var met []string
	for _, h := range coshhHeadlines() {
		if r := o.row(h.id, h.what); r != nil && r.Verdict == Met {
			met = append(met, strings.TrimPrefix(h.id, "figure ")+" "+strings.TrimPrefix(h.what, "COSHH below "))
		}
	}
	return strings.Join(met, ", ")
}

func (o *CoshhOutcome) row(id, what string) *Row {
	for i := range o.Sections {
		if o.Sections[i].ID != id {
			continue
		}
		for k := range o.Sections[i].Rows {
			if r := &o.Sections[i].Rows[k]; r.What == what {
				return r
			}
		}
	}
	return nil
}

// coshhTrace is a trace's name in table 4.
func coshhTrace(short string) string {
	if short == "yahoo" {
		return "Yahoo!"
	}
	return "Facebook"
}
