package simcore

// Priority returns the job's priority; higher goes first.
func (v *View) Priority(j JobID) int32 { return v.s.work.Jobs[j].Priority }

// Slowstart returns the job's own slowstart, the completed share of its maps
// before its reduces are asked; negative means that it follows the scheduler's.
func (v *View) Slowstart(j JobID) float64 { return v.s.work.Jobs[j].Slowstart }

// ShuffleBytes returns the bytes the job's maps hand to its reduces.
func (v *View) ShuffleBytes(j JobID) int64 { return v.s.work.Jobs[j].ShuffleBytes }
