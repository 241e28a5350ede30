package cli

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError turns an error of pflag into a usage error that names the flag, its value and
// what the flag requires.
func flagError(c *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var none *pflag.ValueRequiredError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &unknown) && len(unknown.GetSpecifiedName()) > 1:
		like := ""
		if n := nearest(c, unknown.GetSpecifiedName()); n != "" {
			like = "; did you mean --" + n + "?"
		}
		return Usagef("--%s: unknown flag%s", unknown.GetSpecifiedName(), like)
	case errors.As(err, &value):
		return Usagef("--%s %q: must be %s", value.GetFlag().Name, value.GetValue(), required(value.GetFlag()))
	case errors.As(err, &none):
		return Usagef("--%s: needs a value, %s", none.GetFlag().Name, required(none.GetFlag()))
	}
	return &UsageError{err}
}

// required describes the values that a flag takes, by its type.
func required(f *pflag.Flag) string {
	if v, ok := f.Value.(interface{ required() string }); ok {
		return v.required()
	}
	if kind := kinds[f.Value.Type()]; kind != "" {
		return kind
	}
	switch f.Value.Type() {
	case "uint64":
		return "a whole number from 0 to 18446744073709551615"
	case "bool":
		return "true or false"
	case "stringSlice":
		return "a list separated by commas, with paired quotes"
	}
	name, _ := pflag.UnquoteUsage(f)
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
	fs.Uint64Var(seed, "seed", 1, "seed `N` of "+of+"; the same seed and inputs give the same result")
}

// Output declares the folder for the files that a command writes, and whether they replace
// earlier results there.
func Output(fs *pflag.FlagSet, dir *string, replace *bool, files string) {
	fs.StringVarP(dir, "out", "o", "", "`DIR` for "+files)
	if replace != nil {
		fs.BoolVar(replace, "replace", false, "replace earlier results in --out")
	}
}
