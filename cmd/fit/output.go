package main

import (
	"bytes"
	"io"
	"strings"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/models"
	"schedtune/internal/text"
	"schedtune/trace"
)

// result is the result of a subcommand.
type result interface {
	Print(w io.Writer) error
}

// found is a result with the files of its subcommand; readme describes each file.
type found struct {
	result
	files  []fileio.OutputFile
	readme string
}

// finish prints the result and, with a folder given, writes it there beside the files of
// the subcommand. out is the folder's name.
func (f *found) finish(e *env, d *fileio.Dir, out string) error {
	if d != nil {
		if err := f.write(e, d); err != nil {
			return err
		}
		e.Notef("wrote %s", out)
	}
	if e.JSON {
		return e.WriteJSON(f.result)
	}
	return f.Print(e.Stdout)
}

func (f *found) write(e *env, d *fileio.Dir) error {
	var text bytes.Buffer
	if err := f.Print(&text); err != nil {
		return err
	}
	return e.Publish(d, f.result, append([]fileio.OutputFile{
		{Name: "summary.txt", Data: text.Bytes()},
		{Name: "README.txt", Data: []byte(f.readme)},
	}, f.files...))
}

// sources opens logs; "-" is standard input. The returned function closes
// them; bytes is their total size, -1 if unknown.
func sources(e *env, names []string) (list []models.Source, bytes int64, done func(), err error) {
	var open []*fileio.BoundedFile
	done = func() {
		for _, f := range open {
			f.Close()
		}
	}
	for _, n := range names {
		if n == "-" {
			list, bytes = append(list, models.Source{Name: "stdin", R: e.Stdin}), -1
			continue
		}
		f, err := fileio.OpenBounded(n)
		if err != nil {
			done()
			return nil, 0, nil, fileio.OpenError(n, err, "")
		}
		open = append(open, f)
		if info, err := f.Stat(); err == nil && bytes >= 0 {
			bytes += info.Size()
		}
		list = append(list, models.Source{Name: n, R: f})
	}
	return list, bytes, done, nil
}

// logsOnce returns a usage error for a log that is given twice.
func logsOnce(names []string) error {
	if err := cli.StdinOnce("--log -", names...); err != nil {
		return err
	}
	if err := trace.Distinct(names); err != nil {
		return cli.Usagef("--log %w", err)
	}
	return nil
}

// progress shows the progress of reading in MiB; the returned function receives the bytes
// read.
func progress(e *env, total int64) (*cli.Progress, models.Reading) {
	const mib = 1 << 20
	if total >= 0 {
		total = total/mib + 1
	}
	p := e.NewProgress(total, "MiB")
	last := int64(-1)
	return p, func(bytes int64) {
		if at := bytes / mib; at != last {
			last = at
			p.Set(at, "")
		}
	}
}

// warnFaults warns of unreadable rows, the first ones with their line numbers, and of
// repeated logs.
func warnFaults(e *env, in *models.Intake) {
	for _, f := range in.Faults {
		e.Warnf("%s", f)
	}
	if more := in.BadRows - int64(len(in.Faults)); more > 0 {
		e.Warnf("%d more bad rows", more)
	}
	for _, r := range in.Repeated {
		e.Warnf("%s", r)
	}
	for _, n := range in.Notes {
		e.Notef("%s", n)
	}
	if in.Repeats > 0 {
		e.Warnf("%s the time of the node's row before: left out", text.CountAs(int(in.Repeats), "row repeats", "rows repeat"))
	}
	if n := in.Backwards; n > 0 {
		e.Warnf("%d rows are older than the node's previous one: the log is not in order of time, and the model may "+
			"be wrong", n)
	}
}

// readme lists the files of a folder.
func readme(command string, lines ...string) string {
	return "Written by fit " + command + ".\n\nsummary.txt   what fit printed\nsummary.json  the same as JSON\n" +
		strings.Join(lines, "\n") + "\n"
}
