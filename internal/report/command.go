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
	line := "tune"
	add := func(flag string, values ...string) {
		for _, v := range values {
			if v != "" && v != "0" {
				line += " --" + flag + " " + ShellWord(v)
			}
		}
	}
	in := &q.Inputs
	add("objective", strings.Join(q.Objectives, ","))
	add("config", in.Config)
	add("site", in.Site)
	add("cluster", in.Cluster)
	add("trace", in.Traces...)
	add("queue-map", in.QueueMap)
	add("groups", in.Groups)
	add("users", strconv.Itoa(in.Users))
	add("hadoop", in.Hadoop)
	add("calibration", in.Calibration)
	if in.Embedded {
		line += " --embedded"
	}
	add("constraint", q.Constraints...)
	if !slices.ContainsFunc(q.Constraints, func(l string) bool {
		return strings.HasPrefix(strings.TrimSpace(l), study.ProtectedMetric)
	}) {
		add("protect", "off") // or it would be there
	}
	add("params", strings.Join(q.Params, ","))
	if q.Options.TimeBudget > 0 {
		add("budget", q.Options.TimeBudget.String())
	} else {
		add("budget", strconv.Itoa(q.Options.Budget))
	}
	add("patience", strconv.Itoa(q.Options.Patience))
	add("sampler", q.Options.Method)
	add("workloads", strconv.Itoa(q.Workloads))
	add("windows", strconv.Itoa(q.Windows))
	if q.TimeLimit != study.DefaultTimeLimit {
		add("time-limit", q.TimeLimit.String())
	}
	line += " --seed " + strconv.FormatUint(q.Options.Seed, 10)
	return line
}

// ShellWord quotes what a shell would split or expand.
func ShellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
