package replay

// ScenarioNode is a NodeManager that a recorded run was asked to have.
type ScenarioNode struct {
	Name   string `json:"name"`
	MiB    int64  `json:"mib"`
	VCores int64  `json:"vcores"`
}

// ScenarioJob is a job that it was asked to run, as planned; times in milliseconds.
type ScenarioJob struct {
	Name      string  `json:"name"`
	Kind      string  `json:"kind"`
	Queue     string  `json:"queue"`
	User      string  `json:"user"`
	Submit    float64 `json:"submit_ms"`
	Maps      int32   `json:"maps"`
	Reduces   int32   `json:"reduces"`
	MapTime   float64 `json:"map_ms"`
	RedTime   float64 `json:"reduce_ms"`
	Slowstart float64 `json:"slowstart"`
	MapMiB    int64   `json:"map_mib"`
	ReduceMiB int64   `json:"reduce_mib"`
	AMMiB     int64   `json:"am_mib"`
}

// ScenarioEvent is a node that was to come or go.
type ScenarioEvent struct {
	At      float64 `json:"t_ms"`
	Op      string  `json:"op"` // join, decommission or lose
	Node    string  `json:"node"`
	Timeout float64 `json:"timeout_s"` // of a decommission
}
