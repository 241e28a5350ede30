package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
)

// A saved classification with a million jobs is a text of several hundred megabytes, which would
// take gigabytes to read or write as one.

// OpenClasses reads a saved classification job by job, or passes over its jobs. Errors are *fileio.FileError.
func OpenClasses(path string, jobs bool) (*ClassesModel, error) {
	f, err := fileio.OpenBounded(path)
	if err != nil {
		return nil, fileio.OpenError(path, err, "")
	}
	defer f.Close()
	m := &ClassesModel{}
	if m.read(json.NewDecoder(fileio.Reader(f, fileio.Large)), jobs) != nil {
		m = &ClassesModel{}
		return m, fileio.OpenJSON(path, m) // says where the error lies
	}
	return m, fileio.In(path, m.Validate())
}

func (m *ClassesModel) read(dec *json.Decoder, jobs bool) error {
	head := map[string]json.RawMessage{}
	open, err := dec.Token()
	for err == nil && dec.More() {
		key, _ := dec.Token()
		if key == "jobs" {
			err = m.readJobs(dec, jobs)
			continue
		}
		var value json.RawMessage
		err = dec.Decode(&value)
		head[fmt.Sprint(key)] = value
	}
	if err == nil {
		_, err = dec.Token()
	}
	if err != nil || open != json.Delim('{') || dec.More() {
		return errors.Join(err, errUnexpected)
	}
	text, err := json.Marshal(head)
	return errors.Join(err, json.Unmarshal(text, m))
}

var errUnexpected = errors.New("not one object with a list of jobs")

func (m *ClassesModel) readJobs(dec *json.Decoder, keep bool) error {
	open, err := dec.Token()
	if open != json.Delim('[') {
		return errors.Join(err, errUnexpected)
	}
	for err == nil && dec.More() {
		var j *Facts
		if err = dec.Decode(&j); keep {
			m.Jobs = append(m.Jobs, j)
		}
	}
	if err == nil {
		_, err = dec.Token()
	}
	return err
}

// Write writes the model as JSON, job by job.
func (m *ClassesModel) Write(w io.Writer) error {
	head := *m
	head.Jobs = nil
	text, err := cli.EncodeJSON(head)
	if err != nil {
		return err
	}
	before, after, _ := bytes.Cut(text, []byte(`"jobs": []`))
	before = append(bytes.Clone(before), `"jobs": [`...)
	var job bytes.Buffer
	enc := json.NewEncoder(&job)
	enc.SetEscapeHTML(false)
	enc.SetIndent("    ", "  ")
	for _, j := range m.Jobs {
		job.Reset()
		if err := enc.Encode(j); err != nil {
			return err
		}
		before = append(append(before, "\n    "...), bytes.TrimSpace(job.Bytes())...)
		if _, err := w.Write(before); err != nil {
			return err
		}
		before = append(before[:0], ',')
	}
	_, err = w.Write(append([]byte("\n  ]"), after...))
	return err
}
