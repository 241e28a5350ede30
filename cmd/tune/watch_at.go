package main

import (
	"fmt"
	"time"

	"schedtune/internal/rm"
	"schedtune/internal/timeofday"
	"schedtune/yarnconf"
)

// timetableWatch holds configurations by time of day: their activation is not drift.
type timetableWatch struct {
	at    atFlags
	sched *timeofday.Schedule
	files []fileAt
}

func (w *timetableWatch) read() (err error) {
	if w.at.on() {
		w.sched, w.files, err = w.at.read()
	}
	return err
}

// known returns the configurations that are active in turn.
func (w *timetableWatch) known() []yarnconf.Props {
	var out []yarnconf.Props
	for i := range w.files {
		out = append(out, w.files[i].doc)
	}
	return out
}

// drift reports that another file is active than the one that is due.
func (w *timetableWatch) drift(s *rm.State, now time.Time) []rm.Drift {
	if w.sched == nil || s.Config == nil {
		return nil
	}
	due := w.files[w.sched.InForce(now)]
	if rm.SameSettings(due.doc, s.Config) {
		return nil
	}
	found := "none of the files of --at"
	for i := range w.files {
		if rm.SameSettings(w.files[i].doc, s.Config) {
			found = w.files[i].path
		}
	}
	return []rm.Drift{{What: "timetable", Text: fmt.Sprintf("%s is active at %s instead of %s", found,
		now.In(w.sched.Zone).Format("Mon 15:04 MST"), due.path)}}
}

// notSearched is the verdict of a round with files by time of day.
const notSearched = "configurations by time of day are active: no search; use tune timetable"
