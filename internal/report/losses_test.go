package report

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/internal/study"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// Refused submissions appear by queue, user and limit in the figures.
func TestRefusalsAreNamed(t *testing.T) {
	c := refusalCase()
	var b strings.Builder
	b.WriteString("<configuration>\n")
	for key, value := range map[string]string{"root.queues": "a,b", "root.a.capacity": "50", "root.b.capacity": "50",
		"root.a.maximum-applications": "2", "maximum-am-resource-percent": "1"} {
		fmt.Fprintf(&b, "<property><name>yarn.scheduler.capacity.%s</name><value>%s</value></property>\n", key, value)
	}
	b.WriteString("</configuration>\n")
	doc, err := yarnconf.Parse("two.xml", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	c.Doc = doc
	s, err := study.PrepareCase(t.Context(), c, study.Request{Objectives: []string{"mean-completion"},
		Options: tune.Options{Seed: 1, Budget: 40}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(context.Background(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := Summarise(s, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if sum.Finished.Present >= sum.Finished.Jobs || len(sum.Finished.Refused) == 0 || !strings.Contains(sum.Verdict,
		"refused or fail") {
		t.Fatalf("the current configuration refuses submissions: %+v, verdict %q", sum.Finished, sum.Verdict)
	}
	// Of 20 jobs of root.a, submitted at once, all but a few are turned down by its limit of 2.
	if of := sum.Verdict[strings.Index(sum.Verdict, "refused or fail"):]; !strings.Contains(of, "(refused: ") ||
		!strings.Contains(of, " jobs in root.a: root.a may have 2 applications at a time)") {
		t.Errorf("the verdict does not name queue and limit: %q", sum.Verdict)
	}
	refused := 0.0
	for _, f := range sum.Finished.Refused {
		refused += f.Present
		if f.Queue != "root.a" || !strings.Contains(f.Limit, "root.a may have 2 applications at a time") {
			t.Errorf("refusal %+v, want root.a's limit of 2", f)
		}
	}
	if want := float64(len(c.Work.Jobs)+1)/2 - 2; refused > want || refused < want/2 {
		t.Errorf("%v submissions refused per run, want at most %v and at least half of that", refused, want)
	}
	if _, err := json.Marshal(sum); err != nil {
		t.Error(err)
	}
	if text := readme(sum, nil); !strings.Contains(text, "root.a may have 2 applications") {
		t.Errorf("README.txt does not name the refusal:\n%s", text)
	}
}

// refusalCase is two nodes and forty jobs of two users, dealt over two queues, all
// submitted at once.
func refusalCase() *scenario.Case {
	node := simcore.Node{Cores: 8, Capacity: simcore.Vec{8192, 8}}
	c := &simcore.Cluster{Racks: []string{"/r"}, Nodes: []simcore.Node{node, node}}
	c.Nodes[0].Name, c.Nodes[1].Name = "n0", "n1"
	ask := simcore.Vec{1024, 1}
	w := &simcore.Workload{Name: "at once", Queues: []string{"root.a", "root.b"}, Users: []string{"u0", "u1"}}
	for i := range 40 {
		w.Jobs = append(w.Jobs, simcore.Job{ID: fmt.Sprintf("j%d", i), Queue: int32(i % 2), User: int32(i / 2 % 2),
			Class: -1, Maps: int32(1 + i%5), FirstTask: int32(len(w.Tasks.Duration)),
			Slowstart: -1, AMAsk: ask, MapAsk: ask, ReduceAsk: ask, MapDist: -1, ReduceDist: -1})
		for k := range 1 + i%5 {
			w.Tasks.Duration = append(w.Tasks.Duration, simcore.Time(2+(7*i+3*k)%30)*simcore.Second)
		}
	}
	return &scenario.Case{Cluster: c, Work: w, Calibration: yarn.Default()}
}
