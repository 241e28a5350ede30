package yarnfair

import (
	"slices"
	"testing"

	"schedtune/fairconf"
	"schedtune/simcore/yarn"
)

// A reload that no longer names root makes it a queue like others made on first use. It stays
// all the same when the last application below it has gone, with its queues: Hadoop 3.4.1
// fails there, with every queue lost.
func TestRootStays(t *testing.T) {
	read := func(text string) *fairconf.Allocations {
		a, err := fairconf.Parse("fair-scheduler.xml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	site, _ := fairconf.ReadSite(nil)
	s, err := New(read(`<allocations><queue name="root"><queue name="a"/></queue></allocations>`), site)
	if err != nil {
		t.Fatal(err)
	}
	id, err := s.Submit(yarn.AppSpec{Name: "app", User: "ann", Queue: "root.made",
		AM: yarn.Resource{Memory: 1024, VCores: 1}})
	if err != nil {
		t.Fatal(err)
	}
	s.End(id)
	if err := s.Refresh(read(`<allocations><queue name="a"/></allocations>`)); err != nil {
		t.Fatal(err)
	}
	s.Tidy()
	var paths []string
	for _, q := range s.Queues() {
		paths = append(paths, q.Path)
	}
	if !slices.Equal(paths, []string{"root", "root.a"}) {
		t.Errorf("queues %q, want root and root.a", paths)
	}
	if _, err := s.Submit(yarn.AppSpec{Name: "next", User: "ann", Queue: "root.a",
		AM: yarn.Resource{Memory: 1024, VCores: 1}}); err != nil {
		t.Error(err)
	}
}
