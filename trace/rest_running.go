package trace

// containers are those that a running application has when the ResourceManager is asked:
// so many, of what they come to. It does not tell the size of each: where equal ones would
// not be multiples of the usual minimum allocation, the master has what the others leave.
// Where it tells no figures of the moment (-1), those of the application's life stand for
// them, and where it tells no number of containers, guessed, that of the cores does.
func (a *restApp) containers(j *Job) (_ []Task, guessed bool) {
	const usual = 1024 // MiB
	n, mib, cores, life := a.Held.Or(0), a.HeldMiB.Or(-1), a.HeldCores.Or(0), a.Elapsed.Or(0)
	if mib < 0 && life > 0 {
		mib, cores = max(0, j.MemorySeconds)*1000/life, (max(0, j.VCoreSeconds)*1000+life/2)/life
	}
	if guessed = mib > 0 && n == 0; guessed {
		n = max(1, cores)
	}
	if mib <= 0 || n <= 0 || n > maxRepeat {
		return nil, false
	}
	each, master := mib/n, mib-mib/n*(n-1)
	if s := mib / max(1, n-1) / usual * usual; n > 1 && mib%(n*usual) != 0 && s > 0 && mib-s*(n-1) > 0 {
		each, master = s, mib-s*(n-1)
	}
	from := j.Launch.Or(j.Submit)
	to := from
	if j.Submit.Known() {
		to = max(from, j.Submit+Millis(life)) // seen until then
	}
	j.MemorySeconds, j.VCoreSeconds = Unknown, Unknown // of its life, which is not that of the trace
	tasks := equalContainers(int(n), from, to, Size{each, max(1, cores/n)})
	tasks[0].Attempts[0].Size.MiB = master
	if a.Unmanaged {
		tasks[0].Kind = Container
	}
	return tasks, guessed
}

// equalContainers are n containers from an instant to another, of which the first is the
// master's.
func equalContainers(n int, from, to Millis, size Size) []Task {
	tasks := make([]Task, n)
	for i := range tasks {
		t, c := NewTask(Container, i), NewAttempt(0)
		c.Size, c.Start, c.Finish = size, from, to
		t.Start, t.Attempts = from, []Attempt{c}
		tasks[i] = t
	}
	tasks[0].Kind = AM
	return tasks
}
