package sparklog

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-json"

	"schedtune/internal/fileio"
	"schedtune/trace/internal/history"
)

const (
	corePackage = "org.apache.spark.scheduler."
	corePrefix  = "SparkListener"
	// databricksStart begins each part of a log of Databricks, with Spark's version.
	databricksStart = "DBCEventLoggingListenerMetadata"
)

// events are the handlers of the events that are read, by their names behind corePrefix.
var events = map[string]func(*Reader, []byte) error{
	"TaskEnd":              on((*Reader).taskEnd),
	"TaskStart":            on((*Reader).taskStart),
	"BlockUpdated":         on((*Reader).blockUpdated),
	"StageSubmitted":       on((*Reader).stageSubmitted),
	"StageCompleted":       on((*Reader).stageCompleted),
	"JobStart":             on((*Reader).jobStart),
	"JobEnd":               on((*Reader).jobEnd),
	"ExecutorAdded":        on((*Reader).executorAdded),
	"ExecutorRemoved":      on((*Reader).executorRemoved),
	"BlockManagerAdded":    on((*Reader).blockManager),
	"ResourceProfileAdded": on((*Reader).profile),
	"EnvironmentUpdate":    on((*Reader).environment),
	"ApplicationStart":     on((*Reader).appStart),
	"ApplicationEnd":       on((*Reader).appEnd),
	"LogStart":             on((*Reader).logStart),
	"UnpersistRDD":         on((*Reader).unpersist),
	ownEvent:               on((*Reader).written),
}

// on returns the handler of an event with these members.
func on[E any](take func(*Reader, *E)) func(*Reader, []byte) error {
	return func(r *Reader, line []byte) error {
		var e E
		if !decoded(line, &e) {
			return fault(line)
		}
		take(r, &e)
		return nil
	}
}

// decoded reports whether a line is an event; a panic of the library is a damaged line, too.
func decoded(line []byte, e any) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return json.Unmarshal(line, e) == nil
}

// Types of members: texts, numbers and truth values in whatever form.
type (
	text = fileio.Scalar
	num  = fileio.Number
	flag bool
)

// UnmarshalJSON takes anything but true as false.
func (f *flag) UnmarshalJSON(b []byte) error {
	*f = string(b) == "true"
	return nil
}

var (
	errCut    = errors.New("the line ends inside a JSON value")
	errSyntax = errors.New("not valid JSON")
	errType   = errors.New("a JSON value of another type than Spark writes there")
)

// fault tells what is wrong with a line that is no event.
func fault(line []byte) error {
	var v stdjson.RawMessage
	switch err := stdjson.Unmarshal(line, &v); {
	case err == nil:
		return errType
	case strings.Contains(err.Error(), "unexpected end"):
		return errCut
	}
	return errSyntax
}

var (
	// tellNothing are events that tell nothing about resources.
	tellNothing = history.Words(`TaskGettingResult BlockManagerRemoved ExecutorMetricsUpdate StageExecutorMetrics
		MiscellaneousProcessAdded SpeculativeTaskSubmitted UnschedulableTaskSetAdded UnschedulableTaskSetRemoved
		ExecutorUnblacklisted ExecutorUnexcluded NodeUnblacklisted NodeUnexcluded`)
	// exclusions tell that an executor or a node takes no tasks any more.
	exclusions = history.Words(`ExecutorBlacklisted ExecutorBlacklistedForStage ExecutorExcluded ExecutorExcludedForStage
		NodeBlacklisted NodeBlacklistedForStage NodeExcluded NodeExcludedForStage`)
	// otherPackages are packages whose events describe plans, tables and streams.
	otherPackages = strings.Fields(`org.apache.spark.sql. org.apache.spark.streaming. org.apache.spark.ml. org.apache.spark.status.`)
)

// coreName returns the name of an event of Spark's core without its prefix, nil of others.
func coreName(name []byte) []byte {
	name, _ = bytes.CutPrefix(name, []byte(corePackage)) // of those that JsonProtocol does not name itself
	if rest, ok := bytes.CutPrefix(name, []byte(corePrefix)); ok {
		return rest
	}
	switch string(name) {
	case databricksStart:
		return []byte("LogStart")
	case ownEvent:
		return name
	}
	return nil
}

func startsWithAny(name string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

var spacedEvent = regexp.MustCompile(`^\s*\{\s*"Event"\s*:\s*"([^"\\]*)"`)

// eventName returns the name of a line's event where it stands first, as Spark
// writes it, else nil.
func eventName(line []byte) []byte {
	if rest, ok := bytes.CutPrefix(line, []byte(`{"Event":"`)); ok {
		if n := bytes.IndexByte(rest, '"'); n >= 0 {
			return rest[:n]
		}
	}
	if m := spacedEvent.FindSubmatch(line); m != nil {
		return m[1]
	}
	return nil
}

// eventAnywhere looks for the name behind other members.
func eventAnywhere(line []byte) (name []byte, err error) {
	var e struct{ Event text }
	if json.Unmarshal(line, &e) != nil {
		return nil, fault(line)
	}
	if e.Event == "" || !bytes.Contains(line, []byte(`"Event"`)) {
		return nil, errSyntax
	}
	return []byte(e.Event), nil
}

// unusedLine reports from its beginning whether a line need not be held.
func unusedLine(head []byte) bool {
	name := eventName(head)
	return name != nil && events[string(coreName(name))] == nil
}
