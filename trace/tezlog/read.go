package tezlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"

	"schedtune/internal/fileio"
	"schedtune/trace/internal/history"
)

// Bounds of what a source may make a reader hold.
const (
	headBytes = 1 << 16
	maxEntity = 64 << 20 // of JSON between the ends of two entities
	maxMillis = 1 << 50
)

// Reader puts the histories of applications together. The zero value is not ready.
type Reader struct {
	apps    map[string]*builder
	order   []*builder
	queries map[string]*query // by Hive's id
	notes   []Note
	strings fileio.Strings
	name    string // of the file being read
	line    int64
	records int // of the file being read, of those that are known
	allowed allowance
}

// NewReader returns a Reader of nothing yet.
func NewReader() *Reader {
	return &Reader{apps: map[string]*builder{}, queries: map[string]*query{}, strings: fileio.Strings{}}
}

// ErrNothing is returned for a file without any record of Tez or Hive.
var ErrNothing = errors.New("no record of a Tez application or of a Hive query")

// Read reads a text or a SequenceFile (unpacked by the caller) to its end; name is used in
// errors and notes. Records that are not valid are passed over with a note where the next
// can be found; a file that is cut off is read as far as it goes. Errors are
// *fileio.FileError.
func (r *Reader) Read(text io.Reader, name string) error {
	r.name, r.line, r.records = name, 0, 0
	b := bufio.NewReaderSize(text, headBytes)
	head, _ := b.Peek(headBytes)
	var err error
	switch {
	case IsSequence(head):
		err = r.sequence(b)
	case isDocument(head):
		r.allowed = allowance{b, maxEntity}
		err = r.document(json.NewDecoder(fileio.JSON(&r.allowed)))
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("the file ends inside an object; it is truncated (%w)", io.ErrUnexpectedEOF)
		}
	default:
		err = r.lines(b)
	}
	var known *fileio.FileError
	switch {
	case errors.As(err, &known):
		return err
	case err != nil:
		return &fileio.FileError{File: name, Line: r.line, Err: err}
	case r.records == 0:
		return &fileio.FileError{File: name, Err: ErrNothing}
	}
	return nil
}

var (
	entityKeys = map[string]bool{"entity": true, "entitytype": true, "entityType": true, "events": true, "otherinfo": true,
		"primaryfilters": true, "primaryFilters": true, "relatedEntities": true, "relatedentities": true}
	firstKey = regexp.MustCompile(`\A\s*\{\s*"(\w+)"`)
)

// allowance passes on so many bytes until it is renewed, and then fails.
type allowance struct {
	r    io.Reader
	left int
}

// Read implements io.Reader.
func (a *allowance) Read(p []byte) (int, error) {
	if a.left == 0 {
		return 0, &fileio.SizeError{Most: maxEntity}
	}
	n, err := a.r.Read(p[:min(len(p), a.left)])
	a.left -= n
	return n, err
}

// isDocument reports whether JSON is one document, not one of one line for each record.
func isDocument(head []byte) bool {
	m := firstKey.FindSubmatch(head)
	if m == nil || !entityKeys[string(m[1])] {
		return true
	}
	first, _, _ := bytes.Cut(bytes.TrimSpace(head), []byte("\n"))
	first = bytes.TrimRight(first, " \t\r")
	return len(first) > 0 && bytes.IndexByte([]byte("{[,"), first[len(first)-1]) >= 0
}

// lines reads the records of SimpleHistoryLoggingService, which U+0001 and a newline end.
func (r *Reader) lines(text io.Reader) error {
	l := fileio.NewLines(text, nil)
	for {
		line, whole, err := l.Next()
		r.line = l.Number()
		switch {
		case err == io.EOF:
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			r.note(1, Missing, "histories whose packed text is cut off: read as far as it goes")
			return nil
		case err != nil && !errors.Is(err, fileio.ErrLong):
			return err
		}
		line = bytes.Trim(line, " \t\r\x01")
		if len(line) == 0 && err == nil {
			continue
		}
		if err == nil {
			err = r.document(json.NewDecoder(fileio.JSON(bytes.NewReader(line))))
		}
		if !whole && (errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)) {
			r.note(1, Missing, "histories whose last record is cut off: the record is skipped")
		} else if err != nil {
			r.note(1, Dropped, "lines that are not records of Tez and were skipped")
		}
	}
}

// document walks over a JSON value and takes the entities in it, whatever lists and objects
// they lie in: an answer of the timeline server, a file of the Tez UI's archive.
func (r *Reader) document(dec *json.Decoder) error {
	tok, err := dec.Token()
	if err != nil {
		return err
	}
	open, _ := tok.(json.Delim)
	own := map[string]json.RawMessage{}
	for (open == '{' || open == '[') && dec.More() {
		if open == '{' {
			key, err := dec.Token()
			if err != nil {
				return err
			}
			if name, _ := key.(string); entityKeys[name] {
				var raw json.RawMessage
				if err := dec.Decode(&raw); err != nil {
					return err
				}
				own[name] = raw
				continue
			}
		}
		if err := r.document(dec); err != nil {
			return err
		}
	}
	if open == '{' || open == '[' {
		if _, err := dec.Token(); err != nil {
			return err
		}
	}
	r.allowed.left = maxEntity
	if own["entity"] == nil {
		return nil
	}
	return r.entity(own)
}

// entity takes the events of an entity.
func (r *Reader) entity(own map[string]json.RawMessage) error {
	var events []struct {
		TS        json.RawMessage `json:"ts"`        // SimpleHistoryLoggingService
		Timestamp json.RawMessage `json:"timestamp"` // ATS
		Type      string          `json:"eventtype"`
		Info      info            `json:"eventinfo"`
	}
	var id string
	f := fields{}
	for _, m := range []struct {
		key string
		to  any
	}{{"entity", &id}, {"events", &events}, {"otherinfo", &f.other}, {"primaryfilters", &f.filters},
		{"primaryFilters", &f.filters}} {
		if raw := own[m.key]; raw != nil {
			if err := json.Unmarshal(raw, m.to); err != nil {
				return errors.New("a member of an entity is of another type than Tez writes")
			}
		}
	}
	f.related = own["relatedEntities"]
	for _, e := range events {
		f.event = e.Info
		at := number(e.TS)
		if e.TS == nil {
			at = number(e.Timestamp)
		}
		r.record(id, e.Type, r.time(at), &f)
	}
	if len(events) == 0 {
		r.record(id, "", Unknown, &f)
	}
	return nil
}

// note counts a note by kind and text and keeps the place of the first.
func (r *Reader) note(count int, kind, text string) {
	r.notes = history.AddNote(r.notes, Note{Kind: kind, Text: text, Count: count, Where: history.Place(r.name, r.line)})
}

// Notes returns what is missing or odd in what was read so far.
func (r *Reader) Notes() []Note { return r.notes }

// time is an instant; Tez writes 0 or -1 for one that never came.
func (r *Reader) time(v int64) Millis {
	if v <= 0 {
		return Unknown
	}
	if v > maxMillis {
		r.note(1, Dropped, "times beyond the year 37000, taken as unknown")
		return Unknown
	}
	return Millis(v)
}
