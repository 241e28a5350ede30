package capacity

import (
	"fmt"
	"strings"
	"testing"

	"schedtune/simcore/yarn"
)

// Labels that there cannot be are refused with what is allowed, as is what asks for one
// that it may not.
func TestLabelsAreChecked(t *testing.T) {
	s := small(t, nil)
	many := make([]yarn.Label, mostPartitions+1)
	for i := range many {
		many[i].Name = fmt.Sprint("l", i)
	}
	for want, labels := range map[string][]yarn.Label{
		"64 node labels: must be at most 63": many, `node label "x": must be a name`: {{Name: "x"}, {Name: "y"}, {Name: "x"}},
		`node label "": must be`: {{Name: ""}}, "node label \"" + yarn.DefaultPartition +
			"\"": {{Name: yarn.DefaultPartition}},
	} {
		t.Run(want, func(t *testing.T) {
			if err := s.DeclareLabels(labels); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		})
	}
	if err := s.DeclareLabels(many[:mostPartitions]); err != nil || len(s.Labels()) != mostPartitions+1 ||
		s.Labels()[0] != "" || s.Labels()[63] != "l62" {
		t.Errorf("%v, labels %v", err, s.Labels())
	}
	s = small(t, map[string]string{"root.accessible-node-labels": "x", "root.accessible-node-labels.x.capacity": "100",
		"root.a.accessible-node-labels": "x", "root.a.accessible-node-labels.x.capacity": "100",
		"root.b.accessible-node-labels": " "})
	if err := s.DeclareLabels([]yarn.Label{{Name: "x", Exclusive: true}}); err != nil {
		t.Fatal(err)
	}
	n, err := s.AddNode(big("n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.DeclareLabels(nil); err == nil {
		t.Error("labels were declared with a node there")
	}
	if _, err := s.SetLabel(n, "z", nil); err == nil || !strings.Contains(err.Error(),
		`node label "z": must be one of x`) {
		t.Errorf("got error %v, want one that lists x", err)
	}
	if _, err := s.SetLabel(99, "x", nil); err != nil {
		t.Errorf("a node that there is not: %v", err)
	}
	if _, err := s.SetLabel(n, "x", nil); err != nil || s.nodes[n].part != 1 || s.parts[0].total != (res{}) ||
		s.parts[1].total.Memory != 100<<10 {
		t.Errorf("%v, partitions of %v and %v", err, s.parts[0].total, s.parts[1].total)
	}
	spec := yarn.AppSpec{Name: "p", User: "u", Queue: "root.b", AM: yarn.Resource{Memory: 1024, VCores: 1}}
	for label, want := range map[string]string{"z": `node label "z"`, "x": "x"} {
		t.Run(label, func(t *testing.T) {
			spec.AMLabel = label
			if _, err := s.Submit(spec); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(),
				"application p") {
				t.Errorf("master with label %s: %v", label, err)
			}
		})
	}
	spec.AMLabel, spec.Queue = "x", "root.a"
	id, err := s.Submit(spec)
	if err != nil {
		t.Fatal(err)
	}
	if ev := s.Beat(n, nil, nil); len(ev) != 1 || ev[0].Kind != yarn.Allocate {
		t.Errorf("the master with label x got %v", ev)
	}
	if f := s.Figures(s.byName["a"].place(s), 1); f.Used.Memory != 1024 || f.AMUsed.Memory != 1024 || f.Active != 1 ||
		f.Pending.Memory != 0 {
		t.Errorf("%+v in x", f)
	}
	if f := s.Figures(s.byName["a"].place(s), 0); f.Used.Memory != 0 || f.AMUsed.Memory != 0 {
		t.Errorf("%+v without label", f)
	}
	if e := s.Figures(s.byName["b"].place(s), 1); e.Accessible || e.Max.Memory != 0 {
		t.Errorf("b may use x: %+v", e)
	}
	if e := s.Figures(s.byName["a"].place(s), 1); !e.Accessible || e.Min.Memory != 100<<10 || e.AMLimit.Memory != 50<<10 {
		t.Errorf("a in x: %+v", e)
	}
	var resp yarn.AskResponse
	one := yarn.Resource{Memory: 1024, VCores: 1}
	for want, row := range map[string]yarn.Ask{
		"for a node or rack": {Priority: 1, Where: s.Place("n"), Size: one, Count: 1, Label: "x"},
		`node label "z"`:     {Priority: 1, Where: yarn.AnyPlace, Size: one, Count: 1, Label: "z"},
	} {
		t.Run(want, func(t *testing.T) {
			s.Ask(id, []yarn.Ask{row}, nil, &resp)
			if resp.Refused == nil || !strings.Contains(resp.Refused.Error(), want) {
				t.Errorf("%v, want %s", resp.Refused, want)
			}
		})
	}
	s.Ask(id, []yarn.Ask{{Priority: 1, Where: s.Place("n"), Size: one, Count: 1, Label: yarn.DefaultPartition},
		{Priority: 1, Where: yarn.AnyPlace, Size: one, Count: 1, Label: "x"}}, nil, &resp)
	if resp.Refused != nil {
		t.Errorf("the default partition for a node: %v", resp.Refused)
	}
}

