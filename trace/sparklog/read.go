package sparklog

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"schedtune/internal/fileio"
	"schedtune/trace/internal/history"
)

// Reader reads the log of one attempt of one application, in one piece or in
// the parts of a rolling log.
type Reader struct {
	app  App
	name string // of the file being read
	line int64

	execs    map[string]int32   // by id, into app.Executors
	stages   map[stageKey]int32 // into app.Stages
	jobs     map[int32]int32    // by id, into app.Jobs
	jobOf    map[int32]int32    // stage id to the id of the first job that names it
	planned  map[int32]int32    // stage id to index into app.Skipped
	ran      map[int32]bool     // stage ids that were submitted
	barriers map[stageKey]bool  // stages with a barrier
	caches   map[int32]int32    // RDD id, into app.Caches
	profiles map[int32]int32    // by id, into app.Profiles
	unknown  map[string]int64
	strings  fileio.Strings
	dropped  []int32 // data sets unpersisted since the last job
	last     int32   // stage of the last task, into app.Stages
	started  bool    // the application's start has been read
	second   *fileio.FileError
	back     map[Millis]Note // events that are older than one before, by the time of that
}

type stageKey struct{ id, attempt int32 }

// NewReader returns a Reader of nothing yet.
func NewReader() *Reader {
	return &Reader{
		app:   App{Start: Unknown, Ready: Unknown, End: Unknown, Last: Unknown},
		execs: map[string]int32{}, stages: map[stageKey]int32{}, jobs: map[int32]int32{}, jobOf: map[int32]int32{},
		planned: map[int32]int32{}, ran: map[int32]bool{}, barriers: map[stageKey]bool{}, caches: map[int32]int32{},
		profiles: map[int32]int32{}, back: map[Millis]Note{},
		unknown: map[string]int64{}, strings: fileio.Strings{}, last: -1,
	}
}

// Read reads a plain text (unpacked by the caller) to its end; name is used in
// notes. The parts of a rolling log are read one after another. A line that is
// not valid is passed over with a note; text that stops inside a packed block,
// as the log of a running application does, ends the part with a note. Other
// faults of the source are returned, and that a second application starts in the
// log, after which nothing is known to be of the first. Errors are *fileio.FileError.
func (r *Reader) Read(text io.Reader, name string) error {
	if r.execs == nil {
		*r = *NewReader() // the zero value
	}
	l := fileio.NewLines(text, unusedLine)
	r.name = name
	for {
		line, whole, err := l.Next()
		r.line = l.Number()
		switch {
		case err == io.EOF:
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			r.note(Missing, "logs whose packed text is cut off: read as far as it goes")
			return nil
		case errors.Is(err, fileio.ErrLong):
			r.app.Events.Lines++
			r.broken(err)
			continue
		case err != nil:
			return &fileio.FileError{File: name, Line: l.Number() + 1, Err: err}
		}
		r.app.Events.Lines++
		if !whole && fault(line) == errCut {
			r.app.Events.Broken++
			r.note(Missing, "logs whose last line is cut off: the line is skipped")
			continue
		}
		if err := r.event(line); err != nil {
			r.broken(err)
		}
		if r.second != nil {
			return r.second
		}
	}
}

// broken notes a line that was passed over.
func (r *Reader) broken(err error) {
	r.app.Events.Broken++
	r.note(Dropped, "lines that are not events (%v) and were skipped", err)
}

// event takes in one line.
func (r *Reader) event(line []byte) error {
	line = bytes.TrimRight(line, " \t\r")
	if len(line) == 0 {
		return nil
	}
	name := eventName(line)
	if name == nil {
		var err error
		if name, err = eventAnywhere(line); err != nil {
			return err
		}
	}
	core := coreName(name)
	switch {
	case events[string(core)] != nil:
		err := events[string(core)](r, line)
		if err == nil {
			r.app.Events.Read++
		}
		return err
	case exclusions[string(core)]:
		r.note(Dropped, "executors and nodes that take no tasks after failures (excludeOnFailure): simulated as if they "+
			"took them")
		r.app.Events.Other++
	case tellNothing[string(core)] || startsWithAny(string(name), otherPackages):
		r.app.Events.Other++
	default:
		r.app.Events.Unknown++
		if _, seen := r.unknown[string(name)]; seen || len(r.unknown) < mostNames {
			r.unknown[string(name)]++
		}
	}
	return nil
}

// mostNames bounds the unknown names that are counted singly.
const mostNames = 1000

// note counts a note by kind and text and keeps the place of the first.
func (r *Reader) note(kind, format string, args ...any) {
	r.app.Notes = history.AddNote(r.app.Notes, Note{Kind: kind, Text: fmt.Sprintf(format, args...), Count: 1,
		Where: fmt.Sprintf("%s:%d", r.name, r.line)})
}

// at is seen for the time of an event.
func (r *Reader) at(n num) Millis { return r.seen(Millis(n.Or(Unknown))) }

// seen notes the time of an event and a clock that goes back.
func (r *Reader) seen(t Millis) Millis {
	if t <= 0 {
		return Unknown
	}
	if t > maxMillis {
		r.note(Dropped, "times beyond the year 37000, taken as unknown")
		return Unknown
	}
	if r.app.Last.Known() && t < r.app.Last-clockSlack {
		r.wentBack()
	}
	r.app.Last = max(r.app.Last, t)
	return t
}

// wentBack notes that an event is older than the latest before.
func (r *Reader) wentBack() {
	n, known := r.back[r.app.Last]
	if !known && len(r.back) == mostNames {
		return
	}
	if !known {
		n = Note{Kind: Assumed, Where: fmt.Sprintf("%s:%d", r.name, r.line), Text: "events more than a minute older than " +
			"those before: the clock was set back; times are kept as they are"}
	}
	n.Count++
	r.back[r.app.Last] = n
}

const (
	clockSlack = 60_000  // ms; listeners deliver the events of several threads
	maxMillis  = 1 << 50 // ms
)

// App closes the reading and returns what was read; the Reader must not be
// used again. It returns nil where no line was an event of an application.
func (r *Reader) App() *App {
	a := &r.app
	if a.Events.Read == 0 {
		return nil
	}
	for n, c := range r.unknown {
		a.Events.Names = append(a.Events.Names, EventCount{n, c})
	}
	slices.SortFunc(a.Events.Names, func(x, y EventCount) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Name, y.Name))
	})
	slices.SortFunc(a.Caches, func(x, y Cache) int { return cmp.Compare(x.RDD, y.RDD) })
	r.dropOutside()
	for i, from := range slices.Sorted(maps.Keys(r.back)) {
		if i == 0 {
			a.Notes = append(a.Notes, r.back[from])
		} else {
			a.Notes[len(a.Notes)-1].Count += r.back[from].Count
		}
	}
	r.dropRan()
	r.dropRepeated()
	r.complete()
	return a
}
