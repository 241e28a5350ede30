package diagnose

import (
	"math"

	"schedtune/simcore"
	"schedtune/yarnconf"
)

// Terms are what a configuration promises one queue on a cluster.
type Terms struct {
	Guaranteed int64 `json:"guaranteed_mib"` // effective minimum
	Maximum    int64 `json:"maximum_mib"`    // effective maximum
	// LoneUser is what a single user may hold in the otherwise idle queue; 0
	// for parents, as for the two below.
	LoneUser int64 `json:"lone_user_mib"`
	// Running is how many applications with masters of the given size may run
	// at a time, Accepted how many may run or wait before one is refused.
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

// Same reports that nothing has changed.
func (c *TermsChange) Same() bool { return c.Before == c.After }

// CompareTerms evaluates two queue files on a cluster and returns the terms of
// every queue that both have, in the order of the first. am is the size of an
// application master; zero reads as MapReduce's 1,536 MiB. Errors: a file that
// does not load.
func CompareTerms(before, after *yarnconf.Document, cluster *simcore.Cluster, am yarnconf.Resource) ([]TermsChange, error) {
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

// allTerms are the terms of all queues, as Before.
func allTerms(doc *yarnconf.Document, cluster *simcore.Cluster, am yarnconf.Resource) ([]TermsChange, error) {
	conf, err := yarnconf.Evaluate(doc)
	if err != nil {
		return nil, err
	}
	var out []TermsChange
	var w *world
	for i := range conf.Queues {
		q := &conf.Queues[i]
		t := TermsChange{Queue: q.Path, Leaf: q.Leaf}
		if w == nil && q.Leaf {
			var err error
			// A user who has no settings of its own: the name cannot be one.
			if w, err = newWorld(doc, LimitsQuestion{Cluster: cluster, Queue: q.Path, User: "\x00", AM: am}); err != nil {
				return nil, err
			}
		}
		if q.Leaf {
			w.at = i
			w.am = w.normal(am, yarnconf.Resource{Memory: 1536, VCores: 1})
			t.Before = w.terms()
		}
		out = append(out, t)
	}
	if w == nil {
		return nil, nil
	}
	for i := range out {
		if !out[i].Leaf {
			out[i].Before = Terms{Guaranteed: w.eff[i].Min.Memory, Maximum: w.eff[i].Max.Memory}
		}
	}
	return out, nil
}

// terms are those of the leaf the world looks at.
func (w *world) terms() Terms {
	return Terms{Guaranteed: w.eff[w.at].Min.Memory, Maximum: w.eff[w.at].Max.Memory, LoneUser: w.growth(1)[0].Resource.Memory,
		Running: min(w.running()[0].Count, math.MaxInt32), Accepted: int64(w.eff[w.at].MaxApplications)}
}
