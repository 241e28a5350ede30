package trace

// OpenAll opens several traces as one: a single one as it is, more of them
// merged. paths must not be empty.
func OpenAll(paths []string, o Options) (*Trace, error) {
	var ts []*Trace
	for _, p := range paths {
		t, err := Open(p, o)
		if err != nil {
			return nil, err
		}
		ts = append(ts, t)
	}
	if len(ts) == 1 {
		return ts[0], nil
	}
	return Merge(ts...)
}
