package trace

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// This file reads what the web services of ResourceManager and
// JobHistoryServer answer: /ws/v1/cluster/{apps,nodes,metrics,scheduler} and
// /ws/v1/history/mapreduce/{jobs, jobs/ID, …/tasks, …/tasks/ID/attempts,
// …/conf}. Answers may follow one another, each bare or as a poll
// {"t_ms": …, "body": …}; of repeated answers about one thing the last counts.

type restDoc struct {
	Body *restDoc `json:"body"`
	At   num      `json:"t_ms"`
	// ResourceManager
	Apps  *members[restApp] `json:"apps"`
	App   *restApp          `json:"app"`
	Nodes *members[RMNode]  `json:"nodes"`
	// JobHistoryServer
	Jobs     *members[restJob]     `json:"jobs"`
	Job      *restJob              `json:"job"`
	Tasks    *members[restTask]    `json:"tasks"`
	Attempts *members[restAttempt] `json:"taskAttempts"`
	Conf     *restConf             `json:"conf"`
}

// members is a list in an object of one member, which may be "" where the list is empty.
type members[T any] []T

// UnmarshalJSON reads the list of whatever name.
func (m *members[T]) UnmarshalJSON(b []byte) error {
	var in map[string]List[T]
	if isNone(b) {
		return nil
	}
	err := json.Unmarshal(b, &in)
	for _, name := range slices.Sorted(maps.Keys(in)) {
		*m = append(*m, in[name]...)
	}
	return err
}

// inner returns the answer itself, and when it was given if it is a poll.
func (d *restDoc) inner() (*restDoc, num) {
	at := d.At
	for d.Body != nil {
		d = d.Body
	}
	return d, at
}

type restApp struct {
	ID          text `json:"id"`
	User        text `json:"user"`
	Name        text `json:"name"`
	Queue       text `json:"queue"`
	Type        text `json:"applicationType"`
	FinalStatus text `json:"finalStatus"`
	Priority    num  `json:"priority"`
	Started     num  `json:"startedTime"`
	Launched    num  `json:"launchTime"`
	Finished    num  `json:"finishedTime"`
	MemSeconds  num  `json:"memorySeconds"`
	CoreSeconds num  `json:"vcoreSeconds"`
	Tags        text `json:"applicationTags"`
	State       text `json:"state"`
	Elapsed     num  `json:"elapsedTime"`
	HeldMiB     num  `json:"allocatedMB"`
	HeldCores   num  `json:"allocatedVCores"`
	Held        num  `json:"runningContainers"`
	Label       text `json:"appNodeLabelExpression"`
	AMLabel     text `json:"amNodeLabelExpression"`
	Unmanaged   bool `json:"unmanagedApplication"`
}

// RMNode is a node of an answer of /ws/v1/cluster/nodes.
type RMNode struct {
	ID        text `json:"id"`
	Host      text `json:"nodeHostName"`
	Rack      text `json:"rack"`
	State     text `json:"state"`
	Used      num  `json:"usedMemoryMB"`
	Free      num  `json:"availMemoryMB"`
	UsedCores num  `json:"usedVirtualCores"`
	FreeCores num  `json:"availableVirtualCores"`
	Total     struct {
		Memory num `json:"memory"`
		VCores num `json:"vCores"`
	} `json:"totalResource"` // Hadoop 3.0 and later
	Labels List[string] `json:"nodeLabels"` // one at most
}

// Size is what the node offers to containers in all.
func (n *RMNode) Size() Size {
	if n.Total.Memory.V > 0 {
		return Size{n.Total.Memory.V, n.Total.VCores.V}
	}
	return Size{n.Used.V + n.Free.V, n.UsedCores.V + n.FreeCores.V}
}

// Label is its node label, empty for none.
func (n *RMNode) Label() string { return strings.Join(n.Labels, ",") }

type restJob struct {
	ID         text `json:"id"`
	User       text `json:"user"`
	Name       text `json:"name"`
	Queue      text `json:"queue"`
	State      text `json:"state"`
	Submit     num  `json:"submitTime"`
	Start      num  `json:"startTime"`
	Finish     num  `json:"finishTime"`
	Maps       num  `json:"mapsTotal"`
	Reduces    num  `json:"reducesTotal"`
	AvgMap     num  `json:"avgMapTime"`
	AvgReduce  num  `json:"avgReduceTime"`
	AvgShuffle num  `json:"avgShuffleTime"`
	AvgMerge   num  `json:"avgMergeTime"`
	Uber       text `json:"uberized"`
}

type restTask struct {
	ID     text `json:"id"`
	Type   text `json:"type"`
	State  text `json:"state"`
	Start  num  `json:"startTime"`
	Finish num  `json:"finishTime"`
}

type restAttempt struct {
	ID        text `json:"id"`
	Type      text `json:"type"`
	State     text `json:"state"`
	Start     num  `json:"startTime"`
	Finish    num  `json:"finishTime"`
	Rack      text `json:"rack"`
	Node      text `json:"nodeHttpAddress"`
	Container text `json:"assignedContainerId"`
	Shuffle   num  `json:"shuffleFinishTime"`
	Merge     num  `json:"mergeFinishTime"`
}

type restConf struct {
	Path     text               `json:"path"`
	Property List[restProperty] `json:"property"`
}

type restProperty struct {
	Name  text `json:"name"`
	Value text `json:"value"`
}
