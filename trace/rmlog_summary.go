package trace

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"schedtune/simcore"
)

// summaryLine applies comma-separated key=value pairs, commas in values
// escaped with a backslash.
func (l *rmLog) summaryLine(body string) error {
	v := splitSummary(body)
	id := v["appId"]
	a := l.app(id)
	a.summary = true
	j := &a.job
	j.Name, j.User, j.Queue, j.Type = v["name"], v["user"], v["queue"], v["applicationType"]
	if r := parseResult(v["finalStatus"]); r != Unfinished {
		j.Result = r
	}
	var err error
	num := func(key string) int64 {
		s := v[key]
		if s == "" {
			return Unknown
		}
		x, e := strconv.ParseInt(s, 10, 64)
		if e != nil {
			err = errors.Join(err, fmt.Errorf("%s is %q where a number is expected", key, clip(s)))
		}
		return x
	}
	submit := num("submitTime")
	if submit <= 0 {
		submit = num("startTime")
	}
	j.Submit, j.Finish = Millis(submit), Millis(num("finishTime"))
	if launch := num("launchTime"); launch != 0 {
		j.Launch, j.MasterLaunch = Millis(launch), Millis(max(Unknown, launch))
	}
	j.setLabels(simcore.JobLabels{App: v["applicationNodeLabel"]})
	j.MemorySeconds, j.VCoreSeconds = num("memorySeconds"), num("vcoreSeconds")
	a.allocated = int(num("totalAllocatedContainers"))
	if err != nil {
		return jobErr(id, "%w", err)
	}
	return checkSpan(id, "application", j.Submit, j.Finish)
}

// summaryField is KEY=VALUE, with any character of the value behind a backslash.
var summaryField = regexp.MustCompile(`([^=,]+)=((?:\\.|[^,\\])*)`)

func splitSummary(s string) map[string]string {
	v := map[string]string{}
	for _, m := range slices.Backward(summaryField.FindAllStringSubmatch(s, -1)) { // of two the first counts
		v[m[1]] = strings.TrimSpace(backslash.ReplaceAllString(m[2], "$1"))
	}
	return v
}

var backslash = regexp.MustCompile(`\\(.)`)
