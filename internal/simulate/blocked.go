package simulate

import (
	"cmp"

	"slices"
	"sync"

	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
)

// Blocked is requested memory over time that was not allocated, by what stopped it first.
type Blocked struct {
	BlockedBy
	Memory float64 // MiB·s requested
	VCores float64 // core·s requested
	// Idle is the part of Memory that free memory of the partition could have served, shared by
	// all that was blocked there in proportion, as far as the other limits leave it. Space that
	// is free on no single node counts.
	Idle float64
	// Short is by how much the limit fell short of that (of masters without what their jobs
	// request), and Most the limit itself, in MiB·s; both 0 where it is none of memory.
	Short, Most float64
}

// BlockedBy names a limit and whose requests it stopped.
type BlockedBy struct {
	Limit       capacity.Limit
	At          string // path of the queue whose limit it is
	Label       string
	Queue, User string // of the requests
}

// Account adds up what was blocked in a run: its state at instants, each for the time since the
// one before. Of applications without a master it counts what their jobs request first, since
// the scheduler knows only the master's request.
type Account struct {
	sums  map[BlockedBy]*Blocked
	total float64 // MiB·s

	at    simcore.Time // of the last instant
	every simcore.Time
	taken int // instants since every has grown
}

// The first instants are samplesFrom apart, and the distance doubles after every samplesEach of
// them, so that long runs cost little.
const (
	samplesFrom = 7300 * simcore.Millisecond
	samplesEach = 32
)

// List returns what was blocked, in the order of limits and names.
func (a *Account) List() []Blocked {
	out := make([]Blocked, 0, len(a.sums))
	for _, b := range a.sums {
		out = append(out, *b)
	}
	slices.SortFunc(out, func(x, y Blocked) int {
		return cmp.Or(cmp.Compare(x.Limit, y.Limit), cmp.Compare(x.At, y.At), cmp.Compare(x.Label, y.Label),
			cmp.Compare(x.Queue, y.Queue), cmp.Compare(x.User, y.User))
	})
	return out
}

// Total returns all that was requested and not allocated, in MiB·s.
func (a *Account) Total() float64 { return a.total }

// accounting has a run keep an item's account. Other schedulers than the Capacity Scheduler
// leave it empty.
func (r *Runner) accounting(cfg *yarn.RunConfig, it *Item, s yarn.Scheduler) {
	c, ok := s.(*capacity.Scheduler)
	if it.Account == nil || !ok {
		return
	}
	a := it.Account
	*a = Account{sums: map[BlockedBy]*Blocked{}, every: samplesFrom}
	first := sync.OnceValue(func() map[string]int64 { return firstRequests(r.Workload(it.Window)) })
	var list []sample
	cfg.SampleAt = samplesFrom
	cfg.Sample = func(at simcore.Time) simcore.Time {
		list = list[:0]
		c.EachBlocked(func(b capacity.Blocked) {
			wanted := b.Amount.Memory
			if b.Limit < capacity.NoPartition && b.Limit != capacity.Unlimited {
				wanted = max(wanted, first()[c.NameOf(b.App)])
			}
			list = append(list, sample{b, float64(wanted)})
		})
		a.add(list, (at - a.at).Seconds())
		if a.at = at; len(list) > 0 {
			a.taken++
		}
		if a.taken == samplesEach {
			a.taken, a.every = 0, 2*a.every
		}
		return at + a.every
	}
}

// sample is what an application requests at an instant, and what of it counts, in MiB.
type sample struct {
	capacity.Blocked
	wanted float64
}

// add counts what is blocked now for so many seconds.
func (a *Account) add(list []sample, seconds float64) {
	demand := map[string]float64{} // by partition
	for i := range list {
		demand[list[i].Label] += list[i].wanted
	}
	met := map[BlockedBy]bool{}
	for i := range list {
		b := &list[i]
		by := BlockedBy{Limit: b.Limit, At: b.At, Label: b.Label, Queue: b.Queue, User: b.User}
		sum := a.sums[by]
		if sum == nil {
			sum = &Blocked{BlockedBy: by}
			a.sums[by] = sum
		}
		idle := seconds * min(1, float64(b.Free.Memory)/demand[b.Label], float64(b.Room)/b.wanted)
		sum.Memory += b.wanted * seconds
		sum.VCores += float64(b.Amount.VCores) * seconds
		sum.Idle += b.wanted * idle
		a.total += b.wanted * seconds
		short := float64(b.Amount.Memory) * idle
		if !met[by] {
			met[by] = true
			sum.Most += float64(b.Most) * seconds
			if b.Limit == capacity.MastersOfQueue || b.Limit == capacity.MastersOfUser { // at least one more
				short = float64(b.Amount.Memory) * seconds
			}
		}
		if b.Most > 0 {
			sum.Short += short
		}
	}
}

// firstRequests is the memory in MiB that jobs request once their master runs, by ID.
func firstRequests(w *simcore.Workload) map[string]int64 {
	out := make(map[string]int64, len(w.Jobs))
	for i := range w.Jobs {
		j := &w.Jobs[i]
		out[j.ID] = int64(j.Maps) * j.MapAsk[simcore.Memory]
	}
	return out
}
