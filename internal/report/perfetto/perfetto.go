// Package perfetto writes traces that ui.perfetto.dev and chrome://tracing open:
// slices, instants and counters on tracks below named groups. It streams: memory
// grows with the number of tracks and names, not with that of events.
//
// The format is the JSON of the Trace Event Format: a group is a process, a track a thread
// of it; counters belong to their group by name.
package perfetto

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Track is a track or a group of a Writer; 0 is none.
type Track uint64

// Writer writes one trace. Times are microseconds from 0. On one track slices
// must nest: End closes the last Begin. Errors are kept and returned by Close.
type Writer struct {
	buf    *bufio.Writer
	zip    *gzip.Writer
	err    error
	tracks []track // by Track, from 1
	more   bool    // an event is written
}

type track struct {
	group Track
	name  string // of a counter
}

// event is one line of the trace.
type event struct {
	Kind     string         `json:"ph"`
	Group    Track          `json:"pid"`
	Track    Track          `json:"tid"`
	At       *int64         `json:"ts,omitempty"`
	Scope    string         `json:"s,omitempty"`
	Category string         `json:"cat,omitempty"`
	Name     string         `json:"name,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// Suffixes are the ends of file names that New knows.
func Suffixes() []string { return []string{".json", ".json.gz"} }

// New writes to w, compressed if the file's name ends in .gz.
func New(w io.Writer, name string) (*Writer, error) {
	out := &Writer{tracks: make([]track, 1)}
	plain := strings.TrimSuffix(name, ".gz")
	if !strings.HasSuffix(plain, ".json") {
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
	out.write("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n")
	return out, nil
}

// add returns a new track of a group; 0: it is one itself.
func (w *Writer) add(group Track, name string) Track {
	t := Track(len(w.tracks))
	if group == 0 {
		group = t
	}
	w.tracks = append(w.tracks, track{group, name})
	return t
}

// Group adds a named group of tracks.
func (w *Writer) Group(name string) Track { return w.named(0, "process_name", name) }

// Track adds a track of slices and instants to a group.
func (w *Writer) Track(group Track, name string) Track { return w.named(group, "thread_name", name) }

func (w *Writer) named(group Track, what, name string) Track {
	t := w.add(group, "")
	w.put(t, event{Kind: "M", Name: what, Args: map[string]any{"name": name}})
	return t
}

// Counter adds a track of one figure over time to a group.
func (w *Writer) Counter(group Track, name, unit string) Track {
	if unit != "" {
		name += " (" + unit + ")"
	}
	return w.add(group, name)
}

// Begin opens a slice, with named figures.
func (w *Writer) Begin(at int64, t Track, category, name string, figures map[string]any) {
	w.put(t, event{Kind: "B", At: &at, Category: category, Name: name, Args: figures})
}

// End closes the slice of a track that was opened last.
func (w *Writer) End(at int64, t Track) { w.put(t, event{Kind: "E", At: &at}) }

// Instant marks an instant.
func (w *Writer) Instant(at int64, t Track, category, name string) {
	w.put(t, event{Kind: "i", At: &at, Scope: "t", Category: category, Name: name})
}

// Count sets a counter.
func (w *Writer) Count(at int64, t Track, v int64) {
	w.put(t, event{Kind: "C", At: &at, Name: w.tracks[t].name, Args: map[string]any{"value": v}})
}

// put writes an event of a track.
func (w *Writer) put(t Track, e event) {
	e.Group, e.Track = w.tracks[t].group, t
	line, err := json.Marshal(e)
	if err != nil && w.err == nil {
		w.err = err
	}
	if w.more {
		w.write(",\n")
	}
	w.more = true
	w.write(string(line))
}

// Close ends the trace and returns the first error.
func (w *Writer) Close() error {
	w.write("\n]}\n")
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

func (w *Writer) write(text string) {
	if _, err := w.buf.WriteString(text); err != nil && w.err == nil {
		w.err = err
	}
}
