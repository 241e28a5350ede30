package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"schedtune/internal/fileio"

	"github.com/hamba/avro/v2"
)

// This file reads MapReduce job history files (.jhist). Line 1 names the
// encoding, line 2 holds the Avro schema, then come events: JSON objects in
// Avro's JSON encoding, or bare Avro datums without a container
// (Hadoop, mapreduce.jobhistory.EventReader). Both are brought to one generic
// form, a map of fields, in which unions are unwrapped.
//
// Container sizes and slowstart are not in the events. They come from the
// job's _conf.xml where that lies beside the file; sizes else from the counters
// MB_MILLIS_MAPS / MILLIS_MAPS and their like.

// event is one history event.
type event struct {
	kind   string
	fields fields
}

type fields map[string]any

func readJhist(in *input, t *Trace, n *notes) error {
	j, err := parseJhist(in, n)
	if err != nil {
		return err
	}
	t.Jobs = append(t.Jobs, *j)
	return nil
}

// parseJhist reads the one job of a history file.
func parseJhist(in *input, n *notes) (*Job, error) {
	b := jhistBuilder{notes: n, hosts: fileio.Strings{}, tasks: map[string]int{}, attempts: map[string]*Attempt{}}
	next, err := jhistEvents(in)
	if err != nil {
		return nil, err
	}
	for count := int64(1); ; count++ {
		ev, line, err := next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = b.add(ev)
		}
		if err != nil {
			return nil, jhistError(in.name, b.job.ID, line, count, err)
		}
	}
	return b.finish(in.name)
}

// jhistError names the line of a JSON event or the number of a binary one.
func jhistError(file, job string, line, count int64, err error) error {
	var e *Error
	if errors.As(err, &e) {
		err = e.Err
	}
	if line == 0 {
		err = fmt.Errorf("event %d: %w", count, err)
	}
	return &Error{File: file, Line: line, Key: job, Err: err}
}

// jhistEvents reads the two header lines and returns the event reader.
func jhistEvents(in *input) (func() (*event, int64, error), error) {
	r := bufio.NewReaderSize(in, 1<<16)
	encoding, err := headerLine(r)
	if err != nil {
		return nil, in.at(1, fmt.Errorf("reading the encoding: %w", err))
	}
	schema, err := headerLine(r)
	if err != nil {
		return nil, in.at(2, fmt.Errorf("reading the schema: %w", err))
	}
	const events = "org.apache.hadoop.mapreduce.jobhistory"
	var s struct{ Name, Namespace string }
	if json.Unmarshal([]byte(schema), &s) == nil && s.Namespace != "" && s.Namespace != events {
		return nil, in.at(2, &foreignError{s.Namespace + "." + s.Name})
	}
	switch encoding {
	case "Avro-Json":
		return jsonEvents(r), nil
	case "Avro-Binary":
		return binaryEvents(in, r, schema)
	}
	return nil, in.at(1, fmt.Errorf("encoding %q: must be Avro-Json or Avro-Binary", clip(encoding)))
}

func headerLine(r *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return strings.TrimSpace(string(line)), nil
		case err != bufio.ErrBufferFull || len(line) > maxLine:
			if err == io.EOF {
				err = errors.New("the file ends in its header; it is truncated")
			}
			return "", fileio.LongLine(err, maxLine)
		}
	}
}

// jsonEvents reads one event per line; blank lines part them.
func jsonEvents(r io.Reader) func() (*event, int64, error) {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 1<<16), maxLine)
	line := int64(2)
	return func() (*event, int64, error) {
		for s.Scan() {
			line++
			text := bytes.TrimSpace(s.Bytes())
			if len(text) == 0 {
				continue
			}
			var raw struct {
				Type  string
				Event map[string]fields
			}
			if err := json.Unmarshal(text, &raw); err != nil {
				if strings.Contains(err.Error(), "unexpected end") {
					err = io.ErrUnexpectedEOF
				}
				return nil, line, describe(err)
			}
			for _, f := range raw.Event { // one entry: the union's branch
				return &event{raw.Type, f}, line, nil
			}
			return nil, line, errors.New("an event without a body")
		}
		if err := s.Err(); err != nil {
			return nil, line + 1, err
		}
		return nil, line, io.EOF
	}
}

// binaryEvents decodes datums that follow one another.
func binaryEvents(in *input, r io.Reader, schema string) (func() (*event, int64, error), error) {
	parsed, err := avro.ParseWithCache(schema, "", &avro.SchemaCache{})
	if err != nil {
		return nil, in.at(2, fmt.Errorf("the Avro schema is not valid: %w", err))
	}
	dec := avro.NewDecoderForSchema(parsed, r)
	return func() (*event, int64, error) {
		var v any
		err := dec.Decode(&v)
		if err != nil {
			if err != io.EOF {
				err = fmt.Errorf("damaged or truncated: %w", err)
			}
			return nil, 0, err
		}
		m, ok := v.(map[string]any)
		if !ok {
			return nil, 0, errors.New("the schema does not describe history events")
		}
		kind, _ := m["type"].(string)
		body, ok := unwrap(m["event"]).(map[string]any)
		if !ok {
			return nil, 0, errors.New("an event without a body")
		}
		return &event{kind, body}, 0, nil
	}, nil
}

// unwrap takes the value out of a union, which both encodings write as a map
// with the branch's type name as its only key.
func unwrap(v any) any {
	if m, ok := v.(map[string]any); ok && len(m) == 1 {
		for k, x := range m {
			switch k {
			case "string", "int", "long", "boolean", "float", "double", "array", "map":
				return x
			}
			if strings.Contains(k, ".") {
				return x
			}
		}
	}
	return v
}

func (f fields) str(name string) string {
	switch v := unwrap(f[name]).(type) {
	case string:
		return v
	case *string:
		if v != nil {
			return *v
		}
	}
	return ""
}

// num returns an integer field, or Unknown.
func (f fields) num(name string) int64 {
	return max(Unknown, f.signed(name))
}

func (f fields) signed(name string) int64 {
	switch v := unwrap(f[name]).(type) {
	case float64:
		if v > -1<<62 && v < 1<<62 {
			return int64(v)
		}
	case int64:
		return v
	case int32:
		return int64(v)
	case int:
		return int64(v)
	}
	return Unknown
}

// millis is a time as it stands; Trace.finish takes what is below 0 as unknown.
func (f fields) millis(name string) Millis { return Millis(f.signed(name)) }

// counters flattens the groups of a counters field; names are unique among
// the groups that matter here.
func (f fields) counters(name string) map[string]int64 {
	c, _ := unwrap(f[name]).(map[string]any)
	groups, _ := c["groups"].([]any)
	out := map[string]int64{}
	for _, g := range groups {
		group, _ := g.(map[string]any)
		list, _ := group["counts"].([]any)
		for _, x := range list {
			if m, ok := x.(map[string]any); ok {
				out[fields(m).str("name")] = fields(m).num("value")
			}
		}
	}
	return out
}
