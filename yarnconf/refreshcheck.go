package yarnconf

import "fmt"

// AddRefresh adds what stands in the way of a refresh from one file to
// another, and reduces Restart to settings that differ between the two.
func (r *CheckReport) AddRefresh(old, now *Document) {
	a, errs := Evaluate(old)
	b, errs2 := Evaluate(now)
	if len(errs) == 0 && len(errs2) == 0 {
		r.Problems = append(r.Problems, refreshProblems(a, b, now)...)
		sortProblems(r.Problems)
	}
	changed := map[string]bool{}
	for _, c := range Changes(old, now) {
		changed[c.Key] = true
	}
	kept := r.Restart[:0]
	for _, s := range r.Restart {
		if changed[s.Key] {
			kept = append(kept, s)
		}
	}
	r.Restart = kept
}

// refreshProblems follows CapacitySchedulerQueueManager.validateQueueHierarchy
// and the maximum-allocation check of AbstractCSQueue.
func refreshProblems(a, b *Config, now *Document) []Problem {
	var out []Problem
	fail := func(key, reason, allowed string) {
		p := now.locate(&PropError{Key: key, Value: now.Value(key)})
		p.Reason, p.Allowed = reason, allowed
		out = append(out, p)
	}
	at := map[string]int{}
	for i := range b.Queues {
		at[b.Queues[i].Path] = i
	}
	for i := range a.Queues {
		q := &a.Queues[i]
		j, ok := at[q.Path]
		if !ok {
			if q.State == Running && now.Value(Key(q.Path, "state")) != "STOPPED" {
				fail(Key(a.Queues[q.Parent].Path, "queues"), fmt.Sprintf("a refresh can't remove the running queue %s", q.Path), "removal of queues that were STOPPED before")
			}
			continue
		}
		n := &b.Queues[j]
		switch {
		case q.Leaf && !n.Leaf && q.State == Running:
			fail(Key(q.Path, "queues"), "a refresh can't turn the running leaf queue into a parent", "this change on a STOPPED queue")
		case !q.Leaf && !q.AutoCreateOld && n.AutoCreateOld:
			fail(Key(q.Path, "auto-create-child-queue.enabled"), "a refresh can't make a parent queue create its children", "false")
		}
		if n.MaxAllocation.Memory < q.MaxAllocation.Memory {
			fail(Key(q.Path, "maximum-allocation-mb"), fmt.Sprintf("a refresh can't lower it from %d to %d", q.MaxAllocation.Memory, n.MaxAllocation.Memory), fmt.Sprintf("%d or more", q.MaxAllocation.Memory))
		}
		if n.MaxAllocation.VCores < q.MaxAllocation.VCores {
			fail(Key(q.Path, "maximum-allocation-vcores"), fmt.Sprintf("a refresh can't lower it from %d to %d", q.MaxAllocation.VCores, n.MaxAllocation.VCores), fmt.Sprintf("%d or more", q.MaxAllocation.VCores))
		}
	}
	return out
}
