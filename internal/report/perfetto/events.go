package perfetto

import (
	"encoding/json"
	"strconv"
)

// events writes the Trace Event Format: one JSON object per event. A group is a
// process, a track a thread of it; counters belong to their group by name.
type events struct {
	inGroup  map[Track]Track  // of a track
	counters map[Track]string // names of counter tracks
	line     []byte
	more     bool
}

func (e *events) start(w *Writer)  { w.write([]byte("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n")) }
func (e *events) finish(w *Writer) { w.write([]byte("\n]}\n")) }

// open begins an event of a kind on a track.
func (e *events) open(kind string, t Track) {
	e.line = e.line[:0]
	if e.more {
		e.line = append(e.line, ",\n"...)
	}
	e.more = true
	e.line = append(e.line, `{"ph":"`...)
	e.line = append(e.line, kind...)
	group, ok := e.inGroup[t]
	if !ok {
		group = t
	}
	e.line = strconv.AppendUint(append(e.line, `","pid":`...), uint64(group), 10)
	e.line = strconv.AppendUint(append(e.line, `,"tid":`...), uint64(t), 10)
}

func (e *events) time(at int64) {
	e.line = strconv.AppendInt(append(e.line, `,"ts":`...), at, 10)
}

func (e *events) text(key, v string) {
	b, err := json.Marshal(v)
	if err != nil { // a string always has a JSON form
		b = []byte(`""`)
	}
	e.line = append(append(append(append(e.line, `,"`...), key...), `":`...), b...)
}

func (e *events) close(w *Writer) { w.write(append(e.line, '}')) }

func (e *events) meta(w *Writer, t Track, what, name string) {
	e.open("M", t)
	e.text("name", what)
	e.line = append(e.line, `,"args":{"name":`...)
	b, err := json.Marshal(name)
	if err != nil {
		b = []byte(`""`)
	}
	e.line = append(append(e.line, b...), '}')
	e.close(w)
}

func (e *events) group(w *Writer, t Track, name string) { e.meta(w, t, "process_name", name) }

func (e *events) track(w *Writer, t, group Track, name string) {
	e.inGroup[t] = group
	e.meta(w, t, "thread_name", name)
}

func (e *events) counter(_ *Writer, t, group Track, name, unit string) {
	if unit != "" {
		name += " (" + unit + ")"
	}
	e.inGroup[t], e.counters[t] = group, name
}

func (e *events) figures(args []Arg) {
	if len(args) == 0 {
		return
	}
	e.line = append(e.line, `,"args":{`...)
	for i, a := range args {
		if i > 0 {
			e.line = append(e.line, ',')
		}
		e.line = strconv.AppendInt(append(strconv.AppendQuote(e.line, a.Name), ':'), a.Value, 10)
	}
	e.line = append(e.line, '}')
}

func (e *events) begin(w *Writer, at int64, t Track, category, name string, args []Arg) {
	e.open("B", t)
	e.time(at)
	e.text("cat", category)
	e.text("name", name)
	e.figures(args)
	e.close(w)
}

func (e *events) end(w *Writer, at int64, t Track) {
	e.open("E", t)
	e.time(at)
	e.close(w)
}

func (e *events) instant(w *Writer, at int64, t Track, category, name string, args []Arg) {
	e.open("i", t)
	e.time(at)
	e.text("s", "t")
	e.text("cat", category)
	e.text("name", name)
	e.figures(args)
	e.close(w)
}

func (e *events) count(w *Writer, at int64, t Track, v int64) {
	e.open("C", t)
	e.time(at)
	e.text("name", e.counters[t])
	e.figures([]Arg{{"value", v}})
	e.close(w)
}