// What runs on a node whose label changes counts for the new partition, its master's
// share with it, for queue, user and application alike.
func TestUseMovesWithTheLabel(t *testing.T) {
	s := small(t, map[string]string{"root.accessible-node-labels": "x", "root.accessible-node-labels.x.capacity": "100",
		"root.a.accessible-node-labels": "x", "root.a.accessible-node-labels.x.capacity": "100"})
	if err := s.DeclareLabels([]yarn.Label{{Name: "x"}}); err != nil {
		t.Fatal(err)
	}
	n, err := s.AddNode(big("n"))
	if err != nil {
		t.Fatal(err)
	}
	id, err := s.Submit(yarn.AppSpec{Name: "p", User: "u", Queue: "root.a", AM: yarn.Resource{Memory: 2048, VCores: 1}})
	if err != nil {
		t.Fatal(err)
	}
	s.Beat(n, nil, nil)
	var resp yarn.AskResponse
	s.Ask(id, []yarn.Ask{{Priority: 1, Where: yarn.AnyPlace, Size: yarn.Resource{Memory: 1024, VCores: 1}, Count: 3}},
		nil, &resp)
	for range 5 {
		s.Beat(n, nil, nil)
	}
	q := s.byName["a"]
	for i, label := range []string{"", "x", "", "x"} {
		t.Run(label, func(t *testing.T) {
			if i > 0 {
				if _, err := s.SetLabel(n, label, nil); err != nil {
					t.Fatal(err)
				}
			}
			for p, name := range []string{"", "x"} {
				var want, am int64
				if name == label {
					want, am = 5120, 2048
				}
				f, a, u := s.Figures(q.place(s), p), s.apps[id], s.apps[id].slot.u
				if f.Used.Memory != want || f.AMUsed.Memory != am || a.at(int32(p)).used.Memory != want ||
					u.at(int32(p)).used.Memory != want || u.at(int32(p)).amUsed.Memory != am ||
					s.root.at(int32(p)).used.Memory != want {
					t.Errorf("label %q, partition %q: leaf %+v, application %v, user %v and %v; want %d and %d", label, name, f,
						a.at(int32(p)).used, u.at(int32(p)).used, u.at(int32(p)).amUsed, want, am)
				}
			}
			if (s.apps[id].amPart == 1) != (label == "x") {
				t.Errorf("the master counts for partition %d under label %q", s.apps[id].amPart, label)
			}
		})
	}
}

// What is told of an application that there is not, or that is over, is nothing.
func TestFiguresOfNobody(t *testing.T) {
	s := small(t, nil, big("n"))
	id, err := s.Submit(yarn.AppSpec{Name: "p", User: "u", Queue: "root.a", AM: yarn.Resource{Memory: 1024, VCores: 1}})
	if err != nil {
		t.Fatal(err)
	}
	s.Beat(0, nil, nil)
	if f := s.App(id); f.Used.Memory != 1024 || f.Live != 1 || !f.Active || s.QueueOf(id) != "root.a" || s.Ended(id) {
		t.Errorf("%+v in %s", f, s.QueueOf(id))
	}
	for _, id := range []yarn.AppID{-1, id + 1, 99} {
		if s.App(id) != (AppFigures{}) || s.QueueOf(id) != "" || !s.Ended(id) || s.Missed(id, 1, 0) != 0 {
			t.Errorf("application %d: %+v in %q", id, s.App(id), s.QueueOf(id))
		}
	}
	if s.End(id); !s.Ended(id) || s.App(id).Live != 0 || s.App(id).Active {
		t.Errorf("%+v after the end", s.App(id))
	}
	if f := s.Figures(s.byName["a"].place(s), 0); f.AskingUsers != 0 || f.WaitingUsers != 0 {
		t.Errorf("%d and %d users after the end, want none", f.AskingUsers, f.WaitingUsers)
	}
}

// What is lost with a node is told by application and, within one, by container.
func TestLossesAreInOrder(t *testing.T) {
	s := small(t, map[string]string{"root.a.user-limit-factor": "2"}, big("n"))
	var resp yarn.AskResponse
	var ids []yarn.AppID
	for i := range 5 {
		id, err := s.Submit(yarn.AppSpec{Name: fmt.Sprint("p", i), User: "u", Queue: "root.a",
			AM: yarn.Resource{Memory: 1024, VCores: 1}})
		if err != nil {
			t.Fatal(err)
		}
		s.Beat(0, nil, nil)
		ids = append(ids, id)
	}
	for range 4 { // newest first, so that containers of all mix
		for _, id := range []yarn.AppID{ids[4], ids[1], ids[3], ids[0], ids[2]} {
			s.Ask(id, []yarn.Ask{{Priority: 1, Where: yarn.AnyPlace, Size: yarn.Resource{Memory: 1024, VCores: 1}, Count: 1}},
				nil, &resp)
			s.Beat(0, nil, nil)
		}
	}
	lost := s.LoseNode(0, nil)
	if len(lost) < 15 {
		t.Fatalf("%d containers lost", len(lost))
	}
	for i := 1; i < len(lost); i++ {
		if a, b := lost[i-1], lost[i]; a.App > b.App || a.App == b.App && a.Ordinal >= b.Ordinal {
			t.Errorf("%v before %v", a, b)
		}
	}
}
