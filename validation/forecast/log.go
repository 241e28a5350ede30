package forecast

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	whole, err := l.read(path)
	if err != nil {
		return nil, err
	}
	if l.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644); err != nil {
		return nil, err
	}
	if err = l.file.Truncate(whole); err == nil {
		_, err = l.file.Seek(whole, io.SeekStart)
	}
	if err != nil {
		l.file.Close()
		return nil, err
	}
	return l, nil
}

// read takes the lines in and returns the length of what is whole.
func (l *Log) read(path string) (whole int64, err error) {
	f, err := fileio.OpenBounded(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	in := bufio.NewReader(fileio.Reader(f, fileio.Table))
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return whole, nil
		}
		if err != nil {
			return 0, err
		}
		var x logged
		if err := json.Unmarshal(line, &x); err != nil || x.Case == "" {
			return 0, fmt.Errorf("%s:%d: no judged case: %w", path, n, err)
		}
		if x.Came <= -math.MaxFloat64 {
			x.Came = math.Inf(-1)
		}
		if x.Code != l.code {
			l.Other++
		}
		l.Known[x.Case] = x.Outcome
		whole += int64(len(line))
	}
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
