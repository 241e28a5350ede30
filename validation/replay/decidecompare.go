package replay

import (
	"cmp"
	"slices"
	"strings"

	"schedtune/simcore/yarn"
)

// What one step decided beside what was recorded of it.

func (d *decider) jobOf(c *Container) int32 { return d.run.jobOf(c.ID) }

// jobOf is the job of a container's id, -1 if none has such containers.
func (r *Run) jobOf(id string) int32 {
	return int32(slices.IndexFunc(r.Jobs, func(j *Job) bool {
		return len(j.Containers) > 0 && strings.HasPrefix(id, appOf(j.Containers[0].ID))
	}))
}

func (d *decider) compare(o *outcome, i int, events []yarn.Event) {
	s := &d.steps[i]
	want := slices.Clone(s.expected)
	slices.SortStableFunc(want, func(a, b *Container) int { return cmp.Compare(a.Allocated, b.Allocated) })
	o.total += len(want)
	var extra []stray
	for k := range events {
		e := &events[k]
		if e.Kind != yarn.Allocate || e.Refused {
			continue
		}
		job := d.jobs[e.App]
		kind := eventKind(e, d.run.Jobs[job].Executors)
		at := slices.IndexFunc(want, func(c *Container) bool {
			return d.jobOf(c) == job && (c.Kind == kind || c.Kind == "UNUSED" && kind != "AM")
		})
		if at < 0 {
			extra = append(extra, stray{job, kind, e.Ordinal})
			continue
		}
		o.agreeing++
		d.live[want[at]] = e.Ordinal
		want = slices.Delete(want, at, at+1)
	}
	d.stray = append(d.stray, extra...)
	if len(want)+len(extra) == 0 {
		return
	}
	for k := range max(len(want), len(extra)) {
		x := Exception{At: s.at.Seconds(), Node: d.run.Nodes[s.node].Name, Recorded: "-", Decided: "-", step: i}
		if k < len(want) {
			x.Recorded = d.run.Jobs[d.jobOf(want[k])].Name + " " + want[k].Kind
		}
		if k < len(extra) {
			x.Decided = d.run.Jobs[extra[k].job].Name + " " + extra[k].kind
		}
		o.exceptions = append(o.exceptions, x)
	}
}

func eventKind(e *yarn.Event, executors bool) string {
	switch {
	case e.Ordinal == 0:
		return "AM"
	case executors:
		return "EXECUTOR"
	case e.Priority == 10:
		return "REDUCE"
	}
	return "MAP"
}

// reason says what is known about an exception.
func (d *decider) reason(o *outcome, i int) string {
	if i > 0 && o.exceptions[i].step == o.exceptions[i-1].step {
		return "at the same instant as the one before"
	}
	if i > 0 {
		return "may follow from the earlier ones: the states differ since then"
	}
	if d.modelled > 0 {
		return "first difference; asks of masters without a log are modelled"
	}
	return "first difference; no order of calls within the records' resolution gives the recorded decision"
}
