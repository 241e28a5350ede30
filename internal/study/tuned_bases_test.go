package study

import (
	"fmt"
	"strings"

	"schedtune/internal/rng"
)

// drawnModes are the forms of drawn files.
var drawnModes = []string{"percentages", "weights", "absolute", "vectors", "labels", "labels-weights",
	"labels-absolute"}

// drawnBase draws a queue file of a mode: a tree of up to three levels whose leaves
// have the names of the embedded queues, and some others without jobs.
func drawnBase(mode string, seed uint64) []string {
	d := &drawn{key: rng.NewKey(11, seed), mode: mode}
	if mode == "vectors" {
		d.put("legacy-queue-mode.enabled", "false")
	}
	if mode != "percentages" || d.chance(0.5) {
		d.put("resource-calculator", "org.apache.hadoop.yarn.util.resource."+d.one("Default",
			"Dominant")+"ResourceCalculator")
	}
	if d.chance(0.3) {
		d.put("schedule-asynchronously.enable", "true")
	}
	d.level("root", []string{"prod", "batch", "adhoc", "reports"}, 1, [2]int{262144, 128}, [2]int{262144, 128}, d.labels())
	for _, q := range d.leaves {
		if d.chance(0.4) {
			d.put(q+".user-limit-factor", d.one("0.5", "1", "3", "-1"))
		}
		if d.chance(0.3) {
			d.put(q+".minimum-user-limit-percent", d.one("25", "50", "33.3"))
		}
		if d.chance(0.3) {
			d.put(q+".ordering-policy", d.one("fair", "fifo"))
		}
	}
	return d.lines
}

// drawn is a queue file in the making.
type drawn struct {
	key    rng.Key
	at     uint64
	mode   string
	lines  []string
	leaves []string
	others int
}

func (d *drawn) put(name, value string) { d.lines = append(d.lines, name+"="+value) }

func (d *drawn) float() float64 {
	d.at++
	return d.key.Float64(d.at)
}

func (d *drawn) in(lo, hi int) int          { return lo + int(d.float()*float64(hi-lo+1)) }
func (d *drawn) chance(p float64) bool      { return d.float() < p }
func (d *drawn) one(texts ...string) string { return texts[d.in(0, len(texts)-1)] }
func (d *drawn) split(n, total int) []int   { return d.parts(n, total, max(1, total/(8*n))) }
func (d *drawn) labels() map[string]bool {
	return map[string]bool{"gpu": d.isLabelled(), "ssd": d.isLabelled() && d.chance(0.6)}
}
func (d *drawn) isLabelled() bool { return strings.HasPrefix(d.mode, "labels") }

// parts splits a total into n numbers of at least least.
func (d *drawn) parts(n, total, least int) []int {
	weights, sum := make([]float64, n), 0.0
	for i := range weights {
		weights[i] = 0.1 + d.float()
		sum += weights[i]
	}
	out, left := make([]int, n), total
	for i := range out {
		out[i] = max(least, int(float64(total-n*least)*weights[i]/sum)+least)
		if i == n-1 {
			out[i] = left
		}
		left -= out[i]
	}
	return out
}

