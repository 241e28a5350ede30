package tune

import "time"

// How far a study with levels is: runs count by what those of their level take, which
// only a watcher sees; nothing here touches the study's course.

// pace is what is known of the speed of runs.
type pace struct {
	done  []int           // finished runs by level
	live  []int           // of these, in this process
	time  []time.Duration // that the latter took, all workers together
	last  time.Duration   // when the last of them ended
	phase [len(workPhases)]int
}

// workPhases are the parts of a study by what their runs cost.
var workPhases = [...]string{"search", "halving", "finals", "ablation", "check", "confirm"}

// workPhase is the part that a phase belongs to.
func workPhase(phase string) int {
	switch phase {
	case "halving":
		return 1
	case "finals":
		return 2
	case "ablation":
		return 3
	case "check":
		return 4
	case "confirm":
		return 5
	}
	return 0
}

// told counts a finished run; live says that it was not replayed.
func (d *driver) told(window int, live bool) {
	if !d.levels.on {
		return
	}
	p, l := &d.pace, d.levelOf(window)
	p.done[l]++
	p.phase[workPhase(d.phase)]++
	if d.o.Clock == nil {
		return
	}
	now := d.o.Clock()
	if live {
		p.live[l]++
		p.time[l] += now - p.last
	}
	p.last = now
}

// runTimes estimates the time of a run by level: measured, or after the others by cost.
func (d *driver) runTimes() []float64 {
	var spent, cost float64
	for l, t := range d.pace.time {
		spent += t.Seconds()
		cost += float64(d.pace.live[l]) * d.levelCost(l)
	}
	out := make([]float64, len(d.pace.done))
	for l := range out {
		out[l] = d.levelCost(l)
		if cost > 0 && spent > 0 {
			out[l] *= spent / cost
		}
		if n := d.pace.live[l]; n > 0 && spent > 0 {
			out[l] = d.pace.time[l].Seconds() / float64(n)
		}
	}
	return out
}

// left estimates the runs to come by level.
func (d *driver) left() []float64 {
	full := len(d.p.Levels)
	plan := [len(workPhases)]struct {
		runs  float64
		level int
	}{
		{float64(d.budget) * (1 - d.reserve()), d.levels.at},
		{float64(d.share(d.halvingPart())), d.levels.at},
		{float64(finalRuns()), full},
		{float64(d.share(d.ablationPart())), d.levels.at},
		{recheckInstances, full},
		{d.plannedConfirm(), full},
	}
	out := make([]float64, full+1)
	now := workPhase(d.phase)
	for k := now; k < len(plan); k++ {
		out[plan[k].level] += max(0, plan[k].runs-float64(d.pace.phase[k]))
	}
	if now == 0 { // the first design has runs of full fidelity
		out[full] += float64(max(0, designSize-d.pace.done[full]))
	}
	return out
}

// workLeft are the part of the work that is done and the time that the rest takes.
func (d *driver) workLeft() (part float64, rest time.Duration) {
	each, left := d.runTimes(), d.left()
	var done, todo float64
	for l, t := range each {
		done += t * float64(d.pace.done[l])
		todo += t * left[l]
	}
	return done / max(done+todo, 1e-300), time.Duration(todo * float64(time.Second))
}
