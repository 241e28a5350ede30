package diagnose

import (
	"math"
	"slices"

	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/yarnconf"
)

// Terms are the limits of one queue on a cluster.
type Terms struct {
	Guaranteed int64 `json:"guaranteed_mib"` // effective minimum
	Maximum    int64 `json:"maximum_mib"`    // effective maximum
	// LoneUser is what a single user may use of the otherwise idle queue; 0, and null in JSON,
	// for parents, as are the two below.
	LoneUser int64 `json:"lone_user_mib"`
	// Running is how many applications with AMs of the given size may run at a time,
	// Accepted how many may run or wait before one is refused.
	Running  int64 `json:"running_applications"`
	Accepted int64 `json:"accepted_applications"`
}

// TermsChange is one queue's terms under two configurations.
type TermsChange struct {
	Queue  string `json:"queue"`
	Leaf   bool   `json:"leaf"`
	Before Terms  `json:"before"`
	After  Terms  `json:"after"`
}

// MarshalJSON writes null for what only leaf queues have.
func (c TermsChange) MarshalJSON() ([]byte, error) {
	type plain TermsChange
	return text.WithNulls(plain(c), !c.Leaf, "lone_user_mib", "running_applications", "accepted_applications")
}

// Same reports whether nothing has changed.
func (c *TermsChange) Same() bool { return c.Before == c.After }

// CompareTerms evaluates two queue files on a cluster and returns the terms of
// every queue that both have, in the order of the first. am is the size of an
// application master; zero means MapReduce's 1,536 MiB. Errors: a file that
// does not load.
func CompareTerms(before, after *yarnconf.Document, cluster *simcore.Cluster, am yarnconf.Resource) ([]TermsChange,
	error) {
	b, err := allTerms(before, cluster, am)
	if err != nil {
		return nil, err
	}
	a, err := allTerms(after, cluster, am)
	if err != nil {
		return nil, err
	}
	byPath := map[string]TermsChange{}
	for _, t := range a {
		byPath[t.Queue] = t
	}
	var out []TermsChange
	for _, t := range b {
		if then, ok := byPath[t.Queue]; ok {
			t.After = then.Before
			out = append(out, t)
		}
	}
	return out, nil
}

// allTerms returns the terms of all queues, as Before; none for a file without leaves.
func allTerms(doc *yarnconf.Document, cluster *simcore.Cluster, am yarnconf.Resource) ([]TermsChange, error) {
	conf, err := yarnconf.Evaluate(doc)
	if err != nil {
		return nil, err
	}
	first := slices.IndexFunc(conf.Queues, func(q yarnconf.Queue) bool { return q.Leaf })
	if first < 0 {
		return nil, nil
	}
	// A user who has no settings of its own: the name cannot be one.
	w, err := newWorld(doc, LimitsQuestion{Cluster: cluster, Queue: conf.Queues[first].Path, User: "\x00", AM: am})
	if err != nil {
		return nil, err
	}
	var out []TermsChange
	for i := range conf.Queues {
		q := &conf.Queues[i]
		f := w.figures(i)
		t := Terms{Guaranteed: f.Min.Memory, Maximum: f.Max.Memory}
		if q.Leaf {
			w.at = i
			w.am = w.normal(am, usualMaster)
			t.LoneUser, t.Running, t.Accepted = w.growth()[0].Resource.Memory, min(w.running()[0].Count, math.MaxInt32),
				int64(f.MaxApplications)
		}
		out = append(out, TermsChange{Queue: q.Path, Leaf: q.Leaf, Before: t})
	}
	return out, nil
}
