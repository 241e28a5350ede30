package cli

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError turns what pflag says of a command line into a usage error in the
// form of all others: the flag, its value, what is allowed.
func flagError(c *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var none *pflag.ValueRequiredError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &unknown) && len(unknown.GetSpecifiedName()) > 1:
		like := "the flags that " + c.CommandPath() + " -h lists"
		if n := nearest(c, unknown.GetSpecifiedName()); n != "" {
			like += ", such as --" + n
		}
		return Usagef("--%s: is unknown; allowed: %s", unknown.GetSpecifiedName(), like)
	case errors.As(err, &value):
		unknown := ""
		if _, ok := value.GetFlag().Value.(*choiceValue); ok {
			unknown = " is unknown"
		}
		return Usagef("--%s: %q%s; allowed: %s", value.GetFlag().Name, value.GetValue(), unknown, allowedValue(value.GetFlag()))
	case errors.As(err, &none):
		return Usagef("--%s: no value; allowed: %s", none.GetFlag().Name, allowedValue(none.GetFlag()))
	}
	return &UsageError{err}
}

// allowedValue says what a flag takes, by its type.
func allowedValue(f *pflag.Flag) string {
	if v, ok := f.Value.(interface{ Allowed() string }); ok {
		return v.Allowed()
	}
	switch f.Value.Type() {
	case "uint64":
		return "a whole number from 0 to 18446744073709551615"
	case "int", "int64":
		return "a whole number"
	case "float64":
		return "a number"
	case "duration":
		return "a duration such as 30s, 5m or 1h30m"
	case "bool":
		return "true, false"
	case "stringSlice":
		return "values with commas between them, quotes in pairs"
	}
	name, _ := pflag.UnquoteUsage(f)
	return name
}

// StdinOnce refuses to read standard input a second time, when it is empty. what
// is how the message calls it, "-" or a flag with it.
func StdinOnce(what string, names ...string) error {
	if i := slices.Index(names, "-"); i >= 0 && slices.Contains(names[i+1:], "-") {
		return Usagef("%s is given twice; allowed: standard input once", what)
	}
	return nil
}
