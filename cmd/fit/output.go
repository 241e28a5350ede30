package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/models"
	"schedtune/internal/text"
	"schedtune/trace"
)

// found is the result of a subcommand with its files.
type found struct {
	result interface{ Print(w io.Writer) error }
	files  []file
}

// file is one of the files of a subcommand, about which README.txt says a line.
type file struct {
	name string
	data any // []byte, func() []byte, func(io.Writer) error, or what is written as JSON
	what string
}

func (f *file) output() (out fileio.OutputFile, err error) {
	out.Name = f.name
	switch d := f.data.(type) {
	case []byte:
		out.Data = d
	case func() []byte:
		out.Data = d()
	case func(io.Writer) error:
		out.Write = d
	default:
		out.Data, err = cli.EncodeJSON(d)
	}
	return out, err
}

// newCmd returns a subcommand that computes a result from the flags that it declares, and
// writes it; an interruption ends the computation.
func newCmd(e *env, name, files string, declare func(fs *pflag.FlagSet), run func(e *env) (*found, error),
) *cobra.Command {
	var out cli.Output
	c := &cobra.Command{
		Use:  name,
		Args: cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return e.Into(&out, "fit", func(d *fileio.Dir) error {
				f, err := cli.Interruptible(c.Context(), func() (*found, error) { return run(e) })
				if err != nil {
					return err
				}
				return f.finish(e, d, out.Dir, name)
			})
		},
	}
	declare(c.Flags())
	cli.Group(c.Flags(), "Output", func(fs *pflag.FlagSet) {
		out.Flags(fs, strings.TrimPrefix(files+" and the summary", " and "), true)
	})
	return c
}

// finish prints the result and, with a folder given, writes it there beside the files of
// the subcommand.
func (f *found) finish(e *env, d *fileio.Dir, dir, command string) error {
	if d != nil {
		var text bytes.Buffer
		if err := f.result.Print(&text); err != nil {
			return err
		}
		about := "Written by fit " + command + ".\n\nsummary.txt   what fit printed\nsummary.json  the same as JSON\n"
		files := []fileio.OutputFile{{Name: "summary.txt", Data: text.Bytes()}}
		for _, x := range f.files {
			out, err := x.output()
			if err != nil {
				return err
			}
			about += fmt.Sprintf("%-12s  %s\n", x.name, x.what)
			files = append(files, out)
		}
		files = append(files, fileio.OutputFile{Name: "README.txt", Data: []byte(about)})
		if err := e.Publish(d, f.result, files); err != nil {
			return err
		}
		e.Notef("wrote %s", dir)
	}
	return e.Show(f.result, f.result.Print)
}

// readLogs calls read with the logs, of which "-" is standard input, shows how far they are read, and warns
// of what is wrong with them.
func readLogs(e *env, names []string, read func([]models.Source, models.Reading) (*models.Intake, error)) error {
	var list []models.Source
	size := int64(0) // of all, -1 if unknown
	for _, n := range names {
		if n == "-" {
			list, size = append(list, models.Source{Name: "stdin", R: e.Stdin}), -1
			continue
		}
		f, err := fileio.OpenBounded(n)
		if err != nil {
			return fileio.OpenError(n, err, "")
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && size >= 0 {
			size += info.Size()
		}
		list = append(list, models.Source{Name: n, R: f})
	}
	return showReading(e, size, func(reading models.Reading) (*models.Intake, error) { return read(list, reading) })
}

// logsOnce returns a usage error for a file that is given twice by a flag.
func logsOnce(flag string, names []string) error {
	if err := cli.StdinOnce(flag+" -", names...); err != nil {
		return err
	}
	if err := trace.Distinct(names); err != nil {
		return cli.Usagef("%s %w", flag, err)
	}
	return nil
}

// showReading shows the progress of what reads so many bytes, -1 if unknown, in MiB.
func showReading(e *env, total int64, read func(models.Reading) (*models.Intake, error)) error {
	const mib = 1 << 20
	if total >= 0 {
		total = total/mib + 1
	}
	p := e.NewProgress(total, "MiB")
	last := int64(-1)
	in, err := read(func(bytes int64) {
		if at := bytes / mib; at != last {
			last = at
			p.Set(at, "")
		}
	})
	p.Finish()
	if err == nil && in != nil {
		warnFaults(e, in)
	}
	return err
}

// warnFaults warns of unreadable rows, the first ones with their line numbers, and of
// repeated logs.
func warnFaults(e *env, in *models.Intake) {
	for _, f := range in.Faults {
		e.Warnf("%s", f)
	}
	if more := in.BadRows - int64(len(in.Faults)); more > 0 {
		e.Warnf("%d more unreadable rows", more)
	}
	for _, r := range in.Repeated {
		e.Warnf("%s", r)
	}
	e.Notes(in.Notes...)
	if in.Repeats > 0 {
		e.Warnf("%s the time of the node's last row: left out", text.CountAs(int(in.Repeats), "row has", "rows have"))
	}
	if n := in.Backwards; n > 0 {
		e.Warnf("%d rows are older than the node's previous one: the log is not in order of time, and the model may "+
			"be wrong", n)
	}
}
