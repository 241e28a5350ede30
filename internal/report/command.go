package report

import (
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/study"
)

// commandLine is the command that does the study again: every flag that decides what
// comes out, where it is not at its default.
func commandLine(q *study.Request) string {
	c := command{text: "tune"}
	c.add("objective", strings.Join(q.Objectives, ","))
	in := &q.Inputs
	c.add("config", in.Config)
	c.add("site", in.Site)
	c.add("cluster", in.Cluster)
	for _, t := range in.Traces {
		c.add("trace", t)
	}
	c.add("queue-map", in.QueueMap)
	c.add("groups", in.Groups)
	c.number("users", in.Users)
	c.add("hadoop", in.Hadoop)
	c.add("calibration", in.Calibration)
	if in.Embedded {
		c.text += " --embedded"
	}
	for _, l := range q.Constraints {
		c.add("constraint", l)
	}
	if !slices.ContainsFunc(q.Constraints, func(l string) bool {
		return strings.HasPrefix(strings.TrimSpace(l), study.ProtectedMetric)
	}) {
		c.add("protect", "off") // or it would be there
	}
	c.add("params", strings.Join(q.Params, ","))
	if q.Options.TimeBudget > 0 {
		c.add("budget", q.Options.TimeBudget.String())
	} else {
		c.number("budget", q.Options.Budget)
	}
	c.number("patience", q.Options.Patience)
	c.add("sampler", q.Options.Method)
	c.number("workloads", q.Workloads)
	c.number("windows", q.Windows)
	if q.TimeLimit != study.DefaultTimeLimit {
		c.add("time-limit", q.TimeLimit.String())
	}
	c.add("seed", strconv.FormatUint(q.Options.Seed, 10))
	return c.text
}

// command is a command line under way.
type command struct{ text string }

// add adds a flag with a value, "" = none.
func (c *command) add(flag, value string) {
	if value != "" {
		c.text += " --" + flag + " " + ShellWord(value)
	}
}

// number adds a flag with a number, 0 = none.
func (c *command) number(flag string, n int) {
	if n != 0 {
		c.add(flag, strconv.Itoa(n))
	}
}

// ShellWord quotes what a shell would split or expand.
func ShellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
