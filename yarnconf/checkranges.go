package yarnconf

import "strings"

// valueRule is a warning about a number that a load takes. In its texts {v} stands for the
// number, {v/100} and {v*100} for a part and a multiple of it.
type valueRule struct {
	name              string // of the setting, for a queue and, if there is one, for all queues
	applies           func(v float64) bool
	rule, reason, fix string
}

// valueRules lists them; a load of 3.4 does not check these ranges.
var valueRules = []valueRule{
	{AMShare, func(v float64) bool { return v > 1 && v <= 100 }, "out-of-range",
		"{v} is taken as a fraction: must be between 0 and 1", "{v} % is written {v/100}"},
	{AMShare, func(v float64) bool { return v < 0 || v > 100 }, "out-of-range",
		"{v} is taken as a fraction: must be between 0 and 1", ""},
	{AMShare, func(v float64) bool { return v == 0 }, "one-application",
		"0 lets a queue run one application at a time", "0.1 is the default"},
	{"maximum-applications", func(v float64) bool { return v == 1 }, "one-application",
		"1 rejects every application while another one runs or waits", "max-parallel-apps 1 lets them wait"},
	{MinimumUser, func(v float64) bool { return v <= 0 }, "no-applications",
		"{v} allows a user no application, and every submission is refused: must be above 0, at most 100", ""},
	{MinimumUser, func(v float64) bool { return v > 100 }, "out-of-range", "{v}: must be above 0, at most 100", ""},
	{MinimumUser, func(v float64) bool { return v > 0 && v < 1 }, "percentage",
		"{v} is taken as a percentage, a part of one percent", "{v*100} % is written {v*100}"},
	{MaximumCapacity, func(v float64) bool { return v > 100 }, "out-of-range",
		"{v}: must be between the capacity and 100", ""},
	{MaximumCapacity, func(v float64) bool { return v < 0 && v != -1 }, "out-of-range",
		"{v}: must be between the capacity and 100, or -1 for 100", ""},
	{"max-parallel-apps", func(v float64) bool { return v <= 0 }, "no-applications",
		"{v} lets no application run: must be 1 or more", ""},
	{strings.TrimPrefix(OffSwitchLimit, Prefix), func(v float64) bool { return v < 1 }, "out-of-range",
		"{v} is taken as 1: must be 1 or more", ""},
	{strings.TrimPrefix(AssignLimit, Prefix), func(v float64) bool { return v == -1 }, "endless-assignment",
		"-1 can hang the ResourceManager: a container that its commit refuses is tried again without end",
		"100 is the default"},
	{strings.TrimPrefix(LocalityDelay, Prefix), func(v float64) bool { return v < -1 }, "out-of-range",
		"{v} reads as no delay: must be between -1 (no delay) and the number of nodes", ""},
}

// ranges looks at the numbers of a queue, or, with the path "", of all queues; maxima count where
// they are percentages.
func (k *checker) ranges(path string, percentages bool) {
	for _, r := range valueRules {
		key := Prefix + path + r.name
		if v, ok := k.number(key); ok && r.applies(v) && (percentages || r.name != MaximumCapacity) {
			text := strings.NewReplacer("{v}", plain(v), "{v/100}", plain(v/100), "{v*100}", plain(v*100))
			k.warn(r.rule, key, text.Replace(r.fix), "%s", text.Replace(r.reason))
		}
	}
}
