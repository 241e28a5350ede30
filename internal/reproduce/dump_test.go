package reproduce

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"
)

func TestDump(t *testing.T) {
	p := os.Getenv("PAPER")
	if p == "" {
		t.Skip()
	}
	s, err := Run(context.Background(), p, os.Getenv("TABLE"), Options{Seed: 1, Clock: func() time.Duration { return time.Duration(time.Now().UnixNano()) }})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range s {
		m, j := s.Count()
		fmt.Printf("== %s %s  %d/%d\n", s.ID, s.Title, m, j)
		for _, r := range s.Rows {
			fmt.Printf("%-60s %10.4g %10.4g [%.4g, %.4g] %s %s\n", r.What, r.Published, r.Ours.Mean, r.Ours.Low, r.Ours.High, r.Verdict, r.Note)
		}
	}
}