// level draws the queues below a parent, which has so much memory and so many
// cores, at least and at most.
func (d *drawn) level(parent string, names []string, depth int, least, most [2]int, labels map[string]bool) {
	type child struct {
		name  string
		below []string
	}
	var children []child
	for len(names) > 0 {
		n := 1
		if depth < 3 && len(names) > 1 && d.chance(0.4) {
			n = d.in(2, len(names))
		}
		if n == 1 {
			children = append(children, child{name: names[0]})
		} else {
			d.others++
			children = append(children, child{fmt.Sprintf("group%d", d.others), names[:n]})
		}
		names = names[n:]
	}
	for len(children) < 2 || d.chance(0.2) && len(children) < 5 {
		d.others++
		children = append(children, child{name: fmt.Sprintf("other%d", d.others)})
	}
	var list []string
	for _, c := range children {
		list = append(list, c.name)
	}
	d.put(parent+".queues", strings.Join(list, ","))
	n := len(children)
	memory, cores, percent := d.split(n, least[0]), d.split(n, least[1]), d.split(n, 1000)
	byLabel := map[string][]int{"gpu": d.split(n, 1000), "ssd": d.split(n, 1000)}
	for i, c := range children {
		q := parent + "." + c.name
		mine := [2]int{memory[i], cores[i]}
		up := d.capacity(q, mine, most, percent[i])
		reach := map[string]bool{}
		for _, label := range []string{"gpu", "ssd"} {
			if reach[label] = labels[label]; labels[label] {
				d.label(q, label, byLabel[label][i], mine)
			}
		}
		if c.below == nil {
			d.leaves = append(d.leaves, q)
			continue
		}
		d.level(q, c.below, depth+1, mine, up, reach)
	}
}

// capacity puts a queue's capacity and maximum; it returns the latter where it is
// a resource.
func (d *drawn) capacity(q string, mine, most [2]int, tenths int) [2]int {
	set := func(v string) { d.put(q+".capacity", v) }
	maximum := func(v string) { d.put(q+".maximum-capacity", v) }
	percent := fmt.Sprintf("%d.%d", tenths/10, tenths%10)
	switch d.mode {
	case "percentages", "labels":
		set(percent)
		if d.chance(0.5) {
			maximum(fmt.Sprint(d.in(tenths/10+1, 100)))
		}
	case "weights", "labels-weights":
		set(d.one("1w", "2w", "0.5w", "4w", "10w"))
		if d.chance(0.5) {
			maximum(d.one("30", "60", "85", "100"))
		}
	case "absolute", "labels-absolute":
		set(fmt.Sprintf("[memory=%d,vcores=%d]", mine[0], mine[1]))
		if d.chance(0.5) {
			most = [2]int{d.in(mine[0], most[0]), d.in(mine[1], most[1])}
			maximum(fmt.Sprintf("[memory=%d,vcores=%d]", most[0], most[1]))
		}
	default: // vectors
		amount := func(n int, share int) string {
			return d.one(fmt.Sprintf("%d%%", max(1, share/10)), d.one("1", "2", "0.5")+"w", fmt.Sprint(n))
		}
		switch d.in(1, 4) {
		case 1:
			set(fmt.Sprint(max(1, tenths/20)))
		case 2:
			set(d.one("1w", "2.5w"))
		default:
			set(fmt.Sprintf("[memory=%s,vcores=%s]", amount(mine[0]/2, tenths/2), amount(max(1, mine[1]/2), tenths/2)))
		}
		if d.chance(0.5) {
			maximum(d.one("60", "95", fmt.Sprintf("[memory=%d,vcores=%d]", mine[0]+d.in(0, 65536), mine[1]+d.in(0, 40)),
				fmt.Sprintf("[memory=%d%%,vcores=%d%%]", d.in(50, 100), d.in(50, 100))))
		}
	}
	return most
}

// label puts a queue's capacity of a label.
func (d *drawn) label(q, label string, tenths int, mine [2]int) {
	at := q + ".accessible-node-labels." + label + "."
	switch d.mode {
	case "labels-weights":
		d.put(at+"capacity", d.one("1w", "2w", "3w"))
	case "labels-absolute":
		d.put(at+"capacity", fmt.Sprintf("[memory=%d,vcores=%d]", mine[0], mine[1]))
		if d.chance(0.3) {
			d.put(at+"maximum-capacity", fmt.Sprintf("[memory=%d,vcores=%d]", 262144, 128))
		}
	default:
		d.put(at+"capacity", fmt.Sprintf("%d.%d", tenths/10, tenths%10))
		if d.chance(0.4) {
			d.put(at+"maximum-capacity", fmt.Sprint(d.in(tenths/10+1, 100)))
		}
	}
}
