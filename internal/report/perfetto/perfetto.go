// Package perfetto writes traces that ui.perfetto.dev and chrome://tracing open:
// slices, instants and counters on tracks below named groups. It streams: memory
// grows with the number of tracks and names, not with that of events.
//
// The format is Perfetto's TracePacket (protos/perfetto/trace/trace_packet.proto,
// track_event/*.proto), or the JSON of the Trace Event Format.
package perfetto

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
)

// Track is a track or a group of a Writer; 0 is none.
type Track uint64

// Arg is a named figure of a slice or an instant.
type Arg struct {
	Name  string
	Value int64
}

// Writer writes one trace. Times are microseconds from 0. On one track slices
// must nest: End closes the last Begin. Errors are kept and returned by Close.
type Writer struct {
	format format
	buf    *bufio.Writer
	zip    *gzip.Writer
	err    error
	tracks Track
}

// format is one of the two ways of writing.
type format interface {
	start(w *Writer)
	group(w *Writer, t Track, name string)
	track(w *Writer, t, group Track, name string)
	counter(w *Writer, t, group Track, name, unit string)
	begin(w *Writer, at int64, t Track, category, name string, args []Arg)
	end(w *Writer, at int64, t Track)
	instant(w *Writer, at int64, t Track, category, name string, args []Arg)
	count(w *Writer, at int64, t Track, v int64)
	finish(w *Writer)
}

// Suffixes are the ends of file names that New knows.
func Suffixes() []string {
	return []string{".pftrace", ".pftrace.gz", ".json", ".json.gz"}
}

// New writes to w in the form that a file's name asks for: one of Suffixes, with
// .gz compressed.
func New(w io.Writer, name string) (*Writer, error) {
	out := &Writer{}
	plain := strings.TrimSuffix(name, ".gz")
	switch {
	case strings.HasSuffix(plain, ".pftrace"):
		out.format = &packets{names: map[string]uint64{}, categories: map[string]uint64{}, args: map[string]uint64{}}
	case strings.HasSuffix(plain, ".json"):
		out.format = &events{inGroup: map[Track]Track{}, counters: map[Track]string{}}
	default:
		return nil, fmt.Errorf("%s: a trace's name ends in %s", name, strings.Join(Suffixes(), ", "))
	}
	if plain != name {
		zip, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
		if err != nil {
			return nil, err
		}
		out.zip, w = zip, zip
	}
	out.buf = bufio.NewWriterSize(w, 1<<16)
	out.format.start(out)
	return out, nil
}

func (w *Writer) next() Track {
	w.tracks++
	return w.tracks
}

// Group makes a group of tracks.
func (w *Writer) Group(name string) Track {
	t := w.next()
	w.format.group(w, t, name)
	return t
}

// Track makes a track for slices and instants in a group.
func (w *Writer) Track(group Track, name string) Track {
	t := w.next()
	w.format.track(w, t, group, name)
	return t
}

// Counter makes a track for a number over time in a group; unit may be "".
func (w *Writer) Counter(group Track, name, unit string) Track {
	t := w.next()
	w.format.counter(w, t, group, name, unit)
	return t
}

// Begin opens a slice.
func (w *Writer) Begin(at int64, t Track, category, name string, args ...Arg) {
	w.format.begin(w, at, t, category, name, args)
}

// End closes the slice that was opened last on the track.
func (w *Writer) End(at int64, t Track) { w.format.end(w, at, t) }

// Instant marks a time.
func (w *Writer) Instant(at int64, t Track, category, name string, args ...Arg) {
	w.format.instant(w, at, t, category, name, args)
}

// Count sets a counter from a time on.
func (w *Writer) Count(at int64, t Track, v int64) { w.format.count(w, at, t, v) }

// Close ends the trace and returns the first error. It does not close the
// writer below.
func (w *Writer) Close() error {
	w.format.finish(w)
	if err := w.buf.Flush(); w.err == nil {
		w.err = err
	}
	if w.zip != nil {
		if err := w.zip.Close(); w.err == nil {
			w.err = err
		}
	}
	return w.err
}

func (w *Writer) write(b []byte) {
	if _, err := w.buf.Write(b); err != nil && w.err == nil {
		w.err = err
	}
}
