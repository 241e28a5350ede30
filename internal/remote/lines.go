package remote

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"schedtune/internal/fileio"
	"schedtune/tune"
)

// maxLine bounds one line of a batch file.
const maxLine = 16 << 20

// WriteItems writes one item per line.
func WriteItems(w io.Writer, study string, runs []tune.Item) error {
	b := bufio.NewWriter(w)
	for _, r := range runs {
		it, err := NewItem(study, r)
		if err != nil {
			return err
		}
		line, err := encode(it)
		if err != nil {
			return err
		}
		if _, err := b.Write(line); err != nil {
			return err
		}
	}
	return b.Flush()
}

// eachLine calls do with the lines that are not empty, and their numbers. A line may carry a key
// and a tab before its object (as Hadoop Streaming's NLineInputFormat puts the offset there).
func eachLine(in io.Reader, do func(n int, line []byte) error) error {
	sc := bufio.NewScanner(in)
	sc.Buffer(nil, maxLine)
	for n := 1; sc.Scan(); n++ {
		line := sc.Bytes()
		if at := bytes.IndexAny(line, "{\t"); at >= 0 {
			line = bytes.TrimPrefix(line[at:], []byte("\t"))
		}
		if len(line) > 0 {
			if err := do(n, line); err != nil {
				return err
			}
		}
	}
	return fileio.LongLine(sc.Err(), maxLine)
}

// RunLines is the worker of batch systems: items in, results out, a line each,
// in order; written by line, so that a killed worker loses only what it had not
// finished.
func RunLines(ctx context.Context, in io.Reader, out io.Writer, study string, run tune.Run) error {
	return eachLine(in, func(n int, line []byte) error {
		var it Item
		if err := json.Unmarshal(line, &it); err != nil {
			return fmt.Errorf("line %d of the work items: %w: must be written by tune plan", n, err)
		}
		if err := it.check(study); err != nil {
			return fmt.Errorf("items, line %d: %w", n, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		data, err := encode(Result{ID: it.ID, Outcome: safely(run, it.Run), Code: it.Code})
		if err == nil {
			_, err = out.Write(data)
		}
		return err
	})
}

// errGarbage marks a line of results that is no result.
var errGarbage = errors.New("no result of tune worker")

// ReadResults reads result lines; of several results of one item the first
// counts, for they are equal. Lines that are no results are reported with
// their number and left out.
func ReadResults(in io.Reader, metrics []string, into map[string]Result, bad func(line int, err error)) error {
	code, err := CodeID()
	if err != nil {
		return err
	}
	return eachLine(in, func(n int, line []byte) error {
		var r Result
		if err := json.Unmarshal(line, &r); err != nil || r.ID == "" {
			bad(n, errGarbage)
		} else if r.Code != code {
			bad(n, fmt.Errorf("a result of another program version (%.16q, this is %s)", r.Code, code))
		} else if err := plausible(r.Outcome, metrics); err != nil {
			bad(n, fmt.Errorf("a malformed result: %w", err))
		} else if _, ok := into[r.ID]; !ok {
			into[r.ID] = r
		}
		return nil
	})
}
