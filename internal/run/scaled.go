package run

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"schedtune/yarnconf"
)

// A run on a part of the cluster with the same part of the jobs is like one on the
// whole if what the file says in numbers of applications, of nodes or of resources is
// scaled too. Percentages, weights, factors and the sizes of containers stay, and so
// does what makes up small numbers: a limit of one application stays one.

// scaledProps are a queue file's properties for a part of the cluster.
type scaledProps struct {
	yarnconf.Props
	part float64
}

// systemApplications is the limit on applications of all queues, and its default.
const (
	systemApplications  = yarnconf.Prefix + "maximum-applications"
	defaultApplications = "10000"
)

// Get implements yarnconf.Props.
func (s scaledProps) Get(key string) (string, bool) {
	v, ok := s.Props.Get(key)
	switch {
	case !ok && key == systemApplications:
		return scaledCount(defaultApplications, s.part), true
	case !ok || !strings.HasPrefix(key, yarnconf.Prefix):
		return v, ok
	}
	return scaledValue(key, v, s.part), true
}

// scaledValue is a property's value for a part of the cluster.
func scaledValue(key, value string, part float64) string {
	switch last := key[strings.LastIndexByte(key, '.')+1:]; last {
	case "maximum-applications", "max-parallel-apps", // at a time
		"node-locality-delay", "rack-locality-additional-delay": // missed opportunities, one per node and heartbeat
		return scaledCount(value, part)
	case "capacity", "maximum-capacity":
		if strings.HasPrefix(strings.TrimSpace(value), "[") {
			return absolute.ReplaceAllStringFunc(value, func(m string) string { return scaledAmount(m, part) })
		}
	}
	return value
}

// scaledCount scales a whole number above 1 and keeps it 1 at least; what is none
// stays, for the evaluation to report.
func scaledCount(value string, part float64) string {
	n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
	if err != nil || n <= 1 || n >= math.MaxInt32 {
		return value
	}
	return strconv.FormatInt(max(1, int64(math.Round(part*float64(n)))), 10)
}

// absolute finds a resource of a vector: "=8192," or "=8Gi]".
var absolute = regexp.MustCompile(`=\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*([,\]])`)

// smaller are units of memory by the next smaller one and how many of these they hold.
var smaller = map[string]struct {
	unit string
	of   float64
}{"G": {"M", 1000}, "T": {"G", 1000}, "Gi": {"Mi", 1024}, "Ti": {"Gi", 1024}}

// scaledAmount scales a plain number of a vector; percentages and weights stay. It is
// rounded down, so that what siblings have does not exceed their parent's.
func scaledAmount(m string, part float64) string {
	p := absolute.FindStringSubmatch(m)
	v, err := strconv.ParseFloat(p[1], 64)
	if err != nil || p[2] == "w" {
		return m
	}
	if s, ok := smaller[p[2]]; ok {
		v, p[2] = v*s.of, s.unit
	}
	return "=" + strconv.FormatFloat(math.Floor(v*part), 'f', -1, 64) + p[2] + p[3]
}
