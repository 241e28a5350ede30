package models

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"

	"schedtune/internal/fileio"
	"schedtune/internal/text"
)

// Source is one log to learn from.
type Source struct {
	Name string
	R    io.Reader
}

// Reading tells how far the reading is: bytes of all sources so far.
type Reading func(bytes int64)

// maxFaults is how many unreadable rows are kept with their text; the rest are only
// counted.
const maxFaults = 10

// Intake is what was read: it is part of every model made from a log.
type Intake struct {
	Rows      int64    `json:"rows"`     // read, bad ones included
	BadRows   int64    `json:"bad_rows"` // could not be read
	Faults    []string `json:"faults"`
	FirstTime text.Num `json:"first_time"` // seconds as in the log, null if not given
	LastTime  text.Num `json:"last_time"`
	Backwards int64    `json:"rows_back_in_time"` // earlier than the row of the same node before
	Repeats   int64    `json:"rows_repeated"`     // left out: the time of the node's row before
	SHA256    string   `json:"sha256"`            // of all bytes read, in order
	// Notes say which columns were left out, and what the log does not tell.
	Notes []string `json:"notes,omitempty"`
	// Repeated names logs that hold what an earlier one holds, byte for byte, and whose
	// rows are counted again.
	Repeated []string `json:"repeated"`
}

// stream reads rows of several logs with the same columns one after the other.
type stream struct {
	sources []Source
	at      int
	r       *Reader
	columns []string
	in      *Intake
	sum     hash.Hash         // of all logs
	own     hash.Hash         // of the current one
	rows    int64             // read before it
	seen    map[string]string // name of the first log with the content
	bytes   int64
	tell    Reading
	names   Names
	reads   columnUse
}

// openStream opens the first source; the columns are known after it.
func openStream(sources []Source, names Names, tell Reading) (*stream, error) {
	if len(sources) == 0 {
		return nil, errors.New("no log to read")
	}
	in := &Intake{FirstTime: text.Num(math.NaN()), LastTime: text.Num(math.NaN())}
	s := &stream{sources: sources, in: in, sum: sha256.New(), own: sha256.New(), seen: map[string]string{}, tell: tell,
		names: names}
	return s, s.open()
}

// use sets the columns that are read from here on, and which of them hold texts; before,
// with lenient, all are, and rows tell which of their fields are no numbers.
func (s *stream) use(reads columnUse) { s.reads, s.r.columnUse = reads, reads }

// Write counts and hashes what is read.
func (s *stream) Write(p []byte) (int, error) {
	s.bytes += int64(len(p))
	if s.tell != nil {
		s.tell(s.bytes)
	}
	s.own.Write(p)
	return s.sum.Write(p)
}

// ended notes a log that was read to its end, and whether it repeats an earlier one. Logs
// without rows count nothing.
func (s *stream) ended() {
	name, sum := s.sources[s.at].Name, string(s.own.Sum(nil))
	if earlier, twice := s.seen[sum]; !twice {
		s.seen[sum] = name
	} else if s.in.Rows > s.rows {
		s.in.Repeated = append(s.in.Repeated, fmt.Sprintf("%s holds what %s holds: its rows count twice: must be each "+
			"log once", name, earlier))
	}
	s.own.Reset()
	s.rows = s.in.Rows
}

func (s *stream) open() error {
	src := s.sources[s.at]
	r, err := NewReader(io.TeeReader(src.R, s), s.names)
	if err != nil {
		return fileio.In(src.Name, err)
	}
	if s.columns == nil {
		s.columns = r.Columns()
	} else if fmt.Sprint(s.columns) != fmt.Sprint(r.Columns()) {
		return &fileio.FileError{File: src.Name, Line: 1, Reason: fmt.Sprintf("columns %.100v: must be those of %s, %.200v",
			r.Columns(), s.sources[0].Name, s.columns)}
	}
	s.r = r
	s.use(s.reads)
	return nil
}

// next returns the next row, io.EOF after the last source. One that could not be read has
// Err, and perhaps the node.
func (s *stream) next() (*Row, error) {
	for {
		if s.at == len(s.sources) {
			return nil, io.EOF
		}
		row, err := s.r.Next()
		switch {
		case err == nil:
			s.in.Rows++
			row.File = s.sources[s.at].Name
			return row, nil
		case errors.Is(err, io.EOF):
			s.ended()
			if s.at++; s.at == len(s.sources) {
				s.in.SHA256 = hex.EncodeToString(s.sum.Sum(nil))
				return nil, io.EOF
			}
			if err := s.open(); err != nil {
				return nil, err
			}
		default:
			return nil, fileio.In(s.sources[s.at].Name, err)
		}
	}
}
