package fairconf

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"schedtune/internal/java"
	"schedtune/yarnconf"
)

// Limit is an amount that may be given as a share of the cluster.
type Limit struct {
	Percent     bool     // Shares count, else Amount
	Amount      Resource // as given
	MemoryShare float64  // 1 = all
	VCoresShare float64
}

// Of returns the amount on a cluster.
func (l Limit) Of(cluster Resource) Resource {
	if !l.Percent {
		return l.Amount
	}
	return Resource{
		Memory: yarnconf.Truncate(float64(cluster.Memory) * l.MemoryShare),
		VCores: truncate32(float64(cluster.VCores) * l.VCoresShare),
	}
}

// limitForms are the forms a resource may be written in.
const limitForms = `"X mb, Y vcores", "X%", "X% memory, Y% cpu" or "memory-mb=X, vcores=Y", each X and Y at least 0`

// parseLimit reads an amount; missing is what a named form leaves out.
func parseLimit(text string, missing int64) (Limit, error) {
	switch {
	case java.Trim(text) == "":
		return Limit{}, fmt.Errorf("empty")
	case strings.Contains(text, "="):
		return parseNamed(text, missing)
	case strings.Contains(text, "%"):
		return parseShares(strings.ToLower(text))
	}
	return parsePlain(strings.ToLower(text))
}

// places are where the amount and the share of memory, or of cores, stand.
func (l *Limit) places(memory bool) (amount *int64, share *float64) {
	if memory {
		return &l.Amount.Memory, &l.MemoryShare
	}
	return &l.Amount.VCores, &l.VCoresShare
}

// parseNamed reads "memory-mb=…, vcores=…". What an amount leaves out is
// missing; as cores, the original cuts that figure to 32 bits.
func parseNamed(text string, missing int64) (Limit, error) {
	l := Limit{Percent: strings.Contains(text, "%"), MemoryShare: 1, VCoresShare: 1}
	if !l.Percent {
		l.Amount = Resource{Memory: missing, VCores: int64(int32(missing))}
	}
	for _, part := range java.Split(text, ",") {
		kv := java.Split(part, "=")
		if len(kv) != 2 {
			return l, fmt.Errorf("%q is not name=value", java.Trim(part))
		}
		name, value := java.Trim(kv[0]), java.Trim(kv[1])
		if name != "memory-mb" && name != "vcores" {
			return l, fmt.Errorf("unknown resource %q", name)
		}
		amount, share := l.places(name == "memory-mb")
		if l.Percent {
			var err error
			if *share, err = percentage(percentOnly.FindStringSubmatch(value), value); err != nil {
				return l, err
			}
			continue
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 0 {
			return l, fmt.Errorf("%s=%s", name, value)
		}
		if *amount = n; name == "vcores" {
			*amount = min(n, math.MaxInt32)
		}
	}
	return l, nil
}

func percentage(m []string, value string) (float64, error) {
	if m == nil {
		return 0, fmt.Errorf("%q is not a percentage", java.Trim(value))
	}
	f, err := java.ParseFloat(m[1], 64)
	if f /= 100; err != nil || f < 0 {
		return 0, fmt.Errorf("%q is negative", java.Trim(value))
	}
	return f, nil
}

// parseShares reads "50%" or "50% memory, 30% cpu".
func parseShares(text string) (Limit, error) {
	values := java.Split(text, ",")
	if len(values) == 1 {
		f, err := percentage(percentOnly.FindStringSubmatch(java.Trim(values[0])), values[0])
		return Limit{Percent: true, MemoryShare: f, VCoresShare: f}, err
	}
	l := Limit{Percent: true}
	for _, what := range []string{"memory", "cpu"} {
		v, err := containing(values, what)
		if err != nil {
			return l, err
		}
		_, share := l.places(what == "memory")
		if *share, err = percentage(percentOf[what].FindStringSubmatch(v), v); err != nil {
			return l, err
		}
	}
	return l, nil
}

func containing(values []string, what string) (string, error) {
	for _, v := range values {
		if strings.Contains(v, what) {
			return java.Trim(v), nil
		}
	}
	return "", fmt.Errorf("%s is missing", what)
}

// parsePlain reads "1024 mb, 2 vcores", with or without the comma.
func parsePlain(text string) (Limit, error) {
	values := java.Split(text, ",")
	if len(values) != 2 {
		if values = oldSpaced.FindAllString(text, -1); len(values) != 2 {
			return Limit{}, fmt.Errorf("%q", java.Trim(text))
		}
	}
	var l Limit
	for i, what := range []string{"mb", "vcores"} {
		form := [...]*regexp.Regexp{oldMemory, oldVCores}[i]
		v, err := containing(values, what)
		if err != nil {
			return l, err
		}
		n := int64(-1)
		if m := form.FindStringSubmatch(v); m != nil {
			n, err = strconv.ParseInt(m[1], 10, 32)
		}
		if err != nil || n < 0 {
			return l, fmt.Errorf("%q", v)
		}
		amount, _ := l.places(what == "mb")
		*amount = n
	}
	return l, nil
}
