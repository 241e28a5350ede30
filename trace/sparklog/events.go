package sparklog

import (
	"bytes"
	"encoding/json"
)

// event is what a line tells.
type event uint8

const (
	evUnknown  event = iota
	evOther          // known, and nothing for us
	evExcluded       // an executor or a node takes no tasks any more
	evLogStart
	evEnvironment
	evAppStart
	evAppEnd
	evProfile
	evExecutorAdded
	evExecutorRemoved
	evBlockManager
	evJobStart
	evJobEnd
	evStageSubmitted
	evStageCompleted
	evTaskStart
	evTaskEnd
	evUnpersist
	evBlockUpdated
)

const corePrefix = "SparkListener"

// eventOf names an event; those of SQL, streaming and of metrics tell nothing
// about resources.
func eventOf(name []byte) event {
	if !bytes.HasPrefix(name, []byte(corePrefix)) {
		return otherEvent(name)
	}
	switch string(name[len(corePrefix):]) {
	case "TaskEnd":
		return evTaskEnd
	case "TaskStart":
		return evTaskStart
	case "BlockUpdated":
		return evBlockUpdated
	case "StageSubmitted":
		return evStageSubmitted
	case "StageCompleted":
		return evStageCompleted
	case "JobStart":
		return evJobStart
	case "JobEnd":
		return evJobEnd
	case "ExecutorAdded":
		return evExecutorAdded
	case "ExecutorRemoved":
		return evExecutorRemoved
	case "BlockManagerAdded":
		return evBlockManager
	case "ResourceProfileAdded":
		return evProfile
	case "EnvironmentUpdate":
		return evEnvironment
	case "ApplicationStart":
		return evAppStart
	case "ApplicationEnd":
		return evAppEnd
	case "LogStart":
		return evLogStart
	case "UnpersistRDD":
		return evUnpersist
	case "TaskGettingResult", "BlockManagerRemoved", "ExecutorMetricsUpdate", "StageExecutorMetrics",
		"SpeculativeTaskSubmitted", "UnschedulableTaskSetAdded", "UnschedulableTaskSetRemoved",
		"ExecutorUnblacklisted", "ExecutorUnexcluded", "NodeUnblacklisted", "NodeUnexcluded":
		return evOther
	case "ExecutorBlacklisted", "ExecutorBlacklistedForStage", "ExecutorExcluded", "ExecutorExcludedForStage",
		"NodeBlacklisted", "NodeBlacklistedForStage", "NodeExcluded", "NodeExcludedForStage":
		return evExcluded
	}
	return evUnknown
}

// otherPrefixes are packages whose events describe plans, tables and streams.
var otherPrefixes = []string{"org.apache.spark.sql.", "org.apache.spark.streaming.", "org.apache.spark.ml.",
	"org.apache.spark.scheduler.SparkListenerMiscellaneousProcessAdded", "org.apache.spark.status."}

func otherEvent(name []byte) event {
	for _, p := range otherPrefixes {
		if bytes.HasPrefix(name, []byte(p)) {
			return evOther
		}
	}
	return evUnknown
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
	if !s.object() {
		return nil, false
	}
	if k, ok := s.member(); !ok || string(k) != "Event" || s.blank() != '"' {
		return nil, false
	}
	name, _ = s.raw()
	return name, s.err == nil
}

// eventAnywhere looks for the name behind other members.
func eventAnywhere(line []byte) (name []byte, err error) {
	s := scan{b: line}
	if !s.object() {
		if !json.Valid(line) {
			return nil, errSyntax
		}
		return nil, s.err
	}
	for k, ok := s.member(); ok; k, ok = s.member() {
		if string(k) == "Event" && s.blank() == '"' {
			name, _ = s.raw()
			return name, s.err
		}
		s.skip()
	}
	return nil, s.err
}

// unusedLine reports from its beginning whether a line need not be held.
func unusedLine(head []byte) bool {
	name, ok := eventName(head)
	if !ok {
		return false
	}
	e := eventOf(name)
	return e == evOther || e == evExcluded || e == evUnknown || e == evTaskStart
}
