package main

import (
	"fmt"
	"time"

	"schedtune/internal/cli"
	"schedtune/internal/study"
	"schedtune/tune"
)

// bar shows a study's progress: in runs, or, where runs differ in what they cost, in
// parts of the work.
type bar struct {
	*cli.Progress
	levels bool
}

// workParts is the length of a bar of work.
const workParts = 100

func studyBar(e *env, s *study.Study, budget int) bar {
	if len(s.Problem.Levels) > 0 {
		return bar{e.NewProgress(workParts, "% of the work"), true}
	}
	return bar{e.NewProgress(int64(budget), "runs"), false}
}

// set shows how far the study is.
func (b bar) set(p tune.Progress, text string) {
	if !b.levels {
		b.SetTotal(int64(p.Budget))
		b.Set(int64(p.Runs), text)
		return
	}
	b.Set(int64(workParts*p.Share), fmt.Sprintf("run %d, about %v left, %s", p.Runs, p.Remaining.Round(time.Second), text))
}
