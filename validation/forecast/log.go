package forecast

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"

	"schedtune/internal/fileio"
)

// A log keeps judged cases, one JSON object a line, so that a judgement that was
// stopped goes on where it was, and says which code judged what.

// logged is one line.
type logged struct {
	Code string `json:"code"` // of the code that judged it, see remote.CodeID
	Outcome
}

// Log is a file of judged cases.
type Log struct {
	file *os.File
	code string
	// Known are the outcomes that were in the file, by the case's name.
	Known map[string]Outcome
	// Other counts those that other code has judged.
	Other int
}

// OpenLog reads a log, or begins one, for judgements by the code of that name. A
// line that was torn at the end is dropped.
func OpenLog(path, code string) (*Log, error) {
	l := &Log{code: code, Known: map[string]Outcome{}}
	data, err := fileio.ReadFile(path, fileio.Table)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	whole, n := bytes.LastIndexByte(data, '\n')+1, 0
	for line := range bytes.Lines(data[:whole]) {
		n++
		var x logged
		if err := json.Unmarshal(line, &x); err != nil || x.Case == "" {
			return nil, fmt.Errorf("%s:%d: no judged case: %w", path, n, err)
		}
		if x.Came <= -math.MaxFloat64 {
			x.Came = math.Inf(-1)
		}
		if x.Code != l.code {
			l.Other++
		}
		l.Known[x.Case] = x.Outcome
	}
	if l.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644); err != nil {
		return nil, err
	}
	if err := l.file.Truncate(int64(whole)); err != nil {
		return nil, errors.Join(err, l.file.Close())
	}
	return l, nil
}

// Add writes an outcome that the file does not have.
func (l *Log) Add(o *Outcome) error {
	if _, ok := l.Known[o.Case]; ok {
		return nil
	}
	line, err := json.Marshal(logged{l.code, Finite([]Outcome{*o})[0]})
	if err != nil {
		return err
	}
	_, err = l.file.Write(append(line, '\n'))
	return err
}

// Close closes the file.
func (l *Log) Close() error { return l.file.Close() }
