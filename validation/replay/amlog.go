package replay

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"schedtune/simcore"
	"schedtune/trace/runlog"
)

// masterBeat is one heartbeat of an application master at the ResourceManager,
// read from the AM's log.
type masterBeat struct {
	// Its log lines: that of the ask, written after the ResourceManager has answered,
	// or else the first; and the last, which a decision about reduces may write some
	// tens of milliseconds later.
	at, last simcore.Time
	maps     int32 // outstanding counts as sent; -1 = row not sent
	reduces  int32
	failed   int32 // maps at the priority of failed ones; -1 = row not sent
	releases []string
	done     int32 // finished maps that its decisions counted; -1 = not told
}

var (
	statLine = regexp.MustCompile(
		`(Before|After) Scheduling: PendingReds:\d+ ScheduledMaps:(\d+) ScheduledReds:(\d+)(?:.* CompletedMaps:(\d+))?`)
	askLine     = regexp.MustCompile(`: ask=(\d+) release=(\d+) newContainers=`)
	notAssigned = regexp.MustCompile(`(?:Cannot assign container|Releasing unassigned container) .*?(container_[0-9_]+)`)
)

// Ends of the lines about maps that are asked for like failed ones.
const (
	failedMap     = " to list of failed maps"
	failedMapRuns = "Assigned from earlierFailedMaps"
)

// masterLog reads the heartbeats of a job's AM. The asks follow from the
// counts of scheduled maps and reduces that the AM prints.
func (r *Run) masterLog(j *Job, t0 int64, mapRows int32) ([]masterBeat, error) {
	found, _ := filepath.Glob(filepath.Join(r.Dir, "am-logs", j.ID+".*")) // an id that is no pattern finds none
	var beats []masterBeat
	for _, path := range found {
		l := masterReader{sentMaps: -1, mapRows: mapRows}
		name := filepath.Join("am-logs", strings.TrimSuffix(filepath.Base(path), ".gz"))
		if err := runlog.Lines(r.Dir, name, t0, l.line); err != nil {
			return nil, err
		}
		if !j.oneOf {
			return l.beats, nil
		}
		for _, b := range l.beats {
			if b.at >= j.Registered && b.at <= j.Released {
				beats = append(beats, b)
			}
		}
	}
	if len(beats) == 0 {
		return nil, fmt.Errorf("%s: no log of %s: %w", r.path("am-logs"), j.ID, os.ErrNotExist)
	}
	return beats, nil
}

type masterReader struct {
	beats      []masterBeat
	maps, reds int32 // scheduled, as last printed
	sentMaps   int32
	mapRows    int32    // rows of a map request
	give       []string // containers to give back
	last       simcore.Time
	failed     int32 // maps at the priority of failed ones that wait
	touched    bool  // that row has changed
}

// sameBeat is the span within which the log lines of one heartbeat lie; two
// heartbeats are a second apart.
const sameBeat = 400 * simcore.Millisecond

func (l *masterReader) line(at simcore.Time, text string) {
	if strings.HasSuffix(text, failedMap) {
		l.failed, l.touched = l.failed+1, true
		return
	}
	if !strings.Contains(text, "[RMCommunicator Allocator]") {
		return
	}
	if len(l.beats) == 0 || at-l.last > sameBeat {
		l.beats = append(l.beats, masterBeat{at: at, maps: -1, reduces: -1, failed: -1, done: -1})
	}
	l.last = at
	l.beats[len(l.beats)-1].last = at
	if m := statLine.FindStringSubmatch(text); m != nil {
		l.maps, l.reds = max(count(m[2])-l.failed, 0), count(m[3])
		if m[1] == "After" && m[4] != "" {
			l.beats[len(l.beats)-1].done = count(m[4])
		}
		return
	}
	if strings.HasSuffix(text, failedMapRuns) {
		l.failed, l.touched = max(l.failed-1, 0), true
		return
	}
	if m := notAssigned.FindStringSubmatch(text); m != nil {
		l.give = append(l.give, m[1])
		return
	}
	if m := askLine.FindStringSubmatch(text); m != nil {
		l.ask(at, count(m[1]), m[2] != "0")
	}
}

func count(s string) int32 {
	n, _ := strconv.Atoi(s)
	return int32(n)
}

// ask books an ask of so many rows that went out. The rows of maps go out
// together when their count changed, that of reduces when it was touched, even
// if it came back to the old count; the number of rows tells which.
func (l *masterReader) ask(at simcore.Time, rows int32, releases bool) {
	b := &l.beats[len(l.beats)-1]
	b.at = at
	if rows > 0 && l.touched {
		b.failed, l.touched = l.failed, false
		rows--
	}
	if rows > 0 && l.maps != l.sentMaps && (l.maps > 0 || l.sentMaps > 0) {
		b.maps, l.sentMaps = l.maps, l.maps
		rows -= l.mapRows
	}
	if rows > 0 {
		b.reduces = l.reds
	}
	if releases {
		b.releases, l.give = l.give, nil
	}
}
