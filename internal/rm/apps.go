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
	AMLabel     string `json:"amNodeLabelExpression"`
	Diagnostics string `json:"diagnostics"`
	Containers  *int   `json:"runningContainers"` // -1 where it may not be seen
	AMLogs      string `json:"amContainerLogs"`   // address

	Asks trace.List[Ask] `json:"resourceRequests"`
}

// Ask is a pending request of an application.
type Ask struct {
	Priority   int32    `json:"priority"`
	Where      string   `json:"resourceName"` // node, rack, or * for any
	Capability Resource `json:"capability"`
	Count      int32    `json:"numContainers"`
	Label      string   `json:"nodeLabelExpression"`
}

// Partition is the label as the scheduler has it, "" for none.
func Partition(label string) string {
	if label == yarn.DefaultPartition || label == "Not set" {
		return ""
	}
	return label
}

// ParseApps reads an answer of /ws/v1/cluster/apps.
func ParseApps(data []byte) ([]App, error) {
	var doc struct {
		Apps struct {
			App trace.List[App] `json:"app"`
		} `json:"apps"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	return doc.Apps.App, nil
}
