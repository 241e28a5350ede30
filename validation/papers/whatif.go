package papers

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"schedtune/datasets"
	"schedtune/simcore"
)

// Experiments: one assumption is changed after the results were known, to find out what
// would have to hold for rows that stay missed. Every counted row of the sections that the
// assumption touches is run again and judged by the same rule, so that what it loses stands
// beside what it gains. Nothing of it is counted. data/sections.csv says what each
// experiment changes, why, and which sections it touches.

// experiments lists the changes by paper and section.
var experiments = map[string]func(t *trial) error{
	// Every reduce that copies slows the maps of its node, as section II.A has it ("slows
	// down the running threads"), by the least tenth with which figures 6 and 8 are both
	// within their bounds. Ten jobs still take 80 minutes under Fair (figure 5).
	"coupling experiment copying": func(t *trial) error {
		t.set = fasterMaps(t.set, 0.75, "Grep")
		t.set.Config.Resource.CopyStall = 0.2
		return nil
	},
	// The nodes without input are in a rack of their own, so that alpha of equation 3 is 1 on
	// them instead of 0.8.
	"coupling experiment racks": func(t *trial) error {
		set, c := *t.set, *t.set.Cluster
		c.Racks, c.Nodes = append(slices.Clone(c.Racks), "/other-rack"), slices.Clone(c.Nodes)
		for i := 7; i < len(c.Nodes); i++ {
			c.Nodes[i].Rack = int32(len(c.Racks) - 1)
		}
		set.Cluster, t.set = &c, &set
		return nil
	},
	// Fair waits as long as Hadoop 0.21's Fair Scheduler computes where no wait is
	// configured: 1.5 heartbeats, instead of the 15 s that section II.B assumes.
	"coupling experiment wait": func(t *trial) error {
		t.scheduler = strings.Replace(t.scheduler, "node-delay=15", "node-delay=4.5", 1)
		return nil
	},
	// Figure 9 has OMO's map phase shorter than FRESH's, which gives every container to maps
	// while there are any: the maps themselves would have to run that much faster.
	"omo experiment maps": func(t *trial) error {
		shorter, err := cell("omo", "claims", "omo-map-vs-fresh", "value")
		if err == nil && (t.label == "OMO" || t.label == "Lazy Start") {
			t.set = fasterMaps(t.set, 1-shorter[0]/100, "")
		}
		return err
	},
	// Heaps follow the containers' memory: under OMO, which has four containers, a quarter
	// of the node's.
	"omo experiment heap": func(t *trial) error {
		memory := float64(t.set.Cluster.Nodes[0].Capacity[0]<<20) / 4
		var gb int64
		if n, _ := fmt.Sscanf(t.scheduler, "yarn:%d", &gb); n == 1 {
			memory = float64(gb << 30)
		}
		set := *t.set
		set.Config.Resource.SpillBuffer = int64(heapRun * memory)
		t.set, t.reps = &set, 30
		return nil
	},
	// The queue with the most pending tasks goes first, which the tables of experiments 25
	// to 32 look like, instead of the text's running tasks over capacity.
	"thesis experiment queues": func(t *trial) error {
		t.settings, t.reps = append(t.settings, "pending-first"), 4
		return nil
	},
}

// heapRun is the share of a container's memory that one sorted run of a reduce has where
// the heap follows the container: of the heap's 0.8 (MAPREDUCE-5785, Hadoop 3) the 0.7 of
// mapreduce.reduce.shuffle.input.buffer.percent, of it the 0.66 of .merge.percent.
const heapRun = 0.8 * 0.7 * 0.66

// fasterMaps returns the set with the processor time of maps multiplied by a factor; those
// of jobs whose name begins with the prefix.
func fasterMaps(ds *datasets.Set, factor float64, prefix string) *datasets.Set {
	out, w := *ds, *ds.Workload
	w.Jobs, w.Dists = slices.Clone(w.Jobs), slices.Clone(w.Dists)
	at := map[int32]int32{} // copies of distributions of map times
	for j := range w.Jobs {
		job := &w.Jobs[j]
		if !strings.HasPrefix(job.Name, prefix) {
			continue
		}
		job.MapCPU *= factor
		if job.MapDist < 0 {
			continue
		}
		if _, ok := at[job.MapDist]; !ok {
			d := w.Dists[job.MapDist]
			if d.Kind == simcore.LogNormal { // A is the mean of the logarithm
				d.A += math.Log(factor)
			} else {
				d.A += d.A * (factor - 1)
			}
			at[job.MapDist] = int32(len(w.Dists))
			w.Dists = append(w.Dists, d)
		}
		job.MapDist = at[job.MapDist]
	}
	out.Workload = &w
	return &out
}

// What an experiment does to a row's verdict.
const (
	gained    = "gained"
	lost      = "lost"
	stillMet  = "met in both"
	stillLost = "missed in both"
)

// whatIf adds the counted rows of the sections that match the patterns, as the change has
// them, and notes which of them it gains and loses.
func (s *Section) whatIf(r *runner, change func(*trial) error, patterns string) error {
	changed := newRunner(r.ctx, r.opt)
	changed.change, changed.judged, changed.done = change, true, r.done
	err := s.compare(r, changed, patterns)
	r.done = changed.done
	return err
}

// compare adds the counted rows of both runners.
func (s *Section) compare(r, changed *runner, patterns string) error {
	did := map[string][]string{}
	for _, line := range sectionList() {
		id := line["id"]
		if line["paper"] != s.Paper || !touches(patterns, id) {
			continue
		}
		base, err := r.fill(s.Paper, id)
		if err != nil {
			return err
		}
		other, err := changed.fill(s.Paper, id)
		if err != nil {
			return err
		}
		for i := range base.Rows {
			b := &base.Rows[i]
			if !b.Counted() {
				continue
			}
			o := other.row(b.What)
			note := effect(b, o)
			s.Rows = append(s.Rows, Row{
				What: rowOf(id, b.What), Unit: b.Unit, Published: b.Published, Ours: o.Ours,
				Rule: b.Rule, Verdict: Shown, Note: note, rule: b.rule,
			})
			did[note] = append(did[note], id)
		}
	}
	s.Notes = append(s.Notes, fmt.Sprintf("Rows met here and missed without: %s. Rows missed here and met without: %s.",
		tallied(did[gained]), tallied(did[lost])))
	return nil
}

// touches reports whether one of the patterns, separated by |, names a section.
func touches(patterns, id string) bool {
	for p := range strings.SplitSeq(patterns, "|") {
		if _, ok := match(p, id); ok {
			return true
		}
	}
	return false
}

// row returns the row of that text, nil without it.
func (s *Section) row(what string) *Row {
	if i := slices.IndexFunc(s.Rows, func(r Row) bool { return r.What == what }); i >= 0 {
		return &s.Rows[i]
	}
	return nil
}

// rowOf names a row of another section.
func rowOf(id, what string) string { return id + ": " + what }

func effect(base, other *Row) string {
	switch was, is := base.Verdict == Met, other.Verdict == Met; {
	case was && is:
		return stillMet
	case was:
		return lost
	case is:
		return gained
	}
	return stillLost
}

// tallied counts the rows of each section: "3: figure 1 (2), figure 6".
func tallied(ids []string) string {
	if len(ids) == 0 {
		return "none"
	}
	n := map[string]int{}
	for _, id := range ids {
		n[id]++
	}
	var parts []string
	for _, id := range ids {
		part := id
		if n[id] > 1 {
			part += fmt.Sprintf(" (%d)", n[id])
		}
		if !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return fmt.Sprintf("%d: %s", len(ids), strings.Join(parts, ", "))
}
