package simcore

// Ahead returns by job the jobs that it follows (Job.After), which are earlier ones of the
// workload; nil where no job follows any.
func (w *Workload) Ahead() (ahead [][]int32) {
	at := map[string]int32{}
	for j := range w.Jobs {
		for _, id := range w.Jobs[j].After {
			if len(at) == 0 {
				for i := range w.Jobs {
					at[w.Jobs[i].ID] = int32(i)
				}
				ahead = make([][]int32, len(w.Jobs))
			}
			if i, ok := at[id]; ok && i < int32(j) && w.Jobs[i].Standing == nil {
				ahead[j] = append(ahead[j], i)
			}
		}
	}
	return ahead
}
