package timeofday

import (
	"fmt"
	"time"

	"schedtune/internal/accuracy"
	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/trace"
)

// Clock puts dates on the time of a workload.
type Clock struct {
	Begin time.Time // of the workload's time 0, in the zone of the schedule
}

// At is the date of an instant.
func (c Clock) At(t simcore.Time) time.Time { return c.Begin.Add(t.Std()) }

// Of is the instant of a date.
func (c Clock) Of(t time.Time) simcore.Time { return simcore.Time(t.Sub(c.Begin).Microseconds()) }

// beginsLayout is how the date of the first submission is written.
const beginsLayout = "2006-01-02 15:04"

// dated are times that count from the epoch rather than from a trace's start.
var dated = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)

// NewClock reads the date of a case's first submission from its trace. begins is the
// date of the trace's start, "YYYY-MM-DD HH:MM" in the zone, for one whose times count
// from there. Errors: *inputs.FlagError of --begins where it is missing, or the trace
// has dates.
func NewClock(c *scenario.Case, zone *time.Location, begins string) (Clock, error) {
	wrong := func(format string, a ...any) (Clock, error) {
		return Clock{}, &scenario.FlagError{Flag: "--begins", Err: fmt.Errorf(format, a...)}
	}
	first := trace.Millis(0) // that is the workload's time 0
	if c.Recorded != nil {
		first = max(accuracy.FirstSubmission(c.Recorded), 0)
	}
	at := time.UnixMilli(int64(first)).In(zone)
	switch known := !at.Before(dated); {
	case known && begins != "":
		return wrong("%q, but the trace has dates: its first submission is at %s: must be absent", begins,
			at.Format(time.RFC3339))
	case known:
		return Clock{at}, nil
	case begins == "":
		return wrong("missing, and the trace has no dates; use the date of its start in --zone, YYYY-MM-DD HH:MM")
	}
	start, err := time.ParseInLocation(beginsLayout, begins, zone)
	if err != nil {
		return wrong("%q: must be YYYY-MM-DD HH:MM", begins)
	}
	return Clock{start.Add(time.Duration(first) * time.Millisecond)}, nil
}

// Day is one whole day of a workload: from midnight to midnight in the zone.
type Day struct {
	Date        time.Time    // midnight
	From, To    simcore.Time // on the workload's clock
	First, Last int          // its jobs by submission: [First, Last)
	HeldOut     bool
}

// days cuts a workload into its whole days with jobs. Every other one is held out:
// neither the rhythm nor the search sees it, and the gain is stated on these.
func (c Clock) days(w *simcore.Workload) []Day {
	if len(w.Jobs) == 0 {
		return nil
	}
	y, m, d := c.At(w.Jobs[0].Submit).Date()
	end := w.Jobs[len(w.Jobs)-1].Submit
	var out []Day
	next := 0
	for i := 0; ; i++ {
		day := Day{Date: time.Date(y, m, d+i, 0, 0, 0, 0, c.Begin.Location()), HeldOut: i%2 == 1}
		day.From, day.To = c.Of(day.Date), c.Of(time.Date(y, m, d+i+1, 0, 0, 0, 0, c.Begin.Location()))
		if day.From > end {
			return out
		}
		for next < len(w.Jobs) && w.Jobs[next].Submit < day.From {
			next++
		}
		for day.First = next; next < len(w.Jobs) && w.Jobs[next].Submit < day.To; next++ {
		}
		day.Last = next
		// The first and the last day count where the trace reaches to their ends but for
		// an hour.
		if day.From < -simcore.Hour || day.To > end+simcore.Hour || day.First == day.Last {
			continue
		}
		out = append(out, day)
	}
}
