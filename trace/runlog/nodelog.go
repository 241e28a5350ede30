package runlog

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"schedtune/simcore"
)

// stamp is the time that begins a line of a log4j log (ISO8601), taken as UTC.
const stamp = "2006-01-02 15:04:05,000"

// stampLength is the length of such a time.
const stampLength = len(stamp)

// lineTime reads the time that begins a line of a log: milliseconds since 1970.
func lineTime(text string) (int64, error) {
	at, err := time.Parse(stamp, text[:min(len(text), stampLength)])
	if err != nil {
		return 0, fmt.Errorf("the line begins with %.*q: must be a time such as 2006-01-02 15:04:05,000", stampLength, text)
	}
	return at.UnixMilli(), nil
}

// Lines calls f for each line of a run's log that begins with a time: the time since
// t0 (milliseconds since 1970), and what follows it.
func Lines(dir, name string, t0 int64, f func(at simcore.Time, text string)) error {
	in, err := Open(dir, name)
	if err != nil {
		return err
	}
	defer in.Close()
	s := bufio.NewScanner(in)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		text := s.Text()
		if at, err := lineTime(text); err == nil && len(text) > stampLength {
			f(simcore.Time(at-t0)*simcore.Millisecond, text[stampLength+1:])
		}
	}
	if err := s.Err(); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
	}
	return nil
}

var nodeLine = regexp.MustCompile(`RMNodeImpl: (\S+) Node Transitioned from ([A-Z_]+) to ([A-Z_]+)`)

// NodeTurn reads a line of the ResourceManager's log in which a node comes to another
// state (RMNodeImpl): its address HOST:PORT and the states.
func NodeTurn(text string) (node, from, to string, ok bool) {
	if !strings.Contains(text, "Node Transitioned") {
		return "", "", "", false
	}
	m := nodeLine.FindStringSubmatch(text)
	if m == nil {
		return "", "", "", false
	}
	return m[1], m[2], m[3], true
}

// Log books a line of NodeTurn. A log may begin later than the node.
func (s *Stays) Log(at simcore.Time, from, to string) {
	if *s == nil {
		*s = Stays{}
		if from != "NEW" {
			s.Turn(min(at, 0), from)
		}
	}
	s.Turn(at, to)
}

// NodeStays reads when the ResourceManager had which node, by address HOST:PORT: from
// cluster-events.log, and from node-events.csv when a machine was gone that it missed
// later. Names are those of nodes.csv, by address. Without the log, or without a time
// zero, it is empty: nobody knows of a change.
func NodeStays(dir string, address map[string]string) (map[string]Stays, error) {
	out := map[string]Stays{}
	t0, err := Epoch(dir)
	if err != nil {
		return out, nil //nolint:nilerr // a folder without time zero has no log to be read either
	}
	err = Lines(dir, "cluster-events.log", t0, func(at simcore.Time, text string) {
		if node, from, to, ok := NodeTurn(text); ok {
			s := out[node]
			s.Log(at, from, to)
			out[node] = s
		}
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	err = Table(dir, "node-events.csv", nil, func(w *Row) error {
		if w.Str("op") != "lose" {
			return nil
		}
		at := w.At("t_ms")
		if s := out[address[w.Str("node")]].At(at); s != nil && s.Dead != simcore.Never {
			s.Dead = at
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return out, nil
}
