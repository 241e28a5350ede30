package cli

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/fileio"
)

// flagError turns an error of pflag into a usage error that names the flag, its value and
// what the flag requires.
func flagError(c *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var none *pflag.ValueRequiredError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &unknown) && len(unknown.GetSpecifiedName()) > 1:
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		like := nearest(names, unknown.GetSpecifiedName())
		if like != "" {
			like = "; did you mean --" + like + "?"
		}
		return Usagef("--%s: unknown flag%s", unknown.GetSpecifiedName(), like)
	case errors.As(err, &value):
		var given *givenError
		if errors.As(err, &given) {
			err := fmt.Sprintf("--%s %q: %s", value.GetFlag().Name, value.GetValue(), given.reason)
			if given.kind {
				err += ": must be " + required(value.GetFlag())
			}
			return Usagef("%s", err)
		}
		return Usagef("--%s %q: must be %s", value.GetFlag().Name, value.GetValue(), required(value.GetFlag()))
	case errors.As(err, &none):
		return Usagef("--%s: needs a value, %s", none.GetFlag().Name, required(none.GetFlag()))
	}
	return &UsageError{err}
}

// given is the value of a flag as the command line gives it. It is not empty, since an empty
// variable of a script must not switch off what it names, and no flag, which follows where such a
// variable has no quotes; it is not given twice with different texts unless it is a list; and it is
// no folder where a file is required, nor a file where a folder is.
type given struct {
	pflag.Value
	flag *pflag.Flag
	text string // as given before
}

// givenError is why the command line may not give a value.
type givenError struct {
	reason string
	kind   bool // the message says what the flag requires
}

func (e *givenError) Error() string { return e.reason }

// Set checks the text and passes it on.
func (g *given) Set(text string) error {
	list := slices.Contains([]string{"stringArray", "stringSlice"}, g.Type())
	switch {
	case empty(text):
		return &givenError{"empty", true}
	case flagLike.MatchString(text):
		return &givenError{"is a flag and no value", true}
	case !list && g.flag.Changed && text != g.text:
		return &givenError{"also given as " + g.text, false}
	}
	if err := kindOfPath(g.flag, text); err != nil {
		return err
	}
	g.text = text
	return g.Value.Set(text)
}

// empty reports whether a text has nothing but separators.
func empty(text string) bool { return strings.Trim(text, " ,\t\r\n") == "" }

// flagLike are texts such as --quiet and -q; -1 and - are values.
var flagLike = regexp.MustCompile(`^-[-a-zA-Z]`)

// kindOfPath returns an error for a folder in place of a file or the other way round, as the
// placeholder of the flag tells.
func kindOfPath(f *pflag.Flag, path string) error {
	want, usage := pflag.UnquoteUsage(f)
	info, err := os.Stat(path)
	switch {
	case path == "-" && f.Name == "config":
		return &givenError{"standard input is not taken", true}
	case err != nil:
	case want == "FILE" && info.IsDir() && !strings.Contains(usage, "folder"):
		return &givenError{"is a folder", true}
	case want == "DIR" && !info.IsDir():
		return &givenError{"is a file", true}
	}
	return nil
}

// checkGiven has the values of all flags of a command checked as they are given.
func checkGiven(c *cobra.Command) {
	for _, fs := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
		fs.VisitAll(func(f *pflag.Flag) {
			if _, ok := f.Value.(*given); !ok {
				f.Value = &given{Value: f.Value, flag: f}
			}
		})
	}
}

// valueOf returns the value of a flag without the check.
func valueOf(f *pflag.Flag) pflag.Value {
	if g, ok := f.Value.(*given); ok {
		return g.Value
	}
	return f.Value
}

// required describes the values that a flag takes, by its type.
func required(f *pflag.Flag) string {
	if v, ok := valueOf(f).(interface{ required() string }); ok {
		return v.required()
	}
	if kind := kinds[f.Value.Type()]; kind != "" {
		return kind
	}
	switch f.Value.Type() {
	case "bool":
		return "true or false"
	case "stringSlice":
		return "a list separated by commas, with paired quotes"
	}
	name, _ := pflag.UnquoteUsage(f)
	switch name {
	case "FILE":
		return "a file"
	case "DIR":
		return "a folder"
	}
	return name
}

// StdinOnce returns a usage error if standard input, the name -, is to be read twice. what
// is how the message calls it, "-" or a flag with it.
func StdinOnce(what string, names ...string) error {
	if i := slices.Index(names, "-"); i >= 0 && slices.Contains(names[i+1:], "-") {
		return Usagef("%s is given twice: standard input can be read once", what)
	}
	return nil
}

// Seed declares the seed of what is drawn.
func Seed(fs *pflag.FlagSet, seed *uint64, of string) {
	const most = 1<<53 - 1 // what JSON readers keep exact
	Number(fs, seed, "seed", 1, Within[uint64](0, most), "seed `N` of "+of+"; the same seed and inputs give the same result")
}

// Output is the folder for the files that a command writes.
type Output struct {
	Dir     string // empty: no files are written
	Replace bool   // earlier results in Dir
	Restart bool   // drop what an unfinished run left
}

// Flags declares --out, and --replace and --restart for files that follow from the inputs.
func (o *Output) Flags(fs *pflag.FlagSet, files string, replaced bool) {
	fs.StringVarP(&o.Dir, "out", "o", "", "`DIR` for "+files)
	if replaced {
		fs.BoolVar(&o.Replace, "replace", false, "replace earlier results in --out")
		fs.BoolVar(&o.Restart, "restart", false, "discard the unfinished run saved beside --out and start over (--replace "+
			"also discards it if it belongs to another study)")
	}
}

// Into has work done with the new folder, which is known to be writable before it begins; work
// commits it. Work that fails leaves nothing behind. A finished folder of this program is
// refused unless it may be replaced or is the result of the same command, which leaves it as it
// is: then, as without a folder, work is called with nil.
func (e *Env) Into(o *Output, kind string, work func(*fileio.Dir) error) error {
	if o.Dir == "" {
		return work(nil)
	}
	d, err := fileio.OpenOutput(o.Dir, kind)
	if err != nil {
		return err
	}
	defer d.Close()
	if before, err := d.Earlier(fileio.Marker); err == nil && !o.Replace {
		differs := e.Run().Differs(before)
		if err := d.Discard(); err != nil {
			return err
		}
		if differs != "" {
			return fmt.Errorf("%s: contains the result of another command: %s; use another --out, or --replace", o.Dir, differs)
		}
		e.Notef("%s contains this result already", o.Dir)
		return work(nil)
	}
	if err := work(d); err != nil {
		return errors.Join(err, d.Discard())
	}
	return nil
}

// Publish publishes a folder with these files and a summary, which also marks it as ours.
func (e *Env) Publish(dir *fileio.Dir, summary any, files []fileio.OutputFile) error {
	text, err := e.Encode(summary)
	if err != nil {
		return err
	}
	return dir.Publish(append(files, fileio.OutputFile{Name: fileio.Marker, Data: text}))
}
