package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// flagError turns what pflag says of a command line into a usage error in the
// form of all others: the flag, its value, what is allowed.
func flagError(err error) error {
	var value *pflag.InvalidValueError
	var none *pflag.ValueRequiredError
	switch {
	case errors.As(err, &value):
		return Usagef("--%s: %q; allowed: %s", value.GetFlag().Name, value.GetValue(), allowedValue(value.GetFlag()))
	case errors.As(err, &none):
		return Usagef("--%s: no value; allowed: %s", none.GetFlag().Name, allowedValue(none.GetFlag()))
	}
	return &UsageError{err}
}

// allowedValue says what a flag takes, by its type.
func allowedValue(f *pflag.Flag) string {
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

// OneOf refuses a flag's value that is not in a list.
func OneOf(flag, value string, allowed []string) error {
	if !slices.Contains(allowed, value) {
		return Usagef("%s: %q is unknown; allowed: %s", flag, value, strings.Join(allowed, ", "))
	}
	return nil
}

// StdinOnce refuses to read standard input a second time, when it is empty. what
// is how the message calls it, "-" or a flag with it.
func StdinOnce(what string, names ...string) error {
	if i := slices.Index(names, "-"); i >= 0 && slices.Contains(names[i+1:], "-") {
		return Usagef("%s is given twice; allowed: standard input once", what)
	}
	return nil
}
