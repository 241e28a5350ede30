package rm

import (
	"encoding/json"

	"schedtune/simcore/yarn"
	"schedtune/trace"
)

// App is what the ResourceManager says of an application. Sizes are in MiB, times in
// milliseconds, Started since 1970.
type App struct {
	ID          string `json:"id"`
	User        string `json:"user"`
	Name        string `json:"name"`
	Queue       string `json:"queue"`
	State       string `json:"state"`
	Final       string `json:"finalStatus"`
	Type        string `json:"applicationType"`
	Priority    int32  `json:"priority"`
	Started     int64  `json:"startedTime"`
	Elapsed     int64  `json:"elapsedTime"`
	Containers  int    `json:"runningContainers"`
	Allocated   int64  `json:"allocatedMB"`
	VCores      int64  `json:"allocatedVCores"`
	Reserved    int64  `json:"reservedMB"`
	AMLabel     string `json:"amNodeLabelExpression"`
	Label       string `json:"appNodeLabelExpression"`
	Diagnostics string `json:"diagnostics"`
	Asks        []Ask  `json:"resourceRequests"`
}

// Ask is a pending request of an application.
type Ask struct {
	Priority   int32    `json:"priority"`
	Where      string   `json:"resourceName"` // node, rack, or * for any
	Capability Resource `json:"capability"`
	Count      int32    `json:"numContainers"`
	Relax      *bool    `json:"relaxLocality"`
	Label      string   `json:"nodeLabelExpression"`
}

// Partition is the label as the scheduler has it, "" for none.
func Partition(label string) string {
	if label == yarn.DefaultPartition || label == "Not set" {
		return ""
	}
	return label
}

// ParseApps reads an answer of /ws/v1/cluster/apps, or of one application there: single.
func ParseApps(data []byte) (list []App, single bool, err error) {
	var doc struct {
		App  *App `json:"app"`
		Apps struct {
			App trace.List[App] `json:"app"`
		} `json:"apps"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, false, err
	}
	if doc.App != nil {
		doc.Apps.App = append(doc.Apps.App, *doc.App)
	}
	return doc.Apps.App, doc.App != nil, nil
}
