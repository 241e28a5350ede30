package remote

import (
	"bufio"
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

// WriteItems writes items as lines.
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

// RunLines is the worker of batch systems: items in, results out, a line each,
// in order; flushed by line, so that a killed worker loses only what it had not
// finished. A line may carry a key and a tab before the item (as Hadoop
// Streaming's NLineInputFormat puts the offset there).
func RunLines(ctx context.Context, in io.Reader, out io.Writer, study string, run tune.Run) error {
	sc := bufio.NewScanner(in)
	sc.Buffer(nil, maxLine)
	b := bufio.NewWriter(out)
	for n := 1; sc.Scan(); n++ {
		line := afterTab(sc.Bytes())
		if len(line) == 0 {
			continue
		}
		var it Item
		if err := json.Unmarshal(line, &it); err != nil {
			return fmt.Errorf("items, line %d: %w; use lines of tune plan", n, err)
		}
		if err := it.check(study); err != nil {
			return fmt.Errorf("items, line %d: %w", n, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		data, err := encode(Result{ID: it.ID, Outcome: safely(run, it.Run), Code: it.Code})
		if err != nil {
			return err
		}
		if _, err := b.Write(data); err != nil {
			return err
		}
		if err := b.Flush(); err != nil {
			return err
		}
	}
	return fileio.LongLine(sc.Err(), maxLine)
}

func afterTab(line []byte) []byte {
	for i, c := range line {
		switch c {
		case '{':
			return line[i:]
		case '\t':
			return line[i+1:]
		}
	}
	return line
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
	sc := bufio.NewScanner(in)
	sc.Buffer(nil, maxLine)
	for n := 1; sc.Scan(); n++ {
		line := afterTab(sc.Bytes())
		if len(line) == 0 {
			continue
		}
		var r Result
		if err := json.Unmarshal(line, &r); err != nil || r.ID == "" {
			bad(n, errGarbage)
			continue
		}
		if r.Code != code {
			bad(n, fmt.Errorf("a result of other code (%.16q, this is %s)", r.Code, code))
			continue
		}
		if err := plausible(r.Outcome, metrics); err != nil {
			bad(n, fmt.Errorf("a malformed result: %w", err))
			continue
		}
		if _, ok := into[r.ID]; !ok {
			into[r.ID] = r
		}
	}
	return fileio.LongLine(sc.Err(), maxLine)
}
