package sparklog

import (
	"bytes"
	"encoding/json"
	"strings"
)

const (
	corePackage = "org.apache.spark.scheduler."
	corePrefix  = "SparkListener"
	// databricksStart begins each part of a log of Databricks, with Spark's version.
	databricksStart = "DBCEventLoggingListenerMetadata"
)

// events are the handlers of the events that are read, by their names behind corePrefix.
var events = map[string]func(*Reader, *scan){
	"TaskEnd":              (*Reader).taskEnd,
	"TaskStart":            (*Reader).taskStart,
	"BlockUpdated":         (*Reader).blockUpdated,
	"StageSubmitted":       (*Reader).stageSubmitted,
	"StageCompleted":       (*Reader).stageCompleted,
	"JobStart":             (*Reader).jobStart,
	"JobEnd":               (*Reader).jobEnd,
	"ExecutorAdded":        (*Reader).executorAdded,
	"ExecutorRemoved":      (*Reader).executorRemoved,
	"BlockManagerAdded":    (*Reader).blockManager,
	"ResourceProfileAdded": (*Reader).profile,
	"EnvironmentUpdate":    (*Reader).environment,
	"ApplicationStart":     (*Reader).appStart,
	"ApplicationEnd":       (*Reader).appEnd,
	"LogStart":             (*Reader).logStart,
	"UnpersistRDD":         (*Reader).unpersist,
}

var (
	// tellNothing are events that tell nothing about resources.
	tellNothing = words(`TaskGettingResult BlockManagerRemoved ExecutorMetricsUpdate StageExecutorMetrics
		MiscellaneousProcessAdded SpeculativeTaskSubmitted UnschedulableTaskSetAdded UnschedulableTaskSetRemoved
		ExecutorUnblacklisted ExecutorUnexcluded NodeUnblacklisted NodeUnexcluded`)
	// exclusions tell that an executor or a node takes no tasks any more.
	exclusions = words(`ExecutorBlacklisted ExecutorBlacklistedForStage ExecutorExcluded ExecutorExcludedForStage
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
	if string(name) == databricksStart {
		return []byte("LogStart")
	}
	return nil
}

func words(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}

func startsWithAny(name []byte, prefixes []string) bool {
	for _, p := range prefixes {
		if len(name) >= len(p) && string(name[:len(p)]) == p {
			return true
		}
	}
	return false
}

// eventName returns the name of a line's event where it stands first, as Spark
// writes it.
func eventName(line []byte) (name []byte, ok bool) {
	const usual = `{"Event":"`
	if bytes.HasPrefix(line, []byte(usual)) {
		rest := line[len(usual):]
		if n := bytes.IndexByte(rest, '"'); n >= 0 {
			return rest[:n], true
		}
		return nil, false
	}
	s := scan{b: line}
	if k, ok := s.object(); !ok || string(k) != "Event" || s.blank() != '"' {
		return nil, false
	}
	name = s.raw()
	return name, s.err == nil
}

// eventAnywhere looks for the name behind other members.
func eventAnywhere(line []byte) (name []byte, err error) {
	s := scan{b: line}
	if !s.enter('{') {
		if !json.Valid(line) {
			return nil, errSyntax
		}
		return nil, s.err
	}
	for k, ok := s.member(); ok; k, ok = s.member() {
		if string(k) == "Event" && s.blank() == '"' {
			name = s.raw()
			return name, s.err
		}
	}
	return nil, s.err
}

// unusedLine reports from its beginning whether a line need not be held.
func unusedLine(head []byte) bool {
	name, ok := eventName(head)
	name = coreName(name)
	return ok && (events[string(name)] == nil || string(name) == "TaskStart")
}
